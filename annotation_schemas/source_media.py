"""The keys of a schema's ``source: media``, which define how media are cut and chosen at import."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.formats import keys_of_source
from annotation_schemas.model import ItemField, Schema
from annotation_schemas.yaml_text import Path

ENDS_BEFORE, FEWEST, MOST, EVERY = (
    "clip_ends_before_action_seconds",
    "goal_actions_min",
    "goal_actions_max",
    "frame_every",
)


@dataclass(frozen=True)
class MediaKey:
    """A key of ``source: media``."""

    name: str
    meaning: str
    whole: bool
    least: float


KEYS = {
    row.name: row
    for row in (
        MediaKey(
            ENDS_BEFORE,
            (
                "for records without an observation frame, seconds from the end of a clip to the start of "
                "the action; an import refuses a record whose observation is closer to the action"
            ),
            whole=False,
            least=0,
        ),
        MediaKey(
            FEWEST,
            "the minimum number of actions of a goal; an import counts goals with fewer actions, but accepts their "
            "records. Files do not always show all actions",
            whole=True,
            least=1,
        ),
        MediaKey(
            MOST,
            "the maximum number of actions of a goal, including the next action; an import refuses records with "
            "more actions",
            whole=True,
            least=1,
        ),
        MediaKey(
            EVERY, "for videos in the pool: the step from one frame to the next; 24 uses every 24th frame", True, 1
        ),
    )
}


def number(schema: Schema, name: str) -> float | None:
    """What a key says; None: nothing."""
    setting = schema.source.media.get(name) if schema.source else None
    return setting if isinstance(setting, int | float) and not isinstance(setting, bool) else None


def n_actions(schema: Schema, fields: Mapping[str, Any]) -> int | None:
    """How many actions of its goal an item shows: those that are done, and the next one; None: it does not say."""
    progress = _progress(schema)
    done = fields.get(progress.name) if progress else None
    return len(done) + 1 if isinstance(done, list) else None


def too_many(schema: Schema, fields: Mapping[str, Any]) -> str | None:
    """Why an item does not fit because of the actions of its goal."""
    most, n = number(schema, MOST), n_actions(schema, fields)
    if most is None or n is None or n <= most:
        return None
    return (
        f"the goal has at least {n} actions, including the next action, but at most {most:g} are allowed; "
        "remove the record, or raise the maximum"
    )


def too_few(schema: Schema, items: Iterable[Mapping[str, Any]]) -> str | None:
    """How many goals show fewer actions than they should have; None if none does, or nothing says how many."""
    least, keys = number(schema, FEWEST), keys_of_source(schema)
    if least is None or keys is None:
        return None
    shown: dict[str, int] = defaultdict(int)
    for fields in items:
        goal, n = fields.get(keys.goal or ""), n_actions(schema, fields)
        if isinstance(goal, str) and n is not None:
            name = goal.strip().rstrip(".").casefold()
            shown[name] = max(shown[name], n)
    few = sum(n < least for n in shown.values())
    if not few:
        return None
    return (
        f"Goals with fewer than {least:g} actions in these records: {few:,} of {len(shown):,}. A goal may have more "
        "actions, because a record shows only the actions before its question."
    )


def troubles(schema: Schema) -> Iterator[tuple[Path, str]]:
    """Yield the keys that are invalid or have no effect in this schema: path and sentence."""
    names = {field.name: field for field in schema.item.fields}
    keys = keys_of_source(schema)
    action, goal = (keys.action, keys.goal) if keys else (None, None)
    for name, value in (schema.source.media if schema.source else {}).items():
        path: Path = ("source", "media", name)
        row = KEYS.get(name)
        if row is None:
            yield path, f"`{name}` is not a known key; use one of: {', '.join(KEYS)}"
        elif isinstance(value, bool) or not isinstance(value, int if row.whole else int | float) or value < row.least:
            yield path, f"the value must be a {'whole ' if row.whole else ''}number of at least {row.least:g}"
        elif name == ENDS_BEFORE and action is None:
            yield path, "items of this format do not give the start of an action; remove this key"
        elif name == ENDS_BEFORE and (action not in names or not _has_clip(schema)):
            yield path, f"this key needs a clip, and an integer field `{action}` with the start of the action"
        elif name in (FEWEST, MOST) and goal is None:
            yield path, "items of this format have no goal; remove this key"
        elif name in (FEWEST, MOST) and (goal not in names or _progress(schema) is None):
            yield path, f"this key needs a field `{goal}`, and a field of kind `segments` with the actions so far"
        elif name == EVERY and schema.stages.authoring is None and schema.stages.triage is None:
            yield path, "only authoring and triage use frames, but the schema has neither stage; remove this key"
    least, most = number(schema, FEWEST), number(schema, MOST)
    if least is not None and most is not None and least > most:
        yield (
            ("source", "media", FEWEST),
            f"no goal has at least {least:g} and at most {most:g} actions; lower the minimum, or raise the maximum",
        )


def has_segments(schema: Schema) -> bool:
    """Whether items describe the actions in a clip with their times."""
    return _progress(schema) is not None


def _progress(schema: Schema) -> ItemField | None:
    return next((field for field in schema.item.fields if kinds.of_field(field).timed), None)


def _has_clip(schema: Schema) -> bool:
    return any(slot.kind == "clip" for slot in schema.item.assets)
