"""Runs that test whether items need their pictures. Models see less of an item, or see it changed.

The replies never count as answers. Every attempt is kept, with its order of options.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotation_schemas import kinds
from annotation_schemas.expected_answers import asked_of, key_of
from annotation_schemas.keys import key_field, options_field
from annotation_schemas.model import Schema
from db.engine import Session, Store
from db.records import StoredRun
from domain.errors import ModelError
from domain.reading.answers import AnswerKind
from domain.run_kinds import RunKind
from domain.runs import Attempt
from extensions.shortcuts.run_plan import MOST_ORDERS, Frames, ShortcutPlan
from inference.spec import ModelSpec
from workflow.access.projects import Access
from workflow.runs import model_runs
from workflow.runs.model_questions import Asker, DraftQuestion
from workflow.runs.question_items import AskedItem, Cannot
from workflow.runs.shown_pictures import Frames as Taken
from workflow.runs.shown_pictures import Shower, Shown, Still

if TYPE_CHECKING:
    from media.store import MediaStore

STRATEGIES = ("generate", "rank_options")


def check_plan(spec: ModelSpec, plan: ShortcutPlan) -> None:
    """Refuse plans that no worker can execute, or whose result would mean nothing."""
    model_runs.check_plan(spec, plan)
    if plan.strategy not in STRATEGIES:
        raise ModelError(f"A run for shortcuts cannot use the strategy {plan.strategy}. Use generate or rank_options.")
    if plan.frames and plan.frames not in set(Frames):
        raise ModelError(f"Unknown frames {plan.frames!r}. Choose one of {', '.join(Frames)}.")
    if plan.frames and plan.text_only:
        raise ModelError("A run without images shows no frames. Choose frames, or hide the images, but not both.")
    if plan.without_marks and plan.text_only:
        raise ModelError("A run without images shows no marks. Hide the marks or the images, but not both.")
    if plan.orders == 1 or not 0 <= plan.orders <= MOST_ORDERS:
        raise ModelError(
            f"Choose 2 to {MOST_ORDERS} orders of options, or the item's own order, instead of {plan.orders}."
        )
    if plan.orders and plan.strategy == "rank_options":
        raise ModelError(
            "The model ranks each option separately, so the order of options has no effect. Remove the number of "
            "orders."
        )
    if plan.batch:
        raise ModelError("Runs for shortcuts cannot use batch files. Run the model without batch files.")


def wanted_items(session: Session, access: Access, plan: ShortcutPlan) -> list[int]:
    """Return the items of a run with this plan. Items without options and key are not asked."""
    if options_field(access.schema) is None or key_field(access.schema) is None:
        raise ModelError(
            f"The items of the schema {access.schema.name} have no options with a key, so Touchstone cannot score "
            "answers. Add a multiple-choice key to the schema."
        )
    if plan.frames and not any(slot.kind == "clip" for slot in access.schema.item.assets):
        raise ModelError(
            f"The items of the schema {access.schema.name} have no clips, so the run cannot show frames. Remove the "
            "choice of frames."
        )
    if plan.without_marks and not any(kinds.of_field(field).drawn for field in access.schema.item.fields):
        raise ModelError(
            f"The items of the schema {access.schema.name} have no marks on their images, so the run cannot hide "
            "marks. Hide the images instead."
        )
    return model_runs.wanted_items(session, access, plan)


class ShortcutAsker(Asker):
    """Makes the questions about items, with options and frames as the plan says."""

    def __init__(
        self, store: Store, media: MediaStore, *, schema: Schema, plan: ShortcutPlan, spec: ModelSpec, cache: Path
    ) -> None:
        super().__init__(store, media, schema=schema, plan=plan, spec=spec, cache=cache)
        self._shortcut = plan
        self._options = options_field(schema) or ""
        self._shower = _ConditionShower(schema, plan, self._shower)

    def draft(self, item: AskedItem) -> DraftQuestion:
        """Return the question as any model gets it, apart from the order of options and the pictures."""
        why = _without_key(self.schema, item)
        if why:
            made = super().draft(item)
            return replace(made, question=replace(made.question, cannot=why))
        own = list(item.fields[self._options])
        order = self._shortcut.order_of(item.name, len(own))
        fields = {**item.fields, self._options: [own[at] for at in order]}
        made = super().draft(replace(item, fields=fields))
        return replace(made, question=replace(made.question, order=order)) if self._shortcut.order else made


def _without_key(schema: Schema, item: AskedItem) -> str:
    """Return the reason why an answer to an item cannot be compared with a key; empty if it can."""
    asked = asked_of(schema, item.fields)
    offered = item.fields.get(options_field(schema) or "")
    if asked.kind is not AnswerKind.OPTION or not isinstance(offered, list | tuple) or len(offered) < 2:
        return "The item has no options with a key."
    return key_of(item.fields.get(key_field(schema) or ""), asked)[1]


class _ConditionShower(Shower):
    """Shows fewer frames of an item's clips, or another order of frames."""

    def __init__(self, schema: Schema, plan: ShortcutPlan, whole: Shower) -> None:
        super().__init__(schema, plan, whole.pictures)
        self._plan = plan

    def shown(self, item: AskedItem) -> list[Shown]:
        """Return the remaining pictures, in the order of the schema's assets."""
        pictures = super().shown(item)
        if self._plan.without_marks:
            pictures = _unmarked(pictures)
        if not self._plan.frames:
            return pictures
        clips = dict.fromkeys(
            picture.sha256 for picture in pictures if isinstance(picture, Taken) and picture.clip is not None
        )
        if not clips:
            raise Cannot("The run shows no clip of this item, so no frames can be omitted or shuffled.")
        for sha256 in clips:
            pictures = self._less(item, pictures, sha256)
        return pictures

    def _less(self, item: AskedItem, shown: Sequence[Shown], sha256: str) -> list[Shown]:
        """Return the pictures with the remaining frames of one clip."""
        own = [
            picture
            for picture in shown
            if isinstance(picture, Taken) and picture.clip is not None and picture.sha256 == sha256
        ]
        left = list(self._plan.frames_of(item.name, [time for clip in own for time in clip.times]))
        pictures: list[Shown] = []
        for picture in shown:
            if not (isinstance(picture, Taken) and picture in own):
                pictures.append(picture)
            elif left:
                n = len(picture.times)
                pictures.append(replace(picture, times=tuple(left[:n])))
                left = left[n:]
        return pictures


def _unmarked(shown: Sequence[Shown]) -> list[Shown]:
    """Return the images without their marks. Raise ``Cannot`` if an item has none."""
    if not any(isinstance(picture, Still) and _is_marked(picture) for picture in shown):
        raise Cannot("The images of this item have no marks to hide.")
    return [replace(picture, drawn={}) if isinstance(picture, Still) else picture for picture in shown]


def _is_marked(still: Still) -> bool:
    return any(drawn for name, drawn in still.drawn.items() if name != "labels")


class KeepNothing:
    """Keeps nothing but the attempts, because the replies must not count as answers."""

    def prepare(self, store: Store, row: StoredRun, attempts: Sequence[Attempt]) -> None:
        """Do nothing."""

    def __call__(self, session: Session, row: StoredRun, written: Sequence[tuple[int, Attempt]], now: datetime) -> None:
        """Do nothing."""


def label_of(spec: ModelSpec, plan: ShortcutPlan) -> str:
    """Return the label of a run, which is never the model's name alone."""
    parts = [spec.name, *(f"+{name}" for name in plan.injections)]
    return f"{' '.join(parts)} for shortcuts: {plan.in_words}"


def _asker(store: Store, media: MediaStore, schema: Schema, spec: ModelSpec, plan: Any, cache: Path) -> ShortcutAsker:
    return ShortcutAsker(store, media, schema=schema, plan=plan, spec=spec, cache=cache)


ASKING = replace(
    model_runs.ASKING,
    kind=RunKind.SHORTCUT,
    check=check_plan,
    units=wanted_items,
    label=label_of,
    ask=_asker,
    keep=lambda plan: KeepNothing(),
    preview=partial(model_runs.preview, make=_asker),
)
"""Models are asked as in ordinary runs, apart from the plan's changes."""
