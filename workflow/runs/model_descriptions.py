"""Descriptions of models and judges, as pages and commands take and show them; nothing heavy is loaded for one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from domain.runs import Answerer
from domain.settings import Settings
from domain.strategies import added_strategies
from inference import spec as specs
from inference.spec import Endpoint, Generation, ModelSpec, Price

__all__ = [
    "Endpoint",
    "Generation",
    "ModelSpec",
    "Price",
    "as_yaml",
    "named",
    "of_file",
    "of_text",
    "opened",
    "shipped",
    "stored_as_yaml",
]


def of_file(path: Path) -> ModelSpec:
    """A description from a YAML file. Raises ``ModelRefused`` with a line per problem."""
    return specs.read_spec(path)


def of_text(text: str, *, name: str) -> ModelSpec:
    """A description from its text; ``name`` stands for the file in messages. Raises ``ModelRefused``."""
    return specs.spec_of(text, name=name)


def named(name: str, *, batch_size: int | None = None) -> ModelSpec:
    """A description from a file, or one of ours by name; its model's folder may be named from the file's own."""
    path = Path(name)
    ours = specs.HOME / f"{name}.yaml"
    found = specs.read_spec(ours if not path.exists() and ours.is_file() else path)
    if found.model and found.adapter not in ("endpoint", "file") and (path.parent / found.model).is_dir():
        found = found.model_copy(update={"model": str((path.parent / found.model).resolve())})
    return found.model_copy(update={"batch_size": batch_size}) if batch_size else found


def shipped() -> Iterator[ModelSpec]:
    """The descriptions that come with Touchstone, by file name."""
    return specs.shipped()


def as_yaml(spec: ModelSpec) -> str:
    """The description as YAML, defaults written out; reading it gives the same description."""
    return specs.written(spec)


def stored_as_yaml(kept: Mapping[str, Any]) -> str:
    """A description as a run keeps it, as YAML; one of a version that knew other keys as it stands."""
    try:
        return as_yaml(ModelSpec.model_validate(dict(kept)))
    except ValueError:
        return json.dumps(kept, indent=1, ensure_ascii=False)


def opened(spec: ModelSpec, settings: Settings, *, strategy: str = "generate") -> Answerer:
    """The model loaded, or its endpoint reached for, within what the operator allows here.

    Raises
    ------
    ModelRefused
        It cannot be had here; the message says what would help.
    """
    from inference.opening import open_answerer

    return open_answerer(spec, strategy=strategy, allowed=allowed_by(settings))


def allowed_by(settings: Settings, *, tools: Path | None = None) -> specs.Allowed:
    """What the operator lets models do here. ``tools`` is a tool set's file that was given to the command."""
    files = [path for strategy in added_strategies() for path in strategy.files(settings).values()]
    files += [tools] if tools else []
    return specs.Allowed(remote_code=settings.remote_code, endpoints=settings.endpoints, tool_sets=tuple(files))
