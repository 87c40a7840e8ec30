"""Models in folders on this machine: their names, whether they fit into memory, and missing packages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from extensions.local_models import fit
from extensions.local_models.weight_files import parameters_in_words, size_in_words
from inference.spec import spec_as_yaml


@dataclass(frozen=True)
class FolderProperties:
    """A model's folder with its known properties."""

    name: str
    family: str
    parameters: str
    """The number of parameters in words; empty if unknown."""
    size: str
    """The size of the weights; empty if unknown."""
    here: str
    """The device on which the model runs, or why it cannot run, as a sentence."""
    fits: bool
    needs: tuple[str, ...]
    """The missing requirements for asking the model, one sentence each."""


def offered(folder: Path) -> list[FolderProperties]:
    """Return the models below a folder."""
    memory = fit.free_memory()
    folders = []
    for model in fit.models_in(folder):
        fits = fit.fit(model, memory=memory)
        folders.append(
            FolderProperties(
                name=model.name,
                family=model.family.title,
                parameters=parameters_in_words(model.parameters) if model.parameters else "",
                size=size_in_words(model.size) if model.size else "",
                here=fits.sentence,
                fits=fits.fits,
                needs=tuple(fit.needs(model)),
            )
        )
    return folders


def description_of(folder: Path, name: str) -> str:
    """Return a description, as YAML, of a model below a folder."""
    return spec_as_yaml(fit.spec_for_folder(fit.picked(folder, name)))
