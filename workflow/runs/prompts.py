"""From items to what a model is asked: prompts filled in, boxes and marks drawn, frames taken out of clips.

Nothing that tells the right answer is ever offered to a prompt (``annotation_schemas.keys``). What keeps a single item
from being asked is a sentence on its question, never an error: the other items are asked all the same.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from annotation_schemas import kinds, registry
from annotation_schemas.formats import keys_of_source
from annotation_schemas.keys import key_fields, options_field
from annotation_schemas.model import AssetSlot, ItemField, Schema
from annotation_schemas.prompt import Prompt
from annotation_schemas.prompts import GENERAL, IMAGE, PromptSet, load_prompt_set, parse_prompts, read_prompts
from annotation_schemas.simulation import CLIPS
from db import items, runs, tool_results
from db.engine import Session, Store
from db.records import StoredAsset, StoredItem
from domain.errors import MediaRefused, ModelRefused, NotAvailable, NotFound, SchemaError
from domain.runs import Picture, Question, RunPlan, chunked
from inference.spec import ModelSpec

if TYPE_CHECKING:
    from media.model_input import Pictures
    from media.store import MediaStore

CHOICES, INJECTED, DIMENSION = "choices", "injected", "dimension"
"""Placeholders that no field fills: the options a line each where there are any; what is told beside the question;
the dimension's title."""

HOLMES = "holmes"
"""The strategy in which a text model asks for tools; also the variant that is taken instead of ``general`` there."""
TEXT_ONLY = "text_only"
"""The variant that is taken instead of ``general`` where pictures are left out."""

_AT_ONCE = 200
"""So many items are read with one query."""
_FRAMES = 8
"""Of a clip, where neither plan nor schema says how many."""
_TICK = 0.001
"""Clips note times in milliseconds: a frame that is reckoned to come at a moment may be noted so much later."""


# ---- plans ----------------------------------------------------------------------------------------------------------


def plan_for(
    schema: Schema,
    spec: ModelSpec,
    *,
    prompts: str | None = None,
    kept: Mapping[str, str] | None = None,
    **chosen: Any,
) -> RunPlan:
    """The plan that a schema has for a model, its prompts frozen; ``chosen`` are fields of ``RunPlan`` that differ.

    ``prompts`` is a row of the registry, a file (``FILE#NAME`` where it holds several) or one of the texts ``kept``
    (``kept_prompts``); None: what the schema names.

    Raises
    ------
    ModelRefused
        There are no such prompts, the file does not fit, or they have no such injection.
    """
    models = schema.models
    plan = RunPlan(
        strategy=models.strategy if models else "generate",
        prompt_set=(models.prompts if models else None) or "plain",
        family=spec.prompts,
        variants=dict(models.variants) if models else {},
        score=(models.score if models else None) or "mean_logprob",
        clips={**(models.clips if models else {}), **spec.own_clips},
    )
    chosen["clips"] = {**plan.clips, **chosen.get("clips", {})}
    return with_prompts(replace(plan, **chosen), prompts, kept=kept)


def with_prompts(plan: RunPlan, prompts: str | None = None, *, kept: Mapping[str, str] | None = None) -> RunPlan:
    """The plan with these prompts (None: those that it names), their text and hash as they are now.

    Raises
    ------
    ModelRefused
        There are no such prompts, the file does not fit, or they have no such injection.
    """
    name = prompts or plan.prompt_set
    if registry.find("prompt_set", name) is not None:
        found = load_prompt_set(name)
        plan = replace(plan, prompt_set=name, prompt_text="", prompt_hash=found.hash)
    elif kept and name in kept and not Path(name.partition("#")[0]).is_file():
        plan = replace(plan, prompt_set=name, prompt_text=kept[name])
        found = _parsed(plan)
        plan = replace(plan, prompt_hash=found.hash)
    elif prompts is None and plan.prompt_text:
        found = _parsed(plan)
        plan = replace(plan, prompt_hash=found.hash)
    else:
        try:
            found = read_prompts(name)
        except SchemaError as error:
            known = ", ".join(row.name for row in registry.rows("prompt_set"))
            raise ModelRefused(f"{error} Prompts are a file or one of {known}.") from error
        plan = replace(plan, prompt_set=_file_name(name), prompt_text=found.text, prompt_hash=found.hash)
    for each in plan.injections:
        if each not in found.injections:
            known = ", ".join(found.injections) or "none"
            raise ModelRefused(f"The prompts {plan.prompt_set} have nothing to tell named `{each}`; there are {known}.")
    return plan


def prompts_of(plan: RunPlan) -> PromptSet:
    """The prompts of a plan, as they were when it was made.

    Raises
    ------
    ModelRefused
        They are no longer what they were, or there are none of that name.
    """
    if plan.prompt_text:
        found = _parsed(plan)
    else:
        try:
            found = load_prompt_set(plan.prompt_set)
        except KeyError as error:
            raise ModelRefused(f"There are no prompts named {plan.prompt_set}.") from error
    if plan.prompt_hash and plan.prompt_hash != found.hash:
        raise ModelRefused(
            f"The prompts {plan.prompt_set} have changed since this run was started, so it cannot go on with them. "
            "Start a new run."
        )
    return found


def kept_prompts(session: Session, project_id: int) -> dict[str, str]:
    """The prompt files that runs of a project were made with: their text by name, the latest of a name."""
    found: dict[str, str] = {}
    for row in sorted(runs.of_project(session, project_id=project_id), key=lambda row: row.id):
        plan = row.params.get("plan")
        if isinstance(plan, Mapping) and plan.get("prompt_text"):
            found[str(plan.get("prompt_set"))] = str(plan["prompt_text"])
    return found


def unfilled(schema: Schema, plan: RunPlan) -> tuple[str, ...]:
    """The placeholders of a plan's prompts that no field of the items fills, so that the plan has to say one."""
    writer = _Writer(schema, plan, plan.family, prompts_of(plan))
    variants = {writer.variant(each.id) for each in schema.dimensions}
    prompts = [writer.prompts.prompt(family=writer.family, variant=each) for each in sorted(variants)]
    prompts += [writer.prompts.injections[each] for each in plan.injections]
    names = dict.fromkeys(name for prompt in prompts for name in prompt.placeholders)
    return tuple(name for name in names if not writer.fills(name))


def _parsed(plan: RunPlan) -> PromptSet:
    try:
        return parse_prompts(plan.prompt_text, file=plan.prompt_set)
    except SchemaError as error:
        raise ModelRefused(str(error)) from error


def _file_name(file: str) -> str:
    path, mark, chosen = file.partition("#")
    return Path(path).name + mark + chosen


# ---- asking ---------------------------------------------------------------------------------------------------------


class _Cannot(Exception):
    """Why an item cannot be asked, as a sentence that fits other items too."""


@dataclass(frozen=True)
class _Still:
    """An image to be prepared."""

    role: str
    sha256: str
    drawn: Mapping[str, Any]


@dataclass(frozen=True)
class _Frames:
    """Frames of a clip to be taken; with ``clip`` None each is a still image."""

    role: str
    sha256: str
    times: tuple[float, ...]
    clip: int | None


_Shown = _Still | _Frames


@dataclass(frozen=True)
class _Draft:
    """A question whose pictures are not made yet."""

    question: Question
    parts: tuple[str | _Shown, ...] = ()


@dataclass(frozen=True)
class Preview:
    """What will happen, before anything is asked."""

    wanted: int
    """How many items it is about."""
    questions: tuple[Question, ...]
    """The first ones, as they will be asked."""
    cannot: Mapping[str, int]
    """How many items cannot be asked, by the reason."""
    pictures: int
    """How many pictures will be shown, frames included."""
    variants: Mapping[str, str]
    """Which prompt each dimension gets."""
    injections: tuple[str, ...] = ()
    left_out: int = 0
    """Items whose pictures are left out on purpose."""
    clips: Mapping[str, str] = field(default_factory=dict)
    """What becomes of clips, and who says so."""


class Asker:
    """Makes questions of items, by a plan. Used by one thread."""

    def __init__(
        self, store: Store, media: MediaStore, *, schema: Schema, plan: RunPlan, spec: ModelSpec, cache: Path
    ) -> None:
        """``cache`` is the folder in which prepared pictures lie.

        Raises
        ------
        ModelRefused
            The prompts of the plan cannot be had.
        """
        from media.model_input import Pictures

        self.store = store
        self.schema = schema
        self.plan = plan
        self.spec = spec
        self.pictures = Pictures(media, cache)
        self.prompts = prompts_of(plan)
        self._writer = _Writer(schema, plan, plan.family or spec.prompts, self.prompts)
        self._shower = _Shower(schema, plan, self.pictures)

    def ask(self, item_ids: Sequence[int]) -> list[Question]:
        """The questions to these items, in their order; one that cannot be asked says why."""
        return [self._prepared(draft) for draft in self._drafts(item_ids)]

    def describe(self, item_ids: Sequence[int], *, first: int = 3) -> Preview:
        """What asking about these items will be like. Only the pictures of the ``first`` questions are made."""
        cannot: Counter[str] = Counter()
        shown: list[Question] = []
        n_pictures = 0
        for draft in self._drafts(item_ids):
            question = draft.question
            if not question.cannot and len(shown) < first:
                question = self._prepared(draft)
                if not question.cannot:
                    shown.append(question)
            if question.cannot:
                cannot[question.cannot] += 1
            else:
                n_pictures += sum(_n_pictures(part) for part in draft.parts)
        return Preview(
            wanted=len(item_ids),
            questions=tuple(shown),
            cannot=dict(cannot.most_common()),
            pictures=n_pictures,
            variants={each.id: self._writer.variant(each.id) for each in self.schema.dimensions},
            injections=self.plan.injections,
            left_out=len(item_ids) if self.plan.text_only else 0,
            clips=self._clips() if self._shows() else {},
        )

    def _clips(self) -> dict[str, str]:
        """How clips become frames, each number with where it is from; empty where items have none."""
        if not any(slot.kind == "clip" for slot in self.schema.item.assets):
            return {}
        of_schema = self.schema.models.clips if self.schema.models else {}
        found: dict[str, str] = {}
        known: dict[str, Any] = dict(self.spec.own_clips)
        for name, value in {"frames_per_segment": _FRAMES, **of_schema, **self.plan.clips}.items():
            if known.get(name) == value:
                found[name] = f"{value} (the model's description)"
            elif of_schema.get(name) == value:
                found[name] = f"{value} (the schema, for every model that does not say it)"
            else:
                found[name] = f"{value} ({'chosen' if name in self.plan.clips else 'usual'})"
        return found

    def _drafts(self, item_ids: Sequence[int]) -> Iterator[_Draft]:
        for some in chunked(item_ids, _AT_ONCE):
            with self.store.read() as session:
                found = _read(session, some, with_tools=self.plan.strategy == HOLMES)
            for item_id in some:
                yield self._draft(found[item_id])

    def _draft(self, item: _Item) -> _Draft:
        question = Question(unit_id=item.id, name=item.name, dimension=item.dimension, parts=())
        try:
            shown = self._shower.shown(item) if self._shows() else []
            self._fits(shown)
            system, parts = self._writer.parts(item, shown)
            options, tools = self._writer.ranked(item), self._writer.tools(item)
        except _Cannot as why:
            return _Draft(replace(question, cannot=str(why)))
        return _Draft(replace(question, system=system, options=options, tools=tools), tuple(parts))

    def pictures_of(self, item_ids: Sequence[int]) -> dict[int, Sequence[Picture] | str]:
        """The pictures of items, as any model is shown them; a sentence where they cannot be shown."""
        found: dict[int, Sequence[Picture] | str] = {}
        with self.store.read() as session:
            read = _read(session, item_ids)
        for item_id in item_ids:
            try:
                shown = self._shower.shown(read[item_id])
                self._fits(shown)
                found[item_id] = [picture for part in shown for picture in self._made(part)]
            except (_Cannot, MediaRefused, NotFound, NotAvailable) as error:
                found[item_id] = str(error)
        return found

    def _shows(self) -> bool:
        """Not where pictures are left out on purpose, nor where tools say what is in them."""
        return not self.plan.text_only and self.plan.strategy != HOLMES

    def _fits(self, shown: Sequence[_Shown]) -> None:
        """Whether the model can be shown so many pictures."""
        n = sum(_n_pictures(each) for each in shown)
        if n and self.spec.modality == "text":
            raise _Cannot(
                f"{self.spec.name} is shown no pictures, and this item has some; choose text only to leave them out."
            )
        if n > 1 and self.spec.modality == "one_image":
            hint = " With recent_segments=0 only the observation is shown." if _n_clips(shown) else ""
            raise _Cannot(f"{self.spec.name} is shown one image at a time, and this item has several.{hint}")

    def _prepared(self, draft: _Draft) -> Question:
        """The question with its pictures made."""
        if draft.question.cannot:
            return draft.question
        parts: list[str | Picture] = []
        try:
            for part in draft.parts:
                parts += [part] if isinstance(part, str) else self._made(part)
        except (MediaRefused, NotFound, NotAvailable) as error:
            return replace(draft.question, cannot=str(error))
        return replace(draft.question, parts=tuple(parts))

    def _made(self, part: _Shown) -> list[Picture]:
        if isinstance(part, _Still):
            made = self.pictures.image(part.sha256, **part.drawn)
            return [Picture(made.path, made.sha256, role=part.role)]
        frames = self.pictures.frames(part.sha256, part.times)
        return [
            Picture(frame.path, frame.sha256, role=part.role, clip=part.clip, time=time)
            for frame, time in zip(frames, part.times, strict=True)
        ]


def _n_pictures(part: str | _Shown) -> int:
    if isinstance(part, str):
        return 0
    return 1 if isinstance(part, _Still) else len(part.times)


# ---- reading --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Item:
    """An item as it stands, with its media."""

    id: int
    name: str
    dimension: str
    fields: Mapping[str, Any]
    assets: Sequence[tuple[str, StoredAsset]]
    """Role and asset, in order."""
    tools: Mapping[str, Any] = field(default_factory=dict)
    """What tools said about it, by their names."""


def _read(session: Session, ids: Sequence[int], *, with_tools: bool = False) -> dict[int, _Item]:
    rows: dict[int, StoredItem] = items.by_ids(session, ids=ids)
    contents = items.contents(session, ids=ids)
    assets = items.assets_of(session, ids=ids)
    tools = tool_results.of_items(session, item_ids=ids) if with_tools else {}
    return {
        id: _Item(
            id=id,
            name=row.external_id,
            dimension=row.dimension,
            fields=contents[id, row.current_revision],
            assets=[(link.role, asset) for link, asset, _ in assets.get(id, [])],
            tools=tools.get(id, {}),
        )
        for id, row in rows.items()
    }


# ---- texts ----------------------------------------------------------------------------------------------------------


class _Writer:
    """Fills prompts."""

    def __init__(self, schema: Schema, plan: RunPlan, family: str | None, prompts: PromptSet) -> None:
        self.schema = schema
        self.plan = plan
        self.prompts = prompts
        self.family = family
        self.fields = {field.name: field for field in schema.item.fields}
        self.keys = key_fields(schema)
        self.options = options_field(schema)
        self.own = schema.models is not None and schema.models.prompts == plan.prompt_set and not plan.prompt_text
        self.texts = FieldTexts(schema)
        self._variants = {each: variant for variant, names in plan.variants.items() for each in names}

    def variant(self, dimension: str) -> str:
        """The variant that a dimension gets; ``general`` where the family has none of that name.

        Of dimensions without a variant of their own: ``holmes`` where tools are asked, ``text_only`` without pictures,
        where the family has them.
        """
        usual = HOLMES if self.plan.strategy == HOLMES else TEXT_ONLY if self.plan.text_only else GENERAL
        variant = self._variants.get(dimension, usual)
        family = self.prompts.families.get(self.family or "") or self.prompts.families[self.prompts.default]
        return variant if variant in family else GENERAL

    def parts(self, item: _Item, shown: Sequence[_Shown]) -> tuple[str | None, list[str | _Shown]]:
        """The system's text and the user's turn."""
        prompt = self.prompts.prompt(family=self.family, variant=self.variant(item.dimension))
        told = self._told(item)
        values = {name: self._value(name, item, told) for name in prompt.placeholders}
        if told and INJECTED not in prompt.placeholders:
            prompt = replace(prompt, user=f"{{{INJECTED}}}\n\n{prompt.user}")
            values[INJECTED] = told.lstrip("\n")
        for name in (CHOICES, INJECTED):
            if values.get(name):  # what follows its lines begins a new one
                prompt = replace(prompt, user=prompt.user.replace(f"{{{name}}} ", f"{{{name}}}\n"))
        system = Prompt(prompt.name, prompt.system).fill(values).user if prompt.system is not None else None
        return system, self._placed(prompt, values, shown)

    def _placed(self, prompt: Prompt, values: Mapping[str, str], shown: Sequence[_Shown]) -> list[str | _Shown]:
        """The pictures where the prompt has its marks, else before the text."""
        texts = [Prompt(prompt.name, piece).fill(values).user for piece in prompt.user.split(IMAGE)]
        n_marks = len(texts) - 1
        if n_marks > 1 and shown and n_marks != len(shown):
            raise _Cannot(f"The prompt has places for {n_marks} pictures, and this item has another number of them.")
        parts: list[str | _Shown] = []
        for at, text in enumerate(texts):
            if at or not n_marks:
                parts += shown if n_marks <= 1 else shown[at - 1 : at]
            if not shown and at and parts and isinstance(parts[-1], str):
                text = _joined(parts.pop(), text)
            if text:
                parts.append(text)
        return parts

    def ranked(self, item: _Item) -> tuple[str, ...]:
        """The options, where they are ranked."""
        if self.plan.strategy != "rank_options":
            return ()
        found = item.fields.get(self.options or "")
        if not isinstance(found, list | tuple) or not found:
            raise _Cannot("There are no options to rank.")
        return tuple(str(entry) for entry in found)

    def _told(self, item: _Item) -> str:
        """What is told beside the question, a line each."""
        found = ""
        for name in self.plan.injections:
            injection = self.prompts.injections.get(name)
            if injection is None:
                raise _Cannot(f"The prompts have nothing to tell named `{name}`.")
            values = {each: self._value(each, item, "") for each in injection.placeholders}
            found += "\n" + injection.fill(values).user
        return found

    def tools(self, item: _Item) -> Mapping[str, Any] | None:
        """Where a text model asks for tools: their stored results."""
        if self.plan.strategy != HOLMES:
            return None
        if not item.tools:
            raise _Cannot("No results of tools are stored for this item.")
        return item.tools

    def fills(self, placeholder: str) -> bool:
        """Whether something fills a placeholder."""
        return self._source(placeholder) in {*self.fields, INJECTED, CHOICES, DIMENSION}

    def _source(self, placeholder: str) -> str:
        name = self.plan.fills.get(placeholder, placeholder)
        return self.options if name == "options" and name not in self.fields and self.options else name

    def _value(self, placeholder: str, item: _Item, told: str) -> str:
        name = self._source(placeholder)
        if name not in self.fields:
            if name == INJECTED:
                return told
            if name == CHOICES:
                return self._choices(item)
            if name == DIMENSION:
                known_as = {each.id: each.title for each in self.schema.dimensions}
                return known_as.get(item.dimension, item.dimension)
            raise _Cannot(f"The prompt asks for `{placeholder}`, which items do not have; say which field it takes.")
        known = self.fields[name]
        if name in self.keys:
            raise _Cannot(f"The prompt asks for `{name}`, which tells the right answer; no model is told that.")
        if known.secret_in and not self.own:
            raise _Cannot(f"The prompt asks for `{name}`, which is secret; only the schema's own prompts may take it.")
        value = item.fields.get(name)
        if value is None or value in ([], ()) or (isinstance(value, str) and not value.strip()):
            raise _Cannot(f"The prompt asks for `{name}`, which this item does not have.")
        text = self.texts.text(known, value)
        if text is None:
            raise _Cannot(f"The prompt asks for `{known.name}`, which is drawn on the picture and has no text.")
        return text

    def _choices(self, item: _Item) -> str:
        """The options, a line each, where there are any and they are not ranked."""
        found = item.fields.get(self.options or "")
        if not isinstance(found, list | tuple) or not found or self.plan.strategy == "rank_options":
            return ""
        return "\n" + _letters(found)


class FieldTexts:
    """An item's fields as a prompt has them: lists with letters where raters choose from them, else with commas."""

    def __init__(self, schema: Schema) -> None:
        self.lettered = {options_field(schema)} | {
            criterion.field
            for stage in ("verification", "refinement", "grading")
            for criterion in registry.criteria_of(schema, stage)
        }

    def text(self, known: ItemField, value: Any) -> str | None:
        """The text; None for what is drawn on a picture."""
        value = kinds.of_field(known).in_words(known, value)
        if value is None:
            return None
        if isinstance(value, list | tuple):
            if known.name in self.lettered:
                return _letters(value)
            if all(isinstance(entry, str) for entry in value):
                return ", ".join(value)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _letters(options: Sequence[Any]) -> str:
    names = ascii_uppercase if len(options) <= len(ascii_uppercase) else [str(at) for at in range(1, len(options) + 1)]
    return "\n".join(f"{name}. {option}" for name, option in zip(names, options, strict=False))


def _joined(before: str | _Shown, after: str) -> str:
    """Two texts between which a mark stood that no picture takes."""
    assert isinstance(before, str)
    return before + (after[1:] if before.endswith("\n") and after.startswith("\n") else after)


# ---- pictures -------------------------------------------------------------------------------------------------------


class _Shower:
    """Says which pictures of an item are shown."""

    def __init__(self, schema: Schema, plan: RunPlan, pictures: Pictures) -> None:
        self.schema = schema
        self.pictures = pictures
        self.images = [slot.role for slot in schema.item.assets if slot.kind == "image"]
        self.first_role = next(iter(self.images), None)
        self.segments = next((field.name for field in schema.item.fields if kinds.of_field(field).timed), None)
        given = {**(schema.models.clips if schema.models else {}), **plan.clips}
        unknown = [name for name in given if name not in CLIPS]
        if unknown:
            raise ModelRefused(f"Of clips one cannot say `{unknown[0]}`; there are {', '.join(CLIPS)}.")
        self.recent = _count(given, "recent_segments", None)
        self.n_frames = _count(given, "frames_per_segment", _FRAMES) or 0
        self.n_observed = _count(given, "observation_frames", None)

    def shown(self, item: _Item) -> list[_Shown]:
        """The pictures in the order of the schema's places."""
        found: list[_Shown] = []
        for slot in self.schema.item.assets:
            rows = [asset for role, asset in item.assets if role == slot.role]
            if slot.kind == "clip" and not self._has_clip(item, slot):
                continue
            if slot.kind == "image" and self._stands_in(item, rows):
                found += self._observed(item, slot)
            elif not rows and slot.min:
                raise _Cannot(f"This item has no `{slot.role}`.")
            elif slot.kind == "image":
                found += [self._still(item, slot, asset, at) for at, asset in enumerate(rows, 1)]
            for asset in rows if slot.kind == "clip" else []:
                found += self._segments_of(item, self._there(slot, asset), slot, number=_n_clips(found) + 1)
        return found

    # ---- clips ------------------------------------------------------------------------------------------------------

    def _has_clip(self, item: _Item, slot: AssetSlot) -> bool:
        """Whether something of the clip is shown: an item that has segments, but none of them, has no clip yet."""
        if self.recent == 0 or self.n_frames == 0:
            return False
        return slot.min > 0 or self.segments is None or item.fields.get(self.segments) != []

    def _segments_of(self, item: _Item, sha256: str, slot: AssetSlot, *, number: int) -> list[_Shown]:
        """The last segments of a clip, each as frames that are spread evenly over it; they count from ``number``."""
        from media.model_input import evenly

        times = self._times(sha256, slot)
        spans = self._spans(item, times[-1])[-self.recent if self.recent else 0 :]
        return [
            _Frames(slot.role, sha256, evenly(times, start=start, end=end, n=self.n_frames), clip=at)
            for at, (start, end) in enumerate(spans, number)
        ]

    def _times(self, sha256: str, slot: AssetSlot) -> tuple[float, ...]:
        try:
            times = self.pictures.moments(sha256).times
        except (MediaRefused, NotFound, NotAvailable) as error:
            raise _Cannot(str(error)) from error
        if not times:
            raise _Cannot(f"The clip of its `{slot.role}` has no frame.")
        return times

    def _spans(self, item: _Item, end: float) -> list[tuple[float, float]]:
        """Beginning and end of each segment in seconds of the clip; the whole clip where none is told."""
        told = item.fields.get(self.segments or "") or []
        if not isinstance(told, list | tuple) or not all(isinstance(each, Mapping) for each in told):
            raise _Cannot(f"Its `{self.segments}` is no list of segments.")
        seconds = _numbers(told, "start", "end")
        if seconds is None:
            seconds = self._from_frames(item, told, end)
        return [(max(start, 0.0), min(stop, end)) for start, stop in seconds if start < end and stop > 0] or [(0, end)]

    def _from_frames(self, item: _Item, told: Sequence[Mapping[str, Any]], end: float) -> list[tuple[float, float]]:
        """From frames of the source: the clip begins with the first segment and ends with the observation."""
        frames = _numbers(told, "start_frame", "stop_frame")
        if frames is None:
            raise _Cannot(f"A segment in its `{self.segments}` does not say where it starts and stops.")
        keys = keys_of_source(self.schema)
        observed = keys.moments(item.fields).observed if keys else None
        last = observed if observed is not None else max((stop for _, stop in frames), default=0.0)
        first = next((start for start, _ in frames if 0 <= start < last), None)
        if first is None:
            return []
        scale = end / (last - first)
        return [((start - first) * scale + _TICK, (stop - first) * scale + _TICK) for start, stop in frames]

    def _stands_in(self, item: _Item, rows: Sequence[StoredAsset]) -> bool:
        """Whether the clip's last frames stand in for an image that is not there, as the plan's clips allow."""
        if not self.n_observed or any(self._is_there(asset) for asset in rows):
            return False
        return any(self._clip(item, place) for place in self.schema.item.assets)

    def _clip(self, item: _Item, slot: AssetSlot) -> str | None:
        found = [asset.sha256 for role, asset in item.assets if role == slot.role and self._is_there(asset)]
        return found[-1] if found and slot.kind == "clip" else None

    def _observed(self, item: _Item, slot: AssetSlot) -> list[_Shown]:
        clip = next(found for place in self.schema.item.assets if (found := self._clip(item, place)))
        times = self._times(clip, slot)
        return [_Frames(slot.role, clip, times[-(self.n_observed or 1) :], clip=None)]

    # ---- images -----------------------------------------------------------------------------------------------------

    def _still(self, item: _Item, slot: AssetSlot, asset: StoredAsset, at: int) -> _Still:
        return _Still(slot.role, self._there(slot, asset), self._drawn(item, slot.role, at))

    def _is_there(self, asset: StoredAsset) -> bool:
        return asset.sha256 is not None and asset.sha256 in self.pictures.media

    def _there(self, slot: AssetSlot, asset: StoredAsset) -> str:
        if asset.sha256 is None or not self._is_there(asset):
            raise _Cannot(f"The file of its `{slot.role}` was not brought in.")
        return asset.sha256

    def _drawn(self, item: _Item, role: str, at: int) -> dict[str, Any]:
        """Boxes and marks of the ``at``-th image of a role."""
        found: dict[str, Any] = {}
        first = next((role for role, _ in item.assets if role in self.images), self.first_role)
        for part in self.schema.item.fields:
            entries = item.fields.get(part.name)
            row = kinds.of_field(part)
            if not row.drawn or not entries or (part.role or first) != role:
                continue
            wrong = row.drawing_problem(entries)
            if wrong:
                raise _Cannot(f"What is to be drawn by its `{part.name}` does not fit: {wrong[:1].lower()}{wrong[1:]}")
            found.setdefault(row.name, []).extend(each for each in entries if each.get("image", 1) == at)
            if "options" in row.keys:
                found.setdefault("labels", {}).update({each.value: each.label for each in part.options})
        return found


def _count(given: Mapping[str, Any], name: str, default: int | None) -> int | None:
    value = given.get(name, default)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise ModelRefused(f"`{name}` of the clips is {value!r}; it must be a whole number, 0 or more.")
    return value


def _numbers(told: Sequence[Mapping[str, Any]], start: str, stop: str) -> list[tuple[float, float]] | None:
    """What segments say under two keys; None if one of them does not say it."""
    found = []
    for each in told:
        pair = each.get(start), each.get(stop)
        if not all(isinstance(number, int | float) and math.isfinite(number) for number in pair):
            return None
        found.append((float(each[start]), float(each[stop])))
    return found


def _n_clips(shown: Sequence[_Shown]) -> int:
    return max((each.clip or 0 for each in shown if isinstance(each, _Frames)), default=0)
