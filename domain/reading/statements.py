"""The places in a text that state an answer.

They are tags, a box, JSON, the text after a label, a declaring sentence, or either end of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.reading import words


@dataclass(frozen=True)
class TextPlace:
    """A part of a text where the answer may be."""

    rule: str
    declared: int
    """Where the declaration begins."""
    start: int
    end: int
    closed: bool
    """Whether the part must consist only of the answer."""


def _any(patterns: Sequence[str], flags: int = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), flags)


# ---- marks that mean nothing here -----------------------------------------------------------------------------------

_MARKS = re.compile(
    r"(?P<struck>~~[^~\n]{1,300}~~)"
    r"|(?P<fence>^[ \t]{0,4}```[A-Za-z]{0,12}[ \t]*$|```)"
    r"|(?P<mark>(?<![0-9] )(?<!\d)\*+(?! ?\d)|\*+(?=\d)|(?<=\d)\*\*+|(?<![^\W_])_+|_+(?![^\W_])|`+|^[ \t]{0,4}#{1,6}(?=\s)|^[ \t]{0,4}>+(?=\s(?!\s*\d))|^[ \t]{0,8}[-+•·▪◦‣→]+(?= ))"
    r"|(?P<latex>\\(?:text|mathrm|mathbf|textbf|mathsf|mathit|textit|textrm|mbox|rm|bf|displaystyle|left|right|quad|bm|boldsymbol)(?![A-Za-z])\s?\{?|\\[()\[\],;!]|\\(?=[%$#&_ ])|(?<![\d\w])\$+(?=[^\d\s])|(?<=[^\s\d])\$+(?!\d)|\$+(?=\s|$))",
    re.MULTILINE,
)


def plain(text: str) -> str:
    """Return the text with blanks instead of Markdown and LaTeX marks and struck-out text. The length stays the same.

    >>> plain("**B** or ~~A~~")
    '  B   or      '
    """
    return _MARKS.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


# ---- places ---------------------------------------------------------------------------------------------------------

_NAMES = "answer|final_answer|finalanswer|final|choice|option|conclusion|response|result|output|solution|prediction|ans"
_OPEN = re.compile(rf"<\s?({_NAMES})(?:\s[^<>]{{0,100}})?>|\[(answer|final answer|ans)\]")
_CLOSE = re.compile(rf"<\s?/\s?({_NAMES})\s?>|\[/(answer|final answer|ans)\]")
_BOX = re.compile(r"\\f?(?:boxed|fbox|framebox)\s?\{")
_KEY = re.compile(
    r"[\"'](?:final[_ ]?answer|answers?|correct[_ ]?(?:answer|option)|choices?|option|selected(?:_options?)?|selection|prediction|response|result|order|sequence|ordering|label|value|number|count|letters?|(?:best_|next_)?action|output|verdict|"
    r"antwort|réponse|respuesta|risposta|resposta|答案|回答|答え|정답|उत्तर)[\"']\s{0,4}:\s{0,4}",
    re.IGNORECASE,
)
_LABEL = re.compile(
    "|".join(words.LABELS.values()).join(("(?:", ")"))
    + r"(?P<sign>\s{0,3}(?:\((?:[a-z /,-]{1,30})\)\s{0,2})?(?:[:=](?!=)|\s?】\s?:?|\s[-–—]\s|->|=>|→|\n)|(?=\s[\"'(\[]?[a-z][\"')\]]?\.?\s*(?:\n|\Z)))\s{0,6}",
)
_DECLARING = re.compile(
    "|".join(rf"(?:{pattern})" for row in words.DECLARING.values() for pattern in row).join(("(?:", ")"))
    + rf"[\s:,=]{{0,4}}(?:{words.SOFTLY}[\s:,]{{1,3}}){{0,3}}",
)
_CLAUSE_BEFORE = re.compile(
    r"(?:\A|[.!?:;\n,—–)。！？，、।])\s{0,3}(?:and |so |my |the |la |le |l'|die |el |i think |i believe |i'd say |i would say |(?:final|correct|right|best|selected|chosen|richtige|korrekte|beste|bonne|mejor) ){0,3}\Z"
)
_NAMES_IT = re.compile(
    rf"(?:{_CLAUSE_BEFORE.pattern})"
    r"|\b(?:match(?:es)?|corresponds? (?:to|with)|aligns? with|fits|points? to|indicates?|suggests?|supports?|consistent with|leaves(?: us with)?|leads? (?:me )?to|is|be|go(?:ing)? with|choos(?:e|ing)|chose|select(?:ing)?|pick(?:ing)?|opt for|agree with|answer|described (?:in|by)|ist|est|es|wähle|choisis|elijo)\s{1,3}(?:(?:only|also|wohl|donc|the|la|die|el|correct|right|best|richtige|korrekte|beste|bonne|mejor) |l'){0,4}\Z"
)
"""Words that may precede a label without a colon: "This matches option C", but not "I would rule out option C"."""
_NEGATED = re.compile(
    r"\b(?:isn't|aren't|not|never|no(?= (?:es|son|sería|é|são))|non|não|nie|niet|nicht|kein\w{0,2}|jamais|nunca|не|wrong|incorrect|false|least|worst|excluded?|rule[ds]? out|eliminated?|avoid|doesn't|don't)\b|(?:不|并非|非)(?:是|为)"
)
"""Words in a declaration that deny the answer, as in "la respuesta no es B"."""
_SO = re.compile(
    r"(?:choose|pick|select|go with|so|therefore|thus|hence|consequently|in conclusion|in short|overall|conclusion|also|daher|folglich|donc|por lo tanto|por tanto|quindi|portanto|logo|dus|więc|значит|поэтому|итак|所以|因此|故|よって|したがって|따라서)"
    r"[,:]?\s{1,3}(?:it is |it's |it must be |this is )?"
)
_IT_IS = re.compile(r"(?:it|this|that)(?:'s| is| must be| should be| would be| has to be) ")
_LAST = re.compile(r"[^\n]*\S[^\n]*\s*\Z")
_LETTER_BEFORE = re.compile(r"[a-zà-ɏͰ-ԯ-]\Z")
MANY = 300
"""With more declarations of one kind than this, only the first and the last ones are read. No real answer has this
many.
"""


def places(text: str, low: str) -> Iterator[TextPlace]:
    """Yield the possible places of the answer, each with its rule.

    ``text`` is plain (``plain``), and ``low`` is the same text in lower case.
    """
    closings = list(_CLOSE.finditer(low))
    for n, match in enumerate(few(_OPEN.finditer(low))):
        name = match[1] or match[2]
        shut = next(
            (
                closing
                for closing in closings[-MANY:]
                if closing.start() >= match.end() and (closing[1] or closing[2]) == name
            ),
            None,
        )
        if shut is not None or (n == 0 and not closings):
            yield TextPlace("tag", match.start(), match.end(), shut.start() if shut else len(text), closed=True)
    for match in few(_BOX.finditer(text)):
        end = _closing(text, match.end())
        if end is not None:
            yield TextPlace("boxed", match.start(), match.end(), end, closed=True)
    for match in few(_KEY.finditer(low)):
        end = _value_end(text, match.end())
        if end is not None and text[match.end() : match.end() + 1] != "{":
            yield TextPlace("json", match.start(), match.end(), end, closed=True)
    for match in few(_LABEL.finditer(low)):
        if match["sign"] and match["sign"].strip() == "" and "\n" in match["sign"] and not _alone(low, match.start()):
            continue
        if (
            not match["sign"]
            and match[0] < "ऀ"
            and not _NAMES_IT.search(low[max(0, match.start() - 40) : match.start()])
        ):
            continue  # "I would rule out option C" is no label, and "option C" no answer
        if _begins(low, match):
            yield TextPlace("label", match.start(), match.end(), len(text), closed=False)
    for match in few(_DECLARING.finditer(low)):
        if _begins(low, match) and not _NEGATED.search(match[0]):
            yield TextPlace("sentence", match.start(), match.end(), len(text), closed=False)
    for rule, pattern in (("so", _SO), ("it is", _IT_IS)):
        for match in few(pattern.finditer(low)):
            if _CLAUSE_BEFORE.search(low[max(0, match.start() - 20) : match.start()]):
                yield TextPlace(rule, match.start(), match.end(), len(text), closed=False)
    tail = _LAST.search(text, max(0, text.rfind("\n", 0, len(text.rstrip())) + 1, len(text.rstrip()) - 2000))
    if tail is not None and text[: tail.start()].strip():
        yield TextPlace("last line", tail.start(), *tail.span(), closed=True)
    sentence = _last_sentence(text)
    if sentence is not None:
        yield sentence


def _last_sentence(text: str) -> TextPlace | None:
    """Return the last sentence if it is short and others precede it in its line: "The drawer is open. C"."""
    match = re.compile(
        r"(?<=[^\W\d])(?<!\bvs)(?<!\betc)(?<!\bno)(?<!\bfig)(?<!\be\.g)(?<!\bi\.e)[.!?。！？]\s{1,3}([^.!?\n。！？]{1,60}[.!?。！？]?)\s*\Z"
    ).search(text, max(0, len(text.rstrip()) - 70))
    return TextPlace("last sentence", match.start(1), *match.span(1), closed=True) if match else None


def few(matches: Iterator[re.Match[str]]) -> list[re.Match[str]]:
    """Return all matches, or the first and the last ones of very many."""
    all_matches = list(matches)
    return all_matches if len(all_matches) <= MANY else [*all_matches[: MANY // 2], *all_matches[-MANY // 2 :]]


def _begins(low: str, match: re.Match[str]) -> bool:
    """Return whether a match begins a word. Chinese and Japanese do not show word boundaries."""
    return match[0][:1] > "ऀ" or not _LETTER_BEFORE.search(low[max(0, match.start() - 1) : match.start()])


def _alone(low: str, at: int) -> bool:
    """Return whether a label is alone on its line, except for an adjective: "Final answer"."""
    line = low.rfind("\n", 0, at) + 1
    return (
        bool(re.fullmatch(r"[ #*:.\d-]{0,12}(?:(?:[^\W\d_]{2,12}) ?){0,2}", low[line:at])) if at - line < 40 else False
    )


def _closing(text: str, start: int) -> int | None:
    depth = 1
    for place in range(start, min(len(text), start + 400)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return None


def _value_end(text: str, start: int) -> int | None:
    """Return the end of a key's value: a string, a list, or a bare word."""
    opening = text[start : start + 1]
    if opening in "\"'" and opening:
        for match in re.compile(r"(?<!\\)" + re.escape(opening)).finditer(text, start + 1, start + 4000):
            if re.match(r"\s*(?:[,}\]]|\Z)", text[match.end() : match.end() + 20]):
                return match.end()
        return None
    if opening == "[":
        end = text.find("]", start, start + 4000)
        return end + 1 if end > 0 else None
    bare = re.compile(r"[^,}\]\n]{1,200}").match(text, start)
    return bare.end() if bare else None


def objects(text: str) -> Iterator[tuple[int, int]]:
    """Yield the outermost JSON objects, by matching braces."""
    depth = start = 0
    for match in re.finditer(r"[{}]", text):
        if match[0] == "{":
            if depth == 0:
                start = match.start()
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                yield start, match.end()


# ---- what is said about a statement ---------------------------------------------------------------------------------

_CORRECTION = re.compile("|".join(f"(?:{pattern})" for pattern in words.CORRECTIONS))
_BEFORE_CORRECTION = re.compile(
    r"(?:\A|[.!?;:,\n)\]—–…。！？，、\"'-]\s{0,3}|->\s?|\b(?:but|oh|ah|well|um|uh|er|and|though|or|aber|mais|pero|ma|mas|maar|ale|но) )\Z"
)
_CONDITION = _any(words.CONDITIONS)
_DOUBT = _any(words.DOUBTS)
_CLAIMED = _any(words.CLAIMED)
_HEDGED_AFTER = _any(words.HEDGED_AFTER)
_DENIED_AFTER = re.compile(
    rf"[\s\"'()\].:]*(?:-|–|—)?\s*(?:option |choice )?(?:{'|'.join(words.DENIED_AFTER)})", re.IGNORECASE
)
_DENIED_IN_CLAUSE = re.compile(
    r"[^。、，,.।;:：；!?\n]{0,30}?(?:(?<!違いあり)ません|(?<!違い)ない|なかった|않|아니|아닙|없습니다|नहीं)"
)
"""Denial in languages whose verb ends the clause."""
_UNSAID = re.compile(rf"[\s\"')\].,;–—-]*(?:{'|'.join(words.UNSAID)})", re.IGNORECASE)
_ALSO = _any(words.ALSO, 0)
_BOTH = re.compile(words.BOTH)
_RUNAWAY = re.compile(
    rf"\n\s{{0,8}}(?:{'|'.join(words.RUNAWAY)})|(?<=[\s>])(?:user|human):\s(?=[^\n]{{1,400}}(?:assistant|gpt):)"
)


def corrections(low: str) -> list[tuple[int, str]]:
    """Return where corrections begin in a text in lower case, with their first word."""
    return [
        (match.start(), match[0])
        for match in few(_CORRECTION.finditer(low))
        if _BEFORE_CORRECTION.search(low[max(0, match.start() - 8) : match.start()])
    ]


def supposed(low: str, at: int) -> bool:
    """Return whether a declaration at a place is only hypothetical, doubted or denied there."""
    before = low[max(0, at - 160) : at]
    sentence = re.split(r"[.!?;\n。！？]", before)[-1]
    clause = re.split(r"[,:，、]|\b(?:so|thus|therefore|hence|and|then|but|also)\b", sentence)[-1]
    return bool(_CONDITION.search(re.split(r"\bbut\b", sentence)[-1]) or _DOUBT.search(clause))


def claimed(low: str, at: int) -> bool:
    """Return whether the words before a place in its clause attribute the statement to another speaker."""
    return bool(
        _CLAIMED.search(
            re.split(r"[.!?;,:\n。！？，、]|\b(?:so|thus|therefore|hence|but)\b", low[max(0, at - 160) : at])[-1]
        )
    )


def denied_after(text: str, at: int) -> bool:
    """Return whether the words after a statement deny it."""
    behind = text[at : at + 80]
    return bool(_DENIED_AFTER.match(behind) or _DENIED_IN_CLAUSE.match(behind))


def unsaid(text: str, at: int) -> bool:
    """Return whether a remark after a statement takes it back: "(wrong)", ", but I doubt it", "… not"."""
    return bool(_UNSAID.match(text[at : at + 80]))


def hedged_after(text: str, at: int) -> bool:
    """Return whether an alternative, a condition or a doubt directly follows a statement."""
    behind = text[at : at + 60]
    behind = behind.lstrip("\"')]}* ") if behind[:1] in tuple("\"')]}*") else behind
    return bool(_HEDGED_AFTER.match(behind) or _HEDGED_AFTER.match(behind.lstrip(" ")))


_CORRECTED = re.compile(
    r"(?:(?:no|oh|hmm+|sorry|oops|wait|hold on|actually|correction|scratch that|strike that|make that|rather|or rather|on second thought|i (?:meant|mean)|my mistake|nein|moment|halt|korrektur|doch|non|attendez?|pardon|plut\u00f4t|en fait|"
    r"espera|perd\u00f3n|correcci\u00f3n|mejor dicho|en realidad|aspetta|scusa|anzi|desculpe|ali\u00e1s|wacht|nee|czekaj|\u043d\u0435\u0442|\u043f\u043e\u0434\u043e\u0436\u0434\u0438\u0442\u0435|等等|等一下|不对|不對|更正|其实|其實|应该是|いや|待って|訂正|やはり|아니|잠깐|정정)"
    r"(?:[\s,.:;!—–-]|\u2026|\.{3}|[，。、！])+){1,5}(?:(?:it(?:'s| is| must be| should be)|that(?:'s| is)|the (?:correct |right )?answer is|es ist|c'est|es|it is|is|应该是|是)\s{0,2})?"
)
_CLAUSE_END = re.compile(r"[.!;\n。！]|(?:,? (?:because|since|as)\b)|\Z")


def corrected_to(low: str, at: int) -> TextPlace | None:
    """Return the place of the new statement in a correction that begins there: “Wait, actually C.”."""
    lead = _CORRECTED.match(low, at)
    if lead is None:
        return None
    end = _CLAUSE_END.search(low, lead.end())
    return TextPlace("so", lead.end(), lead.end(), end.start() if end else len(low), closed=True)


_NOT = re.compile(
    r"(?:(?<=[.!?:;\n,。！？，、])|\A)[\s\"'(*]*(?:(?:it(?:'s| is)|this is|that is|the (?:correct |right )?answer is|so|i (?:choose|pick)|es ist|c'est|es|die antwort ist|la r\u00e9ponse est|la respuesta es|答案)\s{0,2})?"
    r"(?:(?:not|nicht|pas|non|no|n\u00e3o|niet|nie|\u043d\u0435)\s+|不是\s?)"
)
BUT = re.compile(
    r"[\s\"')\]*]*[,，、]?\s*(?:(?:but(?: rather)?|rather|sondern|mais(?: plut\u00f4t)?|sino|bens\u00ec|ma|mas(?: sim)?|maar|lecz|ale|\u0430)\s+|而是\s?|是\s?)",
    re.IGNORECASE,
)
RATHER_THAN = re.compile(r"[\s\"')\]*]*(?:ではなく(?:て)?|じゃなくて?|[가이] 아니라)[、，,]?\s*")


def contrasts(low: str) -> list[tuple[int, int]]:
    """Return where a text may deny an option before it names another one (“Not B but C”), and where the option begins."""
    return [match.span() for match in few(_NOT.finditer(low))]


_ASKS_FOR_WRONG = re.compile(
    r"(?:\b(?:which|what (?:option|answer|choice))\b[^.!?\n]{0,60}?\b(?:wrong|incorrect|false|untrue|mistaken|inaccurate|invalid|unsafe|avoid(?:ed)?|eliminated?|exclud(?:e|ed)|discard(?:ed)?|reject(?:ed)?|rule[ds]? out|ruled out|worst|"
    r"(?:is|are) not (?:correct|right|true|the (?:right|correct|best) (?:answer|option|one|choice))|isn't (?:correct|right|true)|(?:should|can|must|would) not be|shouldn't be|fails?|loses?|does not (?:fit|apply|match)|doesn't (?:fit|apply|match))\b[^.!?\n]{0,40}"
    r"|\b(?:welche\w?|was|quel(?:le)?s?|cu[aá]l(?:es)?|qu[eé]|quale|qual|welk\w{0,2}|kt[oó]r\w{1,2}|как\w{2})\b[^.!?\n]{0,60}?(?:\bfalsch\w{0,2}|nicht richtig|\bvermeiden|\bfauss?e?|incorrecte?|à éviter|mauvaise|incorrect[ao]|\bfals[ao]|errónea|evitar|sbagliat[ao]|errat[ao]|errad[ao]|\bfout\w?|onjuist|błędn\w|неверн|неправильн)[^.!?\n]{0,40}"
    r"|(?:哪|どれ|どの|何が|어느|어떤)[^。!?？\n]{0,30}?(?:错|錯|不对|不對|不正确|不正確|避免|排除|間違|誤|正しくない|틀린|틀렸|잘못|피해)[^。!?？\n]{0,12}|(?:错误|不正确|間違い|誤り|틀린)[^。!?？\n]{0,12}(?:哪|どれ|무엇|어느)[^。!?？\n]{0,12}"
    r"|कौन[^.!?।\n]{0,40}?(?:गलत|ग़लत)[^.!?।\n]{0,20})"
    r"[?？][\s*_\"')\]]*(?:(?:answer|antwort|réponse|respuesta|答案|it(?:'s| is| must be)|that(?:'s| is| would be)|the (?:wrong |incorrect )?(?:one|answer|option) is|clearly|option)[:：,]?\s{0,3}){0,2}[\s\"'(\[*]*\Z"
)


def answers_what_is_wrong(low: str, at: int) -> bool:
    """Return whether a place answers a question of the text itself for a wrong option: "Which one is wrong? B."."""
    return _ASKS_FOR_WRONG.search(low, max(0, at - 240), at) is not None


def taken_back(low: str, at: int, *, several: bool = False) -> bool:
    """Return whether the text after a place allows another answer. ``several`` means that several answers are
    possible.
    """
    return bool(_ALSO.search(low, at) or (not several and _BOTH.search(low, at)))


def own_turn(low: str) -> int:
    """Return where the text invents a next turn; its length if it does not."""
    letter = re.search(r"[^\W_]", low)
    first = letter.end() if letter else 0
    return next((match.start() for match in _RUNAWAY.finditer(low) if match.start() >= first), len(low))


_FAREWELL = re.compile(
    r"(?<=[.!?:;)\]*\n ])\s{0,4}(?:i hope|hope (?:this|that|it)|(?:please )?let me know|(?:please )?feel free|have a (?:nice|great|good)|is there anything|if you (?:have|need|want|would like)|thank(?:s| you)|good luck|happy to help|would you like"
    r"|ich hoffe|viel erfolg|j'espère|n'hésitez|espero que|si tienes|si necesitas|希望|如果您|如有|お役に立|ご不明|도움이 되)[^\n]{0,200}\s*\Z"
)
"""A polite closing phrase without an answer."""


def farewell(low: str) -> int:
    """Return the start of the polite words at the end of a text in lower case, or the length of the text without them."""
    end = len(low)
    for _ in range(3):
        begin = max(0, end - 300)
        match = _FAREWELL.search(low[:end], begin)
        if match is None or not low[: match.start()].strip():
            break
        end = match.start()
    return end


def lowered(text: str) -> str:
    """Return the text in lower case, with the same length."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
