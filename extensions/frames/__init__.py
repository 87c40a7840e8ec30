"""Frames of videos: taking them, screening them, choosing among them, and adding the chosen ones to the pool.

``extraction`` takes the frames of videos into a folder with a manifest; ``screening`` decides which are kept, and
``montage`` draws them on sheets. ``frame_sets`` has the sets that leads make on the page *From videos*; ``set_jobs``
does their long work. ``frame_choices`` logs what leads choose, and ``frame_pool`` adds frames to the pool of core.
Decisions are events of the project, so its log and archive are complete without this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _pages() -> Sequence[Any]:
    from extensions.frames.pages import frames

    return (frames,)


def _commands() -> Sequence[Any]:
    from extensions.frames.commands import frames

    return (frames,)


def _routes() -> Sequence[Any]:
    from extensions.frames import frame_route

    return (frame_route,)


def _pipeline_steps() -> Sequence[Any]:
    from extensions.frames.step_table import STEP

    return (STEP,)


def _import_media() -> Sequence[Any]:
    from extensions.frames.import_media import choose

    return (choose,)


def _pool_folders() -> Sequence[Any]:
    from extensions.frames.pool_folder import add

    return (add,)


def _derived_media() -> Sequence[Any]:
    from extensions.frames import covered_sets

    return (covered_sets,)


def _home_folders() -> Sequence[Any]:
    from extensions.frames.frame_pool import HOME_FOLDER

    return (HOME_FOLDER,)


def _jobs() -> Sequence[Any]:
    from extensions.frames.set_jobs import EXTRACTION, POOL

    return EXTRACTION, POOL


EXTENSION = Extension(
    name="frames",
    title="Frames",
    pages=_pages,
    commands=_commands,
    routes=_routes,
    pipeline_steps=_pipeline_steps,
    import_media=_import_media,
    pool_folders=_pool_folders,
    derived_media=_derived_media,
    home_folders=_home_folders,
    jobs=_jobs,
)
