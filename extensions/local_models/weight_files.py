"""The weight files of a model's folder. Only headers are read, not the weights themselves."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_STORED = {
    "F64": ("float64", 8),
    "F32": ("float32", 4),
    "BF16": ("bfloat16", 2),
    "F16": ("float16", 2),
    "I64": ("int64", 8),
    "I32": ("int32", 4),
    "I16": ("int16", 2),
    "I8": ("int8", 1),
    "U8": ("uint8", 1),
    "BOOL": ("bool", 1),
    "F8_E4M3": ("float8", 1),
    "F8_E5M2": ("float8", 1),
}
_LARGEST_HEADER = 100_000_000
_LARGEST_JSON = 64_000_000


class WeightFiles:
    """The files of a folder's weights, looked at without reading the weights."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.trouble = ""
        self.parameters: int | None = None
        self.stored = ""
        self._headers: list[str] = []
        self.files = self._files()
        self.size = sum(path.stat().st_size for path in self.files)
        if not self.trouble:
            self._count()

    def _files(self) -> list[Path]:
        for index in ("model.safetensors.index.json", "pytorch_model.bin.index.json"):
            path = self.folder / index
            if not path.is_file():
                continue
            try:
                listed = sorted(set(read_json(path)["weight_map"].values()))
            except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
                self.trouble = f"Touchstone cannot read {index}: {error}. Download the file again."
                return []
            if any(not isinstance(name, str) or Path(name).name != name for name in listed):
                self.trouble = f"{index} names files outside the folder. Download the model again."
                return []
            missing = [name for name in listed if not (self.folder / name).is_file()]
            if missing:
                n = f"{len(missing)} of {len(listed)}"
                self.trouble = f"Missing weight files: {n} (such as {missing[0]}). Finish the download."
            return [self.folder / name for name in listed if (self.folder / name).is_file()]
        for name in ("model.safetensors", "pytorch_model.bin"):
            if (self.folder / name).is_file():
                return [self.folder / name]
        partial = [
            path.name for pattern in ("*.incomplete", "*.part", "*.crdownload") for path in self.folder.glob(pattern)
        ]
        loose = sorted(self.folder.glob("model-*-of-*.safetensors"))
        if loose:
            self.trouble = (
                "The folder has weights, but their index (model.safetensors.index.json) is missing. Finish the "
                "download."
            )
        elif any(self.folder.glob("*.gguf")):
            self.trouble = (
                "The weights are in GGUF format. Serve the model with llama.cpp or Ollama, and connect the model as "
                "an endpoint."
            )
        elif partial:
            self.trouble = f"The download of the weights is incomplete ({partial[0]}). Finish the download."
        else:
            self.trouble = "The folder has no weights, because model.safetensors is missing. Finish the download."
        return []

    def _count(self) -> None:
        kinds: dict[str, int] = {}
        total = 0
        for path in self.files:
            if path.suffix != ".safetensors":
                if path.stat().st_size < 1024:
                    self.trouble = f"{path.name} is a Git LFS placeholder, not the weights. Run `git lfs pull`."
                return
            try:
                header = self._header(path)
            except ValueError as error:
                self.trouble = str(error)
                return
            for tensor in header.values():
                number = 1
                for side in tensor["shape"]:
                    number *= side
                total += number
                kinds[tensor["dtype"]] = kinds.get(tensor["dtype"], 0) + number
        self.parameters = total
        if kinds:
            most = max(kinds, key=lambda kind: kinds[kind])
            self.stored = _STORED.get(most, (most.lower(), 0))[0]

    def _header(self, path: Path) -> dict[str, dict[str, Any]]:
        size = path.stat().st_size
        with path.open("rb") as file:
            first = file.read(8)
            if first.startswith(b"version "):
                raise ValueError(f"{path.name} is a Git LFS placeholder, not the weights. Run `git lfs pull`.")
            length = struct.unpack("<Q", first)[0] if len(first) == 8 else -1
            if not 0 < length <= min(_LARGEST_HEADER, size - 8):
                raise ValueError(f"{path.name} is damaged or incomplete. Download the file again.")
            text = file.read(length)
        try:
            header = json.loads(text)
            tensors = {name: tensor for name, tensor in header.items() if name != "__metadata__"}
            end = max((tensor["data_offsets"][1] for tensor in tensors.values()), default=0)
            shapes = all(isinstance(side, int) for tensor in tensors.values() for side in tensor["shape"])
            if not shapes or not all(isinstance(tensor["dtype"], str) for tensor in tensors.values()):
                raise ValueError
        except (ValueError, KeyError, TypeError, AttributeError, IndexError):
            raise ValueError(
                f"{path.name} is damaged: Touchstone cannot read its header. Download the file again."
            ) from None
        if size != 8 + length + end:
            raise ValueError(
                f"{path.name} is incomplete: the file has {size_in_words(size)} of {size_in_words(8 + length + end)}"
                ". Finish the download."
            )
        self._headers.append(hashlib.sha256(text).hexdigest())
        return tensors

    def hash_with(self, config: Mapping[str, Any]) -> str:
        """Return the SHA-256 of the configuration and of the known facts about the weights."""
        parts = {
            "config": config,
            "files": [[path.name, path.stat().st_size] for path in self.files],
            "headers": self._headers,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def read_json(path: Path) -> dict[str, Any]:
    if path.stat().st_size > _LARGEST_JSON:
        raise ValueError("the file is too large")
    document = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(document, dict):
        raise ValueError("the file is not a JSON object")
    return document


def size_in_words(size: int) -> str:
    """Return a number of bytes in words.

    >>> size_in_words(13_500_000_000), size_in_words(350_000)
    ('12.6 GiB', '0.3 MiB')
    """
    return f"{size / 1024**3:.1f} GiB" if size >= 1024**3 // 2 else f"{size / 1024**2:.1f} MiB"


def parameters_in_words(parameters: int) -> str:
    """Return a number of parameters in words.

    >>> parameters_in_words(7_063_427_072), parameters_in_words(82_000)
    ('7.1 B', '82 k')
    """
    for unit, size in (("B", 10**9), ("M", 10**6)):
        if parameters >= size:
            return f"{parameters / size:.1f} {unit}"
    return f"{parameters / 1000:.0f} k"
