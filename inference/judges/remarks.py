"""Recognize words next to a score that explain it: “0 (incorrect)”, “1/1”, “0 points”, “[[0]], the answer is wrong”.

Readers look for a verdict and for words that speak against it. Such words are common in what explains a low score and
rare in what explains a high one, so a reader that sees them loses low scores alone. This module blanks them before any
reader looks, so that every value of a scale has the same text around it. Words that contradict their score are reported
instead.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from domain.judging import Value
from domain.reading.verdict_words import (
    ANSWER,
    RIGHT_SIGNS,
    SPACED,
    UNSPACED,
    WRONG_SIGNS,
    any_of,
    graded_words,
    right_words,
    wrong_words,
)
from inference.judges.judge_words import BECAUSE, BECAUSE_EAST, SCORE_NAMES, SCORE_NAMES_EAST

Span = tuple[int, int]


@dataclass(frozen=True)
class PlainText:
    """A reply without the words that only explain its scores, place by place as long as before."""

    text: str
    conflicts: Sequence[Span]
    """The scores whose own words contradict them."""


_OBJECT = (
    r"(?: (?:with |to |as |than |from |for )?(?:the |its |a |their )?(?:reference|key|correct|gold|expected|ground[- ]truth|right|true)"
    r"(?: (?:answer|action|solution|response|one|choice|concepts?|reasoning))?| (?:answer|action|solution|response|match|choice|antwort|réponse|respuesta|prediction)"
    r"| (?:à|avec|con|mit|zu) (?:la |der )?(?:référence|referencia|referenz))"
)
_ADVERBS = rf"(?:(?:{any_of(SPACED, 'adverbs')})\s+){{0,2}}"
_FIRST_ADVERBS = rf"(?:(?:{any_of(SPACED, 'adverbs')}|{any_of(SPACED, 'fully')})\s+){{0,2}}"
_LATIN = (
    rf"(?:(?:{any_of(SPACED, 'subject')})\s+)?{_FIRST_ADVERBS}(?:(?P<no>{any_of(SPACED, 'no')})\s+(?:(?:even|really|at all|an?|est|es|ist)\s+)?)?{_ADVERBS}"
    rf"(?:(?:(?P<fully>{any_of(SPACED, 'fully')})|(?P<mostly>{any_of(SPACED, 'mostly')})|(?P<partial>{any_of(SPACED, 'partly')}))\s+)?"
    rf"(?:an? )?(?:(?P<right>{right_words(SPACED)})|(?P<wrong>{wrong_words(SPACED)})|(?P<good>{graded_words(SPACED, 1)})|(?P<bad>{graded_words(SPACED, 0)})|(?P<partly>{any_of(SPACED, 'partly')}))(?!\w|['-]\w)"
    rf"(?:{_OBJECT}(?!\w))?(?P<after> nicht)?(?: at all| overall)?(?: überein)?(?!\w)"
)
_LATIN_VERB = (
    rf"(?:{ANSWER} )?{_FIRST_ADVERBS}(?P<verb_no>(?:does not|doesn't|do not|don't|did not|didn't|fails to) )?(?:(?P<verb_part>partly |partially )|{_FIRST_ADVERBS})"
    rf"(?:(?P<verb_right>match(?:es|ed)?|fits?|agrees?|corresponds?|follows?|equals?)|(?P<verb_wrong>contradicts?|differs?|deviates?|disagrees?))(?!\w){_OBJECT}?(?!\w)"
)
_HAN = (
    rf"(?:{any_of(UNSPACED, 'subject')}|只是|仅|仅仅|只|{any_of(UNSPACED, 'fully')}){{0,3}}(?P<han_no>{any_of(UNSPACED, 'no')})?"
    rf"(?:(?P<han_fully>{any_of(UNSPACED, 'fully')})|(?P<han_mostly>{any_of(UNSPACED, 'mostly')})|(?P<han_partial>{any_of(UNSPACED, 'partly')}))?(?P<han_no2>不|没|沒)?"
    rf"(?:(?P<han_wrong>{wrong_words(UNSPACED)})|(?P<han_right>{right_words(UNSPACED)})|(?P<han_bad>{graded_words(UNSPACED, 0)})|(?P<han_good>{graded_words(UNSPACED, 1)})|(?P<han_partly>{any_of(UNSPACED, 'partly')}))"
    r"(?P<han_after>では(?:ない|ありません)|じゃない|でない)?(?:的|了|です|だ|である|である。)?"
)
_SIGN = rf"(?:(?P<sign_right>[{RIGHT_SIGNS}])|(?P<sign_wrong>[{WRONG_SIGNS}]))\ufe0f?"
_SAYING = re.compile(rf"(?:{_LATIN})|(?:{_LATIN_VERB})|(?:{_HAN})|(?:{_SIGN})", re.IGNORECASE)


@dataclass(frozen=True)
class Worth:
    """The shares of a scale, from 0 to 1, that fit the words about an answer."""

    above: float
    below: float
    between: bool = False
    """True if the ends of a scale with values between them are left out."""

    def fits(self, value: float, scale: Sequence[float]) -> bool:
        """Return whether a value of the scale can have been described like that."""
        low, high = min(scale), max(scale)
        share = (value - low) / (high - low) if high > low else 1.0
        if self.between:
            return len(set(scale)) < 3 or 0 < share < 1
        return self.above < share < self.below


RIGHT = Worth(0.5, 2)
WRONG = Worth(-1, 0.5)
PARTLY = Worth(0, 1, between=True)
NOT_WRONG = Worth(0, 2)
NOT_RIGHT = Worth(-1, 1)


def worth(match: re.Match[str]) -> Worth:
    """Return the shares of a scale that fit these words about an answer."""
    has = match.groupdict()

    def is_there(*names: str) -> bool:
        return any(has[name] is not None for name in names)

    negations = sum(has[name] is not None for name in ("no", "after", "verb_no", "han_no", "han_no2", "han_after"))
    negated = negations % 2 == 1
    if is_there("partly", "partial", "han_partly", "han_partial", "verb_part"):
        return PARTLY
    right = is_there("right", "good", "verb_right", "han_right", "han_good", "sign_right")
    graded = is_there("good", "bad", "han_good", "han_bad")
    if graded or is_there("mostly", "han_mostly") or (negated and is_there("fully", "han_fully")):
        return NOT_WRONG if right != negated else NOT_RIGHT
    return RIGHT if right != negated else WRONG


_NUMBER = r"[+-]?(?:\d{1,4}(?:[.,]\d{1,4})?|[.]\d{1,4})"
_WRAP = r"[*_`$~]*"
_TOKEN = re.compile(
    rf"(?<![^\W_])(?<![^\W_]_)(?<![.,/\\%-])(?P<open>\[\[?\s*{_WRAP}\s*)?(?P<number>{_NUMBER})(?P<close>\s*+{_WRAP}\s*+\]\]?)?(?![\d%]|[.,]\d|\]|_*[A-Za-z])"
)
_UNIT = r"(?:point\(s\)|points?|pts?\.?|marks?|punkten?|punkte?|puntos?|分|点|點)(?![a-z])(?! (?:lost|deducted|off(?! the| base)|less|more|too|taken|short|away|for))"
_WHOLE = re.compile(
    rf"\s*+{_WRAP}\s*+(?:/|out of|of|von|sur|de|di)\s*{_WRAP}(?P<whole>{_NUMBER}){_WRAP}(?![\d/%]|\.\d)"
    rf"(?:\s*(?:possible )?{_UNIT}|(?!\w))",
    re.IGNORECASE,
)
_POINTS = re.compile(
    rf"\s*+{_WRAP}\s*+{_UNIT}(?:\s?[(,]?\s?(?:满分|滿分|満点|总分|總分|out of|of|von|sur|de)\s?(?P<whole>{_NUMBER})\s?(?:分|点|點)?\s?\)?)?",
    re.IGNORECASE,
)
_MOST = re.compile(
    rf"\s*\(\s*(?:max(?:imum)?\.?(?: score)?|out of|of|von|sur|de|scale of)\s*[:=]?\s*(?P<whole>{_NUMBER})\s*(?:{_UNIT})?\s*\)",
    re.IGNORECASE,
)
"""The end of the scale in brackets: “0 (max 1)”."""
_LATEX = re.compile(
    r"\\+(?:text(?:bf|it|tt|sf|rm|sc|normal)?|math(?:bf|rm|it|sf|tt)|bm|boldsymbol|emph|underline)\s?\{([^{}\n]*)\}"
    rf"|\\+(?:boxed|fbox)\s?\{{(\s*{_WRAP}{_NUMBER}{_WRAP}\s*)\}}"
)
_JOIN = re.compile(
    rf"(?:[\"'](?![ \t]*[,:]?\s*[\"']))?[)\]}}]?[ \t]*{_WRAP}[ \t]*(?:[:=|]|[(\[{{]|[,;\u2013\u2014\u2192~、。]|-+(?=\s)|[.!](?=\s)|\.{{2,3}}|\u2026|(?=[ \t\n])|(?=[\u3040-\u9fff]))"
    rf"[ \t]*\n{{0,2}}[ \t]*{_WRAP}[(\[]?(?:(?:{BECAUSE}|and|so|i\.e\.,?)\s+|{BECAUSE_EAST})?{_WRAP}[\"']?",
    re.IGNORECASE,
)
_STOP = re.compile(
    rf"\s*{_WRAP}\s*(?:[).,;:!\]}}\"'|<、。\n]|/(?=[a-z])|-\s|[\u2013\u2014]|$|(?:because|since|as|and|but|for|in|with|weil|denn|da|car|parce|porque|pues|und|et|y)\b|因|しかし|但|から|ので|ため)",
    re.IGNORECASE,
)
_SCORE_LABEL = re.compile(
    rf"(?:(?<![\w-])(?:{SCORE_NAMES})(?!\w)|{SCORE_NAMES_EAST})[\"'\s*_`]*(?:\([^()\n]{{0,20}}\))?[\"'\s*_`]*(?:[:=|]|\n)[\"'\s*_`$\[(|]*\Z"
    r"|\bis[\s*_`]*\Z",
    re.IGNORECASE,
)


_COMMENT = re.compile(r"<!--[^>\n]{0,300}-->")


def explain_away(text: str, allowed: Sequence[Value]) -> PlainText:
    """Return the text without words that only explain its scores, and the scores that these words contradict."""
    text = _COMMENT.sub(lambda match: " " * len(match[0]), _without_latex(text))
    scale = [float(value) for value in allowed if not isinstance(value, str | bool)]
    if len(scale) == len(allowed) > 1:
        return _explain_scores(text, scale)
    sides = [value.upper() for value in allowed if isinstance(value, str)]
    if len(sides) == len(allowed) and sides[:2] == ["A", "B"] and len(sides) < 4:
        return _explain_sides(text, sides[2] if len(sides) > 2 else "")
    return PlainText(text, ())


def _explain_scores(text: str, scale: Sequence[float]) -> PlainText:
    tokens = [match for match in _TOKEN.finditer(text) if _number(match) in scale]
    letters = list(text)
    conflicts: list[Span] = []
    remarks: list[tuple[re.Match[str], int, re.Match[str], bool]] = []
    own: list[re.Match[str]] = []
    last = 0
    for token in tokens:
        if token.start() < last:
            continue  # the end of the scale behind a score
        own.append(token)
        most = _MOST.match(text, token.end())
        if most is not None and float(most["whole"].replace(",", ".")) != max(scale):
            conflicts.append(token.span())  # “1 (max 5)” is on another scale
        end = last = _blank_whole(text, token, scale, letters)
        linked = _IS.match(text, end) if token["open"] else None
        if linked is not None and _behind(text, linked.end() - 1, _SAYING):
            conflicts.append(token.span())  # “[[1]] is right”: the score, or the answer?
        remark = _behind(text, end, _SAYING)
        if remark is None and (neutral := _behind(text, end, _IS_NOT)) is not None:
            _blank(letters, end, _closed(text, end, neutral))
        if remark is not None:
            remarks.append((token, end, remark, _labelled(text, token)))
        saying = _before(text, token.start(), _SAYING)
        if saying is not None:
            if not worth(saying).fits(_number(token), scale):
                conflicts.append(token.span())
            _blank(letters, saying.start(), _joined(text, saying.end()))
    unlabelled = (
        {token["number"] for token, _, _, labelled in remarks if not labelled},
        {token["number"] for token in own if token["open"] and not _labelled(text, token)},
    )
    legend = any(len(values) > 1 for values in unlabelled)
    beside = _several_in_a_line(text, own)
    for token, end, remark, labelled in remarks:
        if (legend and not labelled) or token in beside:
            continue
        if worth(remark).fits(_number(token), scale):
            _blank(letters, end, _closed(text, end, remark))
        else:
            conflicts.append(token.span())
    return PlainText("".join(letters), tuple(conflicts))


_ENDS_VERDICT = re.compile(
    r"[\s*_`\"')]*(?:$|[.,;:!(\u2013\u2014。、，；：]|-\s|(?:because|since|as|weil|denn|da|car|parce|porque|pues)\b|因|から|ので|ため)",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"\b(?:but|however|although|though|yet|while|except|partly|partially|apart from|aber|jedoch|obwohl|teilweise|mais|cependant|bien que|pero|aunque|sin embargo)\b"
    r"|但|虽然|雖然|しかし|ただし|部分",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"\b(?:ok|okay|good|bad|poor|same|different|gut|schlecht|bon|bonne|mauvaise?|bien|mal|buen[oa]?|mal[oa])\b",
    re.IGNORECASE,
)
"""Words that may describe something other than whether the answer is right."""
_OF_PART = re.compile(
    r"action|choice|description|perception|cognition|reasoning|statement|handlung|beschreibung|begründung|行動|动作|動作",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[.!;。！；])\s*|\n+")
_BEFORE_VERDICT = re.compile(
    r"[\s*_`\"'(]*(?:(?:so|thus|therefore|hence|overall|in short|also|daher|donc|因此|所以|よって)[,、，]?\s*)?",
    re.IGNORECASE,
)


def contradicts(texts: Sequence[str], value: float, allowed: Sequence[Value]) -> bool:
    """Return whether sentences in these texts agree that an answer is right or wrong, and the score says otherwise.

    >>> contradicts(["incorrect"], 1, (0, 1)), contradicts(["Correct."], 0, (0, 1)), contradicts(["Correct."], 1, (0, 1))
    (True, True, False)
    """
    scale = [float(number) for number in allowed if not isinstance(number, str | bool)]
    if len(scale) < 2 or len(scale) < len(allowed):
        return False
    worths = {worth(match) for text in texts for match in _verdicts(text)}
    return len(worths) == 1 and not worths.pop().fits(float(value), scale)


def _verdicts(text: str) -> Sequence[re.Match[str]]:
    """Return the words that begin a sentence and call the answer right or wrong, without a “but” after them."""
    verdicts = []
    for sentence in _SENTENCES.split(text[:4000]):
        lead = _BEFORE_VERDICT.match(sentence)
        saying = _SAYING.match(sentence, lead.end() if lead else 0)
        if saying is None or not _ENDS_VERDICT.match(sentence, saying.end()) or _BUT.search(sentence, saying.end()):
            continue
        if _VAGUE.search(saying[0]):
            continue
        is_whole = sentence.strip(" .!。") == text.strip(" .!。")
        is_first = text.startswith(sentence) and _OF_PART.search(saying[0]) is None
        if is_whole or is_first or _OF_ANSWER.search(saying[0]):
            verdicts.append(saying)
    return verdicts


_IS_NOT = re.compile(
    rf"{ANSWER}(?:'s| is| was) not (?!(?:deserved|earned|warranted|justified|fair|final|mine|my|the|an?|given|sure|certain|possible|enough|too|meant|counted|awarded|applicable|binding|definitive|so|it|what|yet|really|even|quite|fully)\b)[\w-]+",
    re.IGNORECASE,
)
"""Words that deny a property of the answer, and not of its score. They can be a reason for any score."""
_IS = re.compile(r"[ \t*_`]*(?:is|was)(?= )[ \t]", re.IGNORECASE)


def _several_in_a_line(text: str, tokens: Sequence[re.Match[str]]) -> Sequence[re.Match[str]]:
    """Return the bracketed scores that share a line with a different score, because a choice between them must stay
    visible.
    """
    scores = []
    for one, other in itertools.pairwise(token for token in tokens if token["open"]):
        if _number(one) != _number(other) and "\n" not in text[one.end() : other.start()]:
            scores += [one, other]
    return scores


_SIDE = re.compile(r"\[\[\s*([A-C]|tie)\s*\]\]", re.IGNORECASE)
_ONE = r"(?:(?:the |assistant|answer|response|output|model|candidate|option)s? ?)*\(?"
_COMPARES = re.compile(
    rf"{_ONE}\b(?P<side>[AB]|first|second)\b\)?(?:'s)?(?: (?:one|answer|response|output))?(?:(?: (?:is|was))?(?: (?:clearly|much|slightly|the|far|simply|overall))*"
    r" (?:(?P<better>better|best|superior|winner|preferred|preferable|stronger|wins|won|more \w+)|(?P<worse>worse|worst|inferior|weaker|poorer|loser|loses|lost|less \w+)"
    r"|(?P<alone>(?:not )?(?:right|wrong|correct|incorrect|good|bad)))"
    rf"(?: (?:one|answer|response|output|assistant))?(?: than {_ONE}(?:[AB]|first|second)\b\)?(?: one)?)?)?(?![\w])"
    r"|(?P<tie>(?:it(?:'s| is) )?(?:a )?\b(?:tie|draw|tied)\b|(?:it(?:'s| is) |they are |both are )?equal(?:ly (?:good|bad|right|wrong))?\b"
    r"|\bneither(?: one| answer| output| of them| of the two)? (?:is|wins)(?: (?:the )?(?:better|best|worse|right|correct|good))?(?: one| answer)?\b"
    r"|\bno ?(?:body|one) wins|\bno (?:clear )?(?:winner|difference|preference)\b|\bboth (?:answers |outputs )?are (?:equally )?(?:good|bad|right|wrong|correct|incorrect|equal|the same|accurate)\b)",
    re.IGNORECASE,
)


def _explain_sides(text: str, tie: str) -> PlainText:
    """Return the text with remarks about letters removed: “[[C]] (neither is better)”, “[[A]]: assistant A wins”."""
    letters = list(text)
    conflicts: list[Span] = []
    tokens = list(_SIDE.finditer(text))
    if len({token[1].upper() for token in tokens}) > 1:
        return PlainText(text, ())
    for token in tokens:
        for comparison, start in (
            (_before(text, token.start(), _COMPARES), None),
            (_behind(text, token.end(), _COMPARES), token.end()),
        ):
            if comparison is None:
                continue
            letter = token[1].upper()
            side = {"FIRST": "A", "SECOND": "B"}.get(
                (comparison["side"] or "").upper(), (comparison["side"] or "").upper()
            )
            right = letter == tie if comparison["tie"] else comparison["alone"] is not None or letter == side
            if letter != tie and side and comparison["worse"]:
                right = letter != side
            if not right:
                conflicts.append(token.span())
            elif start is None:
                _blank(letters, *comparison.span())
            else:
                _blank(letters, start, _closed(text, start, comparison))
    return PlainText("".join(letters), tuple(conflicts))


def _number(token: re.Match[str]) -> float:
    return float(token["number"].replace(",", "."))


def _closed(text: str, start: int, remark: re.Match[str]) -> int:
    """Return the end of a remark, with the bracket that closes it."""
    closes = re.match(r"(?:/[\w]+)?[*_`\s]*[)\]]", text[remark.end() : remark.end() + 40])
    return remark.end() + closes.end() if "(" in text[start : remark.start()] and closes is not None else remark.end()


def _joined(text: str, end: int) -> int:
    """Return the end of words before a score, including a dash after them that is not a minus sign."""
    dash = re.compile(r"[\s*_`)\]]*[-\u2013\u2014](?=\s)").match(text, end)
    return dash.end() if dash else end


def _labelled(text: str, token: re.Match[str]) -> bool:
    return _SCORE_LABEL.search(text, max(0, token.start() - 60), token.start()) is not None


def _blank(letters: list[str], start: int, end: int) -> None:
    for at in range(start, end):
        if letters[at] not in '\n"{}[]\\':
            letters[at] = " "


def _without_latex(text: str) -> str:
    if "\\" not in text:
        return text
    for _ in range(3):
        text, changed = _LATEX.subn(
            lambda match: (match[1] if match[1] is not None else match[2]).rjust(len(match[0]) - 1) + " ", text
        )
        if not changed:
            break
    return text


def _blank_whole(text: str, token: re.Match[str], scale: Sequence[float], letters: list[str]) -> int:
    """Blank “/1”, “out of 1” and “points” after a score on a scale up to 1. Return where the score then ends."""
    start = token.start("number")
    alone = text[start - 1 : start] if text[start - 2 : start] != "[[" else ""
    maximum = _WHOLE.match(text, token.end()) or _MOST.match(text, token.end()) or _POINTS.match(text, token.end())
    if maximum is None:
        return token.end()
    whole = maximum["whole"]
    if whole is not None and float(whole.replace(",", ".")) != max(scale):
        return token.end()
    if alone in ("(", "[", "<", "{") and text[maximum.end() : maximum.end() + 1] in (")", "]", ">", "}"):
        return token.end()  # “(0/1)” is a choice that a template offers
    _blank(letters, token.end(), maximum.end())
    return maximum.end()


def _behind(text: str, end: int, saying: re.Pattern[str]) -> re.Match[str] | None:
    """Return the words after a score that call an answer right or wrong; None if other words follow."""
    join = _JOIN.match(text, end)
    if join is None:
        return None
    remark = saying.match(text, join.end())
    if remark is None or _STOP.match(text, remark.end()) is None:
        return None
    if "\n" in join[0] and not re.match(r"[\s*_`)\]]*[.!。]?[\s*_`)\]]*(?:</\w+>\s*)?(?:\n|$)", text[remark.end() :]):
        return None
    return remark


_LINK = re.compile(
    r"(?P<end>[\s*_`]*[.!。])?[\s*_`:,;()\]\u2013\u2014\u2192、-]*(?:(?:the |my |so |final |overall |hence |therefore |thus |and |\#+ )*(?:rating|score|verdict|grade)(?: is)?[\s*_`:=]*)?"
    r"[$~]*(?:\\+(?:boxed|fbox)\s?\{)?(?:\[\[?)?[\s*_`(]*",
    re.IGNORECASE,
)
_OF_ANSWER = re.compile(
    r"answer|response|reply|prediction|solution|antwort|réponse|respuesta|回答|答案|答え|解答", re.IGNORECASE
)
_CLAUSE = re.compile(
    rf"(?:^|[.!?:;,(\[\n|>。、]|\bmy (?:final |overall )?(?:{SCORE_NAMES}) is )(?:[\s*_`#>|-]|because |since |as |so )*",
    re.IGNORECASE,
)
_LABEL = re.compile(
    rf"(?:(?<![\w-])(?:{SCORE_NAMES})(?!\w)|{SCORE_NAMES_EAST})[\s*_`\"']*[:=][\s*_`\"']*\Z", re.IGNORECASE
)


_ANSWERS = re.compile(r"no|yes|nein|ja|non|oui|sí|いいえ|はい|不|对|不对", re.IGNORECASE)


def _before(text: str, start: int, saying: re.Pattern[str]) -> re.Match[str] | None:
    """Return the words right before a score that call an answer right or wrong; None if other words lead to it."""
    first = max(0, start - 90)
    for clause in _CLAUSE.finditer(text, first, start):
        if clause.start() == first > 0 and text[first] not in ".!?:;,([\n|>。、":
            continue
        remark = saying.match(text, clause.end(), start)
        if remark is None or re.search(
            r"\berrors?\b|^(?:right|correct|wrong|incorrect) (?:answer|response|action|solution|choice)",
            remark[0],
            re.IGNORECASE,
        ):
            continue
        if _ANSWERS.fullmatch(remark[0]) and "[[" in text[:start]:
            continue  # “[[1]], no, [[0]]” takes the first one back
        link = _LINK.fullmatch(text, remark.end(), start)
        if link is None:
            continue
        if link["end"] or "\n" in link[0]:  # another sentence: only if it is about the answer, or a verdict in words
            if not _OF_ANSWER.search(remark[0]) and not _LABEL.search(text, first, remark.start()):
                continue
        elif clause[0][:1] in (":", "=") and not _LABEL.search(text, first, clause.start() + 1):
            continue
        return remark
    return None
