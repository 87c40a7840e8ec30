"""The properties of a model's folder, and whether the model fits into this machine. Only files are read; no model is
loaded.

The module does not import torch, because the web process shows its results.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import util
from pathlib import Path
from typing import Any

from domain.errors import ModelError
from extensions.local_models.families import NO_CLASS, Family, family_of
from extensions.local_models.weight_files import WeightFiles, parameters_in_words, read_json, size_in_words
from inference.spec import Generation, ModelSpec

BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
"""The number of bytes of one parameter."""


@dataclass(frozen=True)
class ModelFolder:
    """A folder that holds a model, or something that looks like one."""

    path: Path
    name: str
    """The folder's, below the folder that was looked through."""
    family: Family
    parameters: int | None = None
    """The number of parameters; None if the weights cannot be counted without loading them."""
    stored: str = ""
    """The dtype of most of its weights."""
    size: int = 0
    """The size of the weight files, in bytes."""
    shards: int = 0
    """The number of weight files."""
    trouble: str = ""
    """Why the model cannot be loaded, as a sentence; empty if no obstacle was found."""
    remote_code: bool = False
    """The model cannot be loaded without code from its own folder."""
    quantised: str = ""
    """The way its weights were made smaller; empty: they were not."""
    hash: str = ""
    """SHA-256 of its configuration and of the names, sizes and headers of its weights."""
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The content of `config.json`."""

    @property
    def has_images(self) -> bool:
        """Return whether the model accepts pictures."""
        return self.family.modality != "text"

    def bytes_at(self, dtype: str) -> int | None:
        """Return the bytes of the weights in this dtype; None if unknown."""
        return None if self.parameters is None else self.parameters * BYTES[dtype]


@dataclass(frozen=True)
class Memory:
    """The free memory of this machine, in bytes."""

    main: int | None
    """The free main memory; None if unknown."""
    gpu: int | None = None
    """The free memory of the GPU with the most; None without a GPU."""
    gpu_name: str = ""


@dataclass(frozen=True)
class Fit:
    """Whether a model fits, and its requirements."""

    fits: bool
    sentence: str
    """For anyone who picks it."""
    device: str
    """`cuda` or `cpu`: where it would run."""
    dtype: str
    """The dtype in which the weights would be loaded."""
    bytes: int | None
    """The required bytes, with room for one question; None if unknown."""
    free: int | None
    """The available bytes; None if unknown."""


def free_memory() -> Memory:
    """Return the memory that is free now. The GPU is queried through ``nvidia-smi``, so that no heavy package is
    imported.
    """
    gpu, name = _gpu()
    return Memory(_main_memory(), gpu, name)


def _main_memory() -> int | None:
    free: int | None = None
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                free = int(line.split()[1]) * 1024
    except (OSError, ValueError):
        try:
            free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError, AttributeError):
            return None
    room = _container_room()
    return min(free, room) if free is not None and room is not None else free


def _container_room() -> int | None:
    """Return the memory left by a container's own limit; None without a limit."""
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
        used = Path("/sys/fs/cgroup/memory.current").read_text(encoding="ascii").strip()
        cached = 0
        for line in Path("/sys/fs/cgroup/memory.stat").read_text(encoding="ascii").splitlines():
            if line.startswith("inactive_file "):
                cached = int(line.split()[1])
        return None if limit == "max" else max(0, int(limit) - int(used) + cached)
    except (OSError, ValueError):
        return None


def _gpu() -> tuple[int | None, str]:
    program = shutil.which("nvidia-smi")
    if program is None:
        return None, ""
    try:
        output = subprocess.run(
            [program, "--query-gpu=memory.free,name", "--format=csv,noheader,nounits"],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None, ""
    best: tuple[int | None, str] = (None, "")
    for line in output.splitlines():
        free, _, name = line.partition(",")
        if free.strip().isdigit() and (best[0] is None or int(free) * 1024**2 > best[0]):
            best = int(free) * 1024**2, name.strip()
    return best


def fit(found: ModelFolder, *, device: str = "auto", dtype: str = "auto", memory: Memory | None = None) -> Fit:
    """Return whether a model can be loaded here, with its dtype and device."""
    memory = memory or free_memory()
    on_gpu = device.startswith("cuda") or (device == "auto" and memory.gpu is not None)
    where = "cuda" if on_gpu else ("mps" if device == "mps" else "cpu")
    kind = chosen_dtype(dtype, found.stored, on_gpu=where != "cpu")
    if found.trouble:
        return Fit(False, found.trouble, where, kind, None, None)
    if device.startswith("cuda") and memory.gpu is None:
        return Fit(
            False,
            "The model requires a GPU, but this machine has no GPU. Choose another device, or use a machine with a "
            "GPU.",
            where,
            kind,
            None,
            memory.main,
        )
    weights = found.size if found.quantised else found.bytes_at(kind)
    free = memory.gpu if on_gpu else memory.main
    if weights is None or free is None:
        return Fit(True, "The model's memory use is unknown until the model is loaded.", where, kind, weights, free)
    # Memory besides the weights: activations, the cache of one question with pictures, and the libraries themselves.
    # A fifth is an estimate for models of this size, not a measurement.
    taken = int(weights * 1.2) + 300 * 1024**2
    place = f"on the GPU ({memory.gpu_name})" if on_gpu else "in main memory"
    need = f"about {size_in_words(taken)} {place} with {kind}, and {size_in_words(free)} are free"
    if taken <= free:
        return Fit(True, f"The model fits. It needs {need}.", where, kind, taken, free)
    smaller = ""
    if kind == "float32" and int(weights / 2 * 1.2) + 300 * 1024**2 <= free:
        smaller = " Use dtype bfloat16 so that the model fits."
    elif on_gpu:
        smaller = " Use a larger GPU or a smaller model."
    return Fit(False, f"The model does not fit. It needs {need}.{smaller}", where, kind, taken, free)


def chosen_dtype(asked: str, stored: str, *, on_gpu: bool) -> str:
    """Return the dtype for `auto`: the stored one on a GPU, float32 on a processor.

    >>> chosen_dtype("auto", "bfloat16", on_gpu=False)
    'float32'
    """
    if asked != "auto":
        return asked
    return stored if on_gpu and stored in BYTES else "float32"


def models_in(folder: Path) -> list[ModelFolder]:
    """Return every model below a folder, at most three levels down, by name.

    Paths outside the folder, such as the target of a symbolic link, are left out.
    """
    home = folder.resolve()
    if not home.is_dir():
        return []
    folders = [look(path, home=home) for path in _candidates(home, 3)]
    return sorted(folders, key=lambda one: one.name)


def _candidates(folder: Path, depth: int) -> list[Path]:
    if (folder / "config.json").is_file():
        return [folder]
    if depth == 0:
        return []
    try:
        below = sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())
    except OSError:
        return []
    return [one for path in below if not path.name.startswith(".") for one in _candidates(path, depth - 1)]


def picked(folder: Path, name: str) -> Path:
    """Return the path of a model that was chosen by its name below a folder.

    Raises
    ------
    ModelError
        The model does not exist, or the name leads out of the folder.
    """
    home = folder.resolve()
    path = home / name
    steps = [home.joinpath(*Path(name).parts[:count]) for count in range(1, len(Path(name).parts) + 1)]
    if (
        "\x00" in name
        or not path.resolve().is_relative_to(home)
        or any(step.is_symlink() for step in steps)
        or not path.is_dir()
    ):
        raise ModelError(f"The folder of models contains no folder {name!r}. Choose another folder.")
    return path


def look(path: Path, *, home: Path | None = None) -> ModelFolder:
    """Return the properties of a model's folder. Errors are not raised, but described in ``trouble``."""
    name = str(path.relative_to(home)) if home and path != home and path.is_relative_to(home) else path.name
    nothing = ModelFolder(path, name, family_of({}))
    if not path.is_dir():
        return _wrong(nothing, f"The folder {path} does not exist. Check the path.")
    if (path / "adapter_config.json").is_file() and not (path / "config.json").is_file():
        return _wrong(
            nothing,
            f"{name} is an adapter (LoRA), not a model. Merge the adapter into its base model, and save the "
            "merged model.",
        )
    if not (path / "config.json").is_file():
        return _wrong(
            nothing,
            f"{name} is not a model folder, because config.json is missing. Choose a folder with a config.json.",
        )
    if home is not None and any(not file.resolve().is_relative_to(home) for file in path.iterdir()):
        return _wrong(
            nothing, f"{name} contains links that lead outside the folder of models. Replace the links with files."
        )
    try:
        config = read_json(path / "config.json")
    except (OSError, ValueError) as error:
        return _wrong(nothing, f"Touchstone cannot read {name}/config.json: {error}. Download the file again.")
    family = family_of(config)
    kind = str(config.get("model_type", ""))
    weights = WeightFiles(path)
    trouble = weights.trouble
    code = isinstance(config.get("auto_map"), dict) and not family.known and not _known_to_transformers(kind)
    if kind.lower() in NO_CLASS:
        trouble = (
            f"The transformers library has no class for {NO_CLASS[kind.lower()]}. Import the model's "
            "answers as a file, or connect the model as an endpoint."
        )
    elif not kind:
        trouble = (
            f"{name}/config.json has no model_type, so the type of the model is unknown. Add model_type to this file."
        )
    quantised = config.get("quantization_config")
    return ModelFolder(
        path,
        name,
        family,
        parameters=weights.parameters,
        stored=weights.stored or str(config.get("dtype") or config.get("torch_dtype") or ""),
        size=weights.size,
        shards=len(weights.files),
        trouble=trouble,
        remote_code=code,
        quantised=str(quantised.get("quant_method", "quantised")) if isinstance(quantised, dict) else "",
        hash=weights.hash_with(config),
        settings=config,
    )


def _wrong(found: ModelFolder, trouble: str) -> ModelFolder:
    return ModelFolder(found.path, found.name, found.family, trouble=trouble)


def _known_to_transformers(model_type: str) -> bool:
    """Return whether the installed transformers supports a model type. True without an installed transformers."""
    spec = util.find_spec("transformers")
    if spec is None or not spec.submodule_search_locations:
        return True
    name = re.sub(r"[^a-z0-9]", "", model_type.lower())
    models = Path(spec.submodule_search_locations[0]) / "models"
    try:
        return any(re.sub(r"[^a-z0-9]", "", path.name.lower()) == name for path in models.iterdir())
    except OSError:
        return True


def needs(found: ModelFolder) -> list[str]:
    """Return the requirements for loading a model, one sentence each."""
    sentences = []
    if util.find_spec("torch") is None or util.find_spec("transformers") is None:
        sentences.append("Local models need torch and transformers. Install Touchstone with its extra `models`.")
    if found.remote_code:
        sentences.append("The model contains its own code, which runs only if the operator allows this model by name.")
    if found.quantised and found.quantised not in ("fp8",):
        sentences.append(
            f"The weights are quantized with {found.quantised}, so the model needs a GPU and the package "
            "for this quantization."
        )
    if not found.family.known and found.family.model_type:
        sentences.append(
            f"Touchstone does not recognize the model family ({found.family.model_type}). Ranking options is slow, "
            "and answers in batches may differ from single answers."
        )
    if found.family.image_only:
        sentences.append("The model gets clips as single images, so torchvision is not needed.")
    return sentences


def spec_for_folder(path: Path) -> ModelSpec:
    """Return a description for any model folder, from its files.

    Raises
    ------
    ModelError
        The folder is not a model.
    """
    folder = look(path)
    if folder.trouble and not folder.settings:
        raise ModelError(folder.trouble)
    family = folder.family
    size = f", {parameters_in_words(folder.parameters)} parameters" if folder.parameters else ""
    return ModelSpec(
        name=path.name,
        note=f"{family.title}{size} (guessed from its files).",
        adapter=family.adapter,
        model=str(path),
        prompts=family.prompts,
        modality=family.modality,
        remote_code=folder.remote_code,
        generation=Generation(),
    )
