"""The parts of a Label Studio page, the answers given there, and the base class for each kind's answers."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol
from xml.etree.ElementTree import Element

from annotation_schemas.model import Choice, Criterion, ItemField
from domain.comparison import same
from domain.errors import Problem
from extensions.labelstudio.codes import ABOUT, NOTE, OTHER, SKIP, codes, distinct, image_of

Result = dict[str, Any]
Answer = tuple[Any, Any] | None
"""A value and its reason. None without an answer."""

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
"""The key of the answer in a value, by type of result. None: the value itself is the answer."""
_REGIONS = frozenset({"rectanglelabels", "rectangle", "keypointlabels", "labels"})
"""Types of results that a control may have any number of."""


class AnsweredRow(Protocol):
    """The attributes of a criterion kind's row (``kinds.CriterionKind``) that a page uses."""

    asks_reasons: ClassVar[bool]
    none_is_answer: ClassVar[bool]
    picks_several: ClassVar[bool]
    counts_entries: ClassVar[bool]
    is_about: ClassVar[Literal["item", "image", "text"]]

    def options(self, criterion: Criterion, fields: Mapping[str, Any]) -> list[Choice]:
        """Return the options for an item with these fields, in order."""


class FilledRow(Protocol):
    """The attributes of a field kind's row (``kinds.FieldKind``) that a page uses."""

    is_list: ClassVar[bool]
    holds: ClassVar[Literal["text", "texts", "whole number", "decimal", "list", "anything"]]
    several_rows: ClassVar[bool]


class LabelStudioKind(ABC):
    """How the answers of a kind are given in Label Studio."""

    result_type: ClassVar[str] = "choices"
    """The type of its results there, unless ``type_of`` returns another one."""

    def type_of(self, criterion: Criterion, *, depended_on: bool) -> str:
        """Return the type of a criterion's results.

        ``depended_on``: other criteria are shown depending on its choices.
        """
        return self.result_type

    @abstractmethod
    def read(self, part: FormPart, given: SortedResult, context: Context) -> Answer:
        """Return the answer. None without an answer, or for an unreadable one, which ``given`` records as a problem."""

    @abstractmethod
    def ask(self, parent: Element, part: FormPart) -> None:
        """Add the controls of this part to a labeling configuration."""

    def limits(self, part: FormPart) -> list[str]:
        """Return lines about the smallest and largest number, and about how to answer."""
        least, most = part.criterion.min, part.criterion.max
        words: list[str] = []
        if part.row.counts_entries:
            words += [f"at least {least:g}"] if least else []
            words += [f"at most {most:g}"] if most is not None else []
        return [", ".join(words).capitalize()] if words else []

    @abstractmethod
    def write(self, part: FormPart, value: Any, reason: Any, context: Context) -> list[Result]:
        """Return the results for this answer. Empty if the value is not an answer to the part."""


@dataclass(frozen=True)
class FormPart:
    """A criterion or field on a page there."""

    criterion: Criterion
    row: AnsweredRow
    """The row of its kind."""
    type: str
    """The type of its results."""
    to: str = ABOUT
    """The element on the page that it is about."""
    shown_when: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Controls with their choices. One of the choices must be made before this part is shown."""
    told: tuple[str, ...] = ()
    """Conditions that cannot be shown as such, as sentences. A rater who does not meet them leaves the part out."""
    several: bool = False
    """Whether it is drawn on one of several images."""
    field: ItemField | None = None
    """The item's field that is filled in. None: the part is a criterion."""
    field_row: FilledRow | None = None
    """The row of the field's kind."""
    after: str | None = None
    """The part with the list whose entry is picked by position."""

    @property
    def name(self) -> str:
        """Return the name of its control, which is also its name among the values."""
        return self.criterion.name

    @property
    def role(self) -> str:
        """Return the role of the images that it is drawn on."""
        return self.to.removeprefix(image_of(""))

    @property
    def own(self) -> bool:
        """Tell whether its options are the schema's own, and not the item's."""
        return self.criterion.field is None

    @property
    def may_be_none(self) -> bool:
        """Tell whether "nothing applies" is an answer with a choice of its own."""
        return self.row.none_is_answer and self.field is None and not self.criterion.min

    def options(self, texts: Mapping[str, Any]) -> list[Choice]:
        """Return the options for this item."""
        choices = self.row.options(self.criterion, texts)
        return choices if self.type == "ranker" else distinct(choices)

    def side(self, what: str, place: int | None = None) -> str:
        """Return the name of a related control."""
        return f"{self.name}-{what}" if place is None else f"{self.name}-{what}-{place}"

    def own_reasons(self) -> list[tuple[int, Choice]]:
        """Return the options that ask for a reason, with their positions."""
        asks = self.row.asks_reasons
        return [(at, option) for at, option in enumerate(self.criterion.options, 1) if asks and option.reasons]

    def controls(self) -> dict[str, str]:
        """Return all of its controls with the types of their results."""
        control_types = {self.name: self.type}
        if self.type == "property_list":
            control_types = {self.side("is", at): "choices" for at, _ in enumerate(self.criterion.options, 1)}
        if self.criterion.skip:
            control_types |= {self.side("skip"): "choices", self.side("skip-words"): "textarea"}
        for at, _ in self.own_reasons():
            control_types |= {self.side("reason", at): "choices", self.side("words", at): "textarea"}
        if self.may_be_none and self.type != "choices":
            control_types[self.side("none")] = "choices"
        return control_types


@dataclass(frozen=True)
class Context:
    """The context for reading and writing an answer."""

    texts: Mapping[str, Any]
    """The item's fields as the page shows them, and the model's answer."""
    values: Mapping[str, Any]
    """The other answers of the page."""
    sizes: Mapping[str, Sequence[tuple[int, int]]]
    """Width and height of the images, by role."""


# ---- given answers ----


@dataclass
class SortedResult:
    """A result, sorted by control."""

    known: Mapping[str, str]
    page: Sequence[FormPart]
    by_control: dict[str, list[tuple[Any, Mapping[str, Any], Mapping[str, Any]]]] = field(default_factory=dict)
    """The answer, the whole value and the whole entry of each result, by control."""
    problems: list[Problem] = field(default_factory=list)

    def take(self, result: Sequence[Mapping[str, Any]]) -> None:
        """Sort a result by control, and record problems with its form."""
        owners = {name: part for part in self.page for name in part.controls()}
        if not isinstance(result, list | tuple):
            self.problems.append(Problem("result", "The result must be a list of answers."))
            return
        for number, entry in enumerate(result, 1):
            if not isinstance(entry, Mapping):
                self.problems.append(
                    Problem("result", f"Entry {number} of the result must be an object with an answer.")
                )
                continue
            name = entry.get("from_name")
            if not isinstance(name, str) or name not in self.known:
                shown = f"`{name}`" if isinstance(name, str) else f"entry {number}"
                self.problems.append(
                    Problem("result", f"This form has no control for {shown}, so Touchstone refuses the answer.")
                )
                continue
            self._take(name, owners.get(name), entry)

    def _take(self, name: str, part: FormPart | None, entry: Mapping[str, Any]) -> None:
        kind = self.known[name]
        wanted = entry.get("type", kind)
        value = entry.get("value")
        key = _KEYS[kind]
        if wanted != kind:
            self.say(part, f"The answer to `{name}` must have the type `{kind}`, not `{wanted}`.")
        elif not isinstance(value, Mapping) or (key is not None and key not in value):
            self.say(part, f"The answer to `{name}` has no `{key or 'value'}`.")
        elif name in self.by_control and kind not in _REGIONS:
            self.say(part, f"`{name}` has two answers. Keep only one answer.")
        else:
            self.by_control.setdefault(name, []).append((value.get(key) if key else None, value, entry))

    def say(self, part: FormPart | None, sentence: str) -> None:
        """Record a problem."""
        name = part.name if part is not None else NOTE
        self.problems.append(Problem(name, f"{part.criterion.prompt} {sentence}" if part is not None else sentence))

    def has(self, control: str) -> bool:
        """Tell whether a control was answered."""
        return bool(self.by_control.get(control))

    def one(self, control: str) -> Any:
        """Return the answer of a control, or None."""
        values = self.by_control.get(control)
        return values[0][0] if values else None

    def chosen(self, control: str, part: FormPart) -> list[str]:
        """Return the choices of a control."""
        value = self.one(control)
        if value is None:
            return []
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
            self.say(part, "The choices must be a list of text values.")
            return []
        return list(dict.fromkeys(value))

    def words(self, control: str, part: FormPart | str) -> list[str]:
        """Return the typed texts of a control."""
        value = self.one(control)
        if value is None:
            return []
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
            self.say(part if isinstance(part, FormPart) else None, "The value must be text.")
            return []
        return ["\n".join(value)] if isinstance(part, str) else list(value)

    def option(self, part: FormPart, chosen: str, options: Sequence[Choice], told: Sequence[str]) -> Choice | None:
        """Return the option of a choice: by its code, or by its label if the label is unique."""
        for text, option in zip(told, options, strict=True):
            if text == chosen:
                return option
        labelled = [option for option in options if chosen in (option.label, str(option.value))]
        if len(labelled) == 1:
            return labelled[0]
        self.say(part, f"“{shortened(chosen)}” is not an option of this question. Choose one of the options.")
        return None


def shortened(text: str) -> str:
    """Return a text shortened for a quotation."""
    return text if len(text) <= 80 else f"{text[:79]}…"


# ---- results ----


def result_of(control: str, to: str, kind: str, value: Mapping[str, Any], number: int | None = None) -> Result:
    """Return a result: the answer, its control and its subject. ``number`` distinguishes regions of one control."""
    return {
        "id": control if number is None else f"{control}-{number}",
        "from_name": control,
        "to_name": to,
        "type": kind,
        "value": dict(value),
    }


def choices_of(control: str, *what: str) -> Result:
    """Return the result of choices."""
    return result_of(control, ABOUT, "choices", {"choices": list(what)})


def text_of_result(control: str, text: Any) -> Result:
    """Return the result of a text."""
    return result_of(control, ABOUT, "textarea", {"text": [str(text)]})


# ---- reasons and skips ----


def skip_reason(part: FormPart, given: SortedResult) -> Any:
    """Return the reason of a skip. None without one."""
    skip = part.criterion.skip
    return _reason(part, given, skip.reasons if skip else (), part.side("skip"), part.side("skip-words"))


def _reason(part: FormPart, given: SortedResult, reasons: Sequence[Choice], control: str, words: str) -> Any:
    chosen = [code for code in given.chosen(control, part) if code != SKIP]
    if not chosen or chosen == [OTHER]:
        return "\n".join(given.words(words, part)).strip() or None
    picks = [given.option(part, code, reasons, codes(reasons, own=True)) for code in chosen]
    if len(picks) > 1:
        given.say(part, "Give one reason.")
    return picks[0].value if picks[0] is not None else None


def reason_for(part: FormPart, given: SortedResult, place: int, option: Choice) -> Any:
    """Return the reason for this option. None without one."""
    return _reason(part, given, option.reasons, part.side("reason", place), part.side("words", place))


def write_skip(part: FormPart, reason: Any) -> list[Result]:
    """Return the results of a skip."""
    skip = part.criterion.skip
    reasons = skip.reasons if skip else ()
    results = [choices_of(part.name, SKIP)] if part.type == "choices" else []
    if reason is None:
        return results or [choices_of(part.side("skip"), SKIP)]
    at = next((at for at, reason_option in enumerate(reasons) if same(reason_option.value, reason)), None)
    if at is not None:
        return [*results, choices_of(part.side("skip"), codes(reasons, own=True)[at])]
    if part.type != "choices":
        results.append(choices_of(part.side("skip"), OTHER if reasons else SKIP))
    return [*results, text_of_result(part.side("skip-words"), reason)]


def write_reason(part: FormPart, place: int, option: Choice, reason: Any) -> list[Result]:
    """Return the results of a reason for an option."""
    if reason is None or not option.reasons:
        return []
    at = next((at for at, reason_option in enumerate(option.reasons) if same(reason_option.value, reason)), None)
    if at is not None:
        return [choices_of(part.side("reason", place), codes(option.reasons, own=True)[at])]
    return [choices_of(part.side("reason", place), OTHER), text_of_result(part.side("words", place), reason)]


# ---- values ----


def plain_number(number: float) -> float | int:
    """Return a number as a browser writes it: without ``.0``."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def is_number(value: Any) -> bool:
    """Tell whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def spelled(value: Any) -> str:
    """Return a value shortened for a quotation."""
    return shortened(json.dumps(value, ensure_ascii=False, default=str))
