"""The preparation of every text before it is read: reasoning is separated, chat tokens are removed, letters are folded.

A reader can map each place in ``Visible.text`` to the original text (``Visible.span``). Nothing is guessed: a reasoning
block that never ends leaves no text to read.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from domain.reading.refusals import refusal as refusal  # re-exported with the other first checks


class Reasoning(StrEnum):
    """The state of the reasoning blocks in a text."""

    NONE = "none"
    """The text has no block, so all of it counts."""
    CLOSED = "closed"
    """Only the text after the last block counts."""
    OPEN = "open"
    """A block never ends, so no text counts."""


@dataclass(frozen=True)
class Visible:
    """The part of a text that counts, with folded letters, and the place of each character in the original."""

    original: str
    text: str
    """Folded; without reasoning, chat tokens, and whatever follows the end of the turn."""
    starts: Sequence[int]
    """For each character of ``text`` the place in the original at which it begins …"""
    ends: Sequence[int]
    """… and the one behind it."""
    reasoning: Reasoning

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where ``text[start:end]`` is in the original text.

        >>> seen = visible("<think>A?</think> Answer: “Ｂ”")
        >>> seen.text, seen.original[slice(*seen.span(10, 11))]
        (' Answer: "B"', 'Ｂ')
        """
        if start >= end:
            place = self.starts[start] if start < len(self.starts) else len(self.original)
            return place, place
        return self.starts[start], self.ends[end - 1]


# ---- folding --------------------------------------------------------------------------------------------------------

_SAME = {
    **dict.fromkeys("‘’‚‛′`´", "'"),
    **dict.fromkeys("“”„‟″«»「」『』〝〞〟", '"'),
    **dict.fromkeys("\u2010\u2011\u2212\ufe63", "-"),
    **dict.fromkeys("\u2028\u2029\x0b\x0c\x85", "\n"),
    **dict.fromkeys("\u115f\u1160\u3164\uffa0\u034f\u20e3", ""),
    "`": "`",
    "\n": "\n",
    "٫": ".",
    "٬": ",",
    "🔟": "10",
    **{chr(0x1F150 + n): chr(65 + n) for n in range(26)},  # white letters on black circles …
    **{chr(0x1F170 + n): chr(65 + n) for n in range(26)},  # … and squares, which have no decomposition of their own
}
"""Characters that replace another one, beyond Unicode's own compatibility forms."""
_OWN_MEANING = ("<super>", "<sub>", "<fraction>")
"""Forms that are not the same as the letters they are made of: 10² is not 102."""
_BLOCKS = {"br", "p", "div", "li", "ul", "ol", "tr", "td", "th", "table", "h1", "h2", "h3", "h4", "h5", "h6", "hr"}
_MARKUP = re.compile(
    r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});"
    r"|</?(br|p|div|li|ul|ol|tr|td|th|table|h[1-6]|hr|b|strong|i|em|u|span|font|mark|code|pre|tt|center|big|small)"
    r"(?:\s[^<>]{0,200})?\s?/?>",
    re.IGNORECASE,
)

_ESCAPES = r"\\{1,3}(?:u(d[89ab][0-9a-f]{2})\\{1,3}u(d[c-f][0-9a-f]{2})|u([0-9a-f]{4})|([\"/]))"
"""JSON's escapes, also of JSON inside of JSON: many programs write "caf\\u00e9" for "café"."""
_MARKUP_AND_ESCAPES = re.compile(f"{_MARKUP.pattern}|{_ESCAPES}", re.IGNORECASE)


@lru_cache(maxsize=65536)
def _folded(char: str) -> str:
    if char in _SAME:
        return _SAME[char]
    if char.isspace():
        return " "
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.digit(char))
    if category == "Cf" or "\ufe00" <= char <= "\ufe0f":
        return ""
    made_of = unicodedata.decomposition(char)
    if made_of.startswith("<") and not made_of.startswith(_OWN_MEANING):
        return unicodedata.normalize("NFKC", char)
    return char


def _pieces(text: str, *, escapes: bool) -> Iterator[tuple[str, int, int]]:
    """Yield the folded characters with their original places, with markup resolved."""
    at = 0
    for match in (_MARKUP_AND_ESCAPES if escapes else _MARKUP).finditer(text):
        yield from ((_folded(char), place, place + 1) for place, char in enumerate(text[at : match.start()], at))
        at = match.end()
        if match[1]:
            yield "\n" if match[1].lower() in _BLOCKS else "", match.start(), at
        elif match[0].startswith("\\"):
            yield "".join(map(_folded, _unescaped(match))), match.start(), at
        else:
            meant = html.unescape(match[0])
            yield ("".join(map(_folded, meant)) if meant != match[0] else meant), match.start(), at
    yield from ((_folded(char), place, place + 1) for place, char in enumerate(text[at:], at))


def _unescaped(match: re.Match[str]) -> str:
    """Return the character of an escape; empty for half a pair of surrogates."""
    high, low, code, plain = match.group(2, 3, 4, 5)
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    char = chr(int(code, 16)) if code else plain
    return "" if "\ud800" <= char <= "\udfff" else char


def _fold(text: str, *, escapes: bool) -> tuple[str, list[int], list[int]]:
    marked = "&" in text or "<" in text or (escapes and "\\" in text)
    if text.isascii() and not marked and not re.search(r"[^\n -~]", text):
        return text, list(range(len(text))), list(range(1, len(text) + 1))
    made: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for piece, start, end in _pieces(text.replace("\r\n", " \n").replace("\r", "\n"), escapes=escapes):
        for char in piece:
            if made and unicodedata.combining(char):
                whole = unicodedata.normalize("NFC", made[-1] + char)
                if len(whole) == 1:
                    made[-1], ends[-1] = whole, end
                    continue
            made.append(char)
            starts.append(start)
            ends.append(end)
    return "".join(made), starts, ends


def fold(text: str) -> str:
    """Return a text with folded letters: full and half width, quotes, blanks, entities, and no invisible characters.

    >>> fold("Ｂ\\u200b\\u00a0“ok” &amp; <b>1️⃣</b>")
    'B "ok" & 1'
    """
    return _fold(text, escapes=False)[0]


# ---- reasoning blocks and chat tokens -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Token:
    """A mark in a reply that is no word of it."""

    name: str
    meaning: str
    pattern: str
    """A regular expression for folded text, without capturing groups."""


_TAG = "think|thinking|thought|thoughts|reason|reasoning|analysis|reflection|scratchpad|inner_monologue|inner_thoughts"

OPENINGS = (
    Token("tag", "a tag: <think>, <thinking>, <reasoning>, <analysis>, <reflection>, …",
          rf"<\s?(?:\w{{1,10}}:)?(?:{_TAG}|chain_of_thought|cot)(?:\s[^<>]{{0,200}})?>"),
    Token("triangle", "◁think▷", r"◁think▷"),
    Token("bracket", "[THINK]", r"\[(?:THINK|THINKING|REASONING)\]"),
    Token("thought", "<|begin_of_thought|>, <|START_THINKING|> and similar tokens",
          r"<\|(?:begin_of_thought|begin_of_thinking|start_thinking|think|thinking)\|>"),
    Token("channel", "a channel other than the final channel: <|channel|>analysis<|message|>",
          r"<\|channel\|>\s?(?:analysis|commentary)[^<]{0,100}(?:<\|message\|>)?"),
    Token("unused", "<unused94>, which some models write before their reasoning", r"<unused94>(?:thought)?"),
    Token("plain channel", "a channel without its tokens: a reply that begins with “analysisWe …”",
          r"\A\s{0,20}analysis(?=(?-i:[A-Z]))"),
)  # fmt: skip
"""The beginnings of a reasoning block."""

CLOSINGS = (
    Token("tag", "</think> and similar tags", rf"<\s?/\s?(?:\w{{1,10}}:)?(?:{_TAG}|chain_of_thought|cot)\s?>"),
    Token("triangle", "◁/think▷", r"◁/think▷"),
    Token("bracket", "[/THINK]", r"\[/(?:THINK|THINKING|REASONING)\]"),
    Token("thought", "<|end_of_thought|>, <|END_THINKING|> and similar tokens",
          r"<\|(?:end_of_thought|end_of_thinking|end_thinking|/think|/thinking)\|>"),
    Token("channel", "the final channel: <|channel|>final<|message|>", r"<\|channel\|>\s?final[^<]{0,100}(?:<\|message\|>)?"),
    Token("unused", "<unused95>", r"<unused95>"),
    Token("plain channel", "the final channel without its tokens: “assistantfinal”", r"assistantfinal"),
)  # fmt: skip
"""The ends of a reasoning block, by the same names."""

TURNS = (
    Token("end", "the end of a turn: <|im_end|>, <|eot_id|>, </s>, <eos>, <end_of_turn>, …",
          r"<\|(?:im_end|eot_id|eom_id|endoftext|end_of_text|end|eos|return|call|end▁of▁sentence|end_of_sentence|"
          r"end_of_turn|endofresponse|user|human|im_start\|>\s?user|start_header_id\|>\s?user)\|?>?"
          r"|</s>|<(?:eos|end_of_turn|endoftext|end_of_text|eot|eom|end_of_utterance|eos_token)>"
          r"|<start_of_turn>\s?user|\[INST\]"),
    Token("mark", "other chat tokens, such as speaker names, padding and image placeholders",
          r"(?:<\|(?:im_start|start_header_id|start)\|>|<start_of_turn>)\s?(?:assistant|model)?"
          r"|<\|[\w▁ /.-]{1,40}\|>|<s>|<(?:bos|pad|unk|image|video|start_of_turn)>|\[/INST\]|<</?SYS>>"),
)  # fmt: skip
"""Tokens of a chat. The user never saw the text after the end of a turn."""

_MARKS = re.compile(
    "|".join(
        f"(?P<{side}{place}>{row.pattern})"
        for side, rows in (("open", OPENINGS), ("close", CLOSINGS), ("turn", TURNS))
        for place, row in enumerate(rows)
    ),
    re.IGNORECASE,
)


def visible(text: str, *, escapes: bool = False) -> Visible:
    """Return the part of a text that counts: folded, after its reasoning blocks, and without chat tokens.

    ``escapes`` also resolves JSON's escapes. Readers that parse JSON need the original escapes. A block that never ends
    leaves no text. After a closing tag without an opening one, the rest counts.

    >>> visible("<think>A, surely</think>B<|im_end|>").text
    'B'
    >>> visible("<think>The answer is A. Or is it").reasoning.value
    'open'
    """
    whole, starts, ends = _fold(text, escapes=escapes)
    begin, inside, cut = 0, None, len(whole)
    kept: list[tuple[int, int]] = []
    reasoning = Reasoning.NONE
    for mark in _MARKS.finditer(whole):
        side, place = re.fullmatch(r"([a-z]+)(\d+)", mark.lastgroup or "").groups()  # type: ignore[union-attr]
        name = {"open": OPENINGS, "close": CLOSINGS, "turn": TURNS}[side][int(place)].name
        if side == "open" and inside is None:
            inside, reasoning = name, Reasoning.CLOSED
        elif side == "close" and inside in (None, name):
            if name == "plain channel" and inside is None:
                continue  # a word that only some replies without their tokens end with
            inside, reasoning = None, Reasoning.CLOSED
            begin, kept = mark.end(), []
        elif side == "turn" and inside is None:
            kept.append((begin, mark.start()))
            begin = mark.end()
            if name == "end" and any(whole[a:b].strip() for a, b in kept):
                cut = mark.start()
                break
    if inside is not None:
        return Visible(text, "", (), (), Reasoning.OPEN)
    parts = [slice(a, b) for a, b in (*kept, (begin, max(begin, cut)))]
    return Visible(
        text,
        "".join(whole[part] for part in parts),
        [place for part in parts for place in starts[part]],
        [place for part in parts for place in ends[part]],
        reasoning,
    )


# ---- nothing said ---------------------------------------------------------------------------------------------------

PLACEHOLDERS = (
    "failed to obtain answer",
    "failed to obtain answer via api",
    "failed to obtain a response",
    "no response",
    "no answer",
    "empty response",
    "null",
    "nan",
    "undefined",
    "n/a",
    "#n/a",
    "nat",
)
"""Texts that tools write for a missing answer. A text that consists only of one of them is empty."""

_AROUND = " \t\n\"'`*_#.,;:!?()[]{}<>|~=-–—…。、，·•"
_FULL_OF_DIGITS = re.compile(r"[^\W_]")


def is_empty(text: str) -> bool:
    """Return whether a visible text is empty: without a letter or digit, or only a tool's text for a missing answer.

    >>> is_empty(" \\n"), is_empty("**?**"), is_empty("Failed to obtain answer via API."), is_empty("0")
    (True, True, True, False)
    """
    if _FULL_OF_DIGITS.search(text) is None:
        return True
    return len(text) < 200 and bare_words(text) in PLACEHOLDERS


def bare_words(text: str) -> str:
    """Return a text in small letters without the signs around it.

    >>> bare_words(" **NaN**.")
    'nan'
    """
    return text.strip(_AROUND).casefold()
