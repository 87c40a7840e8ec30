"""From a judge's reply to its values: pure functions of the text, so that an old reply can be read again.

A parser never guesses. It looks for the form that was asked for, said by the judge itself (``standing``): a verdict that
is quoted, denied, supposed, shown as an example, left open or taken back is none. Anything else is a failure with a
reason and the place in the text. Reasoning blocks and chat tokens are set apart first (``domain.reading.text``).
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from domain.judging import Reading, Value, Verdict
from domain.reading.text import Reasoning, visible
from inference.judges.echoes import is_empty_text, is_placeholder, is_text_key, placeholder, repeated_key
from inference.judges.judge_words import (
    BECAUSE,
    BECAUSE_EAST,
    LOSER_NAMES,
    LOSES,
    SCORE_NAMES,
    SCORE_NAMES_EAST,
    SUM_WORDS,
    SUM_WORDS_OR_OTHERS,
)
from inference.judges.remarks import PlainText, contradicts, explain_away
from inference.judges.standing import (
    CORRECTS,
    EVIDENCE,
    OF_OTHERS,
    ONE_OF,
    TURN,
    Reply,
    Span,
    Standing,
    taken_back,
)

Read = Callable[[str, Sequence[Value]], Reading]
"""(reply, allowed values) -> what it comes to."""

SCORE = "score"
"""What the one value of a reply with one value is called."""


@dataclass(frozen=True)
class Parser:
    """A way of reading, with a version that changes whenever the same text could be read otherwise."""

    name: str
    version: int
    read: Read
    parts: tuple[str, ...] = (SCORE,)
    """The values that a reply holds."""


CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
"""Reasons for an end that mean: the longest length that was allowed."""
FILTERED = frozenset({"content_filter", "refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii"})
"""Reasons for an end that mean: someone did not want it said."""


def read_reply(parser: Parser, text: str, allowed: Sequence[Value], *, finish_reason: str | None = None) -> Reading:
    """What a reply comes to. Why it ended is looked at first: a reply that was cut off says nothing certain."""
    ended = (finish_reason or "").lower()
    if ended in FILTERED:
        return Reading(Verdict.REFUSED, why="The endpoint filtered the reply.")
    if not text.strip():
        return Reading(Verdict.EMPTY, why="The reply is empty.")
    if ended in CUT_OFF:
        return Reading(Verdict.TRUNCATED, why="The reply was cut off at the longest length that was allowed.")
    return parser.read(text, allowed)


@lru_cache(maxsize=8)
def _reply(text: str, allowed: tuple[Value, ...]) -> tuple[Reply, PlainText]:
    seen = visible(text)
    plain = explain_away(seen.text, allowed)
    return Reply(replace(seen, text=plain.text)), plain


def _in_original(read: Callable[[Reply, Sequence[Value]], Reading]) -> Read:
    """A parser of what counts of a reply, as one of the original text: with the failures that all of them share, and
    places in the original."""

    def reading(text: str, allowed: Sequence[Value]) -> Reading:
        reply, plain = _reply(text, tuple(allowed))
        if reply.seen.reasoning is Reasoning.OPEN:
            return Reading(Verdict.TRUNCATED, why="The reply is reasoning that never ends; no verdict comes after it.")
        if not reply.text.strip():
            if reply.seen.reasoning is Reasoning.CLOSED:
                return Reading(Verdict.EMPTY, why="Nothing comes after the reply's reasoning.")
            return Reading(Verdict.EMPTY, why="The reply is empty.")
        declined = _DECLINES.search(reply.text[:_DECLINES_WITHIN])
        if declined is not None:
            span = reply.seen.span(*declined.span())
            return Reading(Verdict.REFUSED, spans={SCORE: span}, why="The judge says that it cannot judge this.")
        found = read(reply, allowed)
        if found.scored:
            found = _checked(found, reply, plain, allowed)
        return replace(found, spans={name: reply.seen.span(*span) for name, span in found.spans.items()})

    return reading


def _checked(found: Reading, reply: Reply, plain: PlainText, allowed: Sequence[Value]) -> Reading:
    """Return the reading, or a failure if words next to a score contradict it, or if the reply echoes a template."""
    for name, (start, end) in found.spans.items():
        if any(first < end and start < last for first, last in plain.conflicts):
            why = f"The words next to the score{_of(name)} contradict it."
            return Reading(Verdict.CONTRADICTORY, spans={name: (start, end)}, why=why)
    echoed = placeholder(reply.text)
    if echoed is not None:
        return Reading(
            Verdict.UNPARSEABLE, spans={SCORE: echoed}, why="The reply repeats a template: it has a placeholder."
        )
    for start, end, pairs in _objects(reply.text, reply.marks):
        if not any(start <= at < end for at, _ in found.spans.values()):
            continue
        flat = list(_flat(pairs))
        texts = [value for key, value, _ in flat if is_text_key(_key(key)) and isinstance(value, str)]
        if any(is_placeholder(value) for _, value, _ in flat) or any(map(is_empty_text, texts)):
            why = "The reply repeats a template: its JSON object has a placeholder."
            return Reading(Verdict.UNPARSEABLE, spans={SCORE: (start, end)}, why=why)
        key = repeated_key(pairs)
        if key is not None:
            why = f"The JSON object has the key “{key}” twice with different values."
            return Reading(Verdict.CONTRADICTORY, spans={SCORE: (start, end)}, why=why)
        score = found.values.get(SCORE)
        if isinstance(score, int | float) and contradicts(texts, score, allowed):
            why = "The words of the assessment contradict the score."
            return Reading(Verdict.CONTRADICTORY, spans=found.spans, why=why)
    return found


_DECLINES_WITHIN = 400
_CANNOT = (
    r"(?<![\w-])(?:i|we)(?: am|'m| are|'re)?(?: really| simply| unfortunately| therefore| thus| also| just)? "
    r"(?:can ?not|can't|could ?n[o']t|couldn't|will not|won't|unable to|not able to|am unable to|not in a position to|must decline to|"
    r"decline to|refuse to|do not want to|have no (?:way|basis|means) (?:of|to|for))"
    r"(?: really| fairly| properly| reliably| meaningfully| possibly| honestly| responsibly| in good conscience| accurately)* "
)
_OF_THIS = (
    r"(?=\s?[.,;:!\n]|$| (?:this|these|it|them|that|the (?:answer|response|reply|student)|either|any|both|without|because|as|since|for|which|whether|if|with|unless|until))"
    r"(?! (?:this|it|the answer|that|them|these)? ?(?:higher|lower|more|less|any|as|better|above|below|right|wrong|correct|incorrect|full|otherwise|with full)\b)"
    r"(?![^.\n]{0,60}(?:\bbut\b|\bhowever\b))"
)
_DECLINES = re.compile(
    _CANNOT + r"(?:grade|grading|rate|rating|judge|judging|score|scoring|evaluate|evaluating|assess|assessing|"
    r"(?:provide|give|offer|assign|output|produce) (?:a|an|any|the|you a|my) (?:fair |final |meaningful |reliable )?(?:rating|score|verdict|grade|judge?ment|evaluation|assessment)|"
    r"help with (?:grading|judging|rating|scoring) (?:this|that|it))"
    + _OF_THIS
    + r"|(?:抱歉|对不起)[^\n]{0,12}(?:无法|不能)[^\n]{0,8}(?:评分|评判|评价|判断)|无法(?:对[^\n]{0,12})?(?:评分|评判|评价)",
    re.IGNORECASE,
)
"""The judge declines: near the beginning of its reply, and about the whole of it."""
_CANNOT_TELL = re.compile(_CANNOT + r"(?:determine|tell|decide|say|verify|know|confirm)" + _OF_THIS, re.IGNORECASE)


# ---- one verdict in brackets ----------------------------------------------------------------------------------------

_MOST = 100
"""A reply with more verdicts than that is no reply."""

_DOUBLE = re.compile(r"\[\[([^\[\]\n]{1,40})\]\]")
_SINGLE = re.compile(r"(?<!\[)\[{1,2}([^\[\]\n]{1,12})\](?!\])")
_LABEL = re.compile(
    rf"(?:(?<![\w-])(?P<word>{SCORE_NAMES})(?!\w)|(?P<cjk>{SCORE_NAMES_EAST}))"
    r"(?P<of>(?: (?:for|of|to) (?:the |this |that |my )?[\w' ]{1,30}?)?\s?(?:\([^()\n]{0,24}\)|（[^（）\n]{0,24}）)?)"
    r"[\s*_:=|\"'`>#~$\\(.\u2013\u2014\u2192-]*"
    r"(?:(?:is|was|should be|has to be|must be|remains|=|:|est|ist|es|è|é|jest|là|是|为|為|は|は、|은|는)(?: (?:therefore|thus|hence|then|clearly|now|a|an|the|donc|daher|also))?)?"
    r"[\s*_:=|\"'`>#~$\\(-]*(?:\\?boxed\{|\\(?:text|textbf|mathbf|mathrm)\{|\{)*[\s*_\"'`$]*\Z",
    re.IGNORECASE,
)
_OTHER_LABEL = re.compile(
    r"(?:\A|(?<=\n))[\s*_#>\"'`-]*(?:(?:the|my|its|this|a|an|right|wrong|correct|incorrect|good|bad|model|other|another|next|last|number of|max|min) )*"
    r"(?:answers?|responses?|repl(?:y|ies)|questions?|steps?|images?|items?|tasks?|assistants?|students?|candidates?|models?|users?|humans?|judges?|annotators?|raters?|graders?|references?|sources?|citations?|examples?|cases?|"
    r"options?|frames?|pages?|sections?|errors?|mistakes?|counts?|confidence|criteri(?:on|a)|outputs?|versions?|ids?|index|line|see|cf\.?|ref\.?|footnote|figure|table|part|round|attempt|turn)"
    r"(?: (?:\d{1,4}|[a-h]))?[\s*_\"'`]*[:=#]?[\s*_\"'`]*\Z",
    re.IGNORECASE,
)
"""A label that is of something else than a rating: what stands behind it in brackets is a name, a count, a source."""
_WORDS_BEFORE = re.compile(r"[\w'\u2019-]+(?=[\s*_]*$)")
_LED_LABEL = re.compile(
    r"(?:\A|[^\w\s*_'\"`]|\n|[\"'`](?=[\s*_]*\Z)|[^\x00-\u024f])[\s*_\"'`#>]*\Z"
    r"|(?<![\w-])(?:my|our|the|own|a|an|and|is|are|this|that|with|of|as|so|thus|therefore|hence|then|now|here|final\w*|overall|total|ultimate|correct|appropriate|"
    r"right|proper|fair|just|suitable|adequate|resulting|revised|corrected|updated|adjusted|amended|new|definitive|concluding|closing|combined|following|"
    r"single|actual|true|numeric(?:al)?|quality|evaluation|assessment|grading|answer's|gives?|give|award|assign|\d+|step|part|independent|honest|verdict|judge's|initial|preliminary|"
    r"die|der|das|meine?|endg\u00fcltige|also|daher|la|le|ma|mon|notre|mi|el|il|mio|minha|a|\u0438\u0442\u043e\u0433\u043e\u0432\u0430\u044f|\u043c\u043e\u044f|ko\u0144cowa|accuracy|style|fluency|logic|content|object)"
    r"[\s*_\"'`]*\Z",
    re.IGNORECASE,
)
"""What a label of the judge's own follows: the beginning of a sentence or clause, or words such as “my final”."""
_VERDICT_IS_THAT = re.compile(
    r"\bmy (?:final |overall )?(?:verdict|rating|judge?ment|decision|conclusion|score|grade) is (?:that )?[^\n]{0,260}[:,]\s?[*_\"'`]*$",
    re.IGNORECASE,
)
_FINAL = re.compile(
    r"(?:final(?:e|es|ly|ised)?|overall|total|ultimate|revised|corrected|updated|adjusted|amended|new|definitive|concluding|closing|combined|"
    r"endgültig\w*|gesamt\w*|globale?|definitiv\w*|итоговая|итоговый|окончательн\w+|最终|最終|最后|总|綜合|综合|최종|종합)",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"(?:reference|student|candidate|assistant|model|human|gold|expected|example|sample|author|user|possible|max(?:imum)?|min(?:imum)?|highest|lowest|"
    r"best|top|perfect|full|requested|claimed|desired|suggested|demanded|proposed|self|fake|other|another|peer|crowd|average|mean|annotator|rater|"
    r"teacher|someone|somebody|their|its|his|her|your|hypothetical|would-be|no|target|quoted|so-called|injected|alleged|judge|previous|answer|response|"
    r"its own|dummy|which|what|any|every|each|a|an|one)(?:'s|s')?",
    re.IGNORECASE,
)
"""Whose rating it is, where it is not the judge's."""
_BEFORE_NOW = re.compile(
    r"(?:initial|preliminary|tentative|provisional|original|earlier|previous|old|draft|prior|interim|naive|gut|first-pass|vorläufige?|предварительн\w+|初步|初始)",
    re.IGNORECASE,
)
_OF_ANOTHER = re.compile(
    r"\b(?:reference|gold(?:en)?|previous|prior|preceding|earlier|other|examples?|sample|last|next|competing|rival|template|illustration|human|another|(?:max(?:imum)?|min(?:imum)?)(?!\.?(?: is|:|=)? ?\d)|best possible|worst possible)\b"
    r"|[(（]\s?(?:if|not|self|requested|demanded|claimed|hypothetical\w*|draft|tentative|provisional|preliminary|quoted|copied|placeholder|pending|default)\b",
    re.IGNORECASE,
)
"""Behind a label: it is not about the answer under review."""
_UNFINISHED = re.compile(
    rf"(?:(?<![\w</-])(?:{SCORE_NAMES})(?!\w)|{SCORE_NAMES_EAST})[\s*_\"'`]*"
    r"(?:(?:(?:is\b|:|=)[\s*_\"'`]*)?\[{1,2}[^\[\]\n]{0,12}\]?|(?:is\b|:|=)[\s*_\"'`]*)\s*\Z",
    re.IGNORECASE,
)
_OFF_SCALE = re.compile(
    r"[ *_`\"'\])]{0,4}(?:/|out of|of|von|sur|из) ?\[{0,2}(\d{1,4})(?! ?(?:cups?|\w{3,}))|[.,]?\d| ?%", re.IGNORECASE
)
_GLOSS = re.compile(r"^\W*\[\[[^\[\]\n]{1,40}\]\][\s*_`\"'|:=\u2013\u2014-]*[^\W\d]")
_TAG_BEFORE = re.compile(
    r"(?:\\boxed\{|\\fbox\{|<(?:rating|score|verdict|grade|judge?ment|decision|final|result|final_?(?:answer|rating|score|verdict))>)[\s$\"'*_]*(?:\\(?:text|textbf|mathbf|mathrm)\{)?\Z",
    re.IGNORECASE,
)


_BOX_BEFORE = re.compile(r"\\[bf](?:oxed|box)\{[\s$\"'*_]*\Z")
_MINUS = re.compile(r"(?<![\w-])[-\u2212]\Z")
"""Right before the brackets: what stands in them is below nought."""


@dataclass(frozen=True)
class _Found:
    """Something in a reply that stands where a value should."""

    text: str
    span: Span
    outer: Span
    """With its brackets."""
    level: int = 0
    """3: a final one by its label; 2: by its label, or on a line of its own; 1: somewhere in prose."""
    standing: Standing = Standing.OWN
    label_at: int | None = None

    def value(self, allowed: Sequence[Value]) -> Value | None:
        """The allowed value that it is; None if it is none of them."""
        return _value(self.text, allowed)

    def says(self, allowed: Sequence[Value]) -> object:
        """What two that say the same have in common."""
        value = self.value(allowed)
        return self.text.strip().casefold() if value is None else value


def double_brackets(reply: Reply, allowed: Sequence[Value]) -> Reading:
    """The verdict in ``[[x]]``: the one with a label (``Rating: [[x]]``) or on a line of its own before any other, of
    those the final one by its label; ``[x]`` counts only behind a label.

    Two that differ contradict each other, unless words between them take the first one back.
    """
    text = reply.text
    found = _bracketed(reply, allowed)
    if len(found) > _MOST:
        return Reading(Verdict.CONTRADICTORY, why=f"The reply has more than {_MOST} verdicts.")
    turn = _turn(reply, [each.outer[1] for each in found])
    if turn is not None:
        found = [each for each in found if each.outer[0] < turn]
        text = text[:turn]
    if not found:
        return Reading(Verdict.UNPARSEABLE, why="The reply has no verdict in double brackets.")
    cut = _UNFINISHED.search(text, max(0, len(text.rstrip()) - 120))
    if cut is not None and not any(cut.start() < each.outer[1] for each in found):
        return Reading(Verdict.TRUNCATED, spans={SCORE: cut.span()}, why="The reply ends within its verdict.")
    found = _without_ranges(reply, _without_sums(reply, _without_losers(reply, found, allowed), allowed), allowed)
    found = _without_others(reply, _without_legends(reply, found, allowed), allowed)
    own = [each for each in found if each.standing is Standing.OWN]
    if not own:
        return _none_own(found)
    level = max(each.level for each in own)
    top = [each for each in own if each.level == level]
    spans = {f"{SCORE} {number}": each.span for number, each in enumerate(top, 1)}
    last = top[-1]
    if len({each.says(allowed) for each in top}) > 1:
        other = next(each for each in reversed(top) if each.says(allowed) != last.says(allowed))
        if not CORRECTS.search(text[other.outer[1] : last.label_at if last.label_at is not None else last.outer[0]]):
            return Reading(Verdict.CONTRADICTORY, spans=spans, why="The reply gives several verdicts that differ.")
    late = [
        each
        for each in found
        if each.outer[0] > last.outer[0]
        and each.standing in (Standing.OWN, Standing.HEDGED, Standing.UNCLEAR)
        and each.says(allowed) != last.says(allowed)
        and (
            (each.standing is Standing.HEDGED and each.value(allowed) is not None)
            or (each.standing is Standing.OWN and each.level > 1)
            or CORRECTS.search(text[last.outer[1] : each.outer[0]])
            or taken_back(text[last.outer[1] : each.outer[0]], 0)
        )
    ]
    if late:
        spans = {f"{SCORE} {number}": each.span for number, each in enumerate((last, *late), 1)}
        return Reading(Verdict.CONTRADICTORY, spans=spans, why="Behind the verdict stands another one that differs.")
    end = max(each.outer[1] for each in found if each.standing is Standing.OWN)
    retracted = taken_back(text, end, lowest=_lowest(last, allowed))
    if retracted is not None:
        spans = {SCORE: last.span, f"{SCORE} 2": retracted.span()}
        return Reading(Verdict.CONTRADICTORY, spans=spans, why="The reply takes its verdict back.")
    plain = _said_plainly(reply, allowed, last, text)
    if plain is not None:
        spans = {f"{SCORE} 1": last.span, f"{SCORE} 2": plain.span}
        return Reading(Verdict.CONTRADICTORY, spans=spans, why="The reply gives another score beside its verdict.")
    return _one(last, allowed, off=_off_scale(text, last, allowed))


def _bracketed(reply: Reply, allowed: Sequence[Value]) -> list[_Found]:
    """Everything in brackets that has the shape of a verdict, with how it stands, in the order of the text."""
    text, found = reply.text, []
    doubles = [(match.group(1), match.span(1), match.span()) for match in _DOUBLE.finditer(text)]
    singles = [(match.group(1), match.span(1), match.span()) for match in _SINGLE.finditer(text)]
    if len(doubles) > _MOST or len(singles) > 20 * _MOST:
        return [_Found(said, span, outer) for said, span, outer in doubles[: _MOST + 1]] or []
    taken = [outer for _, _, outer in doubles]
    for said, span, outer in sorted([*doubles, *singles], key=lambda each: each[2]):
        double = outer in taken
        if _MINUS.search(text, max(0, outer[0] - 3), outer[0]):
            said = f"-{said.strip()}"
        label = _LABEL.search(text, max(0, outer[0] - 90), outer[0])
        if not double and (label is None or any(a <= outer[0] < b for a, b in taken)):
            continue
        if not double and not re.search(r"[:：=|>]|\b(?:is|was|ist|est)\b|\n", label[0] if label else ""):
            continue
        at = label.start() if label else None
        level = 1
        if (
            label is None
            and double
            and _OTHER_LABEL.search(text, max(reply.line(outer[0])[0], outer[0] - 60), outer[0])
        ):
            found.append(_Found(said, span, outer, level, Standing.UNCLEAR))
            continue
        if label is not None:
            words = [match[0] for match in _WORDS_BEFORE.finditer(text, max(0, label.start() - 40), label.start())]
            level = _level(words[-1] if words else "", text[max(0, label.start() - 2) : label.start()])
            whose = _whose(text[max(0, label.start() - 40) : label.start()], label["of"] or "")
            if whose is None and not _LED_LABEL.search(text, max(0, label.start() - 60), label.start()):
                whose = Standing.UNCLEAR
            if whose is not None:
                found.append(_Found(said, span, outer, level, whose, at))
                continue
            if level == 1:
                at = None
        if level == 1 and _VERDICT_IS_THAT.search(reply.before(outer[0])):
            level = 2
        if level == 1 and (reply.alone(*outer) or _TAG_BEFORE.search(text, max(0, outer[0] - 40), outer[0])):
            level = 2
        standing = reply.standing(*outer, labelled_from=at)
        if standing is Standing.EXAMPLE and _BEST.match(reply.before(outer[0] if at is None else at)):
            standing = Standing.OWN if any(isinstance(value, str) for value in allowed) else standing
        box = _BOX_BEFORE.search(text, max(0, outer[0] - 40), outer[0]) if at is None else None
        if standing is Standing.OWN and (level == 1 or box) and not reply.led_to(box.start() if box else outer[0]):
            standing = Standing.UNCLEAR
        if _value(said, allowed) is None:
            if not _shaped(said, allowed) and (at is None or not double):
                continue
            if not double and any(isinstance(value, str) for value in allowed):
                continue
        found.append(_Found(said, span, outer, level, standing, at))
    if len(found) > 1:
        shaped = [each for each in found if each.value(allowed) is not None or _shaped(each.text, allowed)]
        found = shaped or found
    return found or [_Found(said, span, outer, 1, reply.standing(*outer)) for said, span, outer in doubles[-1:]]


_BEST = re.compile(
    r"\W*(?:the )?(?:best|top|highest)(?: (?:one|answer|response|output|choice|score|rating|pick))*\W*$", re.IGNORECASE
)
"""Of letters, the best is the one that a judge prefers; of numbers, it explains the scale."""


def _level(word: str, left: str) -> int:
    if _FINAL.fullmatch(word) or _FINAL.search(left):
        return 3
    return 2


def _whose(before: str, of: str) -> Standing | None:
    """How a labelled rating stands by the words before its label, where they say that it is not the judge's last."""
    before = re.split(r"[.!?;:,\n|]", before)[-1]
    words = re.findall(r"[\w'\u2019-]+", before)
    if _OF_ANOTHER.search(of):
        return Standing.QUOTED
    if not words:
        return None
    last = words[-1]
    if _BEFORE_NOW.fullmatch(last):
        return Standing.EARLIER
    if _FOREIGN.fullmatch(last) and last.lower() not in ("a", "an", "one") and "my" not in [w.lower() for w in words]:
        return Standing.QUOTED
    if len(words) > 1 and last.lower() in ("own", "self") and _FOREIGN.fullmatch(words[-2]):
        return Standing.QUOTED
    return None


def _shaped(said: str, allowed: Sequence[Value]) -> bool:
    """Whether it could be a verdict off the scale: a number among numbers, a letter among letters, or several."""
    said = said.strip(" *_`\"'")
    if any(isinstance(value, str) for value in allowed):
        longest = max(len(str(value)) for value in allowed)
        return len(said) <= max(1, longest) and bool(re.fullmatch(r"[\w<>=+-]+", said))
    return bool(
        re.fullmatch(
            r"[^A-Za-z]*\d[^A-Za-z]*|[¼½¾⅓⅔⅕⅖⅗⅘]|[+-]?nan|.{0,6}\b(?:zero|one|two|three|four|five|half)\b.{0,6}",
            said,
            re.IGNORECASE,
        )
    )


_LOSER_BEFORE = re.compile(
    rf"(?:^|[.!?;,:(\n|])[\s*_#>\"'`-]*(?:(?:the|my|and|overall|final|clear|der|die|das|le|la|el) )*{LOSES}"
    r"(?:[\s*_]+(?:answer|response|one|output|assistant|model|choice|option|side|candidate|reply|here|overall|antwort|r\u00e9ponse|respuesta))*"
    r"[\s*_\"'`]*(?:(?:is|was|goes to|would be|ist|est|es|:|=|-|\u2013|\u2014|\u2192|->|\||\u662f|\u306f)[\s*_\"'`]*)*(?:(?:clearly|assistant|model|answer|response|output|option|candidate)[\s*_]+)*[\s*_\"'`(|]*\Z",
    re.IGNORECASE,
)
_LOSER_BEHIND = re.compile(
    r"[ \t*_\"'`)\]]*[(,:=\u2013\u2014-]?[ \t]*(?:(?:which|that|it) )?(?:(?:is|was|seems|looks|comes) (?:\w+ly |much |far |also |the |by far |a bit |somewhat |slightly |in )*)?"
    rf"(?:{LOSES}|less|loses|lost|fails|behind|beaten|outperformed|not as|not so|last|second)(?!\w)|[ \t*_\"'`)]*(?:<(?![-/A-Za-z])|\u226a|\u227a|\u2264|<=)",
    re.IGNORECASE,
)


_LOSER_LABEL = re.compile(
    rf"(?:^|[.!?;\n|])[\s*_#>\"'`-]*(?:(?:the|der|die|das|le|la|el) )?(?:{LOSER_NAMES})"
    r"(?:[\s*_]+(?:answer|response|one|output|assistant|model|option|antwort|r\u00e9ponse|respuesta))?[\s*_\"'`]*(?:[:=\uff1a\u2192]|->)[\s*_\"'`]*\Z",
    re.IGNORECASE,
)
"""A label before a number that names the worse of two answers: “Loser: [[2]]”."""


def _without_losers(reply: Reply, found: Sequence[_Found], allowed: Sequence[Value]) -> list[_Found]:
    """The same, with the letters denied that a reply calls the worse ones: “Loser: [[A]]”, “[[A]] is worse than [[B]]”."""
    if not any(isinstance(value, str) for value in allowed):
        return [
            replace(each, standing=Standing.DENIED)
            if _LOSER_LABEL.search(reply.text, max(0, each.outer[0] - 60), each.outer[0])
            else each
            for each in found
        ]
    marked = []
    for each in found:
        start, end = each.outer
        loses = _LOSER_BEFORE.search(reply.text, max(0, start - 90), start) or _LOSER_BEHIND.match(reply.text, end)
        marked.append(replace(each, standing=Standing.DENIED) if loses else each)
    return marked


_SUM_WORD = rf"(?:{SUM_WORDS}|{SUM_WORDS_OR_OTHERS})"
_SUM_BEHIND = re.compile(
    rf"[\s*_`)]{{0,4}}(?:{_SUM_WORD}(?![a-z])|[-+*x\u00d7\u00f7/\u2013\u2014]\s{{0,2}}[(\[]{{0,3}}\s?[\d.]*\d\s*\]{{0,2}}(?!/)"
    r"|(?:points?|pts?\.?|marks?)\s+(?:(?:is|are|was|were)\s+)?(?:deducted|lost|off|taken|subtracted)(?![a-z]))",
    re.IGNORECASE,
)
_SUM_BEFORE = re.compile(
    rf"(?:\d[\]\s*_)]{{0,5}}(?:{_SUM_WORD}|[+*\u00d7\u00f7])|(?:[:=(]\s*|\]\]\s*)(?:\d+(?:[.,]\d+)?)?\s?[-\u2013\u2014])[\s(*_`]*\Z",
    re.IGNORECASE,
)
_SUM_WORDS_ALONE = re.compile(rf"(?<![\w-]){_SUM_WORD}[\s(*_`]*\Z", re.IGNORECASE)


def _without_sums(reply: Reply, found: Sequence[_Found], allowed: Sequence[Value]) -> list[_Found]:
    """The same, with the numbers left open that are only terms of a sum: “[[1]] minus [[0.5]] = [[0.5]]”."""
    if any(isinstance(value, str) for value in allowed):
        return list(found)
    marked = []
    for each in found:
        start, end = each.outer
        term = _SUM_BEHIND.match(reply.text, end) or any(
            pattern.search(reply.text, max(0, start - 30), start) for pattern in (_SUM_BEFORE, _SUM_WORDS_ALONE)
        )
        marked.append(replace(each, standing=Standing.HEDGED) if term else each)
    return marked


_JOINS = re.compile(
    r"[\s*_`\"')]{0,4}(?:[/~+|<>=\u2013\u2014-]+|or|and|to|vs\.?|versus|and/or|oder|und|bis|ou|o|y|или|或者?|和|至|到|または|또는)?[\s*_`\"'(]{0,4}",
    re.IGNORECASE,
)


def _without_ranges(reply: Reply, found: Sequence[_Found], allowed: Sequence[Value]) -> list[_Found]:
    """The same, with neighbours that differ and are joined by nothing, or by a word such as “or”, marked as left open."""
    marked = list(found)
    for place in range(1, len(found)):
        one, other = found[place - 1], found[place]
        between = reply.text[one.outer[1] : other.outer[0]]
        joined = "\n" not in between and "|" not in between and _JOINS.fullmatch(between)
        if (
            joined
            and one.says(allowed) != other.says(allowed)
            and Standing.EARLIER not in (one.standing, other.standing)
        ):
            for at in (place - 1, place):
                if found[at].standing in (Standing.OWN, Standing.HEDGED, Standing.UNCLEAR):
                    marked[at] = replace(found[at], standing=Standing.HEDGED)
    return marked


def _without_legends(reply: Reply, found: Sequence[_Found], allowed: Sequence[Value]) -> list[_Found]:
    """The same, with those that only explain a scale marked: several in one sentence or one after another with their
    meanings, none of them labelled."""
    groups: list[list[int]] = []
    for place, each in enumerate(found):
        if each.level > 1 or each.standing is not Standing.OWN:
            continue
        if groups:
            before = found[groups[-1][-1]]
            between = reply.text[before.outer[1] : each.outer[0]]
            same_sentence = not re.search(r"[.!?。！？][\s\"')*_]|\n", between) and not CORRECTS.search(between)
            start, end = reply.line(each.outer[0])
            glossed = between.count("\n") == 1 and bool(
                _GLOSS.match(reply.text[start:end]) and _GLOSS.match(reply.text[slice(*reply.line(before.outer[0]))])
            )
            if groups[-1][-1] == place - 1 and (same_sentence or glossed):
                groups[-1].append(place)
                continue
        groups.append([place])
    marked = list(found)
    for group in groups:
        if len({found[place].says(allowed) for place in group}) > 1:
            for place in group:
                marked[place] = replace(found[place], standing=Standing.EXAMPLE)
    return marked


def _without_others(reply: Reply, found: Sequence[_Found], allowed: Sequence[Value]) -> list[_Found]:
    """The same, with those marked that a table, or lines with a head each, give for several answers, or for another
    one than the answer under review."""
    heads = [_heads(reply, each) for each in found]
    marked = list(found)
    numbers = not any(isinstance(value, str) for value in allowed)
    for place, (line, row, column) in enumerate(heads):
        beside = [n for n, (other, _, _) in enumerate(heads) if other == line and n != place]
        each_of = [head for _, head, _ in heads if head and ONE_OF.fullmatch(head)]
        if (column is not None and any(heads[n][2] is not None for n in beside)) or (
            row and ONE_OF.fullmatch(row) and len(set(each_of)) > 1
        ):
            marked[place] = replace(found[place], standing=Standing.EACH)
        elif column is not None and numbers and any(OF_OTHERS.fullmatch(head) for head in (row, column) if head):
            marked[place] = replace(found[place], standing=Standing.EXAMPLE)
    return marked


_HEAD = re.compile(r"[\s*_#>\d.)-]{0,12}([A-Za-z][\w ()']{0,40})[*_]*\s?[:=\u2013\u2014-]")


def _heads(reply: Reply, each: _Found) -> tuple[int, str, str | None]:
    """Where the line of a verdict begins, what heads it, and, in a table, what heads its column (else None)."""
    text = reply.text
    start, end = reply.line(each.outer[0])
    line = text[start:end] if end - start < 2000 else ""
    if line.count("|") < 2 or not (line.lstrip().startswith("|") or line.count("|") > 2):
        match = _HEAD.match(line)
        return start, match[1].strip().lower() if match else "", None
    cells = line.strip().strip("|").split("|")
    offset = len(line) - len(line.lstrip())
    place = line[offset : each.outer[0] - start].lstrip("|").count("|")
    first = start
    for _ in range(12):
        if first <= 0:
            break
        above, below = reply.line(first - 1)
        if "|" not in text[above : min(below, above + 2000)]:
            break
        first = above
    header = text[slice(*reply.line(first))][:2000].strip().strip("|").split("|") if first < start else []
    column = header[place].strip().lower() if place < len(header) and len(header) == len(cells) else ""
    return start, cells[0].strip().lower() if place else "", column


_WHY = {
    Standing.QUOTED: "The only verdict in the reply is quoted, or someone else's.",
    Standing.DENIED: "The only verdict in the reply is one that it denies.",
    Standing.SUPPOSED: "The only verdict in the reply is a supposed one.",
    Standing.EXAMPLE: "The only verdict in the reply is an example, or explains the scale.",
    Standing.EARLIER: "The only verdict in the reply is one that it leaves behind.",
    Standing.HEDGED: "The reply leaves its verdict open.",
    Standing.EACH: "The reply gives a verdict for each of several answers, and none for one.",
    Standing.UNCLEAR: "The only verdict in the reply occurs within a sentence that does not give it.",
}


def _none_own(found: Sequence[_Found]) -> Reading:
    """What a reply comes to whose verdicts are none of them the judge's own."""
    last = next((each for each in reversed(found) if each.standing is Standing.HEDGED), found[-1])
    verdict = Verdict.CONTRADICTORY if last.standing is Standing.HEDGED else Verdict.UNPARSEABLE
    if len({each.standing for each in found}) > 1 and last.standing is not Standing.HEDGED:
        return Reading(verdict, spans={SCORE: last.span}, why="None of the verdicts in the reply is the judge's own.")
    return Reading(verdict, spans={SCORE: last.span}, why=_WHY[last.standing])


def _turn(reply: Reply, ends: Sequence[int]) -> int | None:
    """Where the reply goes on with a turn that is not the judge's, behind a verdict of its own."""
    if not ends:
        return None
    turn = TURN.search(reply.text, min(ends))
    return turn.start() if turn else None


_PLAIN = re.compile(
    r"(?:^|\n)[ \t*_#>]*(?:(?P<final>final|overall) |my )?(?:rating|score|verdict|grade)[ \t*_]*[:=][ \t*_\"'`]*(?P<value>\d{1,4}(?:[.,]\d{1,4})?)"
    r"(?P<rest>[^\n]{0,40})",
    re.IGNORECASE,
)


def _said_plainly(reply: Reply, allowed: Sequence[Value], chosen: _Found, text: str) -> _Found | None:
    """A score on a line of its own without brackets that differs from the verdict, where that one is not above it."""
    for match in _PLAIN.finditer(text):
        value = _value(match["value"], allowed)
        if (
            value is None
            or value == chosen.value(allowed)
            or re.match(r"\s?(?:[=/,|]|-|or\b|to\b|if\b|for\b|means\b|\(if)", match["rest"])
        ):
            continue
        if chosen.level == 1 or (match.start() > chosen.outer[1] and (match["final"] or chosen.level < 3)):
            return _Found(match["value"], match.span("value"), match.span("value"))
    return None


def _off_scale(text: str, found: _Found, allowed: Sequence[Value]) -> str:
    """What stands behind a number that makes another one of it: ``[[5]] out of 10``; empty if nothing does."""
    numbers = [value for value in allowed if not isinstance(value, str | bool)]
    if not numbers:
        return ""
    match = _OFF_SCALE.match(text, found.outer[1])
    if match is None or (match[1] and float(match[1]) == max(numbers)):
        return ""
    return match[0]


# ---- one of the values on the last line -----------------------------------------------------------------------------

_AROUND = " \t*_`\"'.()[]|#>$!"
_LATEX = re.compile(r"\\(?:boxed|text|textbf|mathbf|mathrm|fbox)\{([^{}\n]*)\}")


def last_line(reply: Reply, allowed: Sequence[Value]) -> Reading:
    """One of the allowed values, alone on the last line that is not empty; emphasis, quotes and a full stop may stand
    around it. A line above that is another of the values contradicts it, unless it is taken back in between."""
    text = reply.text
    lines = [
        (at, line)
        for at, line in _lines(text)
        if line.strip() and not re.fullmatch(r"\s*(?:`{3,}|~{3,})\s*\w*\s*", line)
    ][-_MOST:]
    alone = [each for at, line in lines if (each := _alone(at, line, allowed)) is not None]
    turn = _turn(reply, [each.outer[1] for each in alone if each.value(allowed) is not None][:1])
    if turn is not None:
        lines = [each for each in lines if each[0] < turn]
        alone = [each for each in alone if each.outer[0] < turn]
    if not lines:
        return Reading(Verdict.EMPTY, why="The reply is empty.")
    at, line = lines[-1]
    found = _alone(at, line, allowed)
    if found is None:
        inner = line.strip(_AROUND)
        start = at + line.find(inner)
        return Reading(
            Verdict.UNPARSEABLE,
            spans={SCORE: (start, start + len(inner))},
            why="The last line is not one of the values alone.",
        )
    if found.value(allowed) is None:
        return _one(found, allowed)
    unable = _CANNOT_TELL.search(text)
    if unable is not None:
        return Reading(Verdict.REFUSED, spans={SCORE: unable.span()}, why="The judge says that it cannot tell.")
    standing = reply.standing(*found.outer)
    if standing is not Standing.OWN:
        return _none_own([replace(found, standing=standing)])
    others = [
        each
        for each in alone[:-1]
        if each.value(allowed) not in (None, found.value(allowed))
        and (
            reply.standing(*each.outer) is Standing.OWN
            or not text[each.outer[1] : found.outer[0]].strip(_AROUND + "\n")
        )
    ]
    if others:
        other = others[-1]
        if not CORRECTS.search(text[other.outer[1] : found.outer[0]]):
            spans = {f"{SCORE} 1": other.span, f"{SCORE} 2": found.span}
            return Reading(Verdict.CONTRADICTORY, spans=spans, why="Two lines of the reply are values that differ.")
    return _one(found, allowed)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.split("\n"):
        yield at, line
        at += len(line) + 1


def _alone(at: int, line: str, allowed: Sequence[Value]) -> _Found | None:
    """The value that a line is, or the number that it is where that is none of the values; None for anything else."""
    if len(line) > 200 or "..." in line or "~~" in line or line.count("?"):
        return None
    bare = _LATEX.sub(lambda match: match[1], line)
    bare = _LATEX.sub(lambda match: match[1], bare)
    inner = bare.strip(_AROUND)
    if not inner:
        return None
    start = line.find(inner)
    if start < 0:
        return None
    start += at
    found = _Found(inner, (start, start + len(inner)), (start, start + len(inner)))
    return found if found.value(allowed) is not None or _number(inner) is not None else None


# ---- which of two outputs -------------------------------------------------------------------------------------------

_HOW = (
    r"(?:the|clearly|much|slightly|far|definitely|overall|significantly|somewhat|marginally|a bit|a little|considerably|indeed|thus|therefore|still|"
    r"ultimately|certainly|obviously|simply|by far|substantially|also|strictly|even|just)"
)
_BETTER = re.compile(
    rf"(?<![A-Za-z0-9])output[ \t]?(?:\((?P<marked>[a-z])\)|(?P<bare>[a-z]))[ \t*_\"'`]{{1,4}}(?:is|was)[ \t]+(?:{_HOW}[ \t]+){{0,3}}better(?![A-Za-z0-9])(?P<one> (?:one|output|answer|choice|option|response))?",
    re.IGNORECASE,
)
_NOT_BETTER = re.compile(
    r"(?<![A-Za-z0-9])output[ \t]?\(?(?P<letter>[a-z])\)?[ \t*_\"'`]{1,4}(?:is|was)(?:(?:n't|[ \t]+(?:not|no|never|hardly|barely|scarcely|no longer|by no means|far from))"
    r"(?: \w+){0,2} (?:better|superior|preferable|the better one)|[ \t]+worse)(?![\w-])",
    re.IGNORECASE,
)
_NAMED = re.compile(r"[\s*_`\"'#>|.-]*(?:output[ \t]*\(([a-z])\))[\s*_`\"'.!|]*", re.IGNORECASE)
_GOES_ON = re.compile(
    r"[*_\"'`)\]}]*(?:\s*$|\s*\n|\s*[|<]|\s?[.!;](?=[\s*_\"'`)\]]|$)|\s?[:\u2013\u2014]|\s-\s|,?\s(?:because|since|as it|as its|as this|than|overall|and output|and is|here|given|due to|"
    r"by |for the reasons|for these|for those|for being|for giving|for its|of the two|on the whole|thanks to|, not)\b|,\s(?:because|since|as|yet|but(?! i\b| that\b)|however|still|while|whereas|and|though|although|so|not|being|which (?:follows|is what|answers))\b|\s?\()",
    re.IGNORECASE,
)
_PARTLY = re.compile(
    r"^[\s*_\"'`]*,?\s?(?:in|at|on|for|with|when|regarding|concerning|as far as|stylistically|written|if|only|unless|than (?!output|the other|its rival|b\b|a\b))\b",
    re.IGNORECASE,
)
_EQUAL = re.compile(
    r"(?:\b(?:it(?:'s| is)|this is|that is|call it|i call it|result(?: is|:)?|verdict(?: is|:)?) (?:\w+ )?(?:a )?(?:tie|draw)\b|\b(?:both|the two|they|outputs?)(?: outputs| answers)? (?:are|is) (?:equally (?:good|bad|well)|equal\b|tied|on a par|the same quality)"
    r"|\bneither (?:output |one |of (?:them|the two|the outputs) )?is better|\bno (?:clear )?(?:winner|preference)\b|\bequally good\b)",
    re.IGNORECASE,
)
_PREFERS = re.compile(
    r"(?<![\w-])(?:(?:overall|finally|in the end|all in all|superior|preferable|preferred|correction|wins|i (?:\w+ )?(?:choose|prefer|pick|select|favou?r|go with|mean|meant))(?![\w-])"
    r"|(?:winner|better one|best|choice|pick|verdict|decision)(?: is|\s?:)|it should be output)",
    re.IGNORECASE,
)


_LESSER = re.compile(
    r"\b(?:not (?:as|so)|worse|less|lacks?|fails?|inferior|weaker|does not|doesn't|ignores?|misses|too)\b",
    re.IGNORECASE,
)


def better_output(reply: Reply, allowed: Sequence[Value]) -> Reading:
    """The letter of ``Output (a) is better``, said as a sentence that ends there; or of ``Output (a)`` where that is all
    that the reply, or its last line, says."""
    text = reply.text
    found: list[_Found] = []
    partly: list[_Found] = []
    for match in _BETTER.finditer(text):
        part = "marked" if match["marked"] else "bare"
        one = _Found(match[part], match.span(part), match.span(), 2)
        if match["one"] is None and _PARTLY.match(text, match.end()):
            partly.append(one)
            continue
        if _GOES_ON.match(text, match.end()) is None:
            one = replace(one, standing=Standing.HEDGED)
        elif (standing := reply.standing(*match.span())) is not Standing.OWN:
            one = replace(one, standing=standing)
        found.append(one)
        if len(found) > _MOST:
            return Reading(Verdict.CONTRADICTORY, why=f"The reply has more than {_MOST} verdicts.")
    lines = [(at, line) for at, line in _lines(text) if line.strip()]
    names = [
        _Found(named[1], (at + named.start(1), at + named.end(1)), (at, at + len(line)))
        for at, line in lines
        if len(line) < 80 and (named := _NAMED.fullmatch(line)) is not None
    ]
    turn = _turn(reply, [each.outer[1] for each in (found or names)])
    if turn is not None:
        found = [each for each in found if each.outer[0] < turn]
        names = [each for each in names if each.outer[0] < turn]
        lines = [each for each in lines if each[0] < turn]
        text = text[:turn]
    if not found and not partly and names and lines and names[-1].outer[0] == lines[-1][0]:
        last = names[-1]
        standing = reply.standing(last.span[0], last.span[1]) if len(lines) > 1 else Standing.OWN
        found = [replace(last, standing=standing)] if len({each.says(allowed) for each in names}) == 1 else []
    if not found:
        return Reading(Verdict.UNPARSEABLE, why="The reply does not say which output is better.")
    own = [each for each in found if each.standing is Standing.OWN]
    if not own:
        return _none_own(found)
    chosen = own[-1]
    spans = {f"{SCORE} {number}": each.span for number, each in enumerate(own, 1)}
    if len({each.says(allowed) for each in own}) > 1:
        other = next(each for each in reversed(own) if each.says(allowed) != chosen.says(allowed))
        if not CORRECTS.search(text[other.outer[1] : chosen.outer[0]]):
            return Reading(
                Verdict.CONTRADICTORY, spans=spans, why="The reply says of both outputs that they are better."
            )
    why = _unsays(reply, text, chosen, found)
    if why:
        return Reading(Verdict.CONTRADICTORY, spans={SCORE: chosen.span}, why=why)
    return _one(chosen, allowed)


def _unsays(reply: Reply, text: str, chosen: _Found, found: Sequence[_Found]) -> str:
    """What in the reply speaks against the sentence that was chosen; empty if nothing does."""
    letter = chosen.text.casefold()
    for match in _NOT_BETTER.finditer(text):
        if match["letter"].casefold() == letter and reply.standing(*match.span()) is Standing.OWN:
            return "The reply says of the same output that it is not better."
    for equal in _EQUAL.finditer(text, chosen.outer[1]):
        if reply.standing(*equal.span()) is Standing.OWN:
            return "The reply names one output as better, and calls both equal."
    behind = text[chosen.outer[1] :]
    if taken_back(behind, 0):
        return "The reply takes its verdict back."
    for each in found:
        if each.outer[0] > chosen.outer[0] and each.standing is Standing.HEDGED and each.text.casefold() != letter:
            return "Behind the verdict stands another one that differs."
    for match in re.finditer(r"\boutput[ \t]?\(?([a-z])\)?(?!\w)", behind, re.IGNORECASE):
        if match[1].casefold() == letter:
            continue
        start = max(behind.rfind(mark, 0, match.start()) for mark in (". ", "\n", "! "))
        end = min((at for mark in (". ", "\n") if (at := behind.find(mark, match.end())) >= 0), default=len(behind))
        sentence = behind[max(start, 0) : end]
        if _PREFERS.search(sentence[:600]) and not _LESSER.search(sentence[:600]):
            return "Behind the verdict the reply prefers the other output."
    return ""


# ---- three scores on labelled lines ---------------------------------------------------------------------------------

ASPECTS = ("perception", "cognition", "action")
_LINE = re.compile(
    r"^(?P<lead>[ \t>#*_`\d.)|+\u2022\u00b7\u2013-]*)(?P<aspect>perception|cognition|action)[ \t*_]+score[ \t*_`\"']*[:=|][ \t*_`\"'(\[|$]*"
    r"(?P<said>[^\s*_`\"'()\[\],;|$\u2013\u2014]{1,20})[ \t*_`\"')\].|$]*(?P<rest>[^\n]*)$",
    re.IGNORECASE | re.MULTILINE,
)
_MENTION = re.compile(r"(?P<aspect>perception|cognition|action)[ \t*_\"'`-]+score\b", re.IGNORECASE)
_REASON = re.compile(rf"[\s(,;:\u2013\u2014-]*(?:(?:{BECAUSE})\b|{BECAUSE_EAST})", re.IGNORECASE)
_REMARK = re.compile(rf"(?:$|[(,;:\u2013\u2014.|\u3001\u3002]|-{{1,2}}\s|//|#|<|{_REASON.pattern})", re.IGNORECASE)
_ARITHMETIC = re.compile(
    rf"[\s*_`)\]]*(?:(?:{SUM_WORDS})(?![a-z])|[-+*x\u00d7\u00f7/\u2013\u2014]\s*[(\[]*\s*[\d.])", re.IGNORECASE
)
"""Behind a score: it is only a part of a sum."""
_DOUBTS = (
    r"(?:or|maybe|perhaps|possibly|probably|arguably|no(?=[,.:;!])|correct(?:ion|ed)|rather|if|unless|changed|revised|"
    r"should be|possible|not (?:sure|certain|earned|deserved|final|really)|either)(?![\w-])"
)
_DOUBTED = re.compile(rf"[\W_]*(?:(?:[a-z']+[\s,]+)?{_DOUBTS}|(?:could|might|would)(?![\w-]))", re.IGNORECASE)
"""A remark that begins by leaving the score open."""
_MENDED = re.compile(
    r"(?<![\w-])(?:wait|actually|hmm|on (?:second|reflection)|sorry|edit|scratch that|or(?= (?:rather|maybe|perhaps)\b)|or (?=\[*\d)|should (?:really |rather )?be(?= \[*\d))(?![\w-])|\?|->|=>|\u2192|\.\.\.",
    re.IGNORECASE,
)
"""Words anywhere in a remark that change the score."""


def six_lines(reply: Reply, allowed: Sequence[Value]) -> Reading:
    """The scores of perception, cognition and action, from lines such as ``action score: 1``: in any order, in capitals
    or bold, with a remark behind them. All three have to be there; two that differ contradict each other."""
    text = reply.text
    found: dict[str, list[_Found]] = {name: [] for name in ASPECTS}
    spoilt: dict[str, list[Span]] = {name: [] for name in ASPECTS}
    lines = list(_LINE.finditer(text))
    if len(lines) > _MOST:
        return Reading(Verdict.CONTRADICTORY, why=f"The reply has more than {_MOST} scores.")
    ends = [
        match.end("said")
        for match in lines
        if {name for name in ASPECTS} <= {m["aspect"].lower() for m in lines if m.end() <= match.end()}
    ]
    turn = _turn(reply, ends[:1])
    limit = turn if turn is not None else len(text)
    for match in lines:
        if match.start() >= limit:
            continue
        name = match["aspect"].lower()
        said = match["said"].rstrip(".:")
        span = (match.start("said"), match.start("said") + len(said))
        each = _Found(said, span, match.span())
        standing = _of_block(reply, match)
        if standing is not Standing.OWN:
            found[name].append(replace(each, standing=standing))
        elif not _closes(_rest(match), each, allowed):
            spoilt[name].append(span)
        else:
            found[name].append(each)
    known = {match.start("aspect") for match in lines}
    known_lines = {reply.line(match.start())[0] for match in lines}
    loose = [
        match
        for match in _MENTION.finditer(text, 0, limit)
        if match.start() not in known
        and reply.line(match.start())[0] not in known_lines
        and not _in_evidence(reply, match.start())
    ]
    own = {name: [each for each in some if each.standing is Standing.OWN] for name, some in found.items()}
    if not any(own.values()) and not any(spoilt.values()) and not any(found.values()):
        as_json = _six_in_json(reply, allowed)
        if as_json is not None:
            return as_json
    for name, places in spoilt.items():
        if places and (not own[name] or places[-1] > own[name][-1].span):
            why = f"The score for {name} is not one value, said once and for all."
            return Reading(Verdict.UNPARSEABLE, spans={name: places[-1]}, why=why)
    for name in ASPECTS:
        if found[name] and not own[name]:
            none = _none_own(found[name])
            return replace(none, spans={name: none.spans[SCORE]}, why=f"Of {name}: {none.why[0].lower()}{none.why[1:]}")
    if all(own.values()):
        last = max(some[-1].outer[1] for some in own.values())
        for mention in loose[:_MOST]:
            name = mention["aspect"].lower()
            after = text[mention.end() : mention.end() + 60].split("\n")[0]
            number = re.search(r"(?<![\w.])\d{1,3}(?:\.\d{1,3})?(?![\w])", after)
            differs = (
                number is not None
                and mention.start() > own[name][0].span[0]
                and _value(number[0], allowed) != own[name][-1].value(allowed)
            )
            if differs and reply.standing(*mention.span()) in (Standing.OWN, Standing.EARLIER, Standing.HEDGED):
                why = f"The reply gives another score for {name} elsewhere."
                return Reading(Verdict.CONTRADICTORY, spans={name: own[name][-1].span}, why=why)
        rest = text[last:limit]
        behind = "\n".join(line for line in rest.split("\n") if not EVIDENCE.match(line))
        lowest = all(_lowest(some[-1], allowed) for some in own.values())
        if taken_back(behind, 0, lowest=lowest) is not None:
            return Reading(Verdict.CONTRADICTORY, why="The reply takes its scores back.")
        own = {name: _corrected(text, some, allowed) for name, some in own.items()}
    return _parts(own, allowed)


def _corrected(text: str, some: list[_Found], allowed: Sequence[Value]) -> list[_Found]:
    """The scores that count of several for one part: the last one, where words between them take the others back."""
    if len({each.says(allowed) for each in some}) <= 1:
        return some
    last = some[-1]
    other = next(each for each in reversed(some) if each.says(allowed) != last.says(allowed))
    between = "\n".join(line for line in text[other.outer[1] : last.outer[0]].split("\n") if not EVIDENCE.match(line))
    return [last] if CORRECTS.search(between) else some


def _of_block(reply: Reply, match: re.Match[str]) -> Standing:
    """How a line of scores stands: by its marks of quotation, by what follows its score, and by the line that leads to
    the block of such lines that it is in."""
    start = match.start("aspect")
    cited = ">" in match["lead"]
    at, first = reply.line(match.start())[0], start
    for _ in range(12):
        if at <= 0:
            break
        above, end = reply.line(at - 1)
        line = reply.text[above:end]
        of_block = _LINE.match(line) or EVIDENCE.match(line)
        if (
            line.strip()
            and not (of_block and line.lstrip().startswith(">") == cited)
            and not re.fullmatch(r"[\s`~|:-]*\w{0,8}", line)
        ):
            break
        at = above
        if of_block:
            first = above
    return reply.standing(start, match.start("said") + len(match["said"].rstrip(".:")), led_from=first)


def _rest(match: re.Match[str]) -> str:
    """Return the text behind a score on its line, with the punctuation that joins it to the score."""
    said = match["said"].rstrip(".:")
    between = match.string[match.start("said") + len(said) : match.start("rest")]
    joined = re.search(r"[.:]", between)
    return (joined[0] + " " if joined and match["rest"].strip() else "") + match["rest"]


def _closes(rest: str, found: _Found, allowed: Sequence[Value]) -> bool:
    """Return whether the text behind a score leaves it unchanged: a remark without other values, doubts, corrections or
    sums. A reason may hold any words of doubt: they are about the answer.
    """
    if _ARITHMETIC.match(rest):
        return False
    rest = rest.strip()
    if not rest or re.fullmatch(r"[\"'\u201d,;.}\])]+", rest):
        return True
    reason = _REASON.match(rest)
    if not _REMARK.match(rest) or _MENDED.search(rest) or (reason is None and _DOUBTED.match(rest)):
        return False
    value = found.value(allowed)
    for match in re.finditer(r"(?<![\w.])\d{1,3}(?:[.,]\d{1,3})?(?![\w])", rest):
        other = _value(match[0], allowed)
        counts = re.match(
            r" (?!(?:points?|if|or|when|because|is|for|would|mark|score|as|since|and)\b)(?:[a-z]{3,}|of \d)",
            rest[match.end() :],
        )
        if other is not None and other != value and counts is None:
            return False
    return True


def _in_evidence(reply: Reply, at: int) -> bool:
    start, end = reply.line(at)
    return EVIDENCE.match(reply.text[start:end]) is not None


def _six_in_json(reply: Reply, allowed: Sequence[Value]) -> Reading | None:
    """The three scores as keys of one JSON object."""
    read: list[dict[str, _Found]] = []
    for start, end, pairs in _objects(reply.text, reply.marks):
        parts: dict[str, _Found] = {}
        for key, value in pairs:
            match = re.fullmatch(r"(perception|cognition|action)(?: score)?", _key(key))
            if match is None or isinstance(value, bool) or not isinstance(value, str | int | float):
                continue
            if match[1] in parts:
                return None
            parts[match[1]] = _Found(str(value).strip(), _place(reply.text, start, end, key), (start, end))
        if set(parts) == set(ASPECTS) and reply.standing(start, end) is Standing.OWN:
            read.append(parts)
    if not read:
        return None
    return _parts({name: [each[name] for each in read] for name in ASPECTS}, allowed)


# ---- a JSON object --------------------------------------------------------------------------------------------------

_SCORE_KEY = "final score"
_MOST_OBJECTS = 50
_BRACES = 200
"""So many places where an object could begin are tried: a reply of nothing but braces must not take minutes."""
_MARKS = 150_000
"""… and so many quotes, braces and backslashes are looked at for their ends."""
_WRAPS = re.compile(
    r"(?:the |my |final |overall |your )*(?:evaluations?|assessments?|results?|judge?ments?|gradings?|ratings?|scores?|scoring|verdict|outputs?|response|reply|feedback|review|reviews|data|json|object|report|summary|conclusion|final)(?: (?:result|score|object|output|report|json|summary))?"
)
"""Keys that an object with the judge's own score may stand under; any other names whose it is, or what for."""
_STRAY = re.compile(r"\\(?![\"\\/bfnrtu])|\\u(?![0-9a-fA-F]{4})")
_TRAILING = re.compile(r",(?=\s*[}\]])")
_LOOSE = re.compile(
    r"\bfinal[ _]?score\b[\"'*_\s\\]{0,6}(?::|=|\bis\b|\bto\b|\bshould be\b)[\"'*_\s\\]{0,6}(\d{1,3}(?:\.\d{1,3})?)",
    re.IGNORECASE,
)


def assessment_json(reply: Reply, allowed: Sequence[Value]) -> Reading:
    """The ``"Final Score"`` of a JSON object in the reply, as text or number. Backslashes that JSON does not know are
    taken out if it does not read as it is: the form that judges are shown has some."""
    text = reply.text
    found: list[_Found] = []
    read: list[Span] = []
    ends: list[int] = []
    names: list[str] = []
    for start, end, pairs in _objects(text, reply.marks):
        read.append((start, end))
        nested = [each for each in _flat(pairs)]
        of_each = {within for key, _, within in nested if _key(key) == _SCORE_KEY and within}
        for key, value, within in nested:
            if _key(key) != _SCORE_KEY:
                continue
            place = _place(text, start, end, key)
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                return Reading(
                    Verdict.UNPARSEABLE, spans={SCORE: place}, why="The final score is neither a number nor text."
                )
            standing = _of_object(reply, start, end)
            if standing is Standing.OWN and len(of_each) > 1 and within:
                standing = Standing.EACH
            elif standing is Standing.OWN and any(not _WRAPS.fullmatch(_key(name)) for name in within):
                standing = Standing.QUOTED
            names.append(_named(pairs))
            said = _without_remark(str(value).strip(" \\"), allowed)
            found.append(_Found(said, place, (start, end), standing=standing))
            ends.append(end)
            if len(found) > _MOST_OBJECTS:
                return Reading(Verdict.CONTRADICTORY, why=f"The reply has more than {_MOST_OBJECTS} final scores.")
    if len(set(names) - {""}) > 1:
        found = [replace(each, standing=Standing.EACH) for each in found]
    turn = _turn(reply, ends[:1])
    if turn is not None:
        found = [each for each in found if each.outer[0] < turn]
        text = text[:turn]
    if not found:
        return Reading(Verdict.UNPARSEABLE, why='The reply has no JSON object with a "Final Score".')
    own = [each for each in found if each.standing is Standing.OWN]
    if not own:
        return _none_own(found)
    last = own[-1]
    if len({each.says(allowed) for each in own}) > 1:
        other = next(each for each in reversed(own) if each.says(allowed) != last.says(allowed))
        between = text[other.outer[1] : last.outer[0]] if other.outer[1] <= last.outer[0] else ""
        if not CORRECTS.search(between):
            return _parts({SCORE: own}, allowed)
    for each in found:
        if (
            each.outer[0] > last.outer[0]
            and each.standing is Standing.HEDGED
            and each.says(allowed) != last.says(allowed)
        ):
            return Reading(Verdict.CONTRADICTORY, spans={SCORE: last.span}, why="Behind the score stands another one.")
    if _broken_around(reply.text, last.outer, read):
        return Reading(
            Verdict.UNPARSEABLE, spans={SCORE: last.span}, why="The score stands in an object that does not end."
        )
    for match in _LOOSE.finditer(text):
        if any(start <= match.start() < end for start, end in read):
            continue
        if _value(match[1], allowed) != last.value(allowed) and reply.standing(*match.span()) in (
            Standing.OWN,
            Standing.HEDGED,
        ):
            spans = {f"{SCORE} 1": last.span, f"{SCORE} 2": match.span(1)}
            return Reading(
                Verdict.CONTRADICTORY, spans=spans, why="The reply gives another final score beside the object."
            )
    if taken_back(text, last.outer[1], lowest=_lowest(last, allowed)):
        return Reading(Verdict.CONTRADICTORY, spans={SCORE: last.span}, why="The reply takes its score back.")
    return _parts({SCORE: [last]}, allowed)


_SCORE_FIRST = re.compile(r"[\s*_`\"'$(\[]*([+-]?\d{1,4}(?:[.,]\d{1,4})?)[\s*_`\"'$)\]]*")


def _without_remark(said: str, allowed: Sequence[Value]) -> str:
    """Return the score at the beginning of a text if only a remark follows it; otherwise the whole text."""
    first = _SCORE_FIRST.match(said)
    if first is None or any(isinstance(value, str) for value in allowed):
        return said
    found = _Found(first[1], first.span(1), first.span())
    return first[1] if _closes(said[first.end(1) :].lstrip("*_`$\"')]"), found, allowed) else said


def _of_object(reply: Reply, start: int, end: int) -> Standing:
    """How an object stands; in a list of its own, or in code marks, it stands as they do."""
    text = reply.text
    while start > 0 and text[start - 1] in "[`( " and end < len(text) and text[end] in "]`) ":
        start, end = start - 1, end + 1
    return reply.standing(start, end)


def _broken_around(text: str, inner: Span, read: Sequence[Span]) -> bool:
    """Whether a brace before an object opens one that never ends, so that what was read may be part of its words."""
    if any(start < inner[0] and inner[1] <= end for start, end in read):
        return False
    before = text[: inner[0]]
    at = before.find("{")
    while at >= 0:
        inside = next((end for start, end in read if start <= at < end), None)
        if inside is not None:
            at = before.find("{", inside)
            continue
        if '"' in before[at + 1 : at + 40] and re.match(r"\{\s*[\"']\w", before[at : at + 20]):
            return True
        at = before.find("{", at + 1)
    return False


def _flat(pairs: Sequence[tuple[str, Any]], within: tuple[str, ...] = ()) -> Iterator[tuple[str, Any, tuple[str, ...]]]:
    """The keys of an object and of those within it, lists of them included, each with the keys that it is within."""
    for key, value in pairs:
        yield key, value, within
        if len(within) < 6:
            inner = value if isinstance(value, list) else [value]
            for n, each in enumerate(inner[:50]):
                if isinstance(each, _Pairs):
                    yield from _flat(each.pairs, (*within, f"{key} {n}" if n else key))


_NAMES_ONE = frozenset(
    ("answer", "assistant", "candidate", "response", "model", "output", "item", "id", "student", "name")
)


def _named(pairs: Sequence[tuple[str, Any]]) -> str:
    """Which of several answers an object says that it is about; empty if it does not say."""
    said = (str(value) for key, value in pairs if _key(key) in _NAMES_ONE and isinstance(value, str | int))
    return next((name.strip().casefold() for name in said if len(name) < 20), "")


def _key(key: str) -> str:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key.strip())
    return " ".join(re.split(r"[\s_-]+", spaced.lower()))


class _Pairs(dict[str, Any]):
    """An object with its keys as they came, twice if they are there twice."""

    def __init__(self, pairs: Sequence[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = list(pairs)


def _objects(text: str, marks: str) -> Iterator[tuple[int, int, list[tuple[str, Any]]]]:
    """The JSON objects in a text, outermost ones only: from, up to, and their keys with values, twice if they are there
    twice. ``marks`` is the text with its double quotes as they were written: other ones are words in a JSON string,
    unless there is no object but in them."""
    found = False
    for each in _objects_of(marks):
        found = True
        yield each
    if not found and marks != text:
        yield from _objects_of(text)


def _objects_of(text: str) -> Iterator[tuple[int, int, list[tuple[str, Any]]]]:
    at, left = text.find("{"), _MARKS
    for _ in range(_BRACES):
        if at < 0 or left <= 0:
            return
        end, looked_at = _closing(text, at, left)
        left -= looked_at
        pairs = None if end is None else _pairs(text[at:end])
        if end is None or pairs is None:
            at = text.find("{", at + 1)
            continue
        yield at, end, pairs
        at = text.find("{", end)


_STRUCTURE = re.compile(r"[\"\\{}]")


def _closing(text: str, start: int, most: int) -> tuple[int | None, int]:
    """Where the object that begins at ``start`` ends, strings respected, and how many marks were looked at."""
    depth, inside, skip, n = 0, False, -1, 0
    for match in _STRUCTURE.finditer(text, start):
        at, letter, n = match.start(), match[0], n + 1
        if n > most:
            break
        if at == skip:
            continue
        if letter == "\\":
            skip = at + 1 if inside else -1
        elif letter == '"':
            inside = not inside
        elif not inside:
            depth += 1 if letter == "{" else -1
            if depth == 0:
                return at + 1, n
    return None, n


def _pairs(piece: str) -> list[tuple[str, Any]] | None:
    """The keys and values of an object: as JSON, without the backslashes and commas that JSON does not know, or as
    Python writes it."""
    if len(piece) > 50_000:
        return None
    for candidate in (
        piece,
        _TRAILING.sub("", piece),
        _STRAY.sub("", piece),
        _STRAY.sub("", piece.replace("\\1", "1").replace("\\0", "0")),
    ):
        try:
            read = json.loads(candidate, object_pairs_hook=_Pairs, strict=False)
        except (ValueError, RecursionError):
            continue
        return read.pairs if isinstance(read, _Pairs) else None
    return _python_pairs(piece)


def _python_pairs(piece: str) -> list[tuple[str, Any]] | None:
    if len(piece) > 5_000 or piece.count("{") > 20:
        return None
    try:
        tree = ast.parse(piece, mode="eval").body
        if not isinstance(tree, ast.Dict) or any(key is None for key in tree.keys):
            return None
        pairs = [
            (ast.literal_eval(key), ast.literal_eval(value))
            for key, value in zip(tree.keys, tree.values, strict=True)
            if key is not None
        ]
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None
    return pairs if all(isinstance(key, str) for key, _ in pairs) else None


def _place(text: str, start: int, end: int, key: str) -> Span:
    """Where the value of a key stands, as far as it can be told; else the whole object."""
    found = list(re.finditer(re.escape(key) + r"[\"']\s*:\s*[\"'\\]*([^\"'\\,}\s]+)", text[start:end]))
    return (start + found[-1].start(1), start + found[-1].end(1)) if found else (start, end)


# ---- what they share ------------------------------------------------------------------------------------------------

_FRACTIONS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3, "⅕": 0.2, "⅖": 0.4, "⅗": 0.6, "⅘": 0.8}
_EMPHASIS = " \t*_`\"'$"


def _value(said: str, allowed: Sequence[Value]) -> Value | None:
    """The allowed value that a piece of text is; None if it is none of them."""
    said = said.strip(_EMPHASIS)
    number = _number(said)
    for value in allowed:
        if isinstance(value, bool | str):
            if said.casefold() == str(value).casefold():
                return value
        elif number is not None and number == value:
            return value
    numbers = [value for value in allowed if not isinstance(value, str | bool)]
    if number is None and numbers:
        part = _fraction(said, max(numbers))
        return next((value for value in numbers if part is not None and math.isclose(part, value)), None)
    return None


def _lowest(found: _Found, allowed: Sequence[Value]) -> bool:
    """Whether it is the lowest of several allowed numbers."""
    numbers = [value for value in allowed if not isinstance(value, str | bool)]
    return len(numbers) > 1 and found.value(allowed) == min(numbers)


def _number(text: str) -> float | None:
    """The number that a text is, in digits only; None for anything else, such as ``1/1``, ``nan`` or ``1e3``.

    >>> _number("0,5"), _number(".5"), _number("1e0")
    (0.5, 0.5, None)
    """
    if not re.fullmatch(r"[+-]?(?:\d{1,9}(?:\.\d{0,9}|,\d{1,2})?|[.,]\d{1,9})", text, re.ASCII):
        return None
    number = float(text.replace(",", "."))
    return number if math.isfinite(number) else None


def _fraction(text: str, top: float) -> float | None:
    """A number that is said as a part of the scale's highest value: ``0.5/1``, and, where that is 1, ``1/2``, ``½``,
    ``50%``."""
    if text in _FRACTIONS:
        return _FRACTIONS[text]
    match = re.fullmatch(r"([\d.,]{1,8})\s?(?:/|out of|of)\s?([\d.,]{1,8})", text)
    if match is not None:
        part, whole = _number(match[1]), _number(match[2])
        if part is None or not whole or part > whole or whole == top or whole < 1:
            return None  # of the highest value: ``explain_away`` reads it, unless it may be a choice, as in “(0/1)”
        return part if whole == top else part / whole if top == 1 else None
    match = re.fullmatch(r"([\d.,]{1,8})\s?%", text)
    share = _number(match[1]) if match else None
    return share / 100 if share is not None and top == 1 else None


def _one(found: _Found, allowed: Sequence[Value], *, off: str = "") -> Reading:
    value = found.value(allowed)
    if value is None or off:
        known = ", ".join(map(str, allowed))
        return Reading(
            Verdict.OUT_OF_RANGE, spans={SCORE: found.span}, why=f"“{found.text}{off}” is none of the values {known}."
        )
    return Reading(Verdict.SCORED, {SCORE: value}, {SCORE: found.span})


def _parts(found: Mapping[str, Sequence[_Found]], allowed: Sequence[Value]) -> Reading:
    """One value for each part; each has to be there, and said only once or always the same."""
    spans = {name: each[-1].span for name, each in found.items() if each}
    missing = [name for name, each in found.items() if not each]
    if missing:
        return Reading(Verdict.UNPARSEABLE, spans=spans, why=f"The reply has no score for {' and '.join(missing)}.")
    for name, each in found.items():
        if len({one.says(allowed) for one in each}) > 1:
            return Reading(
                Verdict.CONTRADICTORY, spans=spans, why=f"The reply gives several scores{_of(name)} that differ."
            )
    values: dict[str, Value] = {}
    for name, each in found.items():
        value = each[-1].value(allowed)
        if value is None:
            known = ", ".join(map(str, allowed))
            why = f"The score{_of(name)} is “{each[-1].text}”, which is none of the values {known}."
            return Reading(Verdict.OUT_OF_RANGE, spans={name: each[-1].span}, why=why)
        values[name] = value
    return Reading(Verdict.SCORED, values, spans)


def _of(part: str) -> str:
    return "" if part == SCORE else f" for {part}"


PARSERS: Mapping[str, Parser] = {
    parser.name: parser
    for parser in (
        Parser("double_brackets", 8, _in_original(double_brackets)),
        Parser("six_lines", 8, _in_original(six_lines), ASPECTS),
        Parser("assessment_json", 8, _in_original(assessment_json)),
        Parser("last_line", 8, _in_original(last_line)),
        Parser("better_output", 8, _in_original(better_output)),
    )
}
"""The rows of the registry of parsers, by name."""
