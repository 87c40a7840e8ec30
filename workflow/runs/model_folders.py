"""Models that lie in folders of this machine: which there are, whether they fit into it, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from domain.records import Person
from domain.settings import Settings
from inference import fit
from inference import spec as specs
from inference.spec import ModelSpec
from workflow.runs.run_start import with_full_path


@dataclass(frozen=True)
class Offered:
    """A model's folder with what can be said about it."""

    name: str
    family: str
    parameters: str
    """As people say them; empty: not known."""
    size: str
    """Of its weights; empty: not known."""
    here: str
    """On what of this machine it runs, or why it cannot, as a sentence."""
    fits: bool
    needs: tuple[str, ...]
    """What is missing for it to be asked, a sentence each."""


@dataclass(frozen=True)
class Place:
    """Where a model of a description will run."""

    sentence: str
    fits: bool = True
    needs: tuple[str, ...] = ()


def offered(folder: Path) -> list[Offered]:
    """What lies below a folder of models."""
    memory = fit.free_memory()
    found = []
    for each in fit.models_in(folder):
        fits = fit.fit(each, memory=memory)
        found.append(
            Offered(
                name=each.name,
                family=each.family.title,
                parameters=fit.counted(each.parameters) if each.parameters else "",
                size=fit.size_in_words(each.size) if each.size else "",
                here=fits.sentence,
                fits=fits.fits,
                needs=tuple(fit.needs(each)),
            )
        )
    return found


def description_of(folder: Path, name: str) -> str:
    """A description, as YAML, of one of the models that lie below a folder."""
    return specs.written(fit.spec_for_folder(fit.picked(folder, name)))


def place_of(spec: ModelSpec, settings: Settings, *, by: Person | None) -> Place:
    """Of a local model: on what it will run, whether it fits, and what is missing."""
    folder = Path(with_full_path(spec, settings, by=by).model or "")
    if not folder.is_dir():
        return Place(
            f"{spec.model} is no folder of this machine: the worker looks for it in its own cache of the hub."
            " Whether it is there and fits is seen when it is loaded."
        )
    model = fit.look(folder)
    place = fit.fit(model, device=spec.device, dtype=spec.dtype)
    return Place(place.sentence, place.fits, tuple(fit.needs(model)))
