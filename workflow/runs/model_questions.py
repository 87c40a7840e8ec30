"""The questions to a model, made from items by a plan.

If a single item cannot be asked, its question holds the reason, and no error is raised. The other items are asked
anyway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotation_schemas.model import Schema
from db import items
from db.engine import Session, Store
from domain.errors import InvalidMediaError, NotAvailableError, NotFoundError
from domain.runs import TWO_STEPS, Picture, Preview, Question, RunPlan, chunked
from domain.strategies import added_strategy
from inference.spec import ModelSpec
from workflow.runs.model_plans import prompts_of
from workflow.runs.prompt_texts import FIRST, PromptFiller
from workflow.runs.question_items import AskedItem, Cannot, read_items
from workflow.runs.shown_pictures import FRAMES, Shower, Shown, Still, n_clips, n_pictures, shows

if TYPE_CHECKING:
    from media.store import MediaStore

_AT_ONCE = 200
"""The number of items in one query."""


@dataclass(frozen=True)
class DraftQuestion:
    """A question whose pictures are not made yet."""

    question: Question
    parts: tuple[str | Shown, ...] = ()
    first: tuple[str | Shown, ...] = ()
    """The parts of the preceding question."""


class TypesOf:
    """The prompt wordings of a run's items, without asking about them."""

    def __init__(self, schema: Schema, plan: RunPlan, spec: ModelSpec) -> None:
        """Read the prompts. Raises ``ModelError`` if the prompts of the plan cannot be loaded."""
        self._writer = PromptFiller(schema, plan, plan.family or spec.prompts, prompts_of(plan))

    def __call__(self, session: Session, item_ids: Collection[int]) -> dict[int, dict[str, str]]:
        """Return the stored name and hash of each item's wording (``Question.prompt_type``)."""
        if not self._writer.prompts.types:
            return {}
        rows = items.by_ids(session, ids=item_ids)
        return {
            id: self._writer.prompt_type(AskedItem(id, row.external_id, row.dimension, {}, ()))
            for id, row in rows.items()
        }


class Asker:
    """Makes questions of items, by a plan. Used by one thread."""

    def __init__(
        self, store: Store, media: MediaStore, *, schema: Schema, plan: RunPlan, spec: ModelSpec, cache: Path
    ) -> None:
        """Prepare questions for a plan. ``cache`` is the folder of prepared pictures.

        Raises
        ------
        ModelError
            The prompts of the plan cannot be loaded.
        """
        from media.model_input import Pictures

        self.store = store
        self.schema = schema
        self.plan = plan
        self.spec = spec
        self.pictures = Pictures(media, cache)
        self.prompts = prompts_of(plan)
        self._writer = PromptFiller(schema, plan, plan.family or spec.prompts, self.prompts)
        self._shower = Shower(schema, plan, self.pictures)

    def ask(self, item_ids: Sequence[int]) -> list[Question]:
        """Return the questions about these items, in order. A question that cannot be asked gives the reason."""
        return [self._prepared(draft) for draft in self._drafts(item_ids)]

    def describe(self, item_ids: Sequence[int], *, first: int = 3) -> Preview:
        """Return a preview of asking about these items. Only the ``first`` questions get their pictures."""
        cannot: Counter[str] = Counter()
        types: Counter[str] = Counter()
        shown: list[Question] = []
        pictures = 0
        for draft in self._drafts(item_ids):
            question = draft.question
            if not question.cannot and len(shown) < first:
                question = self._prepared(draft)
                if not question.cannot:
                    shown.append(question)
            if question.cannot:
                cannot[question.cannot] += 1
            else:
                pictures += sum(n_pictures(part) for part in (*draft.parts, *draft.first))
                types.update([question.prompt_type["name"]] if question.prompt_type else ())
        return Preview(
            wanted=len(item_ids),
            about=len(item_ids),
            looked_at=len(item_ids),
            questions=tuple(shown),
            cannot=dict(cannot.most_common()),
            pictures=pictures,
            variants={dimension.id: self._writer.variant(dimension.id) for dimension in self.schema.dimensions},
            types=dict(sorted(types.items())),
            left_out=len(item_ids) if self.plan.text_only else 0,
            clips=self._clips() if shows(self.plan) else {},
        )

    def _clips(self) -> dict[str, str]:
        """Return how clips become frames, each setting with its origin; empty if items have no clips."""
        if not any(slot.kind == "clip" for slot in self.schema.item.assets):
            return {}
        of_schema = self.schema.models.clips if self.schema.models else {}
        settings: dict[str, str] = {}
        known: dict[str, Any] = dict(self.spec.own_clips)
        for name, value in {"frames_per_segment": FRAMES, **of_schema, **self.plan.clips}.items():
            if known.get(name) == value:
                settings[name] = f"{value} (from the model's description)"
            elif of_schema.get(name) == value:
                settings[name] = f"{value} (from the schema, because the model does not set it)"
            else:
                settings[name] = f"{value} ({'chosen' if name in self.plan.clips else 'usual'})"
        return settings

    def _drafts(self, item_ids: Sequence[int]) -> Iterator[DraftQuestion]:
        for some in chunked(item_ids, _AT_ONCE):
            with self.store.read() as session:
                asked_by_id = read_items(session, some, strategy=added_strategy(self.plan.strategy))
            for item_id in some:
                yield self.draft(asked_by_id[item_id])

    def draft(self, item: AskedItem) -> DraftQuestion:
        """Return the question about an item, without its pictures."""
        question = Question(
            unit_id=item.id,
            name=item.name,
            dimension=item.dimension,
            parts=(),
            prompt_type=self._writer.prompt_type(item),
        )
        try:
            shown = self._shower.shown(item) if shows(self.plan) else []
            self._fits(shown)
            system, parts = self._writer.parts(item, shown)
            options, tools = self._writer.ranked(item), self._writer.tools(item)
            before = self._writer.parts(item, shown, variant=FIRST) if self.plan.strategy == TWO_STEPS else None
        except Cannot as why:
            return DraftQuestion(replace(question, cannot=str(why)))
        asked = replace(question, system=system, options=options, tools=tools)
        if before is None:
            return DraftQuestion(asked, tuple(parts))
        return DraftQuestion(replace(asked, first=replace(question, system=before[0])), tuple(parts), tuple(before[1]))

    def pictures_of(self, item_ids: Sequence[int], *, fit: bool = True) -> dict[int, Sequence[Picture] | str]:
        """Return the pictures of items as any model sees them, or a sentence why they cannot be shown.

        With ``fit`` False, the limit of this model on the number of pictures is ignored.
        """
        by_item: dict[int, Sequence[Picture] | str] = {}
        with self.store.read() as session:
            read = read_items(session, item_ids)
        for item_id in item_ids:
            by_item[item_id] = self.pictures_for(read[item_id], fit=fit)
        return by_item

    def pictures_for(self, item: AskedItem, *, fit: bool = True) -> Sequence[Picture] | str:
        """Return the pictures of one item, which may have no texts yet, or a sentence why they cannot be shown."""
        try:
            shown = self._shower.shown(item)
            if fit:
                self._fits(shown)
            return [picture for part in shown for picture in self._made(part)]
        except (Cannot, InvalidMediaError, NotFoundError, NotAvailableError) as error:
            return str(error)

    def _fits(self, shown: Sequence[Shown]) -> None:
        """Raise ``Cannot`` if the model cannot see this number of pictures."""
        n = sum(n_pictures(picture) for picture in shown)
        if n and self.spec.modality == "text":
            raise Cannot(
                f"{self.spec.name} accepts no images, but this item has images. Run the model with text "
                "only to omit the images."
            )
        if n > 1 and self.spec.modality == "one_image":
            hint = " Set recent_segments=0 to show only the observation." if n_clips(shown) else ""
            raise Cannot(f"{self.spec.name} accepts only one image, but this item has several images.{hint}")

    def _prepared(self, draft: DraftQuestion) -> Question:
        """Return the question with its prepared pictures."""
        if draft.question.cannot:
            return draft.question
        try:
            question = replace(draft.question, parts=self._with_pictures(draft.parts))
            if question.first is not None:
                first = replace(question.first, parts=self._with_pictures(draft.first))
                question = replace(question, first=first)
        except (InvalidMediaError, NotFoundError, NotAvailableError) as error:
            return replace(draft.question, cannot=str(error))
        return question

    def _with_pictures(self, parts: Sequence[str | Shown]) -> tuple[str | Picture, ...]:
        return tuple(piece for part in parts for piece in ([part] if isinstance(part, str) else self._made(part)))

    def _made(self, part: Shown) -> list[Picture]:
        if isinstance(part, Still):
            made = self.pictures.image(part.sha256, **part.drawn)
            return [Picture(made.path, made.sha256, role=part.role)]
        frames = self.pictures.frames(part.sha256, part.times)
        return [
            Picture(frame.path, frame.sha256, role=part.role, clip=part.clip, time=time)
            for frame, time in zip(frames, part.times, strict=True)
        ]
