"""The standing of a possible verdict in a judge's reply: the judge's own, quoted, denied, hypothetical, an example,
hedged or taken back.

A reply is prose, and the requested form can be anywhere in it: in the repeated rubric, in the quoted answer, after “had
it named the cup”. Rules, which are rows (``CUES``), check the text around a verdict. A verdict is the judge's own only
if no rule objects.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from domain.reading.text import Visible
from inference.judges.standing_cues import ANOTHER, CUES, LEGEND, SUCH, THING, CueStanding, Reach

Span = tuple[int, int]

_NO_LETTERS = re.compile(r"[^A-Za-z\u00c0-\u024f]*$")
"""Scripts that do not part their words are not looked at so closely."""
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|z\.B|p\.ex|d\.h|vs|cf|resp|approx|Mr|Dr|St|No)\.", re.IGNORECASE)
_SENTENCE_ENDS = re.compile(r"(?:[.!?\u2026](?=[\s\"')\]*_`]|$)|[\u3002\uff01\uff1f\uff0e])[\"')\]*_`]*|\n|\|")
_I = r"i(?:'ll|'d)? (?:(?!can ?not|can'|could|wo|would ?n|should ?n|do(?:es)? ?n|did|don|not |never|hardly|barely|scarcely|refuse|decline|hesitate)[\w']+ ){0,2}?"
"""“I”, and up to two words that do not deny the following statement."""
_CLAUSE_ENDS = re.compile(
    r"[,;:()\u2013\u2014\u3001\uff0c\uff1b\u2022\u00b7\u2190-\u21ff\u2794-\u27bf\u25b6\u25ba]|\s-+\s|->|=>|=|(?<![\w-])(?:so|hence|therefore|thus|(?<!anything )(?<!nothing )(?<!all )but|because|since|yet|"
    r"however|though|although|while|whereas|which means|meaning|ergo|also|then|also|daher|deshalb|darum|folglich|sondern|"
    r"aber|donc|mais|car|parce que|pero|sino|porque|luego|perci\u00f2|ma|quindi|\u043d\u043e|\u0430|\u043f\u043e\u044d\u0442\u043e\u043c\u0443|\u0437\u043d\u0430\u0447\u0438\u0442|"
    rf"{_I}(?:give|rate|assign|award|score|choose|pick|settle|conclude|go with|decide))(?![\w-])"
    r"|\u56e0\u6b64|\u6240\u4ee5|\u6545|\u4f46\u662f|\u4f46|\u800c\u662f|\u3057\u304b\u3057|\u3057\u305f\u304c\u3063\u3066|\ub530\ub77c\uc11c|\ud558\uc9c0\ub9cc",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r";|(?<![\w-])(?:(?<!anything )(?<!nothing )(?<!all )but|however|yet|so|therefore|thus|hence|because|since|as it (?:is|stands)|still|nevertheless|nonetheless|"
    r"instead|this one|here|in fact|though|although|settl\w+ on|ended? up|aber|sondern|daher|deshalb|mais|donc|pero|sino|ma|quindi|\u043d\u043e|\u0430|\u043f\u043e\u044d\u0442\u043e\u043c\u0443)(?![\w-])"
    r"|\u4f46\u662f?|\u6240\u4ee5|\u56e0\u6b64|\u800c\u662f|\u3057\u304b\u3057|\ud558\uc9c0\ub9cc",
    re.IGNORECASE,
)
"""Words that turn a sentence around. A hypothesis or a quotation before them has ended."""
_DECIDES = re.compile(
    rf"(?<![\w-])(?:and )?(?:{_I}|(?:my|we) (?:\w+ )?)(?:give|rate|assign|award|score|choose|pick|settle|conclude|decide|go with|"
    r"grade|rating is|verdict is|score is)(?![\w-])",
    re.IGNORECASE,
)
_LEADS_ON = re.compile(
    r"[:,;\u2014\u2013\uff1a-]$|(?<![\w-])(?:write|written|be|been|line|lines|words?|text|sentence|saying|print|phrase|give|given|say|said|says|wrote|writes|state|states|rate|"
    r"rated|output|with|by|as|is|was|put|gives|gave|award|awards|assign|assigns|justify|support|grant|accept|endorse|offer|confirm|defend|than|of|for|reads?|answer with|end|ends|reply|form|format|like|to|a|the|not|or)$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"[^\n]{0,40}[^\s*_`\"')\].,;:!$}][^\n]*\n"
    r"|[ \t*_`\"')\].,;:!$}]*\n\s*(?:[(<\u2190]|(?!(?:for (?:example|instance)|e\.g|say|etc|it|this|that|which|i)\b)[a-z])"
)
"""The text after a verdict whose sentence continues over the end of the line. The sentence continues with words on the
same line, or with a small letter on the next line. Words that can begin a sentence do not continue it; they are about
the answer.
"""
_AS_ASKED = re.compile(
    r"\b(?:in|with|using|by|per|under|following|according to|based on|on|given) (?:the|your|this|that)(?: [\w-]+){0,2} (?:format|form|template|style|rubric|scale|"
    r"criteria|scheme|guidelines?|instructions?)(?: (?:you gave|above|given|provided))?(?=[\s,:.*_]*$|,)",
    re.IGNORECASE,
)
"""Phrases in which the judge refers to the requested form while following it."""
_GIVES = re.compile(
    r"(?:^|[\s,;:()\u2013\u2014*_\"'-])(?:(?:is|was|'s|it's|gets|deserves|earns|merits|receives|warrants|justifies|makes (?:it|this|that)(?: an?)?|scores|rates|"
    r"gives|worth|comes? to|amounts to|i (?:\w+ ){0,2}(?:give|rate|assign|award|score|choose|pick|say|grade|settle on|settle for|conclude|go with|go for|call)|i'd (?:\w+ )?(?:give|rate|say|call|go with)|"
    r"settle on|settled on|settle for|go with|call|conclude with|conclud\w+|close with|end with|land(?:s|ed)? (?:on|at)|"
    r"result\w* (?:in|is)|leads? to|hence|therefore|thus|so|then|now|overall|finally|verdict|say|said|again|mine|but|yet|and|must|(?:i|we) (?:\w+ )?(?:have|decide|choose|tend) to (?:give|rate|assign|award|say))"
    r"(?: (?:it|this|the|that|an?|only|just|still|clearly|therefore|thus|hence|at|with|as|to|of|for|in|rating|score|grade|verdict|mark|value|full|half|both|clear|solid|plain|definite|strong|perfect|simple|firm|answer|response|reply|student's|assistant's|candidate's|one|be|exactly|simply|overall|my|final|him|her|them))*)?"
    r"[\s,;:=()\u2013\u2014.!?*_\"'`>\u2192\uff1a\uff0c-]*$",
    re.IGNORECASE,
)
"""The text before a verdict of the judge's own in prose: the end of a clause, or words with which judges give one."""
_MARKUP = " \t*_#`>|\"'~$-"
LOOK = 300
"""The number of characters around a verdict that are checked."""

_FENCE = re.compile(r"^\s*(?:```|~~~)[\w-]*\s*$")
_STRUCK = re.compile(r"~~[^~\n]{1,300}~~|<!--[^>\n]{0,300}-->|<(del|strike)>[^<\n]{1,300}</\1>", re.IGNORECASE)
_ECHO_FROM = re.compile(
    r"\[(?:the )?(?:start|begin(?:ning)?) of (?P<mark>[^\]\n]{1,60})\]"
    r"|<(?P<tag>student_?answer|student|candidate|response|assistant|user|question|reference|quote|blockquote|input|prompt|example)>",
    re.IGNORECASE,
)
_ECHO_TO = re.compile(r"\[(?:the )?end of [^\]\n]{1,60}\]|</(?P<tag>\w{1,16})>", re.IGNORECASE)
_SINGLE = re.compile(r"(?<![\w'])'(?=[^\s'])[^'\n]{1,300}(?:'\w[^'\n]{0,300}){0,9}(?<=[^\s'])'(?![\w'])")
_TICKED = re.compile(r"(?<!`)`(?!`)[^`\n]{1,300}`(?!`)")
EVIDENCE = re.compile(
    r"^[ \t>#*_`\d.)|+-]*(?:perception|cognition|action)[ \t*_]+(?:assessment[ \t*_]+)?evidence\b", re.IGNORECASE
)
"""A line of evidence. A quotation in it ends with the line."""
TURN = re.compile(
    r"\n[ \t]*(?:#{1,6} ?|\*\*|\[|<\|?)?(?:user|human|question|next question|new question|next item|next task|instruction|system|"
    r"student|input|prompt|task \d+|question \d+|example \d+|item \d+)(?:\*\*|\]|\|?>)?\s?(?::|\n|$)",
    re.IGNORECASE,
)
"""The start of an invented turn of another speaker."""


class ReplyText:
    """A judge's reply with the context of each place in it. All places are those of ``text``."""

    def __init__(self, seen: Visible) -> None:
        self.seen = seen
        self.text = seen.text

    @cached_property
    def marks(self) -> str:
        """The text, place by place, with single quotes for all double ones that were not written as plain marks."""
        if self.text.count('"') == self.seen.original.count('"'):
            return self.text
        original, starts = self.seen.original, self.seen.starts
        return "".join(
            "'" if char == '"' and original[starts[at]] != '"' else char for at, char in enumerate(self.text)
        )

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def line(self, at: int) -> Span:
        """Return the line of a place, without its end."""
        start = self._line_starts[bisect_right(self._line_starts, at) - 1]
        end = self.text.find("\n", at)
        return start, len(self.text) if end < 0 else end

    @cached_property
    def _quotes(self) -> list[Span]:
        """Return the outermost quotations, from mark to mark.

        Within a line, marks are paired. Over several lines, a quotation spans from one line with an odd number of marks
        to the next.
        """
        spans: list[Span] = []
        opened: int | None = None
        lines_since = 0
        for start in self._line_starts:
            end = self.text.find("\n", start)
            end = len(self.text) if end < 0 else end
            marks = [at for at in _places(self.text, '"', start, end) if self.text[at - 1 : at] != "\\"]
            inches = [at for at in marks if self.text[at - 1 : at].isdigit()]
            if len(marks) % 2 and len(marks) == 1 and inches and opened is None:
                marks = []
            lines_since += 1
            if opened is not None and (lines_since > 30 or not self.text[start:end].strip()):
                spans.append((opened, self.line(opened)[1]))
                opened = None
            if opened is not None and marks and self._closes(marks[0]):
                spans.append((opened, marks[0] + 1))
                opened, marks = None, marks[1:]
            for at in range(0, len(marks) - 1, 2):
                spans.append((marks[at], marks[at + 1] + 1))
            if len(marks) % 2 and self._opens(marks[-1]) and not EVIDENCE.match(self.text[start:end]):
                opened, lines_since = marks[-1], 0
            elif len(marks) % 2 and self._opens(marks[-1]):
                spans.append((marks[-1], end))
        if opened is not None:
            spans.append((opened, self.line(opened)[1]))
        for pattern in (_SINGLE, _TICKED):
            spans += [match.span() for match in pattern.finditer(self.text)]
        return sorted(spans)

    def _opens(self, at: int) -> bool:
        return not self.text[at - 1 : at].strip(" \n([{:*_-") and bool(self.text[at + 1 : at + 2].strip())

    def _closes(self, at: int) -> bool:
        behind = self.text[at + 1 : at + 2]
        return bool(self.text[at - 1 : at].strip()) and not behind.isalnum()

    @cached_property
    def _struck(self) -> list[Span]:
        return [match.span() for match in _STRUCK.finditer(self.text)]

    @cached_property
    def _echoed(self) -> list[Span]:
        ends = [(match.start(), match.end(), (match["tag"] or "").lower()) for match in _ECHO_TO.finditer(self.text)]
        spans: list[Span] = []
        at = unended = 0
        for match in _ECHO_FROM.finditer(self.text):
            if match.start() < at:
                continue
            tag = (match["tag"] or "").lower()
            place = bisect_right(ends, (match.end(), 0, ""))
            end = next((end for _, end, of in ends[place:] if of == tag), None)
            if end is None:
                unended += 1
                if unended > 20:
                    break
                continue
            at = end
            spans.append((match.start(), at))
        return spans

    @cached_property
    def _all_cited(self) -> bool:
        lines = [line for line in self.text.splitlines() if line.strip()]
        return all(line.lstrip().startswith(">") for line in lines)

    def quoted_at(self, at: int) -> Span | None:
        """Return the widest quotation around a place."""
        inside = [span for span in _around(self._quotes, at)]
        return max(inside, key=lambda each: each[1] - each[0], default=None)

    def before(self, at: int) -> str:
        """Return the text before a place: its sentence so far, and the line above if that line leads on."""
        start, _ = self.line(at)
        piece = self.text[max(start, at - LOOK) : at]
        masked = _ABBREVIATED.sub(lambda match: match[0].replace(".", "\u2024"), piece)
        ends = [match.end() for match in _SENTENCE_ENDS.finditer(masked)]
        sentence = piece[ends[-1] :] if ends else piece
        if sentence.strip(_MARKUP + "([{\\."):
            return sentence
        if ends:
            return ""
        lead = self._line_above(start)
        return lead if lead and _LEADS_ON.search(lead.rstrip(_MARKUP.replace("-", ""))) else ""

    def _line_above(self, start: int) -> str:
        """Return the last sentence of the nearest line above that has words."""
        for _ in range(6):
            if start <= 0:
                return ""
            above, end = self.line(start - 1)
            line = self.text[max(above, end - LOOK) : end]
            start = above
            if line.strip(_MARKUP) and not _FENCE.match(line) and not re.fullmatch(r"[\s|:-]*", line):
                masked = _ABBREVIATED.sub(lambda match: match[0].replace(".", "\u2024"), line)
                ends = [
                    match.end() for match in _SENTENCE_ENDS.finditer(masked) if masked[match.end() :].strip(_MARKUP)
                ]
                return line[ends[-1] :] if ends else line
        return ""

    def alone(self, start: int, end: int, *, beside: str = "") -> bool:
        """Return whether a piece is alone on its line, apart from marks of emphasis."""
        above, below = self.line(start)
        if end > below or start - above > 120 or below - end > 120:
            return False
        around = _MARKUP + beside + "()[]{}.!"
        return not self.text[above:start].strip(around) and not self.text[end:below].strip(around)

    def standing(
        self, start: int, end: int, *, labelled_from: int | None = None, led_from: int | None = None
    ) -> CueStanding:
        """Return the standing of a verdict.

        ``labelled_from`` is the start of the label before it, as in ``Rating: [[1]]``; the verdict may then be in
        quotation marks of its own. ``led_from`` is the start of the block of lines that the verdict belongs to.
        """
        first = start if labelled_from is None else labelled_from
        if any(_around(self._struck, start)):
            return CueStanding.EARLIER
        if any(_around(self._echoed, start)):
            return CueStanding.QUOTED
        line = self.text[self.line(start)[0] : start]
        if line.lstrip().startswith(">") and not self._all_cited:
            return CueStanding.QUOTED
        quote = self.quoted_at(start)
        after = end
        if quote is not None:
            dressed = labelled_from is not None and quote[0] >= labelled_from
            if not dressed and not self._wrapped(quote):
                return CueStanding.QUOTED
            after = max(end, quote[1])
            if not dressed:
                first = min(first, quote[0])
        return self._cued(first if led_from is None else min(first, led_from), after)

    def _wrapped(self, quote: Span) -> bool:
        """Return whether a quotation is a line by itself, with only a label before it or no text at all."""
        return self.alone(*quote) and not self.before(quote[0]).strip()

    def _cued(self, first: int, after: int) -> CueStanding:
        sentence = _AS_ASKED.sub("", self.before(first))
        ends = [match.end() for match in _CLAUSE_ENDS.finditer(sentence)]
        turns = [match.end() for match in _TURNS.finditer(sentence)]
        decided = [match.end() for match in _DECIDES.finditer(sentence)]
        clause = sentence[ends[-1] :] if ends else sentence
        turned = sentence[turns[-1] :] if turns else sentence
        behind = self.text[after : after + LOOK]
        same_line = behind if _GOES_ON.match(behind) else behind.split("\n", 1)[0]
        for cue in CUES:
            if cue.reach is Reach.CLAUSE:
                words = clause
            elif cue.reach is Reach.BEHIND:
                words = behind if cue.standing is CueStanding.QUOTED else same_line
            elif cue.standing is CueStanding.QUOTED:
                words = sentence[max((*turns, *decided)) :] if turns or decided else sentence
            else:
                words = turned
            if cue.pattern.search(words):
                return cue.standing
        return CueStanding.OWN

    def led_to(self, at: int) -> bool:
        """Return whether the clause before a verdict is one in which judges give a verdict.

        Otherwise the verdict only occurs in a sentence.
        """
        sentence = self.before(at)
        ends = [match.start() for match in _CLAUSE_ENDS.finditer(sentence)]
        clause = sentence[ends[-1] :] if ends else sentence
        if not clause.strip(_MARKUP + "([{\\.:=") or _NO_LETTERS.match(clause):
            return True
        return any(
            match.end() - match.start() > 1 and match[0].strip(_MARKUP) for match in [_GIVES.search(clause)] if match
        )


OF_OTHERS = re.compile(rf"\W*(?:the )?(?:{ANOTHER}|{LEGEND})(?: (?:possible|{THING}|{SUCH}))*\W*", re.IGNORECASE)
"""Heads of a row or column with a rating of something other than the answer under review."""
ONE_OF = re.compile(
    rf"\W*(?:the )?(?:(?:{THING}|rating|score) (?:of |for )?(?:the )?)?(?:{THING} )?\(?(?:[a-h]|\d|one|two|first|second|model|left|right)\)?(?:'s)?(?: {THING}| {SUCH})*\W*",
    re.IGNORECASE,
)
"""Heads of a row or column for one of several answers: "Assistant A", "2", "Answer 1"."""


def _places(text: str, mark: str, start: int, end: int) -> list[int]:
    places = []
    at = text.find(mark, start, end)
    while at >= 0:
        places.append(at)
        at = text.find(mark, at + 1, end)
    return places


def _around(spans: Sequence[Span], at: int) -> list[Span]:
    """Return the spans, sorted by their starts, that contain a place."""
    last = bisect_right(spans, (at, len(spans) and 10**9))
    return [span for span in spans[max(0, last - 40) : last] if span[0] <= at < span[1]]
