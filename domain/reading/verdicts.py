"""Find verdicts on single options in a text: "- A: incorrect", "B is wrong.", "✓ C", "| D | Yes |"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from domain.reading.options import Choices
from domain.reading.verdict_words import RIGHT_SIGNS, WRONG_SIGNS, plain_words

MANY = 200
"""Lines beyond which a text is no list of verdicts on an item's options."""

_WRONG_WORDS = (
    r"(?:(?:is|are|was|seems|looks|would be) )?(?:(?:clearly|definitely|simply|also|probably|likely|plainly|obviously|partly|partially|factually) )?"
    r"(?:incorrect|wrong|false|no|not (?:correct|right|true|shown|supported|visible|applicable|a match|possible|the answer|the case|valid|accurate|relevant|present|seen|depicted|chosen|selected|it|this)|untrue|invalid|inaccurate|unlikely|implausible|impossible|irrelevant"
    r"|eliminated|excluded|ruled out|discarded|rejected|unsupported|contradicted)"
    r"|(?:can|could|may|should|must|has to) (?:be )?(?:eliminated|excluded|ruled out|discarded|rejected|dismissed)|(?:does not|doesn't|do not|don't|did not|didn't) (?:match|fit|apply|hold|appear|work|make sense|happen)"
    r"|(?:this |it |that )(?:is|option is|answer is) (?:incorrect|wrong|false|not (?:correct|right|true|supported|shown|visible|the answer))"
    rf"|nicht richtig|ist falsch|{plain_words(0)}"
)
_RIGHT_WORDS = (
    r"(?:(?:is|are|was|seems|looks|would be) )?(?:(?:clearly|definitely|also|probably|likely|most likely|indeed|plainly|obviously) )?(?:the )?"
    r"(?:correct|right|true|yes|valid|accurate|supported|applicable|a match|(?:best|correct|right) (?:answer|option|choice|match|one))"
    r"|(?:this |it |that )(?:is|option is|answer is) (?:the )?(?:correct|right|true|best)|(?:matches|fits|applies|holds)"
    rf"|ist richtig|{plain_words(1)}"
)
_SIGNS_WRONG, _SIGNS_RIGHT = f"[{WRONG_SIGNS}]", f"[{RIGHT_SIGNS}]"
_ENDS = r"(?![^\W_]|-|')"
_VERDICT = re.compile(
    rf"(?:(?P<bad>(?:{_WRONG_WORDS}){_ENDS}|{_SIGNS_WRONG})|(?P<good>(?:{_RIGHT_WORDS}){_ENDS}|{_SIGNS_RIGHT}))",
    re.IGNORECASE,
)
_SIGN = re.compile(rf"(?P<bad>{_SIGNS_WRONG})|(?P<good>{_SIGNS_RIGHT})")
_LAST = re.compile(
    rf"(?:[-–—:=>(\[,.\s]|\A)[ \t]*(?:(?P<bad>{_WRONG_WORDS})|(?P<good>{_RIGHT_WORDS}))[\s)\].!]*\Z", re.IGNORECASE
)
_LINE = re.compile(r"[^\n]+")
_SENTENCE = re.compile(
    r"(?<=[,{])[ \t]*(?=[\"'](?-i:[A-J])[\"']\s?:)|(?<=,)[ \t]+(?=(?-i:[A-J])\s?:)|(?<=[.!;])[ \t]+(?=(?:option |choice |answer )?[(\[]?(?-i:[A-J])[)\].: ])",
    re.IGNORECASE,
)
_LABEL = re.compile(
    rf"[ \t|>({{\"']*(?:\[(?![ xX]\]))?(?:(?P<sign>{_SIGNS_WRONG}|{_SIGNS_RIGHT}|\[[ xX]\])[\uFE0F ]*)?(?:\d{{1,2}}[.)][ \t]+)?(?:(?:so |and |but |while |whereas |therefore )?(?:option|choice|answer|statement|alternative|antwort|réponse|opción|选项|選択肢|विकल्प)[ \t]*)?"
    r"[(\[\"']?(?:(?P<letter>[A-J])|(?<=option )(?P<number>\d)|(?<=choice )(?P<place>\d))[)\]\"']?(?![0-9A-Za-zÀ-ɏ'])(?P<dress>[ \t]*[.:)\]|=>–—-]+)?[ \t|]*",
    re.IGNORECASE,
)
_JOIN = re.compile(r"[ \t.,:;|()\[\]=>→–—*-]*")
_OPEN = re.compile(
    r"\?|\b(?:if|whether|maybe|perhaps|possibly|might|could be|may be|unless|not sure|unsure)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class OptionVerdict:
    """The verdict of a line on one option."""

    place: int
    right: bool
    start: int
    end: int


_ONE_LETTER = r"(?:(?:option|choice|answer)[ \t]+)?[(\[]?(?P<letter{n}>[A-J])[)\]]?"
_GAP = r"[\uFE0F \t]*"
_IN_ROW = (
    re.compile(
        rf"{_GAP}{_ONE_LETTER.format(n='')}(?:{_GAP}[:=.–—-]?{_GAP}(?:(?P<bad>{_SIGNS_WRONG})|(?P<good>{_SIGNS_RIGHT}))"
        rf"|[ \t]*\?[ \t]*(?:(?P<no>(?i:{plain_words(0)})){_ENDS}|(?P<yes>(?i:{plain_words(1)})){_ENDS}|(?P<bad2>{_SIGNS_WRONG})|(?P<good2>{_SIGNS_RIGHT})))[\uFE0F \t.,;|/!。，]*"
    ),
    re.compile(
        rf"{_GAP}(?:(?P<bad>{_SIGNS_WRONG})|(?P<good>{_SIGNS_RIGHT})){_GAP}{_ONE_LETTER.format(n='')}[\uFE0F \t.,;|/!。，]*"
    ),
)
"""Options in one line, each with its verdict: “A ✗ B ✓”, “A? No. B? Yes.”, or “✗ A ✓ B”."""


def _row(text: str, start: int, end: int, choices: Choices) -> list[OptionVerdict]:
    """Return the verdicts of a line with only options and their verdicts."""
    for pattern in _IN_ROW:
        option_verdicts: list[OptionVerdict] = []
        at = start
        while (match := pattern.match(text, at, end)) is not None:
            place = choices.place_of(match["letter"])
            if place is None:
                break
            has = match.groupdict()
            is_right = any(has.get(name) is not None for name in ("good", "good2", "yes"))
            option_verdicts.append(OptionVerdict(place, is_right, match.start(), match.end()))
            at = match.end()
        if option_verdicts and at >= end:
            return option_verdicts
    return []


def verdicts(text: str, choices: Choices) -> list[OptionVerdict]:
    """Return the verdict (right or wrong) of each line that begins with an option's letter.

    >>> options = Choices(("cup", "plate", "fork"))
    >>> [(each.place, each.right) for each in verdicts("A: incorrect\\nB. plate (correct)\\nC: looks odd", options)]
    [(0, False), (1, True)]
    """
    option_verdicts: list[OptionVerdict] = []
    heading: tuple[int, int] | None = None
    for start, end in _lines(text, choices):
        row = _row(text, start, end, choices)
        if row:
            option_verdicts += row
            heading = None
            continue
        verdict = _of_line(text, start, end, choices)
        if verdict is None and heading is not None:
            match = _VERDICT.match(text, _after(text, start, end), end)
            if match is not None and not _OPEN.search(text, start, min(end, start + 120)):
                verdict = OptionVerdict(heading[1], match["good"] is not None, heading[0], end)
        heading = _heading(text, start, end, choices) if verdict is None else None
        if verdict is not None:
            option_verdicts.append(verdict)
    return option_verdicts


def _heading(text: str, start: int, end: int, choices: Choices) -> tuple[int, int] | None:
    """Return the start of a line that holds only an option, and its place; the next line may judge the option."""
    ref = choices.ref_at(text, start, end)
    if ref is None or ref.label is None or len(ref.places) != 1 or _after(text, ref.end, end) < end:
        return None
    return start, ref.label


def _lines(text: str, choices: Choices) -> Iterator[tuple[int, int]]:
    """Yield the positions of lines, and of sentences in them that begin with an option."""
    for n, line in enumerate(_LINE.finditer(text)):
        if n >= MANY:
            return
        if line.end() - line.start() > 4000:
            continue
        if _row(text, line.start(), line.end(), choices):
            yield line.span()
            continue
        begin = line.start()
        for cut in _SENTENCE.finditer(text, line.start(), line.end()):
            yield begin, cut.start()
            begin = cut.end()
        yield begin, line.end()


def _of_line(text: str, start: int, end: int, choices: Choices) -> OptionVerdict | None:
    label = _LABEL.match(text, start, end)
    if label is None:
        return None
    number = label["number"] or label["place"]
    place = choices.place_of(label["letter"]) if label["letter"] else None
    if number and choices.counted and 0 < int(number) <= len(choices.options):
        place = int(number) - 1
    if place is None or (label["letter"] and label["letter"].islower() and not label["dress"]):
        return None
    at = label.end()
    own = choices.text_at(text, at, end)
    if own is not None and place in own.text:
        at = own.end
    elif own is not None:
        return None
    match = _VERDICT.match(text, _after(text, at, end), end)
    if match is None and label["sign"]:
        match = _SIGN.match({"[x]": "✓", "[ ]": "✗"}.get(label["sign"].lower(), label["sign"]))
    if match is None:
        tail = text[at:end]
        match = _SIGN.search(tail) if len(_SIGN.findall(tail)) == 1 else _LAST.search(tail[-60:])
        if match is not None and match.re is _LAST and not (own or label["dress"]):
            match = None
    if match is None or _OPEN.search(text, at, min(end, at + 120)):
        return None
    return OptionVerdict(place, match["good"] is not None, start, end)


def _after(text: str, at: int, end: int) -> int:
    match = _JOIN.match(text, at, end)
    return match.end() if match else at
