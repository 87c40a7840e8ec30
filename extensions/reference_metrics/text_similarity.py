"""The similarity of two texts by a language model's token vectors: BERTScore's F1 (Zhang et al., 2020).

Each token is matched with the token of the other text whose vector has the largest cosine. Precision and recall are the
means of these cosines over the tokens of each text. The model is read from a folder, and no file is downloaded.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from domain.errors import InvalidInputError, ModelError, Problem
from domain.installation import install_hint

VERSION = 1
"""Raised when the same texts give another number for a reason of ours."""
_AT_ONCE = 32
_READ = ("*.safetensors", "*.bin", "*.json", "*.txt", "*.model")
"""The files of a folder that determine the model."""


@dataclass(frozen=True)
class Similarity:
    """A measure with everything that its numbers depend on."""

    about: Mapping[str, Any]
    """The description of the measure as JSON values, to be stored with its numbers."""
    measure: Callable[[Sequence[tuple[str, str]]], list[float | None]]
    """F1 of each pair, the same in either order; None where a text has no tokens."""


@dataclass(frozen=True)
class _Text:
    vectors: NDArray[np.float64]
    """The vectors of length 1, one row for each token."""
    counts: NDArray[np.bool_]
    """Tokens of the text itself. Tokens that the tokenizer adds around it can be matched, but have no weight."""


def _require_libraries() -> None:
    """Raise ``ModelError`` if torch or transformers is not installed."""
    # Threads of torch sleep while they wait: spinning ones slow down everything else on the same cores.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise ModelError(
            f"BERTScore needs torch and transformers, but {error.name} is not installed. {install_hint('models')}"
        ) from error


def opened(folder: Path, *, layer: int | None = None) -> Similarity:
    """Return the similarity measure of the model in a folder, on the processor.

    Parameters
    ----------
    layer
        The layer of the compared vectors, where 0 is the embeddings. None for the last layer.

    Raises
    ------
    ModelError
        The folder has no readable text model, or a library is missing.
    InvalidInputError
        The model does not have the layer.
    """
    if not folder.is_dir():
        raise ModelError(
            f"{folder} is not a folder on this machine. Touchstone does not download models, so copy the model to "
            "this machine first."
        )
    _require_libraries()
    import torch
    import transformers
    from transformers import AutoConfig, AutoModel, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    about: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        config = AutoConfig.from_pretrained(folder, **about)
        spaced = {"add_prefix_space": True} if config.model_type in ("roberta", "gpt2", "longformer") else {}
        tokenizer = AutoTokenizer.from_pretrained(folder, **about, **spaced)
        model = AutoModel.from_pretrained(folder, **about).eval()
    except Exception as error:  # a broken folder can raise anything
        reason = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
        raise ModelError(
            f"Touchstone cannot load {folder.name} as a text model ({reason}). Check the files in the folder."
        ) from error
    layers = int(config.num_hidden_layers)
    at = layers if layer is None else layer
    if not 0 <= at <= layers:
        raise InvalidInputError(
            [
                Problem(
                    "layer",
                    f"{folder.name} has layers 0 to {layers}, so layer {at} does not exist. Choose one of these "
                    f"layers.",
                )
            ]
        )

    def read(texts: Sequence[str]) -> list[_Text]:
        given = tokenizer(
            [text.strip() for text in texts],
            padding=True,
            truncation=True,
            max_length=min(tokenizer.model_max_length, config.max_position_embeddings),
            return_special_tokens_mask=True,
            return_tensors="pt",
        )
        special = given.pop("special_tokens_mask").bool()
        with torch.inference_mode():
            states = model(**given, output_hidden_states=True).hidden_states[at].double()
        vectors = torch.nn.functional.normalize(states, dim=-1).numpy()
        there = given["attention_mask"].bool().numpy()
        return [_Text(vectors[row][there[row]], ~special[row].numpy()[there[row]]) for row in range(len(texts))]

    def measure(pairs: Sequence[tuple[str, str]]) -> list[float | None]:
        texts = sorted({text for pair in pairs for text in pair}, key=len)
        known: dict[str, _Text] = {}
        for start in range(0, len(texts), _AT_ONCE):
            lot = texts[start : start + _AT_ONCE]
            known.update(zip(lot, read(lot), strict=True))
        return [_f1(known[one], known[other]) for one, other in pairs]

    origin = {
        "metric": "bertscore_f1",
        "version": VERSION,
        "model": folder.name,
        "sha256": _hash(folder),
        "layer": at,
        "idf": False,
        "rescaled": False,
        "transformers": transformers.__version__,
        "torch": torch.__version__,
    }
    return Similarity(origin, measure)


def _f1(one: _Text, other: _Text) -> float | None:
    if not one.counts.any() or not other.counts.any():
        return None
    cosines = one.vectors @ other.vectors.T
    precision = float(cosines.max(axis=1)[one.counts].mean())
    recall = float(cosines.max(axis=0)[other.counts].mean())
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else None


def _hash(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted({path for pattern in _READ for path in folder.glob(pattern)}):
        digest.update(path.name.encode() + b"\0")
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
