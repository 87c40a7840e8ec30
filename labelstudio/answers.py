"""What a result of Label Studio says about one part of a page, and the results that say it: one pair for each kind."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.drawing import DECIMALS, LARGEST_NUMBER
from annotation_schemas.kinds.property_list import said_of
from annotation_schemas.model import PREDICTION, Choice
from domain.errors import Problem
from domain.policies import same
from labelstudio.page import (
    ABOUT,
    EDITED,
    NONE,
    NOTE,
    OTHER,
    SKIP,
    Part,
    codes,
    list_of,
    rank_codes,
)

Result = dict[str, Any]
Answer = tuple[Any, Any] | None
"""A value and its reason; None if nothing was answered."""

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
class Context:
    """What an answer is read and written with."""

    texts: Mapping[str, Any]
    """The item's fields as the page shows them, and the model's answer."""
    values: Mapping[str, Any]
    """The other answers of the page."""
    sizes: Mapping[str, Sequence[tuple[int, int]]]
    """Width and height of the images, by role."""


def read_part(part: Part, given: Given, context: Context) -> Answer:
    """What was answered to a part."""
    if part.criterion.skip and part.type != "choices" and given.has(part.side("skip")):
        if not given.has(part.name):
            return None, _skip_reason(part, given)
        given.say(part, "Either it is answered, or it is skipped.")
        return None
    if part.may_be_none and NONE in given.chosen(part.side("none"), part):
        if not given.has(part.name):
            return [], None
        given.say(part, "Either something is marked, or there is nothing to mark.")
        return None
    return _way(part).read(part, given, context)


def write_part(part: Part, value: Any, reason: Any, context: Context) -> list[Result]:
    """The results that say so; none if it is no answer to the part."""
    if value is None:
        return _write_skip(part, reason) if part.criterion.skip else []
    if value in ([], ()) and part.may_be_none and part.type != "choices":
        return [_chosen(part.side("none"), NONE)]
    return _way(part).write(part, value, reason, context)


def note_written(text: str) -> Result:
    """The result for what a rater adds in words."""
    return _typed(NOTE, text)


# ---- what was given --------------------------------------------------------------------------------------------------


@dataclass
class Given:
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


# ---- reasons and skips -----------------------------------------------------------------------------------------------


def _skip_reason(part: Part, given: Given) -> Any:
    """Why it was skipped; None if nobody said."""
    skip = part.criterion.skip
    return _reason(part, given, skip.reasons if skip else (), part.side("skip"), part.side("skip-words"))


def _reason(part: Part, given: Given, reasons: Sequence[Choice], control: str, words: str) -> Any:
    chosen = [each for each in given.chosen(control, part) if each != SKIP]
    if not chosen or chosen == [OTHER]:
        return "\n".join(given.words(words, part)).strip() or None
    found = [given.option(part, each, reasons, codes(reasons, own=True)) for each in chosen]
    if len(found) > 1:
        given.say(part, "Give one reason.")
    return found[0].value if found[0] is not None else None


def _reason_for(part: Part, given: Given, place: int, option: Choice) -> Any:
    """Why this option was chosen; None if nobody said."""
    return _reason(part, given, option.reasons, part.side("reason", place), part.side("words", place))


def _write_skip(part: Part, reason: Any) -> list[Result]:
    skip = part.criterion.skip
    reasons = skip.reasons if skip else ()
    found = [_chosen(part.name, SKIP)] if part.type == "choices" else []
    if reason is None:
        return found or [_chosen(part.side("skip"), SKIP)]
    at = next((at for at, each in enumerate(reasons) if same(each.value, reason)), None)
    if at is not None:
        return [*found, _chosen(part.side("skip"), codes(reasons, own=True)[at])]
    if part.type != "choices":
        found.append(_chosen(part.side("skip"), OTHER if reasons else SKIP))
    return [*found, _typed(part.side("skip-words"), reason)]


def _write_reason(part: Part, place: int, option: Choice, reason: Any) -> list[Result]:
    if reason is None or not option.reasons:
        return []
    at = next((at for at, each in enumerate(option.reasons) if same(each.value, reason)), None)
    if at is not None:
        return [_chosen(part.side("reason", place), codes(option.reasons, own=True)[at])]
    return [_chosen(part.side("reason", place), OTHER), _typed(part.side("words", place), reason)]


def _chosen(control: str, *chosen: str) -> Result:
    return _result(control, ABOUT, "choices", {"choices": list(chosen)})


def _typed(control: str, text: Any) -> Result:
    return _result(control, ABOUT, "textarea", {"text": [str(text)]})


# ---- kinds -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Way:
    read: Callable[[Part, Given, Context], Answer]
    write: Callable[[Part, Any, Any, Context], list[Result]]


def _result(control: str, to: str, kind: str, value: Mapping[str, Any], number: int | None = None) -> Result:
    return {
        "id": control if number is None else f"{control}-{number}",
        "from_name": control,
        "to_name": to,
        "type": kind,
        "value": dict(value),
    }


def _read_one(part: Part, given: Given, context: Context) -> Answer:
    if part.type == "rating":
        return _read_stars(part, given)
    chosen = given.chosen(part.name, part)
    if not chosen:
        return None
    if len(chosen) > 1:
        given.say(part, f"Choose one; {len(chosen)} are chosen.")
        return None
    if chosen == [SKIP] and part.criterion.skip:
        return None, _skip_reason(part, given)
    options = part.options(context.texts)
    option = given.option(part, chosen[0], options, codes(options, own=part.own))
    if option is None:
        return None
    place = next((at for at, each in part.own_reasons() if each is option), None)
    return option.value, _reason_for(part, given, place, option) if place is not None else None


def _read_stars(part: Part, given: Given) -> Answer:
    found = given.one(part.name)
    if found is None:
        return None
    value = next((value for value in part.criterion.values if same(value, found)), None)
    if value is None:
        given.say(part, f"{_shown(found)} is none of {', '.join(str(each) for each in part.criterion.values)}.")
        return None
    return value, None


def _write_one(part: Part, value: Any, reason: Any, context: Context) -> list[Result]:
    if part.type == "rating":
        return [_result(part.name, part.to, "rating", {"rating": value})]
    options = part.options(context.texts)
    at = next((at for at, option in enumerate(options) if same(option.value, value)), None)
    if at is None:
        return []
    chosen = _result(part.name, part.to, "choices", {"choices": [codes(options, own=part.own)[at]]})
    return [chosen, *(_write_reason(part, at + 1, options[at], reason) if part.own else ())]


def _read_several(part: Part, given: Given, context: Context) -> Answer:
    chosen = given.chosen(part.name, part)
    if not chosen:
        return None
    if NONE in chosen and part.may_be_none:
        if len(chosen) > 1:
            given.say(part, "Either none of them is right, or some are.")
            return None
        return [], None
    if chosen == [SKIP] and part.criterion.skip:
        return None, _skip_reason(part, given)
    options = part.options(context.texts)
    told = codes(options, own=part.own)
    found = [given.option(part, each, options, told) for each in chosen]
    if any(each is None for each in found):
        return None
    return [option.value for option in options if any(each is option for each in found)], None


def _write_several(part: Part, value: Any, reason: Any, context: Context) -> list[Result]:
    options = part.options(context.texts)
    told = codes(options, own=part.own)
    chosen = [text for text, option in zip(told, options, strict=True) if any(same(option.value, v) for v in value)]
    if not value:
        return [_result(part.name, part.to, "choices", {"choices": [NONE]})] if part.may_be_none else []
    return [_result(part.name, part.to, "choices", {"choices": chosen})] if chosen else []


def _read_number(part: Part, given: Given, context: Context) -> Answer:
    found = given.one(part.name)
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
        given.say(part, f"{_shown(found)} is no number.")
        return None
    return _plain(found), None


def _write_number(part: Part, value: Any, reason: Any, context: Context) -> list[Result]:
    return [_result(part.name, part.to, "number", {"number": value})]


def _read_words(part: Part, given: Given, context: Context) -> Answer:
    found = given.words(part.name, part)
    if part.field is not None and kinds.of_field(part.field).is_list:
        entries = [entry.strip() for entry in found if entry.strip()]
        return (entries, None) if entries else None
    text = "\n".join(found)
    if not text.strip():
        return None
    return text.strip() if part.field is not None else text, None


def _write_words(part: Part, value: Any, reason: Any, context: Context) -> list[Result]:
    texts = list(value) if isinstance(value, list | tuple) else [value]
    return [_result(part.name, part.to, "textarea", {"text": texts})] if texts else []


def _read_pick(part: Part, given: Given, context: Context) -> Answer:
    """Entries of a list that was written on the same page, by their places."""
    chosen = given.chosen(part.name, part)
    entries = context.values.get(part.after or "")
    if entries is None and part.name.startswith(EDITED):
        entries = context.texts.get((part.after or "").removeprefix(EDITED))
    picked = []
    for each in chosen:
        number = int(each) if each.isdecimal() and len(each) < 4 else 0
        if not isinstance(entries, list | tuple) or not 1 <= number <= len(entries):
            given.say(part, f"There is no entry {_short(each)} in the list.")
            return None
        picked.append((number, entries[number - 1]))
    if not picked:
        return None
    if part.field is not None and kinds.of_field(part.field).holds == "text":
        if len(picked) > 1:
            given.say(part, f"Choose one; {len(picked)} are chosen.")
            return None
        return picked[0][1], None
    return [entry for _, entry in sorted(picked, key=lambda pair: pair[0])], None


def _write_pick(part: Part, value: Any, reason: Any, context: Context) -> list[Result]:
    entries = context.values.get(part.after or "")
    if entries is None:
        entries = context.texts.get((part.after or "").removeprefix(EDITED))
    wanted = list(value) if isinstance(value, list | tuple) else [value]
    known = entries if isinstance(entries, list | tuple) else []
    numbers = [str(known.index(entry) + 1) for entry in wanted if entry in known]
    return [_result(part.name, part.to, "choices", {"choices": numbers})] if numbers else []


def _read_order(part: Part, given: Given, context: Context) -> Answer:
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


def _write_order(part: Part, value: Any, reason: Any, context: Context) -> list[Result]:
    options = part.options(context.texts)
    left = list(zip(rank_codes(options, own=part.own), options, strict=True))
    ids = []
    for each in value:
        at = next((at for at, (_, option) in enumerate(left) if same(option.value, each)), None)
        if at is not None:
            ids.append(left.pop(at)[0])
    return [_result(part.name, list_of(part.name), "ranker", {"ranker": {part.name: ids}})]


def _read_properties(part: Part, given: Given, context: Context) -> Answer:
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


def _write_properties(part: Part, value: Any, reason: Any, context: Context) -> list[Result]:
    said = [Choice(value=each, label=str(each)) for each in said_of(part.criterion)]
    told = codes(said, own=True)
    found = []
    for at, option in enumerate(part.criterion.options, 1):
        entry = next((each for each in value if same(each["name"], option.value)), None)
        place = next((n for n, each in enumerate(said) if entry is not None and same(each.value, entry["value"])), None)
        if place is not None:
            found.append(_result(part.side("is", at), ABOUT, "choices", {"choices": [told[place]]}))
    return found


def _read_drawn(part: Part, given: Given, context: Context) -> Answer:
    found = []
    for number, (labels, value, entry) in enumerate(given.by_control.get(part.name, ()), 1):
        made = _region(part, given, number, labels, value, entry)
        if made is None:
            return None
        found.append(made)
    return (found, None) if found else None


def _region(
    part: Part, given: Given, number: int, labels: Any, value: Mapping[str, Any], entry: Mapping[str, Any]
) -> dict[str, Any] | None:
    is_box = part.type != "keypointlabels"
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
    if part.type != "rectangle":
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
        elif not labels[0].isdecimal() or len(labels[0]) > len(str(LARGEST_NUMBER)):
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
    return {name: _plain(round(share, DECIMALS)) for name, share in zip(names, shares, strict=True)}


def _write_drawn(part: Part, value: Any, reason: Any, context: Context) -> list[Result]:
    is_box = part.type != "keypointlabels"
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
        made = _result(part.name, part.to, part.type, where, number)
        image = each.get("image", 1)
        if image <= len(sizes):
            width, height = sizes[image - 1]
            made |= {"original_width": width, "original_height": height, "image_rotation": 0}
        if part.several:
            made["item_index"] = image - 1
        found.append(made)
    return found


def _read_passages(part: Part, given: Given, context: Context) -> Answer:
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


def _write_passages(part: Part, value: Any, reason: Any, context: Context) -> list[Result]:
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


_WAYS: Mapping[str, _Way] = {
    "one": _Way(_read_one, _write_one),
    "several": _Way(_read_several, _write_several),
    "number": _Way(_read_number, _write_number),
    "words": _Way(_read_words, _write_words),
    "order": _Way(_read_order, _write_order),
    "properties": _Way(_read_properties, _write_properties),
    "drawn": _Way(_read_drawn, _write_drawn),
    "passages": _Way(_read_passages, _write_passages),
    "pick": _Way(_read_pick, _write_pick),
}
"""How answers are given there; a row of a kind names one of them."""


def _way(part: Part) -> _Way:
    return _WAYS[part.row.label_studio if part.after is None else "pick"]
