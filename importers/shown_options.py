"""The order of the options that a model was shown, as files of answers have them: as a list, in columns, in the prompt.

A letter in an answer means the option that was shown with it. Each reader passes on the options in its file, and
``shown_order`` compares them with the item's own options. It returns their order, or raises an error if a letter cannot
be read.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_uppercase

from domain.records import CountedColumns

_LONGEST_PROMPT = 200_000
"""Characters of a prompt that are looked through, from its end."""
_LONGEST_OPTION = 20_000
_QUOTED = 60
_DECIMAL = re.compile(r"[-+]?\d{1,15}(?:\.\d{1,15})?", re.ASCII)


class OptionsDiffer(ValueError):
    """The shown options are not the item's. ``str(error)`` gives the difference as half a sentence."""


# ---- prompts --------------------------------------------------------------------------------------------------------


def place_of(label: str) -> int:
    """Return the place of an option's label: 1 for B, 2 for 2."""
    return int(label) if label.isdigit() else ord(label.upper()) - ord("A")


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
    blocks: list[tuple[int, _Block]] = []
    for kind, pattern in enumerate(_MARKS):
        chains: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
        for mark in pattern.finditer(prompt):
            label = mark["label"]
            case = "1" if label.isdigit() else "a" if label.islower() else "A"
            sign = (mark.groupdict().get("mark") or "").strip()
            chains.setdefault((case, sign), []).append((place_of(label), mark.start(), mark.end()))
        for (case, _), marks in chains.items():
            for chain in _chains(marks, firsts=(0, 1) if case == "1" else (0,)):
                blocks.append((chain[0][1], _block(prompt, chain, letters=case != "1", bare=kind >= _SURE)))
    blocks.sort(key=lambda each: each[0])
    yield from (block for _, block in blocks)


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

    >>> option_columns(["the tap", "the door"], [CountedColumns(("op1", "op2"), ("The door.", "The tap."))]).names
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
    order = _placed(listed, own) if listed else None
    if order is not None:
        _must_fit(order, listed, own)
        if asked is None or all(at is None or (k < len(order) and order[k] == at) for k, at in enumerate(asked)):
            return _order(order, own)
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
            raise OptionsDiffer("the prompt numbers the options from 0, but answers number the options from 1")
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
    ends = [option for option in own if (plain := _plain(option)) and re.search(rf"(?<!\w){re.escape(plain)}$", whole)]
    return max(ends, key=len, default="")


def _must_fit(places: Sequence[int | None], shown: Sequence[str], own: Sequence[str]) -> None:
    """Refuse a list with an option that the item does not have, unless it follows all of the item's options."""
    strange = [k for k, text in enumerate(shown) if places[k] is None and text.strip()]
    known = [k for k, at in enumerate(places) if at is not None]
    if strange and (len(known) < len(own) or strange[0] < known[-1]):
        raise OptionsDiffer(
            f"the model saw the option {_label(strange[0])}. {_quoted(shown[strange[0]])}, which the item does not have"
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
        raise OptionsDiffer("the model saw an empty option, and saw the options in a different order than in the item")
    order = tuple(at for at in filled if at is not None)
    return () if order == tuple(range(len(order))) else order


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
