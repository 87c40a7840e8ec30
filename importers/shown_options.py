"""The options that a model was shown, as files of answers have them: as a list, in columns, or in the prompt.

A letter in an answer means the option that was shown with it. Each reader passes on the options in its file, and
``shown_order`` compares them with the item's own options. It returns their order, or raises an error if a letter cannot
be read.

The module is long because all ways in which files show options end in the same check of the order.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_uppercase
from typing import Any

from domain import json_text
from domain.json_text import NotJson
from domain.records import CountedColumns
from importers import list_cells
from importers.list_cells import NotList

LISTS = ("options", "choices", "candidates", "answer_choices", "answer_options", "option_list")
"""Names of a list of options, in small letters."""
_COLUMN = re.compile(
    r"(?:(?:options?|choices?|candidates?|opt|answer[ _-]?option)[ _-]*)?[(\[]?([A-Z]|\d{1,2})[)\].:]?", re.IGNORECASE
)
_COUNTED = re.compile(r"(.*?\D)(\d{1,2})|(.*[ _-])([A-Za-z])|(.*[a-z])([A-Z])")
"""The names of columns that count on, whatever they hold: ending0, op2, sol_b, answerC."""
_TEXTS = ("text", "texts", "content", "option", "value")
_LABELS = ("label", "labels", "letter", "key", "id")
_MOST = 100
"""Options that an item may be shown with."""
_DEEPEST = 4
"""Levels of objects within a record that are looked through."""
_LONGEST_PROMPT = 200_000
"""Characters of a prompt that are looked through, from its end."""
_LONGEST_OPTION = 20_000
_QUOTED = 60
_DECIMAL = re.compile(r"[-+]?\d{1,15}(?:\.\d{1,15})?", re.ASCII)


class OptionsDiffer(ValueError):
    """The shown options are not the item's. ``str(error)`` gives the difference as half a sentence."""


# ---- lists and columns ----------------------------------------------------------------------------------------------


def listed_options(*records: Any) -> tuple[str, ...]:
    """Return the options of the first of these records, in order. A label without an option gives an empty text.

    >>> listed_options({"A": "the door", "B": "the tap"}), listed_options({"options": ["A. cup", "B. pan"]})
    (('the door', 'the tap'), ('cup', 'pan'))
    """
    found = [record for record in records if isinstance(record, Mapping)]
    for record in found:
        if options := _of_lists(record) or _of_columns(record):
            return options
    within = (value for record in found for value in record.values() if isinstance(value, Mapping))
    return next((options for record in within if (options := _of_lists(record))), ())


def counts_on(name: str) -> bool:
    """Return whether columns with such names are numbered, such as ``ending0`` or ``sol_b``."""
    return _COUNTED.fullmatch(name.strip()) is not None


def counted_columns(*records: Any) -> tuple[CountedColumns, ...]:
    """Return the numbered columns, and the lists of labeled texts under any name.

    These may be options or something different. Objects within a record are searched too.

    >>> counted_columns({"op1": "the door", "op2": "the tap", "year": 2020})
    (CountedColumns(names=('op1', 'op2'), texts=('the door', 'the tap')),)
    >>> counted_columns({"meta": {"mcq": [{"key": "B", "value": "a tap"}, {"key": "A", "value": "a door"}]}})
    (CountedColumns(names=('mcq',), texts=('a door', 'a tap')),)
    """
    found = []
    for record in (within for each in records for within in _objects_within(each)):
        found += [CountedColumns((name,), texts) for name, texts in _labeled_lists(record)]
        groups: dict[str, dict[int, tuple[str, str]]] = {}
        for name, value in record.items():
            counted = _COUNTED.fullmatch(name.strip()) if isinstance(name, str) else None
            text = _text(value) if counted is not None else None
            if counted is not None and text is not None and text.strip():
                before, label = (part for part in counted.groups() if part is not None)
                groups.setdefault(f"{before}{label.isdigit()}", {})[_place_of(label)] = (name, text)
        for places in groups.values():
            if len(places) >= 2 and max(places) - min(places) == len(places) - 1:
                ordered = [places[at] for at in sorted(places)]
                found.append(CountedColumns(tuple(name for name, _ in ordered), tuple(text for _, text in ordered)))
    return tuple(found)


def _objects_within(value: Any, depth: int = _DEEPEST) -> Iterator[Mapping[Any, Any]]:
    if isinstance(value, Mapping):
        yield value
        for each in value.values() if depth else ():
            yield from _objects_within(each, depth - 1)


def _labeled_lists(record: Mapping[Any, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the lists of objects that have a label and a text each, with their names."""
    for name, value in record.items():
        if (
            isinstance(value, list)
            and 2 <= len(value) <= _MOST
            and all(isinstance(each, Mapping) for each in value)
            and any(all(label in each for each in value) for label in _LABELS)
            and (texts := _of_objects(value))
        ):
            yield str(name), texts


def _of_lists(record: Mapping[Any, Any]) -> tuple[str, ...]:
    names = {name.strip().casefold(): name for name in record if isinstance(name, str)}
    return next((found for name in LISTS if name in names and (found := _of_value(record[names[name]]))), ())


def is_option_column(name: str) -> bool:
    """Tell whether a column of this name may hold an option or a list of them."""
    return name.strip().casefold() in LISTS or _label_of(name) is not None


def _of_value(value: Any) -> tuple[str, ...]:
    """Return the options in a value.

    The value may be a list, an object by letter, ``{"text": [...], "label": [...]}``, or objects with a text (and
    label) each. It may also be a list written as text, such as lines with labels.
    """
    if isinstance(value, str):
        value = _written_list(value) or _labeled_lines(value)
    if isinstance(value, Mapping):
        texts = next((value[name] for name in _TEXTS if isinstance(value.get(name), list)), None)
        labels = next((value[name] for name in _LABELS if isinstance(value.get(name), list)), None)
        if texts is not None and labels is not None and len(labels) == len(texts):
            return _of_columns({str(label): text for label, text in zip(labels, texts, strict=True)})
        return _of_value(texts) if texts is not None else _of_columns(value)
    if not isinstance(value, list) or not 2 <= len(value) <= _MOST:
        return ()
    if all(isinstance(each, Mapping) for each in value):
        return _of_objects(value)
    texts = ["" if each is None else _text(each) for each in value]
    return _unlabeled([each for each in texts if each is not None]) if None not in texts else ()


def _of_objects(options: Sequence[Mapping[Any, Any]]) -> tuple[str, ...]:
    """Return the options of a list with an object for each: ``{"label": "A", "text": "the tap"}``, ``{"A": "the
    tap"}``.
    """
    name = next((name for name in _TEXTS if all(name in option for option in options)), None)
    if name is None:
        merged = {key: text for option in options for key, text in option.items()}
        return _of_columns(merged) if len(merged) == len(options) else ()
    label = next((name for name in _LABELS if all(name in option for option in options)), None)
    by_label = {str(option[label]): option[name] for option in options} if label is not None else {}
    by_letter = _of_columns(by_label) if len(by_label) == len(options) else ()
    return by_letter or _of_value([option[name] for option in options])


def _labeled_lines(cell: str) -> list[str] | None:
    """Return the lines of a text if all of them have labels: ``A. the tap``, ``B. the door``."""
    lines = [line for line in cell.splitlines() if line.strip()]
    texts = _unlabeled(lines) if len(lines) >= 2 else ()
    return list(texts) if texts and texts != tuple(lines) else None


def _written_list(cell: str) -> Any:
    text = cell.strip()
    if text[:1] not in ("[", "{"):
        return None
    try:
        return json_text.loaded(text)
    except NotJson:
        try:
            return [str(entry) for entry in list_cells.entries(text)]
        except NotList:
            return None


def _of_columns(record: Mapping[Any, Any]) -> tuple[str, ...]:
    """Return the options in columns ``A``, ``B``, ... or ``option_1``, ``option_2``, ... without trailing empty
    ones.
    """
    groups: dict[str, dict[int, str]] = {}
    for name, value in record.items():
        found = _label_of(name) if isinstance(name, str) else None
        text = "" if value is None or value != value else _text(value)
        if found is not None and text is not None:
            groups.setdefault(found[0], {})[found[1]] = text
    for places in groups.values():
        first = min(places)
        filled = [at for at, text in places.items() if text.strip()]
        if first in (0, 1) and len(filled) >= 2 and max(filled) - first < _MOST:
            return _unlabeled([places.get(at, "") for at in range(first, max(filled) + 1)])
    return ()


def _label_of(name: str) -> tuple[str, int] | None:
    """Return the kind and the place of an option's column: option_b -> ("option a", 1)."""
    name = name.strip()
    found = _COLUMN.fullmatch(name)
    if found is None or (name.isdigit()) or (len(name) == 1 and not name.isascii()):
        return None
    label, before = found[1], name[: found.start(1)].casefold().rstrip(" _-")
    if label.isdigit():
        return f"{before} 1", int(label)
    return f"{before} {'a' if label.islower() else 'A'}", ord(label.upper()) - ord("A")


def _text(value: Any) -> str | None:
    if not isinstance(value, str | int | float):
        return None
    return str(json_text.showable(str(value)))


_LABELED = re.compile(r"\s*[(\[]?([A-Za-z]|\d{1,2})\s*[.):：、\]]\s*(?=\S)")


def _unlabeled(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the texts without the labels that all of them begin with; empty if they are only labels."""
    if all(text.strip().strip("().").upper() == label for text, label in zip(texts, ascii_uppercase, strict=False)):
        return ()
    begins = [_LABELED.match(text) for text in texts]
    labels = [_place_of(found[1]) for found in begins if found]
    if len(labels) == len(texts) and labels in ([*range(len(texts))], [*range(1, len(texts) + 1)]):
        return tuple(text[found.end() :] for text, found in zip(texts, begins, strict=True) if found)
    return tuple(texts)


def _place_of(label: str) -> int:
    return int(label) if label.isdigit() else ord(label.upper()) - ord("A")


# ---- prompts --------------------------------------------------------------------------------------------------------


def prompt_text(value: Any) -> str:
    """Return the words of a prompt: a text, or messages with roles, perhaps written as JSON."""
    if isinstance(value, str):
        if value.lstrip()[:2] in ("[{", '{"') and '"content"' in value:
            try:
                return prompt_text(json_text.loaded(value)) or value
            except NotJson:
                return value
        return value
    if isinstance(value, Mapping):
        if isinstance(value.get("content"), str | list):
            return "" if value.get("role") == "assistant" else prompt_text(value["content"])
        return next((value[key] for key in ("text", "prompt", "value") if isinstance(value.get(key), str)), "")
    if isinstance(value, list):
        return "\n".join(part for each in value if (part := prompt_text(each)))
    return ""


@dataclass(frozen=True)
class _Block:
    """Consecutive labels in a prompt, with the texts after them."""

    from_zero: bool
    """The labels are the numbers from 0 on."""
    texts: tuple[str, ...]
    """The texts after all labels but the last."""
    before: str
    """The text before the first label."""
    ends: tuple[str, ...]
    """Candidates for the last text: up to the end of its line, of its paragraph, of the prompt."""
    letters: bool
    bare: bool
    """The labels have no mark after them, so the block may not be a list at all."""


_WORD = r"(?:(?:options?|choices?|candidates?)\s+)?"
_MARKS = (
    re.compile(
        rf"(?:(?<![\w(\[])|(?<=\\item)){_WORD}[*_`\"']{{0,3}}[(\[（【<{{]\s*(?P<label>[A-Za-z]|\d{{1,2}})\s*[)\]）】>}}][*_`\"']{{0,3}}[.:：]?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?<![\w.(\[（【])[*_`\"']{{0,3}}{_WORD}(?P<label>[A-Za-z]|\d{{1,2}})[*_`\"']{{0,3}}"
        r"(?P<mark>[.):：、．）])[*_`\"]{0,3}(?![\d.)])",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:^|(?<=[\s|])){_WORD}(?P<label>[A-Za-z]|\d{{1,2}})(?P<mark>\s+[-–—|=]\s|\t|\s*=\s*|\s*->\s*)",
        re.IGNORECASE,
    ),
    re.compile(r"^[ \t]*(?P<label>[A-Z])[ \t]+(?=\S)", re.MULTILINE),
)
"""Ways to write a label; the last two may also be words of a sentence."""
_SURE = 2
_BEFORE = " \t\n,;:)*_`\"'([{"
_AFTER = " \t\n.,;:!?/|。；*_`\"')]}"
_TAG = re.compile(r"</?[a-z][^<>]{0,20}>|<\|[^<>]{0,20}\|>")
_BULLET = re.compile(r"\n[ \t]*(?:[-*•|]|\\item)[ \t]*$")


def _blocks(prompt: str) -> Iterator[_Block]:
    """Yield the labeled lists in a prompt, in order."""
    found: list[tuple[int, _Block]] = []
    for kind, pattern in enumerate(_MARKS):
        chains: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
        for mark in pattern.finditer(prompt):
            label = mark["label"]
            case = "1" if label.isdigit() else "a" if label.islower() else "A"
            sign = (mark.groupdict().get("mark") or "").strip()
            chains.setdefault((case, sign), []).append((_place_of(label), mark.start(), mark.end()))
        for (case, _), marks in chains.items():
            for chain in _chains(marks, firsts=(0, 1) if case == "1" else (0,)):
                found.append((chain[0][1], _block(prompt, chain, letters=case != "1", bare=kind >= _SURE)))
    found.sort(key=lambda each: each[0])
    yield from (block for _, block in found)


def _chains(marks: Sequence[tuple[int, int, int]], firsts: Sequence[int]) -> Iterator[list[tuple[int, int, int]]]:
    """Yield runs of labels that rise by one; a restart of the labels ends the run."""
    chain: list[tuple[int, int, int]] = []
    for mark in marks:
        if chain and mark[0] == chain[-1][0] + 1:
            chain.append(mark)
        elif mark[0] in firsts:
            if len(chain) >= 2:
                yield chain
            chain = [mark]
    if len(chain) >= 2:
        yield chain


def _block(prompt: str, chain: Sequence[tuple[int, int, int]], *, letters: bool, bare: bool) -> _Block:
    texts = [_BULLET.sub("", prompt[one[2] : two[1]]) for one, two in pairwise(chain)]
    rest = prompt[chain[-1][2] :][:_LONGEST_OPTION].lstrip()
    ends = (rest.split("\n", 1)[0], re.split(r"\n\s*\n", rest, maxsplit=1)[0], rest)
    before = prompt[max(0, chain[0][1] - _LONGEST_OPTION) : chain[0][1]]
    return _Block(not letters and chain[0][0] == 0, tuple(texts), before, ends, letters, bare)


# ---- held against the item's own ------------------------------------------------------------------------------------


def option_columns(own: Sequence[str], columns: Sequence[CountedColumns]) -> CountedColumns | None:
    """Return the first of these columns that hold all of an item's options; None without such columns.

    >>> option_columns(["the tap", "the door"], counted_columns({"op1": "The door.", "op2": "The tap."})).names
    ('op1', 'op2')
    """
    return next((column for column in columns if set(range(len(own))) <= {*_placed(column.texts, own)}), None)


def shown_order(
    own: Sequence[str], listed: Sequence[str], prompt: str = "", columns: Sequence[CountedColumns] = ()
) -> tuple[int, ...]:
    """Return the places of the item's options in the order in which they were shown; empty where that is the item's own
    order, or is not known.

    The prompt takes precedence over a list, because the model read the prompt. Of ``columns`` the first that
    hold all of the item's options count (``option_columns``).

    >>> shown_order(["the tap", "the door"], ["The door.", "The tap."])
    (1, 0)
    >>> shown_order(["the tap", "the door"], (), "Which is open? (A) the door (B) the tap")
    (1, 0)

    Raises
    ------
    OptionsDiffer
        They are not the item's options, so that a letter may mean none of them.
    """
    if len(own) < 2:
        return ()
    asked, why = _in_prompt(own, prompt[-_LONGEST_PROMPT:]) if prompt else (None, None)
    if asked is not None and why is None:
        return _order(asked, own)
    if not listed and (held := option_columns(own, columns)) is not None:
        listed = held.texts
    told = _placed(listed, own) if listed else None
    if told is not None:
        _must_fit(told, listed, own)
        if asked is None or all(at is None or (k < len(told) and told[k] == at) for k, at in enumerate(asked)):
            return _order(told, own)
    if why is not None:
        raise OptionsDiffer(why)
    return ()


def _in_prompt(own: Sequence[str], prompt: str) -> tuple[list[int | None] | None, str | None]:
    """Return the places of the options that a prompt shows last, and the reason if they are not the item's."""
    some: list[int | None] | None = None
    part: tuple[list[int | None], str] | None = None
    for block in reversed([*_blocks(prompt)]):
        texts = [*block.texts, _last(block, own)]
        places = _placed(texts, own)
        if len({at for at in places if at is not None}) < len(own):
            behind = _placed([_ending(block.before, own), *block.texts], own)  # "the door (A), the tap (B)"
            places = behind if None not in behind and len(behind) == len(own) else places
        known = [at for at in places if at is not None]
        try:
            _must_fit(places, texts, own)
        except OptionsDiffer as error:
            if part is None and not block.bare and (known or (block.letters and not _without_labels(own, prompt))):
                part = places, str(error)
            continue
        if block.from_zero:
            raise OptionsDiffer("the prompt numbers its options from 0, and a number in an answer counts from 1")
        if len(known) == len(own):
            return places, None
        if len(known) >= 2 and some is None and not block.bare:
            some = places
    if some is not None:
        return some, None
    return part if part is not None else (_in_lines(own, prompt), None)


def _in_lines(own: Sequence[str], prompt: str) -> list[int | None] | None:
    """Return the places of options that a prompt shows without labels on consecutive lines. The last list counts.

    >>> _in_lines(["the tap", "the door"], "Which is open? Answer with the letter.\\n- the door\\n- the tap\\nAnswer:")
    [1, 0]
    """
    lines = [_plain(line.lstrip(" \t-*•|")) for line in prompt.splitlines() if line.strip()]
    wanted = sorted(_plain(text) for text in own)
    for at in range(len(lines) - len(own), -1, -1):
        if sorted(shown := lines[at : at + len(own)]) == wanted:
            return _placed(shown, own)
    return None


def _without_labels(own: Sequence[str], prompt: str) -> bool:
    """Tell whether a prompt shows all options of the item in any other form."""
    whole = _folded(prompt)
    return all(_plain(text) in whole for text in own)


def _last(block: _Block, own: Sequence[str]) -> str:
    """Return the last text of a list in a prompt: the part after its label that is an option."""
    there = _placed(block.texts, own)
    left = [text for at, text in enumerate(own) if at not in there]
    for end in block.ends:
        if any(place is not None for place in _placed([end], left)):
            return end
    whole = _plain(block.ends[-1])
    begins = [text for text in left if (plain := _plain(text)) and re.match(rf"{re.escape(plain)}(?!\w)", whole)]
    return max(begins, key=len) if begins else block.ends[0]


def _ending(text: str, own: Sequence[str]) -> str:
    """Return the option that a text ends with; empty for none."""
    whole = _plain(text)
    ends = [each for each in own if (plain := _plain(each)) and re.search(rf"(?<!\w){re.escape(plain)}$", whole)]
    return max(ends, key=len, default="")


def _must_fit(places: Sequence[int | None], shown: Sequence[str], own: Sequence[str]) -> None:
    """Refuse a list with an option that the item does not have, unless it follows all of the item's options."""
    strange = [k for k, text in enumerate(shown) if places[k] is None and text.strip()]
    known = [k for k, at in enumerate(places) if at is not None]
    if strange and (len(known) < len(own) or strange[0] < known[-1]):
        raise OptionsDiffer(
            f"the model was shown the option {_label(strange[0])}. {_quoted(shown[strange[0]])}, which the item does "
            "not have"
        )


def _order(places: Sequence[int | None], own: Sequence[str]) -> tuple[int, ...]:
    """Return the places up to the end of the item's options, and fill in the last option if only one is missing."""
    left = [at for at in range(len(own)) if at not in places]
    filled = [left.pop() if at is None and len(left) == 1 and k < len(own) else at for k, at in enumerate(places)]
    while filled and filled[-1] is None:
        filled.pop()
    if None in filled:
        if all(at in (None, k) for k, at in enumerate(filled)):
            return ()
        raise OptionsDiffer("it was shown with an empty option between the others, in another order than the item's")
    found = tuple(at for at in filled if at is not None)
    return () if found == tuple(range(len(found))) else found


def _placed(shown: Sequence[str], own: Sequence[str]) -> list[int | None]:
    """Return the place of each shown option among the item's by its text, compared strictly first and then more
    loosely.
    """
    places: list[int | None] = [None] * len(shown)
    for form in _FORMS:
        free: dict[str, list[int]] = {}
        for at, text in enumerate(own):
            if at not in places:
                free.setdefault(form(text), []).append(at)
        for k, text in enumerate(shown):
            if places[k] is None and (there := free.get(form(text))) and form(text):
                places[k] = there.pop(0)
    return places


def _exact(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", _exact(text)).casefold()


def _plain(text: str) -> str:
    """Return a text without the tags, quotes, stars and marks that lists put around options."""
    return _TAG.sub(" ", _folded(text)).lstrip(_BEFORE).rstrip(_AFTER)


def _joined(text: str) -> str:
    """Return a text without the words of its sentence: ``the tap, or``."""
    return re.sub(r"^(?:or|and)\s|\s(?:or|and)$", "", _plain(text)).lstrip(_BEFORE).rstrip(_AFTER)


def _number(text: str) -> str:
    """Return the value of a number, as pandas writes 2 as 2.0; an empty text for any other text."""
    return repr(float(text)) if _DECIMAL.fullmatch(text.strip()) else ""


_FORMS: tuple[Callable[[str], str], ...] = (_exact, _folded, _plain, _joined, _number)


def _label(place: int) -> str:
    return ascii_uppercase[place] if place < len(ascii_uppercase) else str(place + 1)


def _quoted(text: str) -> str:
    words = " ".join(text.split())
    return json.dumps(words if len(words) <= _QUOTED else f"{words[:_QUOTED]}...", ensure_ascii=False)
