"""The pictures of an item that a model sees: images with drawn boxes and marks, and frames of clips."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotation_schemas import kinds
from annotation_schemas.formats import keys_of_source
from annotation_schemas.keys import key_fields
from annotation_schemas.model import AssetSlot, Schema
from annotation_schemas.protocol_checks import CLIPS
from db.records import StoredAsset
from domain.errors import InvalidMediaError, ModelError, NotAvailableError, NotFoundError
from domain.runs import RunPlan
from domain.strategies import added_strategy
from workflow.runs.question_items import AskedItem, Cannot

if TYPE_CHECKING:
    from media.model_input import Pictures

FRAMES = 8
"""The number of frames of a clip, if neither the plan nor the schema gives one."""
_TICK = 0.001
"""The tolerance for frame times in seconds, because clips store them in milliseconds."""


@dataclass(frozen=True)
class Still:
    """An image to be prepared."""

    role: str
    sha256: str
    drawn: Mapping[str, Any]


@dataclass(frozen=True)
class Frames:
    """Frames of a clip to be taken; with ``clip`` None each is a still image."""

    role: str
    sha256: str
    times: tuple[float, ...]
    clip: int | None


Shown = Still | Frames


def n_pictures(part: str | Shown) -> int:
    if isinstance(part, str):
        return 0
    return 1 if isinstance(part, Still) else len(part.times)


class Shower:
    """A selection of the pictures of an item to show."""

    def __init__(self, schema: Schema, plan: RunPlan, pictures: Pictures) -> None:
        self.schema = schema
        self.keys = key_fields(schema)
        self.pictures = pictures
        self.images = [slot.role for slot in schema.item.assets if slot.kind == "image"]
        self.first_role = next(iter(self.images), None)
        self.segments = next((field.name for field in schema.item.fields if kinds.of_field(field).timed), None)
        given = {**(schema.models.clips if schema.models else {}), **plan.clips}
        unknown = [name for name in given if name not in CLIPS]
        if unknown:
            raise ModelError(f"Clips have no setting `{unknown[0]}`. Settings: {', '.join(CLIPS)}.")
        self.recent = _count(given, "recent_segments", None)
        self.n_frames = _count(given, "frames_per_segment", FRAMES) or 0
        self.n_observed = _count(given, "observation_frames", None)

    def shown(self, item: AskedItem) -> list[Shown]:
        """Return the pictures in the order of the schema's roles."""
        pictures: list[Shown] = []
        for slot in self.schema.item.assets:
            rows = [asset for role, asset in item.assets if role == slot.role]
            if slot.kind == "clip" and not self._has_clip(item, slot):
                continue
            if slot.kind == "image" and self._stands_in(item, rows):
                pictures += self._observed(item, slot)
            elif not rows and slot.min:
                raise Cannot(f"This item has no `{slot.role}`. Add the image or clip.")
            elif slot.kind == "image":
                pictures += [self._still(item, slot, asset, at) for at, asset in enumerate(rows, 1)]
            for asset in rows if slot.kind == "clip" else []:
                pictures += self._segments_of(item, self._there(slot, asset), slot, number=n_clips(pictures) + 1)
        return pictures

    # ---- clips ------------------------------------------------------------------------------------------------------

    def _has_clip(self, item: AskedItem, slot: AssetSlot) -> bool:
        """Return whether a part of the clip is shown. An item with an empty list of segments has no clip yet."""
        if self.recent == 0 or self.n_frames == 0:
            return False
        return slot.min > 0 or self.segments is None or item.fields.get(self.segments) != []

    def _segments_of(self, item: AskedItem, sha256: str, slot: AssetSlot, *, number: int) -> list[Shown]:
        """Return the last segments of a clip, each as evenly spread frames. They are numbered from ``number``."""
        from media.model_input import evenly

        times = self._times(sha256, slot)
        spans = self._spans(item, times[-1])[-self.recent if self.recent else 0 :]
        return [
            Frames(slot.role, sha256, evenly(times, start=start, end=end, n=self.n_frames), clip=at)
            for at, (start, end) in enumerate(spans, number)
        ]

    def _times(self, sha256: str, slot: AssetSlot) -> tuple[float, ...]:
        try:
            times = self.pictures.moments(sha256).times
        except (InvalidMediaError, NotFoundError, NotAvailableError) as error:
            raise Cannot(str(error)) from error
        if not times:
            raise Cannot(f"The clip of this item's `{slot.role}` has no frame. Import the clip again.")
        return times

    def _spans(self, item: AskedItem, end: float) -> list[tuple[float, float]]:
        """Return the start and end of each segment in seconds of the clip; the whole clip without segments."""
        segments = item.fields.get(self.segments or "") or []
        if not isinstance(segments, list | tuple) or not all(isinstance(segment, Mapping) for segment in segments):
            raise Cannot(f"This item's `{self.segments}` is not a list of segments. Correct the field.")
        seconds = _numbers(segments, "start", "end")
        if seconds is None:
            seconds = self._from_frames(item, segments, end)
        return [(max(start, 0.0), min(stop, end)) for start, stop in seconds if start < end and stop > 0] or [(0, end)]

    def _from_frames(self, item: AskedItem, told: Sequence[Mapping[str, Any]], end: float) -> list[tuple[float, float]]:
        """Return the segments from frame numbers of the source.

        The clip begins with the first segment and ends with the observation.
        """
        frames = _numbers(told, "start_frame", "stop_frame")
        if frames is None:
            raise Cannot(f"A segment in this item's `{self.segments}` has no start or end. Correct the segment.")
        keys = keys_of_source(self.schema)
        observed = keys.moments(item.fields).observed if keys else None
        last = observed if observed is not None else max((stop for _, stop in frames), default=0.0)
        first = next((start for start, _ in frames if 0 <= start < last), None)
        if first is None:
            return []
        scale = end / (last - first)
        return [((start - first) * scale + _TICK, (stop - first) * scale + _TICK) for start, stop in frames]

    def _stands_in(self, item: AskedItem, rows: Sequence[StoredAsset]) -> bool:
        """Return whether the clip's last frames replace a missing image, as the plan's clips allow."""
        if not self.n_observed or any(self._is_there(asset) for asset in rows):
            return False
        return any(self._clip(item, place) for place in self.schema.item.assets)

    def _clip(self, item: AskedItem, slot: AssetSlot) -> str | None:
        hashes = [asset.sha256 for role, asset in item.assets if role == slot.role and self._is_there(asset)]
        return hashes[-1] if hashes and slot.kind == "clip" else None

    def _observed(self, item: AskedItem, slot: AssetSlot) -> list[Shown]:
        clip = next(clip_hash for place in self.schema.item.assets if (clip_hash := self._clip(item, place)))
        times = self._times(clip, slot)
        return [Frames(slot.role, clip, times[-(self.n_observed or 1) :], clip=None)]

    # ---- images -----------------------------------------------------------------------------------------------------

    def _still(self, item: AskedItem, slot: AssetSlot, asset: StoredAsset, at: int) -> Still:
        return Still(slot.role, self._there(slot, asset), self._drawn(item, slot.role, at))

    def _is_there(self, asset: StoredAsset) -> bool:
        return asset.sha256 is not None and asset.sha256 in self.pictures.media

    def _there(self, slot: AssetSlot, asset: StoredAsset) -> str:
        if asset.sha256 is None or not self._is_there(asset):
            raise Cannot(f"The file of this item's `{slot.role}` is missing. Import the file.")
        return asset.sha256

    def _drawn(self, item: AskedItem, role: str, at: int) -> dict[str, Any]:
        """Return the boxes and marks of the ``at``-th image of a role, without those that are the answer."""
        drawings: dict[str, Any] = {}
        first = next((role for role, _ in item.assets if role in self.images), self.first_role)
        for part in self.schema.item.fields:
            entries = item.fields.get(part.name)
            row = kinds.of_field(part)
            if not row.drawn or part.name in self.keys or not entries or (part.role or first) != role:
                continue
            wrong = row.drawing_problem(entries)
            if wrong:
                raise Cannot(f"Touchstone cannot draw this item's `{part.name}`: {wrong[:1].lower()}{wrong[1:]}")
            here = [entry for entry in entries if entry.get("image", 1) == at]
            drawings.setdefault(row.name, []).extend(row.shapes(part, here))
            if "options" in row.keys:
                drawings.setdefault("labels", {}).update({option.value: option.label for option in part.options})
        return drawings


def _count(given: Mapping[str, Any], name: str, default: int | None) -> int | None:
    value = given.get(name, default)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise ModelError(f"`{name}` of the clips is {value!r}, but must be a whole number, 0 or greater.")
    return value


def _numbers(told: Sequence[Mapping[str, Any]], start: str, stop: str) -> list[tuple[float, float]] | None:
    """Return the numbers of each segment under two keys; None if a segment lacks one."""
    bounds = []
    for segment in told:
        pair = segment.get(start), segment.get(stop)
        if not all(isinstance(number, int | float) and math.isfinite(number) for number in pair):
            return None
        bounds.append((float(segment[start]), float(segment[stop])))
    return bounds


def shows(plan: RunPlan) -> bool:
    """Return whether the model sees pictures: not in a text-only run, nor if tools describe them."""
    return not plan.text_only and added_strategy(plan.strategy) is None


def clips_in_words(schema: Schema, plan: RunPlan) -> str:
    """Return the shown parts of a clip: segments x frames of each + frames of the observation; empty without clips.

    >>> from annotation_schemas import HOME, loader
    >>> egoplan = loader.load_schema(HOME / "egoplan.yaml").schema_
    >>> clips_in_words(egoplan, RunPlan(clips={"recent_segments": 4, "frames_per_segment": 8, "observation_frames": 1}))
    '4 x 8 + 1'
    >>> clips_in_words(egoplan, RunPlan(clips={"recent_segments": 0}, text_only=True))
    'none'
    """
    if not any(slot.kind == "clip" for slot in schema.item.assets):
        return ""
    if not shows(plan):
        return "none"
    given = {**(schema.models.clips if schema.models else {}), **plan.clips}
    recent, observed = given.get("recent_segments", "all"), given.get("observation_frames")
    n = given.get("frames_per_segment", FRAMES)
    return ("0" if recent == 0 or n == 0 else f"{recent} x {n}") + (f" + {observed}" if observed else "")


def n_clips(shown: Sequence[Shown]) -> int:
    return max((picture.clip or 0 for picture in shown if isinstance(picture, Frames)), default=0)
