"""What a Label Studio result is for each kind of criterion and field, and what such a result means here.

A *result* is the JSON list that an annotation or a prediction there holds: an object for each answered control
(``from_name``, ``to_name``, ``type``, ``value``). A control has the name of its criterion or field; what stands beside
it (reasons, skips, "nothing to mark") has that name, a hyphen and more, which no criterion can be called. Options are
stored by their values, not by their labels: see ``codes``.

That server checks no result against its labeling configuration, so ``read`` trusts nothing: what it cannot mean is a
problem with a sentence for whoever gave the answer. Whether an answer is complete is still for ``kinds`` to say.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation_schemas import kinds, marks, registry
from annotation_schemas.answers import PREDICTION, said_of
from annotation_schemas.model import Choice, Criterion, ItemField, Schema
from domain.errors import NotAvailable, Problem
from domain.policies import same

Result = dict[str, Any]

NOTE = "touchstone-note"
"""The control for what a rater adds in words."""
ABOUT = "about"
"""The text on every page that everything is about which is not drawn or marked on something."""
RESERVED = "touchstone:"
SKIP = f"{RESERVED}skip"
NONE = f"{RESERVED}none"
OTHER = f"{RESERVED}other"
"""Choices beside the options: not to answer, that nothing applies, and a reason in one's own words."""
DECISION, CAUSE, FIELDS = "decision", "cause", "fields"
DECISIONS = (
    Choice(value="accept", label="Accept: the item is kept"),
    Choice(value="reject", label="Reject: the item is dropped"),
    Choice(value="edit", label="Edit: the item is changed and verified again"),
)
MOST_STARS = 10
MOST_MARKS = 20
"""How many numbers are offered where a schema sets no limit to marks."""
MOST_ENTRIES = 9
"""How many entries of a list can be picked by their place where a schema sets no limit to it."""

STAGES = ("authoring", "verification", "adjudication", "grading")

_CLOSE = 1e-4
"""Half a pixel of a large picture, as a share of it: so far outside is a rounding."""
_KEYS = {
    "choices": "choices",
    "rating": "rating",
    "number": "number",
    "textarea": "text",
    "ranker": "ranker",
    "rectanglelabels": "rectanglelabels",
    "rectangle": None,
    "keypointlabels": "keypointlabels",
    "labels": "labels",
}
"""Types of results with the key of their value that says what was answered; None: the value is that by itself."""
_REGIONS = frozenset({"rectanglelabels", "rectangle", "keypointlabels", "labels"})
"""Types of which one control may have any number."""


@dataclass(frozen=True)
class Read:
    """What a result means: what ``workflow.submit`` takes, and what could not be understood."""

    values: dict[str, Any]
    """By criterion; in authoring the item's fields; in adjudication ``decision``, ``cause`` and ``fields``."""
    reasons: dict[str, Any]
    note: str
    problems: tuple[Problem, ...]


def read(
    schema: Schema,
    stage: str,
    dimension: str | None,
    result: Sequence[Mapping[str, Any]],
    item_fields: Mapping[str, Any] | None = None,
) -> Read:
    """What a result means. ``item_fields`` are those that the page showed, with the model's answer as ``prediction``.

    Answers to criteria that are not asked after the ones before them are left out, as on our own pages.
    """
    page = parts(schema, stage, dimension)
    given = _Given({name: kind for part in page for name, kind in part.controls().items()} | {NOTE: "textarea"}, page)
    given.take(result)
    texts = dict(item_fields or {})
    (note,) = given.words(NOTE, NOTE) or ("",)
    found = _read_parts(page, given, texts)
    values, reasons = found.values, found.reasons
    if stage == "adjudication":
        edited = {name.removeprefix(_EDITED): values.pop(name) for name in list(values) if name.startswith(_EDITED)}
        if DECISION in values:
            values.setdefault(CAUSE, None)
        if values.get(DECISION) == "edit":
            values[FIELDS] = edited
    return Read(values, reasons, note.strip(), tuple(given.problems))


def written(
    schema: Schema,
    stage: str,
    dimension: str | None,
    values: Mapping[str, Any],
    reasons: Mapping[str, Any] | None = None,
    note: str = "",
    item_fields: Mapping[str, Any] | None = None,
    *,
    sizes: Mapping[str, Sequence[tuple[int, int]]] | None = None,
) -> list[Result]:
    """The result that means these answers; what is no answer to anything that the stage asks is left out.

    ``sizes`` are width and height of the images by role, for readers that count in pixels.

    Raises
    ------
    NotAvailable
        Label Studio cannot show one of the criteria.
    """
    given = dict(values)
    if stage == "adjudication":
        given |= {_EDITED + name: value for name, value in (given.pop(FIELDS, None) or {}).items()}
    texts = dict(item_fields or {})
    found: list[Result] = []
    for part in parts(schema, stage, dimension):
        if part.name in given:
            context = _Context(texts, given, sizes or {})
            found += part.write(given[part.name], (reasons or {}).get(part.name), context)
    if note:
        found.append(_result(NOTE, ABOUT, "textarea", {"text": [note]}))
    return found


def refusal(schema: Schema, stage: str, dimension: str | None) -> str | None:
    """Why Label Studio cannot show this stage, naming the criterion or field; None if it can."""
    if stage not in STAGES:
        return f"Label Studio cannot show the stage `{stage}`; its work stays on Touchstone's own pages."
    if getattr(schema.stages, stage) is None:
        return f"This schema has no stage `{stage}`."
    if stage == "authoring":
        asked = [field for field in schema.item.fields if field.authored]
        why = {field.name: _field_refusal(schema, field) for field in asked}
        noun = "field"
    elif stage == "adjudication":
        return None
    else:
        criteria = asked_of(schema, stage, dimension)
        why = {criterion.name: _criterion_refusal(schema, criterion) for criterion in criteria}
        noun = "criterion"
    name = next((name for name, said in why.items() if said), None)
    return None if name is None else f"Label Studio cannot show the {noun} `{name}`: {why[name]}"


def require(schema: Schema, stage: str, dimension: str | None) -> None:
    """Raise ``NotAvailable`` with the sentence of ``refusal`` if there is one."""
    said = refusal(schema, stage, dimension)
    if said is not None:
        raise NotAvailable(said)


def asked_of(schema: Schema, stage: str, dimension: str | None) -> tuple[Criterion, ...]:
    """The criteria of a stage that can be asked about an item of that dimension."""
    asked: list[Criterion] = []
    for criterion in registry.criteria_of(schema, stage, dimension):
        if set(criterion.show_if) <= {each.name for each in asked}:  # else it hangs on what nobody is asked here
            asked.append(criterion)
    return tuple(asked)


def drawn_on(
    schema: Schema, stage: str, fields: Mapping[str, Any], roles: Sequence[str], role: str, image: int
) -> dict[str, Any]:
    """The fixed boxes and marks of an image, for ``media.drawn.draw``; empty if there are none.

    ``roles`` are those of the item's assets in order, ``image`` counts the images of ``role`` from 1.
    """
    pictures = {slot.role for slot in schema.item.assets if slot.kind == "image"}
    first = next((each for each in roles if each in pictures), None)
    found: dict[str, Any] = {}
    for part in schema.item.fields:
        entries = fields.get(part.name)
        if part.kind not in marks.KINDS or stage in part.secret_in or (part.role or first) != role or not entries:
            continue
        if stage == "authoring" or marks.problem(part.kind, entries, labels=()):
            continue
        here = [entry for entry in entries if entry.get("image", 1) == image]
        if here:
            found.setdefault(part.kind, []).extend(here)
        if here and part.kind == "boxes":
            found.setdefault("labels", {}).update({each.value: each.label for each in part.options})
    return found


# ---- names -----------------------------------------------------------------------------------------------------------

_EDITED = "field-"


def image_of(role: str) -> str:
    """The name of what shows the images of a role that is drawn on."""
    return f"image-{role}"


def text_of(name: str) -> str:
    """The name of what shows a text in which passages are marked: an item's field, or the model's answer."""
    return f"text-{name}"


def code(value: Any) -> str:
    """The text that stands for one of the schema's own values.

    No comma, as conditions there list choices with commas between; neither "true" nor "false", which become truth
    values on the way.
    """
    text = value if isinstance(value, str) else json.dumps(value)
    text = "".join(" " if ord(letter) < ord(" ") else letter for letter in text).replace(",", ";")
    return f"={text}" if text in ("true", "false") or text.startswith(RESERVED) else text


def codes(options: Sequence[Choice], *, own: bool) -> list[str]:
    """The texts that stand for options, all different. ``own``: they are the schema's, not the item's."""
    found: list[str] = []
    for option in options:
        text = code(option.value) if own else str(option.value)
        if text.startswith(RESERVED):
            text = f"={text}"
        tried, number = text, 1
        while tried in found:
            number += 1
            tried = f"{text} ({number})"
        found.append(tried)
    return found


def rank_codes(options: Sequence[Choice], *, own: bool) -> list[str]:
    """As ``codes``, for things to be put in order: whole numbers by themselves would be sorted by the browser."""
    made = codes(options, own=own)
    marked = [f"#{text}" if text.isdecimal() else text for text in made]
    return marked if len(set(marked)) == len(marked) else [f"{at}. {text}" for at, text in enumerate(made, 1)]


def distinct(options: Sequence[Choice]) -> list[Choice]:
    """Options without those whose value was there before: they would be the same answer."""
    found: list[Choice] = []
    for option in options:
        if not any(same(option.value, other.value) for other in found):
            found.append(option)
    return found


# ---- what stands on a page -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Context:
    """What an answer is written with."""

    texts: Mapping[str, Any]
    values: Mapping[str, Any]
    sizes: Mapping[str, Sequence[tuple[int, int]]]


@dataclass(frozen=True)
class Part:
    """A criterion or field as it stands on a page there."""

    criterion: Criterion
    kind: str
    """The type of its results."""
    to: str = ABOUT
    """What on the page it is about."""
    shown_when: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Controls with the choices of which one has to be made before this is asked."""
    told: tuple[str, ...] = ()
    """Conditions that cannot be shown as such, as sentences; whoever does not meet them leaves it out."""
    several: bool = False
    """It is drawn on a place with several images."""
    field: ItemField | None = None
    """The field of the item that is filled in; None: it is a criterion."""
    after: str | None = None
    """The part for a list, one of whose entries is meant by its place."""

    @property
    def name(self) -> str:
        """Its control, and its name among the values."""
        return self.criterion.name

    @property
    def role(self) -> str:
        """The role of the images that it is drawn on."""
        return self.to.removeprefix(image_of(""))

    @property
    def own(self) -> bool:
        """Its options are the schema's, not the item's."""
        return self.criterion.field is None

    @property
    def may_be_none(self) -> bool:
        """That nothing applies is an answer, and has a choice of its own."""
        many = self.criterion.kind in ("multi_choice", "spans", *marks.KINDS) and self.field is None
        return many and not self.criterion.min

    def options(self, texts: Mapping[str, Any]) -> list[Choice]:
        """What is offered for this item."""
        found = kinds.options_of(self.criterion, texts)
        return found if self.kind == "ranker" else distinct(found)

    def side(self, what: str, place: int | None = None) -> str:
        """The name of a control beside its own."""
        return f"{self.name}-{what}" if place is None else f"{self.name}-{what}-{place}"

    def own_reasons(self) -> list[tuple[int, Choice]]:
        """The options that ask for a reason, with their places."""
        asks = self.criterion.kind == "choice"
        return [(at, option) for at, option in enumerate(self.criterion.options, 1) if asks and option.reasons]

    def controls(self) -> dict[str, str]:
        """All controls of it with the types of their results."""
        found = {self.name: self.kind}
        if self.kind == "property_list":
            found = {self.side("is", at): "choices" for at, _ in enumerate(self.criterion.options, 1)}
        if self.criterion.skip:
            found |= {self.side("skip"): "choices", self.side("skip-words"): "textarea"}
        for at, _ in self.own_reasons():
            found |= {self.side("reason", at): "choices", self.side("words", at): "textarea"}
        if self.may_be_none and self.criterion.kind != "multi_choice":
            found[self.side("none")] = "choices"
        return found

    def read(self, given: _Given, context: _Context) -> tuple[Any, Any] | None:
        """Value and reason; None if it was not answered."""
        if self.criterion.skip and self.kind != "choices":
            skipped = self._skip_read(given)
            if skipped is not None:
                return skipped
        if self.may_be_none and NONE in given.chosen(self.side("none"), self):
            if given.has(self.name):
                given.say(self, "Either something is marked, or there is nothing to mark.")
                return None
            return [], None
        return _KINDS[self.criterion.kind if self.after is None else "pick"].read(self, given, context)

    def write(self, value: Any, reason: Any, context: _Context) -> list[Result]:
        """The results that say so."""
        if value is None and self.criterion.skip:
            return self._skip_written(reason)
        if value is None:
            return []
        if value in ([], ()) and self.may_be_none and self.criterion.kind != "multi_choice":
            return [self._choice(self.side("none"), NONE)]
        return _KINDS[self.criterion.kind if self.after is None else "pick"].write(self, value, reason, context)

    # ---- reasons and skips

    def _skip_read(self, given: _Given) -> tuple[Any, Any] | None:
        if not given.has(self.side("skip")):
            return None
        if given.has(self.name):
            given.say(self, "Either it is answered, or it is skipped.")
            return None
        return None, self.skip_reason(given)

    def skip_reason(self, given: _Given) -> Any:
        """Why it was skipped; None if nobody said."""
        skip = self.criterion.skip
        return self._reason(given, skip.reasons if skip else (), self.side("skip"), self.side("skip-words"))

    def reason_for(self, given: _Given, place: int, option: Choice) -> Any:
        """Why this option was chosen; None if nobody said."""
        return self._reason(given, option.reasons, self.side("reason", place), self.side("words", place))

    def _reason(self, given: _Given, reasons: Sequence[Choice], control: str, words: str) -> Any:
        chosen = [each for each in given.chosen(control, self) if each != SKIP]
        if not chosen or chosen == [OTHER]:
            said = given.words(words, self)
            return "\n".join(said).strip() or None
        found = [given.option(self, each, reasons, codes(reasons, own=True)) for each in chosen]
        if len(found) > 1:
            given.say(self, "Give one reason.")
        return found[0].value if found[0] is not None else None

    def _skip_written(self, reason: Any) -> list[Result]:
        skip = self.criterion.skip
        reasons = skip.reasons if skip else ()
        found = [self._choice(self.name, SKIP)] if self.kind == "choices" else []
        if reason is None:
            return found or [self._choice(self.side("skip"), SKIP)]
        at = next((at for at, each in enumerate(reasons) if same(each.value, reason)), None)
        if at is not None:
            return [*found, self._choice(self.side("skip"), codes(reasons, own=True)[at])]
        if self.kind != "choices":
            found.append(self._choice(self.side("skip"), OTHER if reasons else SKIP))
        return [*found, self._words(self.side("skip-words"), reason)]

    def reason_written(self, place: int, option: Choice, reason: Any) -> list[Result]:
        """The results for the reason of an option."""
        if reason is None or not option.reasons:
            return []
        at = next((at for at, each in enumerate(option.reasons) if same(each.value, reason)), None)
        if at is not None:
            return [self._choice(self.side("reason", place), codes(option.reasons, own=True)[at])]
        return [
            self._choice(self.side("reason", place), OTHER),
            self._words(self.side("words", place), reason),
        ]

    def _choice(self, control: str, chosen: str) -> Result:
        return _result(control, ABOUT, "choices", {"choices": [chosen]})

    def _words(self, control: str, text: Any) -> Result:
        return _result(control, ABOUT, "textarea", {"text": [str(text)]})


def parts(schema: Schema, stage: str, dimension: str | None) -> list[Part]:
    """What a page of the stage asks, in order; raises ``NotAvailable`` where Label Studio cannot ask it."""
    require(schema, stage, dimension)
    if stage == "authoring":
        return _field_parts(schema, [field for field in schema.item.fields if field.authored], prefix="")
    if stage == "adjudication":
        return _adjudication_parts(schema)
    criteria = asked_of(schema, stage, dimension)
    return [_part(schema, criterion, criteria) for criterion in criteria]


def _part(schema: Schema, criterion: Criterion, criteria: Sequence[Criterion]) -> Part:
    shown, told = _conditions(criterion, criteria)
    to, several = ABOUT, False
    if criterion.kind in marks.KINDS:
        slot = _slot(schema, criterion.role)
        to, several = image_of(slot.role), slot.max != 1
    elif criterion.kind == "spans":
        to = text_of(criterion.of or PREDICTION)
    return Part(criterion, _type(criterion, criteria), to, shown, told, several)


def _type(criterion: Criterion, criteria: Sequence[Criterion]) -> str:
    if criterion.kind == "scale":
        return "rating" if _stars(criterion, criteria) else "choices"
    if criterion.kind == "boxes":
        return "rectanglelabels" if criterion.options else "rectangle"
    fixed = {"ordering": "ranker", "marks": "keypointlabels", "spans": "labels", "text": "textarea"}
    fixed |= {"number": "number", "property_list": "property_list"}
    return fixed.get(criterion.kind, "choices")


def _stars(criterion: Criterion, criteria: Sequence[Criterion]) -> bool:
    """Whether stars can stand for a scale: 1 to n without words, and nothing hangs on them, which stars cannot show."""
    values = [value for value in criterion.values if isinstance(value, int) and not isinstance(value, bool)]
    counts = len(values) == len(criterion.values) <= MOST_STARS and values == list(range(1, len(values) + 1))
    return counts and not criterion.labels and not any(criterion.name in each.show_if for each in criteria)


def _conditions(
    criterion: Criterion, criteria: Sequence[Criterion]
) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[str, ...]]:
    known = {each.name: each for each in criteria}
    shown: list[tuple[str, tuple[str, ...]]] = []
    told: list[str] = []
    for name, accepted in criterion.show_if.items():
        other = known[name]
        if other.field is not None:
            wanted = [str(value) for value in accepted]
        else:
            options = kinds.options_of(other, {})
            at = dict(zip([_key(option.value) for option in options], codes(options, own=True), strict=True))
            wanted = [at[_key(value)] for value in accepted if _key(value) in at]
        able = other.kind in ("choice", "option_of", "scale") and not any("," in each for each in wanted)
        if able and wanted:
            shown.append((name, tuple(wanted)))
        else:
            told.append(f"Only if “{other.prompt}” is {' or '.join(str(value) for value in accepted)}.")
    return tuple(shown), tuple(told)


def _key(value: Any) -> tuple[bool, Any]:
    """Equal for values that are the same."""
    return isinstance(value, bool), value


def _field_parts(schema: Schema, fields: Sequence[ItemField], *, prefix: str) -> list[Part]:
    lists = {each.name: each for each in schema.item.fields if each.kind == "text_list"}
    found: list[Part] = []
    for each in fields:
        made = _asked(each, prefix, lists)
        if each.kind in marks.KINDS:
            slot = _slot(schema, each.role)
            found.append(Part(made, _type(made, ()), image_of(slot.role), (), (), slot.max != 1, each))
        else:
            after = prefix + (each.field or "") if each.kind in ("option_of", "options_of") else None
            found.append(Part(made, _type(made, ()), field=each, after=after))
    return found


def _asked(each: ItemField, prefix: str, lists: Mapping[str, ItemField]) -> Criterion:
    """A field as a criterion that fills it in."""
    common: dict[str, Any] = {
        "name": prefix + each.name,
        "prompt": kinds.title_of(each),
        "help": each.help,
        "required": each.required and not prefix,
        "role": each.role,
    }
    if each.kind == "integer":
        return Criterion(kind="number", step=1, **common)
    if each.kind == "choice":
        return Criterion(kind="choice", options=each.options, **common)
    if each.kind in marks.KINDS:
        least, most = each.min_length, each.max_length
        return Criterion(kind=each.kind, options=each.options, min=least, max=most, **common)  # type: ignore[arg-type]
    if each.kind in ("option_of", "options_of"):
        entries = lists[each.field or ""]
        most = entries.length or entries.max_length or MOST_ENTRIES
        numbers = tuple(Choice(value=str(number), label=f"Entry {number}") for number in range(1, most + 1))
        kind = "choice" if each.kind == "option_of" else "multi_choice"
        return Criterion(kind=kind, options=numbers, **common)  # type: ignore[arg-type]
    return Criterion(kind="text", **common)


def _adjudication_parts(schema: Schema) -> list[Part]:
    stage = schema.stages.adjudication
    if stage is None:
        return []
    decisions = DECISIONS if stage.edit else DECISIONS[:2]
    decision = Criterion(name=DECISION, kind="choice", prompt="Decision", options=decisions)
    found = [Part(decision, "choices")]
    if stage.causes:
        cause = Criterion(name=CAUSE, kind="choice", prompt="Why was it contested?", options=stage.causes)
        found.append(Part(cause, "choices"))
    if stage.edit:
        able = [
            each
            for each in schema.item.fields
            if each.authored and "adjudication" not in each.secret_in and _field_refusal(schema, each) is None
        ]
        when = ((DECISION, ("edit",)),)
        found += [
            Part(each.criterion, each.kind, each.to, when, (), each.several, each.field, each.after)
            for each in _field_parts(schema, able, prefix=_EDITED)
            if each.criterion.kind not in marks.KINDS
        ]
    return found


# ---- what cannot be shown --------------------------------------------------------------------------------------------


def _slot(schema: Schema, role: str | None) -> Any:
    return next(slot for slot in schema.item.assets if slot.kind == "image" and role in (None, slot.role))


def _no_image(schema: Schema, role: str | None) -> bool:
    return not any(slot.kind == "image" and role in (None, slot.role) for slot in schema.item.assets)


def _criterion_refusal(schema: Schema, criterion: Criterion) -> str | None:
    if criterion.kind == "plan":
        return "a plan is read step by step by Touchstone's own page, which Label Studio has nothing like."
    if criterion.kind == "property_list" and criterion.field is not None:
        return "its properties are the item's own, and a form there has the same questions for every item."
    if criterion.kind in marks.KINDS and _no_image(schema, criterion.role):
        return "the item has no image to draw on; frames of a clip are no images there."
    return None


def _field_refusal(schema: Schema, field: ItemField) -> str | None:
    if field.kind in ("segments", "json"):
        return f"a field of kind `{field.kind}` is no answer that a form there has."
    if field.kind == "order_of":
        return "what is to be put in order is still being written, and a form there cannot rank its own answers."
    if field.kind in ("option_of", "options_of"):
        entries = next((each for each in schema.item.fields if each.name == field.field), None)
        if entries is not None and not entries.authored:
            return f"it is picked from `{field.field}`, which authors do not write."
    if field.kind in marks.KINDS and _no_image(schema, field.role):
        return "the item has no image to draw on; frames of a clip are no images there."
    return None


# ---- what was given --------------------------------------------------------------------------------------------------


@dataclass
class _Given:
    """A result, taken apart by its controls."""

    known: Mapping[str, str]
    page: Sequence[Part]
    by_control: dict[str, list[tuple[Any, Mapping[str, Any], Mapping[str, Any]]]] = field(default_factory=dict)
    """What was answered, the whole value, and the whole entry."""
    problems: list[Problem] = field(default_factory=list)

    def take(self, result: Sequence[Mapping[str, Any]]) -> None:
        """Sort a result, and say what is wrong with its form."""
        owners = {name: part for part in self.page for name in part.controls()}
        if not isinstance(result, list | tuple):
            self.problems.append(Problem("result", "The result is no list of answers."))
            return
        for number, entry in enumerate(result, 1):
            if not isinstance(entry, Mapping):
                self.problems.append(Problem("result", f"Entry {number} of the result is no answer."))
                continue
            name = entry.get("from_name")
            if not isinstance(name, str) or name not in self.known:
                shown = f"`{name}`" if isinstance(name, str) else f"entry {number}"
                self.problems.append(Problem("result", f"This form does not ask {shown}; its answer cannot be taken."))
                continue
            self._take(name, owners.get(name), entry)

    def _take(self, name: str, part: Part | None, entry: Mapping[str, Any]) -> None:
        kind = self.known[name]
        wanted = entry.get("type", kind)
        value = entry.get("value")
        key = _KEYS[kind]
        if wanted != kind:
            self.say(part, f"`{name}` takes answers of the type `{kind}`, not `{wanted}`.")
        elif not isinstance(value, Mapping) or (key is not None and key not in value):
            self.say(part, f"The answer to `{name}` has no `{key or 'value'}`.")
        elif name in self.by_control and kind not in _REGIONS:
            self.say(part, f"`{name}` is answered twice.")
        else:
            self.by_control.setdefault(name, []).append((value.get(key) if key else None, value, entry))

    def say(self, part: Part | None, sentence: str) -> None:
        """Note a problem."""
        name = part.name if part is not None else NOTE
        self.problems.append(Problem(name, f"{part.criterion.prompt} {sentence}" if part is not None else sentence))

    def has(self, control: str) -> bool:
        """Whether a control was answered."""
        return bool(self.by_control.get(control))

    def one(self, control: str) -> Any:
        """What was answered; None if nothing was."""
        found = self.by_control.get(control)
        return found[0][0] if found else None

    def chosen(self, control: str, part: Part) -> list[str]:
        """The choices that were made."""
        found = self.one(control)
        if found is None:
            return []
        if isinstance(found, str):
            found = [found]
        if not isinstance(found, list | tuple) or not all(isinstance(each, str) for each in found):
            self.say(part, "The choices must be a list of texts.")
            return []
        return list(dict.fromkeys(found))

    def words(self, control: str, part: Part | str) -> list[str]:
        """The texts that were typed."""
        found = self.one(control)
        if found is None:
            return []
        if isinstance(found, str):
            found = [found]
        if not isinstance(found, list | tuple) or not all(isinstance(each, str) for each in found):
            self.say(part if isinstance(part, Part) else None, "What was typed must be a text.")
            return []
        return ["\n".join(found)] if isinstance(part, str) else list(found)

    def option(self, part: Part, chosen: str, options: Sequence[Choice], told: Sequence[str]) -> Choice | None:
        """The option that a choice means: by its code, or else by its label, if only one has it."""
        for text, option in zip(told, options, strict=True):
            if text == chosen:
                return option
        labelled = [option for option in options if chosen in (option.label, str(option.value))]
        if len(labelled) == 1:
            return labelled[0]
        self.say(part, f"“{_short(chosen)}” is none of the answers that are offered.")
        return None


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"


def _read_parts(page: Sequence[Part], given: _Given, texts: Mapping[str, Any]) -> Read:
    values: dict[str, Any] = {}
    reasons: dict[str, Any] = {}
    for part in sorted(page, key=lambda part: part.after is not None):  # what picks from a list comes after the list
        if not kinds.is_shown(part.criterion, values) or not _is_edited(part, values):
            continue
        found = part.read(given, _Context(texts, values, {}))
        if found is None:
            continue
        values[part.name], reason = found
        if reason is not None:
            reasons[part.name] = reason
    in_order = {part.name: values[part.name] for part in page if part.name in values}
    return Read(in_order, reasons, "", ())


def _is_edited(part: Part, values: Mapping[str, Any]) -> bool:
    return not part.name.startswith(_EDITED) or values.get(DECISION) == "edit"


# ---- kinds -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Kind:
    read: Callable[[Part, _Given, _Context], tuple[Any, Any] | None]
    write: Callable[[Part, Any, Any, _Context], list[Result]]


def _result(control: str, to: str, kind: str, value: Mapping[str, Any], number: int | None = None) -> Result:
    return {
        "id": control if number is None else f"{control}-{number}",
        "from_name": control,
        "to_name": to,
        "type": kind,
        "value": dict(value),
    }


def _read_one(part: Part, given: _Given, context: _Context) -> tuple[Any, Any] | None:
    if part.kind == "rating":
        return _read_stars(part, given)
    chosen = given.chosen(part.name, part)
    if not chosen:
        return None
    if len(chosen) > 1:
        given.say(part, f"Choose one; {len(chosen)} are chosen.")
        return None
    if chosen == [SKIP] and part.criterion.skip:
        return None, part.skip_reason(given)
    options = part.options(context.texts)
    option = given.option(part, chosen[0], options, codes(options, own=part.own))
    if option is None:
        return None
    place = next((at for at, each in part.own_reasons() if each is option), None)
    return option.value, part.reason_for(given, place, option) if place is not None else None


def _read_stars(part: Part, given: _Given) -> tuple[Any, Any] | None:
    found = given.one(part.name)
    if found is None:
        return None
    value = next((value for value in part.criterion.values if same(value, found)), None)
    if value is None:
        given.say(part, f"{_shown(found)} is none of {', '.join(str(each) for each in part.criterion.values)}.")
        return None
    return value, None


def _write_one(part: Part, value: Any, reason: Any, context: _Context) -> list[Result]:
    if part.kind == "rating":
        return [_result(part.name, part.to, "rating", {"rating": value})]
    options = part.options(context.texts)
    at = next((at for at, option in enumerate(options) if same(option.value, value)), None)
    if at is None:
        return []
    chosen = _result(part.name, part.to, "choices", {"choices": [codes(options, own=part.own)[at]]})
    return [chosen, *(part.reason_written(at + 1, options[at], reason) if part.own else ())]


def _read_several(part: Part, given: _Given, context: _Context) -> tuple[Any, Any] | None:
    chosen = given.chosen(part.name, part)
    if not chosen:
        return None
    if NONE in chosen and part.may_be_none:
        if len(chosen) > 1:
            given.say(part, "Either none of them is right, or some are.")
            return None
        return [], None
    if chosen == [SKIP] and part.criterion.skip:
        return None, part.skip_reason(given)
    options = part.options(context.texts)
    told = codes(options, own=part.own)
    found = [given.option(part, each, options, told) for each in chosen]
    if any(each is None for each in found):
        return None
    return [option.value for option in options if any(each is option for each in found)], None


def _write_several(part: Part, value: Any, reason: Any, context: _Context) -> list[Result]:
    options = part.options(context.texts)
    told = codes(options, own=part.own)
    chosen = [text for text, option in zip(told, options, strict=True) if any(same(option.value, v) for v in value)]
    if not value:
        return [_result(part.name, part.to, "choices", {"choices": [NONE]})] if part.may_be_none else []
    return [_result(part.name, part.to, "choices", {"choices": chosen})] if chosen else []


def _read_number(part: Part, given: _Given, context: _Context) -> tuple[Any, Any] | None:
    found = given.one(part.name)
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
        given.say(part, f"{_shown(found)} is no number.")
        return None
    return _plain(found), None


def _write_number(part: Part, value: Any, reason: Any, context: _Context) -> list[Result]:
    return [_result(part.name, part.to, "number", {"number": value})]


def _read_words(part: Part, given: _Given, context: _Context) -> tuple[Any, Any] | None:
    found = given.words(part.name, part)
    if part.field is not None and part.field.kind == "text_list":
        entries = [entry.strip() for entry in found if entry.strip()]
        return (entries, None) if entries else None
    text = "\n".join(found)
    if not text.strip():
        return None
    return text.strip() if part.field is not None else text, None


def _write_words(part: Part, value: Any, reason: Any, context: _Context) -> list[Result]:
    texts = list(value) if isinstance(value, list | tuple) else [value]
    return [_result(part.name, part.to, "textarea", {"text": texts})] if texts else []


def _read_pick(part: Part, given: _Given, context: _Context) -> tuple[Any, Any] | None:
    """Entries of a list that was written on the same page, by their places."""
    chosen = given.chosen(part.name, part)
    entries = context.values.get(part.after or "")
    if entries is None and part.name.startswith(_EDITED):
        entries = context.texts.get((part.after or "").removeprefix(_EDITED))
    picked = []
    for each in chosen:
        number = int(each) if each.isdecimal() and len(each) < 4 else 0
        if not isinstance(entries, list | tuple) or not 1 <= number <= len(entries):
            given.say(part, f"There is no entry {_short(each)} in the list.")
            return None
        picked.append((number, entries[number - 1]))
    if not picked:
        return None
    if part.field is not None and part.field.kind == "option_of":
        if len(picked) > 1:
            given.say(part, f"Choose one; {len(picked)} are chosen.")
            return None
        return picked[0][1], None
    return [entry for _, entry in sorted(picked, key=lambda pair: pair[0])], None


def _write_pick(part: Part, value: Any, reason: Any, context: _Context) -> list[Result]:
    entries = context.values.get(part.after or "")
    if entries is None:
        entries = context.texts.get((part.after or "").removeprefix(_EDITED))
    wanted = list(value) if isinstance(value, list | tuple) else [value]
    known = entries if isinstance(entries, list | tuple) else []
    numbers = [str(known.index(entry) + 1) for entry in wanted if entry in known]
    return [_result(part.name, part.to, "choices", {"choices": numbers})] if numbers else []


def _read_order(part: Part, given: _Given, context: _Context) -> tuple[Any, Any] | None:
    found = given.one(part.name)
    if isinstance(found, Mapping):
        lists = [each for each in found.values() if each != []]
        found = lists[0] if len(lists) == 1 else (None if not lists else found)
    if found is None:
        return None
    if not isinstance(found, list | tuple) or not all(isinstance(each, str) for each in found):
        given.say(part, "The order must be one list of texts.")
        return None
    options = part.options(context.texts)
    told = rank_codes(options, own=part.own)
    placed = []
    for each in found:
        option = given.option(part, each, options, told)
        if option is None:
            return None
        placed.append(option.value)
    return placed, None


def _write_order(part: Part, value: Any, reason: Any, context: _Context) -> list[Result]:
    options = part.options(context.texts)
    left = list(zip(rank_codes(options, own=part.own), options, strict=True))
    ids = []
    for each in value:
        at = next((at for at, (_, option) in enumerate(left) if same(option.value, each)), None)
        if at is not None:
            ids.append(left.pop(at)[0])
    return [_result(part.name, list_of(part.name), "ranker", {"ranker": {part.name: ids}})]


def list_of(name: str) -> str:
    """The name of the list that an ordering puts in order."""
    return f"{name}-list"


def _read_properties(part: Part, given: _Given, context: _Context) -> tuple[Any, Any] | None:
    said = [Choice(value=value, label=str(value)) for value in said_of(part.criterion)]
    found = []
    for at, option in enumerate(part.criterion.options, 1):
        chosen = given.chosen(part.side("is", at), part)
        if len(chosen) > 1:
            given.say(part, f"Say one thing about “{option.label}”.")
        elif chosen:
            meant = given.option(part, chosen[0], said, codes(said, own=True))
            if meant is not None:
                found.append({"name": option.value, "value": meant.value})
    return (found, None) if found else None


def _write_properties(part: Part, value: Any, reason: Any, context: _Context) -> list[Result]:
    said = [Choice(value=each, label=str(each)) for each in said_of(part.criterion)]
    told = codes(said, own=True)
    found = []
    for at, option in enumerate(part.criterion.options, 1):
        entry = next((each for each in value if same(each["name"], option.value)), None)
        place = next((n for n, each in enumerate(said) if entry is not None and same(each.value, entry["value"])), None)
        if place is not None:
            found.append(_result(part.side("is", at), ABOUT, "choices", {"choices": [told[place]]}))
    return found


def _read_drawn(part: Part, given: _Given, context: _Context) -> tuple[Any, Any] | None:
    found = []
    for number, (labels, value, entry) in enumerate(given.by_control.get(part.name, ()), 1):
        made = _region(part, given, number, labels, value, entry)
        if made is None:
            return None
        found.append(made)
    return (found, None) if found else None


def _region(
    part: Part, given: _Given, number: int, labels: Any, value: Mapping[str, Any], entry: Mapping[str, Any]
) -> dict[str, Any] | None:
    is_box = part.criterion.kind == "boxes"
    noun = "Box" if is_box else "Mark"
    wanted = ("x", "y", "width", "height") if is_box else ("x", "y")
    numbers = [float(value[name]) for name in wanted if _is_number(value.get(name))]
    if len(numbers) < len(wanted):
        given.say(part, f"{noun} {number} has no {' and '.join(f'`{name}`' for name in wanted)} in percent.")
        return None
    turns = [turn for turn in (value.get("rotation", 0), entry.get("image_rotation", 0)) if turn is not None]
    if not all(_is_number(turn) and turn % 360 == 0 for turn in turns):
        given.say(part, f"{noun} {number} is turned; draw it upright, on the upright image.")
        return None
    made: dict[str, Any] = {}
    if part.kind != "rectangle":
        if isinstance(labels, str):
            labels = [labels]
        if not isinstance(labels, list | tuple) or len(labels) != 1 or not isinstance(labels[0], str):
            given.say(part, f"{noun} {number} needs one label.")
            return None
        if is_box:
            options = list(part.criterion.options)
            option = given.option(part, labels[0], options, codes(options, own=True))
            if option is None:
                return None
            made["label"] = option.value
        elif not labels[0].isdecimal() or len(labels[0]) > 3:
            given.say(part, f"{noun} {number} needs a number, not “{_short(labels[0])}”.")
            return None
        else:
            made["number"] = int(labels[0])
    made |= _shares(numbers)
    index = entry.get("item_index", value.get("item_index"))
    if index is not None and (isinstance(index, bool) or not isinstance(index, int) or index < 0):
        given.say(part, f"{noun} {number} is on no image.")
        return None
    return {**made, "image": index + 1} if index else made


def _shares(percents: Sequence[float]) -> dict[str, Any]:
    """Percent as shares of the image; what is outside by less than a rounding is drawn in."""
    shares = [each / 100 for each in percents]
    for at in (0, 1):
        if -_CLOSE <= shares[at] < 0:
            if len(shares) == 4:
                shares[at + 2] += shares[at]
            shares[at] = 0.0
        over = shares[at] + (shares[at + 2] if len(shares) == 4 else 0) - 1
        if 0 < over <= _CLOSE:
            shares[at + 2 if len(shares) == 4 else at] -= over
    names = ("x", "y", "w", "h")[: len(shares)]
    return {name: _plain(round(share, 6)) for name, share in zip(names, shares, strict=True)}


def _write_drawn(part: Part, value: Any, reason: Any, context: _Context) -> list[Result]:
    is_box = part.criterion.kind == "boxes"
    options = list(part.criterion.options)
    told = codes(options, own=True)
    sizes = context.sizes.get(part.role, ())
    found = []
    for number, each in enumerate(value, 1):
        where: dict[str, Any] = {"x": _percent(each["x"]), "y": _percent(each["y"])}
        if is_box:
            where |= {"width": _percent(each["w"]), "height": _percent(each["h"]), "rotation": 0}
            at = next((at for at, option in enumerate(options) if same(option.value, each.get("label"))), None)
            if at is not None:
                where["rectanglelabels"] = [told[at]]
        else:
            where |= {"width": 0.5, "keypointlabels": [str(each["number"])]}
        made = _result(part.name, part.to, part.kind, where, number)
        image = each.get("image", 1)
        if image <= len(sizes):
            width, height = sizes[image - 1]
            made |= {"original_width": width, "original_height": height, "image_rotation": 0}
        if part.several:
            made["item_index"] = image - 1
        found.append(made)
    return found


def _read_passages(part: Part, given: _Given, context: _Context) -> tuple[Any, Any] | None:
    text = context.texts.get(part.criterion.of or PREDICTION)
    options = list(part.criterion.options)
    found = []
    for number, (labels, value, _) in enumerate(given.by_control.get(part.name, ()), 1):
        start, end = value.get("start"), value.get("end")
        if not all(isinstance(at, int) and not isinstance(at, bool) for at in (start, end)):
            given.say(part, f"Passage {number} begins or ends at no whole number.")
            return None
        quoted = value.get("text")
        if isinstance(text, str) and isinstance(quoted, str) and _bare(text[start:end]) != _bare(quoted):
            given.say(part, f"Passage {number} is not where the text says “{_short(quoted)}”.")
            return None
        if not isinstance(labels, list | tuple) or len(labels) != 1 or not isinstance(labels[0], str):
            given.say(part, f"Passage {number} needs one tag.")
            return None
        option = given.option(part, labels[0], options, codes(options, own=True))
        if option is None:
            return None
        found.append({"start": start, "end": end, "tag": option.value})
    return (found, None) if found else None


def _write_passages(part: Part, value: Any, reason: Any, context: _Context) -> list[Result]:
    text = context.texts.get(part.criterion.of or PREDICTION)
    options = list(part.criterion.options)
    told = codes(options, own=True)
    found = []
    for number, each in enumerate(value, 1):
        at = next((at for at, option in enumerate(options) if same(option.value, each["tag"])), None)
        if at is None:
            continue
        quoted = text[each["start"] : each["end"]] if isinstance(text, str) else ""
        where = {"start": each["start"], "end": each["end"], "text": quoted, "labels": [told[at]]}
        found.append(_result(part.name, part.to, "labels", where, number))
    return found


def _bare(text: str) -> str:
    """A text without its white space: how a browser counts line ends is its own affair."""
    return "".join(text.replace("\\n", "").split())


def _percent(share: float) -> float:
    return round(share * 100, 8)


def _plain(number: float) -> float | int:
    """A number as a browser writes it: without ``.0``."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _shown(value: Any) -> str:
    return _short(json.dumps(value, ensure_ascii=False, default=str))


_ONE = _Kind(_read_one, _write_one)
_KINDS: Mapping[str, _Kind] = {
    "choice": _ONE,
    "option_of": _ONE,
    "scale": _ONE,
    "multi_choice": _Kind(_read_several, _write_several),
    "number": _Kind(_read_number, _write_number),
    "text": _Kind(_read_words, _write_words),
    "ordering": _Kind(_read_order, _write_order),
    "property_list": _Kind(_read_properties, _write_properties),
    "boxes": _Kind(_read_drawn, _write_drawn),
    "marks": _Kind(_read_drawn, _write_drawn),
    "spans": _Kind(_read_passages, _write_passages),
    "pick": _Kind(_read_pick, _write_pick),
}
