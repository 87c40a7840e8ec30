"""Descriptions of models and judges for pages and commands. No heavy package is loaded for a description."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from domain.errors import ModelError
from domain.records import Person
from domain.runs import Answerer
from domain.settings import Settings
from domain.strategies import added_strategies
from inference.adapters import ModelDevice, find_adapter
from inference.spec import (
    HOME,
    Endpoint,
    Generation,
    ModelPermissions,
    ModelSpec,
    Price,
    read_spec,
    shipped,
    spec_as_yaml,
    spec_of,
)
from workflow.runs.run_start import with_full_path

__all__ = [
    "Endpoint",
    "Generation",
    "ModelDevice",
    "ModelSpec",
    "Price",
    "find_device",
    "named",
    "opened",
    "read_spec",
    "shipped",
    "spec_as_yaml",
    "spec_of",
    "stored_as_yaml",
]


def named(name: str, *, batch_size: int | None = None) -> ModelSpec:
    """Return a description from a file, or one of ours by name. A model's folder may be relative to the file."""
    path = Path(name)
    ours = HOME / f"{name}.yaml"
    spec = read_spec(ours if not path.exists() and ours.is_file() else path)
    if spec.model and spec.adapter not in ("endpoint", "file") and (path.parent / spec.model).is_dir():
        spec = spec.model_copy(update={"model": str((path.parent / spec.model).resolve())})
    return spec.model_copy(update={"batch_size": batch_size}) if batch_size else spec


def stored_as_yaml(kept: Mapping[str, Any]) -> str:
    """Return a stored description as YAML. One from a version with other keys is returned unchanged, as JSON."""
    try:
        return spec_as_yaml(ModelSpec.model_validate(dict(kept)))
    except ValueError:
        return json.dumps(kept, indent=1, ensure_ascii=False)


def opened(spec: ModelSpec, settings: Settings, *, strategy: str = "generate") -> Answerer:
    """Open the model or its endpoint, within the operator's limits.

    Raises
    ------
    ModelError
        The model cannot be opened here; the message gives the advice.
    """
    from inference.opening import open_answerer

    return open_answerer(spec, strategy=strategy, allowed=allowed_by(settings))


def find_device(spec: ModelSpec, settings: Settings, *, by: Person | None) -> ModelDevice:
    """Return the device of a model on this machine, or the reason why the model cannot be opened."""
    spec = with_full_path(spec, settings, by=by)
    try:
        return find_adapter(spec).find_device(spec)
    except ModelError as error:
        return ModelDevice(str(error), fits=False)


def allowed_by(settings: Settings, *, tools: Path | None = None) -> ModelPermissions:
    """Return what the operator allows models here. ``tools`` is the file of a tool set that was given to the
    command.
    """
    files = [path for strategy in added_strategies() for path in strategy.files(settings).values()]
    files += [tools] if tools else []
    return ModelPermissions(remote_code=settings.remote_code, endpoints=settings.endpoints, tool_sets=tuple(files))
