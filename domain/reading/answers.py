"""From a model's free text to what it states: an option, several, an order, yes or no, a number, or the text itself.

Read is what the answer states, never what would be right, and nothing is guessed: where two readings are possible, it
is unreadable. What was read is kept with the places of the words in the original text that it was read from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from domain.decimals import Tolerance
from domain.reading import statements, words
from domain.reading.numbers import FUNCTION_WORDS, Number, Numbers, hedged
from domain.reading.options import Choices, Ref
from domain.reading.spans import SECONDS, Said, Span, alone, spans
from domain.reading.statements import Place
from domain.reading.text import Reasoning, Visible, bare_words, fold, is_empty, refusal, visible
from domain.reading.verdicts import verdicts
from domain.reading.words import REASONS

READER_VERSION = 11
"""Counts up whenever a rule reads anything else than before: what was read says by which version."""


class AnswerKind(StrEnum):
    """What is asked for."""

    OPTION = "option"
    MULTI = "multi"
    ORDER = "order"
    YES_NO = "yes_no"
    NUMBER = "number"
    SPANS = "time_span"
    TEXT = "text"


class ReadOutcome(StrEnum):
    """What became of reading an answer. Each has words for a table."""

    words: str

    def __new__(cls, value: str, words: str) -> ReadOutcome:
        made = str.__new__(cls, value)
        made._value_ = value
        made.words = words
        return made

    READ = "read", "read"
    EMPTY = "empty", "empty"
    REFUSED = "refused", "refused to answer"
    TRUNCATED = "truncated", "cut off before it answered"
    UNREADABLE = "unreadable", "format violation: states none, or not one"


Value = str | tuple[str, ...] | float | tuple[Span, ...]


@dataclass(frozen=True)
class Asked:
    """What was asked, as far as reading an answer needs it."""

    kind: AnswerKind
    options: tuple[str, ...] = ()
    """Their texts, lettered A, B, C … by place; in an order also numbered from 1."""
    unit: str | None = None
    """What a number is asked in, or ``seconds`` or ``frames`` of spans; None: none."""
    several: bool = False
    """There may be several spans, and not only one."""
    judged: bool = False
    """What is read is not compared with the key: people or a judge say whether it means the same."""
    none: bool = False
    """The last option is that none of the others is right, in whatever words an answer says so."""
    drawn: bool = False
    """The key is drawn in a field of its own, so that none of its text is missing."""
    decimal: bool = False
    """The key is a decimal number as text, to be taken exactly as it is written."""
    tolerance: Tolerance | None = None
    """How far a number may be from the key and still be right; None: not at all."""
    literal: bool = False
    """The key of a free text is a word that stands for no answer elsewhere, such as "N/A"."""


@dataclass(frozen=True)
class Reading:
    """What an answer states, and the words that it was read from."""

    outcome: ReadOutcome
    value: Value | None = None
    """The option's text; of several options, or an order, their texts; "yes" or "no"; the number; spans in the order of
    time; the text."""
    places: tuple[int, ...] = ()
    """The options chosen, counted from 0: in the stated order, of an option all that have its wording."""
    spans: tuple[tuple[int, int], ...] = ()
    """Where in the original text the words stand that it was read from, or that say that it is refused."""
    rule: str = ""
    """The row of ``RULES`` that read it."""
    why: str = ""
    """A sentence that says why it was not read."""


@dataclass(frozen=True)
class Rule:
    """A way in which an answer is stated."""

    name: str
    meaning: str


RULES = (
    Rule("tag", "Between <answer> and </answer>, or tags of that kind."),
    Rule("boxed", "In LaTeX's \\boxed{…}."),
    Rule("json", 'The value of an answer\'s key in JSON: {"answer": "B"}.'),
    Rule("label", "Behind a label or a heading: “Answer: B”, “Final answer”, “答案：B”."),
    Rule("sentence", "In a sentence that declares it: “The best action is B”, “I would choose B”, “答案是B”."),
    Rule("so", "Behind a word that concludes: “So B.”"),
    Rule("it is", "“It is B.”"),
    Rule("is right", "Before words that call it right: “B is correct”."),
    Rule("verdicts", "In a list that judges the options one by one: “- A: incorrect”, “- B: correct”."),
    Rule("equation", "A number behind the last sign of equality, or before “in total”."),
    Rule(
        "whole",
        "The whole answer is it, in its usual dresses: B, (b), B., Option B, **B**, the option's text, 5 cups, yes.",
    ),
    Rule("opening", "The answer begins with it, and a reason or something else follows: “B. The pot is …”, “Yes, …”."),
    Rule("last line", "The last line is it and nothing more."),
    Rule("last sentence", "The last sentence is it and nothing more: “… The drawer is open. C”."),
    Rule(
        "predicate",
        "One sentence says it of something, and no other option occurs: “The car is black.”, “There are 4 cups.”",
    ),
    Rule("only number", "There is one number in the answer that counts or measures something, and no other."),
    Rule("only span", "There is one span of time in the answer, and no other: “from 2.0 to 3.5 s”, “00:12 - 00:15”."),
    Rule("text", "The text itself, where no options, number, span, or yes or no was asked for."),
)
"""How answers are stated. They are all looked for; what they read has to agree, or a correction has to stand between
them, and then the last counts. An option or a number that is denied, supposed, hedged, or one of several is not read."""

STRONG = frozenset(("tag", "boxed", "json", "label", "sentence", "so", "it is", "is right", "verdicts", "equation"))
"""Rules by which something is declared to be the answer, which a refusal in the same text does not always undo."""


@dataclass(frozen=True)
class Claim:
    """What some place in the text says that the answer is."""

    rule: str
    declared: int
    start: int
    end: int
    value: Value | None
    """None: it states none, or not one, where it should have stated it."""
    places: tuple[int, ...] = ()
    behind: int = 0
    """Where what is said about it goes on."""
    by: str = ""


def read_answer(text: str, asked: Asked, *, finish_reason: str | None = None) -> Reading:
    """What an answer states.

    ``finish_reason`` is what an endpoint reported: after ``length`` only what was surely said before the cut counts,
    and after ``content_filter`` nothing does.

    >>> read_answer("The best action is B. Slow down.", Asked(AnswerKind.OPTION, ("Turn left", "Slow down"))).value
    'Slow down'
    >>> read_answer("B or C", Asked(AnswerKind.OPTION, ("cup", "plate", "spoon"))).outcome.words
    'format violation: states none, or not one'
    """
    seen = visible(text)
    if seen.reasoning is Reasoning.OPEN:
        return Reading(ReadOutcome.TRUNCATED, why="The reasoning block never ends, so nothing was answered.")
    if is_empty(seen.text) and not _is_own(seen.text, asked) and not _is_empty_set(seen.text, asked):
        return Reading(ReadOutcome.EMPTY, why="There is no word in it.")
    if asked.kind is AnswerKind.TEXT:
        return _text(seen, finish_reason)
    reader = _Reader(seen, asked, finish_reason)
    claim, why = reader.decided()
    refused = reader.refused(claim)
    if refused is not None:
        return Reading(
            ReadOutcome.REFUSED, spans=(seen.span(*refused),), why="It says that it does not or cannot answer."
        )
    if finish_reason == "content_filter":
        return Reading(ReadOutcome.TRUNCATED, why="A filter cut it off: what would have followed is not known.")
    if claim is None:
        if finish_reason == "length":
            return Reading(ReadOutcome.TRUNCATED, why="It was cut off before an answer had surely been given.")
        return Reading(ReadOutcome.UNREADABLE, why=reader.why_no_span or why)
    return Reading(ReadOutcome.READ, claim.value, claim.places, (seen.span(claim.start, claim.end),), claim.rule)


def _is_own(text: str, asked: Asked) -> bool:
    """Tell whether a word for a missing value ("n/a") is an option of the item, or may be its key."""
    said = bare_words(text)
    return asked.literal or any(bare_words(fold(option)) == said for option in asked.options)


def _is_empty_set(text: str, asked: Asked) -> bool:
    """Tell whether an answer without words is the empty list, where several options are asked for."""
    return asked.kind is AnswerKind.MULTI and _EMPTY_LIST.fullmatch(statements.plain(text)) is not None


REFUSES_EARLY = 200
"""In a free text, the characters within which a refusal has to begin: later it is part of what is told."""


def _text(seen: Visible, finish_reason: str | None) -> Reading:
    refused = refusal(seen.text, unsure=False)
    if refused is not None and refused[0] < REFUSES_EARLY:
        return Reading(
            ReadOutcome.REFUSED, spans=(seen.span(*refused),), why="It says that it does not or cannot answer."
        )
    if finish_reason in ("length", "content_filter"):
        return Reading(ReadOutcome.TRUNCATED, why="It was cut off.")
    end = len(seen.text.rstrip())
    start = len(seen.text) - len(seen.text.lstrip())
    return Reading(ReadOutcome.READ, " ".join(seen.text.split()), (), (seen.span(start, end),), "text")


_CONNECTOR = re.compile(
    r"(?P<sign>[\s\"')\]}]*(?:[,;+&|、，；]|·|\n)?[\s\"'(\[{]*)(?P<word>(?:(?:(?:and|und|et|y|e|en|i|plus|as well as|along with|together with)(?![A-Za-z])|и|和|与|與|及|以及|と|および|과|와|및|그리고|و|और)\s*)?)(?:,\s*)?(?:also |both )?"
)
_OR = re.compile(
    r"[\s\"')\]},]*(?:\b(?:or|oder|ou|(?-i:o)|of|lub|или|vs|versus)\b\.?|/|或者?|还是|または|또는|أو|या|और/या)[\s\"'(\[]*",
    re.IGNORECASE,
)
_THEN = re.compile(
    r"[\s\"')\]}]*(?:[.,;|、，；。]|--?>|=>|→|⇒|➡|➔|>|-(?=\s?\d)|-(?=[A-Z])|–|—|\n)*[\s\"'(\[{]*(?:(?:and|then|next|after that|afterwards|finally|lastly|last|followed by|before|second|third|fourth|fifth|secondly|thirdly|und|dann|danach|schließlich|zuletzt|et|puis|ensuite|enfin|(?-i:y)|luego|después|finalmente"
    r"|(?-i:e)|poi|infine|depois|em seguida|por fim|en|daarna|ten slotte|(?-i:i)|potem|następnie|na końcu|и|затем|потом|наконец|然后|接着|再|最后|最後に|次に|それから|そして|그다음|그리고|마지막으로|ثم|फिर|it is|comes|is|by|with|end|ending|finish|step|you|we|do)\b[\s,:]*){0,4}"
    r"[\s\"'(\[]*",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"[\s\"'(\[{:]*(?:(?:(?:the )?(?:correct|right|proper|final|best)? ?(?:order|sequence) ?(?:is|:|would be)?|first(?:ly)?|start(?:ing)? with|begin(?:ning)? with|start by|step 1|1st|zuerst|erst|d'abord|premièrement|primero|prima|primeiro|eerst|najpierw|сначала|首先|先|まず|먼저|أولا|पहले|you|we|do|one should|is)[\s,:]*){0,3}"
    r"(?:[-•·]\s+)?",
    re.IGNORECASE,
)
_NOT_FORWARD = re.compile(
    r"\b(?:revers\w{1,4}|backwards?|rank\w{0,4}|last to first|from last|descending|inverse|inverted|umgekehrt\w{0,2}|inverso|inverse|rückwärts|counting back|after|preceded by|nach(?=\s))\b|<(?![/a-z])|←|倒序|相反|逆",
    re.IGNORECASE,
)
_COMPACT = re.compile(r"[\s\"'(\[*]*([A-Ja-j]{2,10}|\d{2,10})(?![0-9A-Za-zÀ-ɏ'])")
_SPELLED = frozenset(
    "bad bade bed bead dab dad dace cab cad café cafe cage ace aced add age aged aid aide bag be bead bee beg beige big bide bid cabbage chad cede dead deaf deed die edge egg face fade fad fed fee fig gab gag had hag he hid hide hi i ice iced idea if jab jade jig abide acid ad abed bach head each ha hade hae".split()
)
_TAIL = re.compile(
    r"[\s\"')\]}.!*;,:。！।]*(?:\Z|\n|(?<=[.!;。！])\s|\(|[-–—]\s|\b(?:because|since|as|for|weil|da|denn|parce|porque|perché|omdat|ponieważ|потому|因为|なので|です|입니다|है|wählen|nehmen|auswählen)\b|(?:。|，因为|です|입니다|है))",
    re.IGNORECASE,
)
_SHUT = re.compile(r"[\s\"')\]}>.,;:!*|。、！…।=-]*")
_RIGHT = re.compile(
    r"(?:(?:is|seems(?: to be)?|would be|appears to be|must be|has to be|remains)(?: (?:clearly|definitely|therefore|thus|probably|most likely|obviously|indeed|likely))?(?: the)?(?: (?:most|only|single|next))?"
    r" (?:correct|right|best|answer|appropriate|accurate|suitable|logical|true|proper|optimal|plausible|likely|consistent|reasonable|my answer|my choice|sensible|fitting)(?: (?:answer|choice|option|one|action|next|step|move|solution|response))*"
    r"|(?:ist|wäre) (?:die )?(?:richtig\w{0,2}|korrekt\w{0,2}|beste)(?: antwort| lösung| option| wahl)?|est (?:la )?(?:bonne|correcte?|meilleure)(?: réponse| option)?|es (?:la )?(?:correcta|mejor)(?: respuesta| opción)?|è (?:la )?(?:corretta|giusta|migliore)(?: risposta)?|é (?:a )?(?:correta|certa|melhor)(?: resposta| opção)?"
    r"|(?:best|most accurately|accurately|correctly) (?:describes|matches|fits|represents|reflects|captures|answers|explains|completes)(?: [\w'-]{1,20}){0,6}"
    r"|(?:richtig|korrekt) (?:ist|wäre)|(?:passt|trifft) (?:am besten|zu)|stimmt(?! nicht)|is (?:het )?(?:juist\w?|correct|goed)(?: antwoord)?|fits best|makes the most sense|是正确的?(?:答案|选项)?|是对的|最?(?:正确|合适|恰当)|が正しい(?!と(?:は|思))|が正解|が最も適切|가 정답|이 정답|(?:가|이) 가장 (?:적절|적합)|가 맞|이 맞|번이 맞|번이 정답|सही (?:उत्तर |विकल्प |जवाब )?है(?! नहीं))(?![\w-])"
)
_PREDICATE = re.compile(
    r"\s*(?:(?:in|from|based on) (?:the|this) (?:image|picture|photo|video|scene|frame)s?(?: provided)?,? )?(?:the|this|that|these|those|there|it|its|his|her|he|she|they|i can|i)\b(?:(?!\b(?:not|no|never|either|neither|if|whether|may|might|could|can't|would|maybe|perhaps|says?|said|options?|answers?|choices?|except|without|or|previous|prior|last|earlier|already)\b|n't)[^.!?;:,\n]){0,80}?"
    r"\b(?:is|are|was|were|looks?|appears?|seems?|see|shows?|contains?|has|have|wears?|wearing|holds?|holding)(?: (?:to be|clearly|mostly|mainly|likely|probably|indeed|painted|coloured|colored|wearing|holding|a|an|the|only|exactly|about|approximately))* "
)
"""A first sentence up to what it says of something."""
_PREDICATE_ENDS = re.compile(
    r"[\s\"')\]]*(?:[.!](?=\s|\Z)|\n|\Z|,? (?:because|since|as)\b|(?: in colou?r)(?=[.,!]|\Z))"
)
_COMMAND = re.compile(
    r"(?!(?:in|on|at|to|by|of|from|with|under|over|behind|beside|near|between|inside|outside|above|below|through|into|onto|all|both|half|\w+ing)\b)"
    r"\w+(?: (?:up|down|on|off|out|in|away|together))? (?:the|a|an|his|her|its|their|my|your|this|that|some)\b"
)
"""An option that tells to do something. "The person has cut the carrot" says what was done, and does not choose it."""
_FURTHER_SENTENCE = re.compile(r"[.!?;\n][\s\"')\]]*[^\W_]")
_COUNTS = re.compile(r"\s{1,3}(?!(?:to|and|or|out|more|less|fewer|other|further|is|are|was|were)\b)[^\W\d_]{2,}")
_OPEN_SENTENCE = re.compile(
    r"\b(?:not|never|either|neither|if|whether|maybe|perhaps|possibly|except|unless|but|however|although|though|or|no|only if|another|other|also|previous(?:ly)?|wrong|incorrect)\b|n't\b|\?"
)
_NOT_THAT = re.compile(
    r"[\s\"')\]]*,? \(?(?:(?:and |but )?(?:definitely |certainly |clearly )?(?:not|nicht|pas|non|não|niet|nie|не|no)|rather than|instead of)\s+(?:with |to |for )?",
    re.IGNORECASE,
)
_RATHER = re.compile(
    r"[\s\"')\]]*(?:,? ?(?:only )?(?:if|unless|when|provided)\b|avoided\b|to (?:avoid|exclude|reject|discard|skip|rule out|leave out)\b|of the (?:wrong|bad|worst|remaining)\b|(?:left|ruled) out\b|or\b|(?:next to|beside|behind|above|below|under|over|by|in front|on top|there|where|at the|on the|to (?:the|a|an|it|him|her)\b|in the (?:middle|corner|center|centre|front|back))\b)"
)
"""What turns "is the best" into something else."""
_CHOSEN = re.compile(rf"(?<![^\s\"')\]*])(?:{'|'.join(words.CHOSEN)})(?={words.CLAUSE_ENDS})")
_DOING = re.compile(rf"(?<![\w'-])(?:{'|'.join(words.DOING)}):?\s{{1,3}}(?:to )?")
_AND_ANOTHER = re.compile(
    r"[\"')\]]?\s?(?:和|与|與|及|、|と|와|과|또는|और|या|或|[/&+]|(?:and|or|und|oder|et|ou|y)\s)\s?(?:option )?[(\[\"']?(A(?!\s[a-z])|[B-Z])(?![A-Za-z'])"
)
_NOT_DOING = re.compile(
    r"\b(?:before|until|after|when|while|once|where|unlikely|impossible|thought|assumed|say|says|said|think that|who|which|what|that one)\b[^.!?;,:\n]*\Z"
)
"""Before "the person will …", in its clause: a time, or someone's thought, and not what is chosen."""
_DOES = re.compile(rf"(?:(?<=\n)|(?<=[.!:] )|\A)[ \t]{{0,8}}{words.DOES}")
_FIRST_LINE = re.compile(r"\s*([^\n]+)\n\s*")
_HEADS = re.compile(r"(?:^|\n)[ \t]{0,8}(?:option |choice )?[(\[]?([A-Ja-j])[)\].:=](?=\s)", re.IGNORECASE)
_NUMBERED_LETTER = re.compile(
    r"(?:^|\n)[ \t]{0,8}(\d{1,2})[.):][ \t]*(?:option )?\(?([A-J])\)?[ \t]*(?=[\n.;,]|\Z)", re.IGNORECASE
)
_ENUMERATOR = re.compile(r"(?:^|\n)[ \t]{0,8}\(?(\d{1,2})[.):](?=\s)")
_GUESS = re.compile(
    r"\b(?:guess|if i|were to|hypothetical|assuming|would have|random|without seeing|speculat)", re.IGNORECASE
)
_NEVERTHELESS = re.compile(
    r"\b(?:but|however|nevertheless|nonetheless|still|yet|although|though|aber|mais|pero|ma|mas|maar|ale|но)\b|但|でも|하지만",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:also|additionally|plus|moreover|as well|too|another|furthermore|auch|aussi|también|anche|também|ook|też|также)\b|还有|也|も",
    re.IGNORECASE,
)
_SOON = re.compile(
    r"[\s\"'(\[{*:=]*(?:(?:about|approximately|approx\.?|around|roughly|circa|ca\.?|~|≈|exactly|precisely|only|just|there (?:is|are)|i (?:can )?(?:see|count)|ungefähr|etwa|environ|unos|unas|circa|cerca de|ongeveer|około|około|примерно|大约|约|約|大概|総計|共有?|有|一共|전체|총|लगभग|حوالي)\s*){0,3}[\s\"'(\[*$€£]*",
    re.IGNORECASE,
)
_NOUNS_COUNTED = re.compile(r"(?:\s+(?!(?:is|are|was|were|per|each|apiece)\b)[^\W\d_]+(?:-[^\W\d_]+)?){1,4}")
_UNSAID = re.compile(
    r"[\s\"')\]]*(?:\?|,? (?:is|are|was|were|would be|seems?|looks?)(?:n't| not)? (?:the )?(?:wrong|right|incorrect|correct|false|mistaken|impossible|unlikely)\b|\s(?:per\s\w|(?:each|apiece)(?=[\s\"').!]*(?:\n|\Z|[.,;]))))",
    re.IGNORECASE,
)
"""What denies or doubts a number behind what it counts. "3 cups are not full" does not; "3 cups is not right" does."""
_OF = re.compile(r"[\s\"')\]]*(?P<of>of)\b[^.;:!?\n]{0,80}", re.IGNORECASE)
"""Of what a number counts or measures something: "350 g of flour"."""
_WORD = re.compile(
    r"[\s\"')\]]*(?!(?:per|each|apiece|is|are|was|were|has|have|does|do|that|which|who)\b)[^\W\d_]+(?:-[^\W\d_]+)?"
)
_OPEN_LIST = re.compile(r"[\s\"')\]]*(?:\.\.|…|[,;&+/]\s*[A-Z](?![\w'])|,? etc\b)")
"""What leaves a list of options open, or goes on with a letter that is none of them."""
_GIVEN = re.compile(r"\b(?:options|choices|alternatives|optionen|opciones|opzioni|opções)\b|选项|選項")
_NEXT = re.compile(r"[.,;!]|\n")
_PART = re.compile(r"\W*(?:there|i (?:can )?(?:see|count|find)|we (?:can )?(?:see|count)|it (?:has|shows|contains))\b")
_SUM = re.compile(
    r"\b(?:total|sum|altogether|in all|overall|insgesamt|gesamt|summe|somme|suma|totale)\b|总|合计|總|合計"
)
_NOUNS = re.compile(
    r"(?:\s+of)?(?:\s+[^\W\d_]+(?:-[^\W\d_]+)?){0,3}[\s\"')\]}.!*;]*\Z|[个個只把杯支本张張条條块塊人件枚台つ][^\W\d_]{0,6}[\s。.！!]*\Z"
)
_TOTAL = re.compile(
    r"\s*(?:[^\W\d_]+\s+){0,2}(?:in total|altogether|in all|overall|total|insgesamt|au total|en total|in totale|no total|in totaal|łącznie|всего|合计|總共)\b",
    re.IGNORECASE,
)
_EQUALS = re.compile(
    r"=\s*\Z|\b(?:(?:total|sum|insgesamt|gesamt|summe|somme|suma|totale)(?: count| number)?(?: of| is|:|,)?|makes|equals|sums? (?:up )?to|adds? up to|(?:altogether|in all|together|overall)[:,]?)\s*(?:there are |is |of )?\Z",
    re.IGNORECASE,
)


class _Reader:
    """One answer, and all that is claimed in it."""

    def __init__(self, seen: Visible, asked: Asked, finish_reason: str | None) -> None:
        self.seen = seen
        self.asked = asked
        self.finish_reason = finish_reason
        text = statements.plain(seen.text)
        self.end = statements.own_turn(statements.lowered(text))
        self.text = text[: statements.farewell(statements.lowered(text[: self.end]))]
        self.low = statements.lowered(self.text)
        self.found = list(statements.places(self.text, self.low))
        self.choices = Choices(asked.options, numbered=asked.kind is AnswerKind.ORDER)
        self.numbers = Numbers(self.text, asked.unit) if asked.kind is AnswerKind.NUMBER else None
        self.spans = spans(self.text, asked.unit or SECONDS) if asked.kind is AnswerKind.SPANS else []
        self.why_no_span = ""
        self.items = self.choices.items(self.text) if asked.options else []
        chosen = asked.kind in (AnswerKind.OPTION, AnswerKind.MULTI)
        self.judged = verdicts(self.text, self.choices) if chosen else []
        self.repeated = self.choices.enumerations(self.text, self.items) if asked.options else []
        said = words_for_yes_and_no if asked.kind is AnswerKind.YES_NO else frozenset()
        self.corrected = [
            at
            for at, word in statements.corrections(self.low)
            if word.strip(" ,.;:!、。") not in said and not (said and word.startswith("that"))
        ]

    # ---- deciding ----

    def decided(self) -> tuple[Claim | None, str]:
        """The one claim that counts, or a sentence that says why there is none."""
        if any(item.by == "conflict" for item in self.items) and self.asked.kind is not AnswerKind.NUMBER:
            return None, "A letter stands beside another option's text."
        claims = sorted(self._claims(), key=lambda claim: (claim.start, claim.declared))
        claims = [claim for claim in claims if self._given_before_the_cut(claim)]
        claims = [claim for claim in claims if not self._is_part(claim, claims)]
        claims = self._without_parts(claims)
        if not claims:
            counted_option = self._counted_option() if self.asked.kind is AnswerKind.OPTION else None
            if counted_option is not None and self._given_before_the_cut(counted_option):
                return counted_option, ""
            return None, "It states none of what was asked for."
        last = max(claims, key=lambda claim: claim.end)
        since = max((at for at in self.corrected if at < last.start or at >= last.end), default=-1)
        if since >= last.end:
            return None, "It takes back what it stated."
        counted = [claim for claim in claims if claim.start > since] if since >= 0 else claims
        if len({(claim.value, claim.places) for claim in counted}) > 1 or any(claim.value is None for claim in counted):
            return None, "It states several, or none clearly."
        if since >= 0 and len({claim.value for claim in claims}) > 1 and since < min(c.start for c in claims):
            return None, "It takes back what it stated."
        if self.asked.kind is AnswerKind.OPTION and self._ends_with_another(last):
            return None, "It ends with another option's letter."
        if statements.taken_back(self.low, last.end, several=self.asked.kind is AnswerKind.MULTI):
            return None, "It says that another may be as right."
        order = [rule.name for rule in RULES]
        return min(counted, key=lambda claim: order.index(claim.rule)), ""

    def _ends_with_another(self, claim: Claim) -> bool:
        """Whether the last word of all is the letter of another option: "A, then again B"."""
        match = _LAST_LETTER.search(self.text, max(claim.end, len(self.text) - 60))
        if match is None or _BESIDE.search(self.text[max(0, match.start() - 24) : match.start()]):
            return False
        place = self.choices.place_of(match[1])
        return place is not None and place not in claim.places

    def _is_part(self, claim: Claim, claims: list[Claim]) -> bool:
        """Whether a claim is the end of a longer one: the last line of a list."""
        return claim.rule in ("last line", "last sentence") and any(
            other.start < claim.start and claim.end <= other.end for other in claims
        )

    def _without_parts(self, claims: list[Claim]) -> list[Claim]:
        """The same without the numbers that a labelled total sums up: "3 in the first, 4 in the second. Total: 7"."""
        if self.asked.kind is not AnswerKind.NUMBER:
            return claims
        totals = [
            claim
            for claim in claims
            if claim.rule in ("label", "equation")
            and _SUM.search(self.low, max(0, claim.declared - 24), claim.start)
            and not _SUM.search(self.low[: max(0, claim.declared - 24)])
        ]
        if not totals:
            return claims
        return [
            claim
            for claim in claims
            if claim.rule not in ("whole", "opening", "last line", "last sentence", "only number", "sentence")
            or (claim.rule == "sentence" and not _PART.match(self.low[claim.declared : claim.start]))
            or claim.value in {total.value for total in totals}
        ]

    def refused(self, claim: Claim | None) -> tuple[int, int] | None:
        """Where it refuses to answer, if that is what it does."""
        found = refusal(self.text)
        if found is None or any(refusal(fold(option)) for option in self.asked.options):
            return None
        sure = refusal(self.text, unsure=False)
        if claim is None:
            return found
        if sure is None:
            return None
        stated = claim.rule in STRONG or self.asked.kind is AnswerKind.OPTION
        between = self.text[sure[0] : claim.start]
        if stated and claim.start > sure[1] and _NEVERTHELESS.search(between) and not _GUESS.search(self.text):
            return None
        return sure

    def _given_before_the_cut(self, claim: Claim) -> bool:
        if self.finish_reason not in ("length", "content_filter") or self.end < len(self.seen.text):
            return True
        return bool(
            re.match(
                r"[\"')\]}]*\s*(?:[.;:!?。]\s|\n|[)\]]|\s[-–—]\s|,? (?:because|since)\b)\s*\S",
                self.text[claim.behind : claim.behind + 40],
            )
        ) or (claim.rule in ("tag", "boxed"))

    # ---- claims ----

    def _claims(self) -> Iterator[Claim]:
        masked = list(self.repeated)
        if self.asked.kind in (AnswerKind.MULTI, AnswerKind.ORDER):
            masked = [span for span in masked if self._is_all(span)]
        hidden = list(self._next_to_json())
        chosen = self.asked.kind in (AnswerKind.OPTION, AnswerKind.MULTI)
        yield from self._verdicts()
        for place in self._places():
            if any(a <= place.start < b for a, b in hidden) and place.rule != "json":
                continue
            claim = self._claim(place)
            if claim is None or any(a <= claim.start < b for a, b in masked):
                continue
            if chosen and statements.answers_what_is_wrong(self.low, claim.start):
                continue
            yield claim

    def _verdicts(self) -> Iterator[Claim]:
        """Yield the option that a list of verdicts supports, if the list judges two options or more."""
        found = self.judged
        judged = {each.place: each.right for each in found}
        is_whole = len(judged) == len(self.asked.options)
        if len(judged) < 2 or (not is_whole and self.finish_reason in ("length", "content_filter")):
            return
        right = sorted(place for place, is_right in judged.items() if is_right)
        start, end = found[0].start, found[-1].end
        if any(judged[each.place] is not each.right for each in found):
            yield Claim("verdicts", start, start, end, None)
        elif self.asked.kind is AnswerKind.MULTI:
            if is_whole or len(right) == len(judged):
                chosen = tuple(self.choices.options[place] for place in right)
                yield Claim("verdicts", start, start, end, chosen, tuple(right), end)
        elif right:
            same = self.choices.same(right[0])
            value = self.choices.options[right[0]] if set(right) <= set(same) else None
            yield Claim("verdicts", start, start, end, value, same if value is not None else (), end)

    def _is_all(self, span: tuple[int, int]) -> bool:
        return len({item.label for item in self.items if span[0] <= item.start < span[1]}) == len(self.asked.options)

    def _next_to_json(self) -> Iterator[tuple[int, int]]:
        """Objects with an answer in them: their other values are no answers."""
        keys = [place.start for place in self.found if place.rule == "json"]
        for start, end in statements.objects(self.text) if keys else ():
            if any(start < key < end for key in keys):
                yield start, end

    def _places(self) -> Iterator[Place]:
        yield Place("whole", 0, 0, len(self.text), closed=True)
        listed = len({each.place for each in self.judged}) > 1 or len(set(self._heads())) > 1
        if (not listed or self._first_line_alone()) and not self.text.lstrip().startswith("{"):
            yield Place("opening", 0, 0, len(self.text), closed=False)
        yield from self.found
        if self.asked.kind is AnswerKind.OPTION:
            for match in list(_RIGHT.finditer(self.low))[-statements.MANY :]:
                if _RATHER.match(self.low, match.end()):
                    continue
                for found in self._before(match.start()):
                    yield Place("is right", found, found, match.start(), closed=True)
            yield from self._chosen()
            yield from self._contrasts()
            for at in self.corrected:
                if (instead := statements.corrected_to(self.low, at)) is not None:
                    yield instead
        if self.asked.kind is AnswerKind.MULTI:
            yield from self._called_right()
        if self.numbers is not None:
            yield Place("only number", 0, 0, len(self.text), closed=False)
        if self.asked.kind is AnswerKind.SPANS:
            yield Place("only span", 0, 0, len(self.text), closed=False)

    def _contrasts(self) -> Iterator[Place]:
        """Yield the places of options that stand behind a denied one: “Not B but C”, “BではなくC”."""
        starts = [(declared, at, statements.BUT) for declared, at in statements.contrasts(self.low)]
        clauses = {0, *(match.end() for match in re.finditer(r"[.!?\n。！？]\s*|(?:答え|正解)は", self.text))}
        starts += [(at, at, statements.RATHER_THAN) for at in sorted(clauses)[: statements.MANY]]
        for declared, at, but in starts:
            step = but.search(self.text, at, at + 160)
            denied = self.choices.ref_at(self.text, at, step.start()) if step else None
            if step and denied and denied.by != "conflict" and self._shut(denied.end, step.start()):
                end = re.compile(
                    r"[.!?;\n。！？]|,? (?:because|since|as|weil|denn|car|porque)\b|です|だ|입니다|\Z"
                ).search(self.low, step.end())
                yield Place("so", declared, step.end(), end.start() if end else len(self.text), closed=True)

    def _first_line_alone(self) -> bool:
        """Tell whether the first line is only an option, without a list behind it: an answer, then reasons."""
        first = _FIRST_LINE.match(self.text)
        ref = self.choices.ref_at(self.text, 0, first.end(1)) if first and self.asked.options else None
        return (
            first is not None
            and ref is not None
            and self._shut(ref.end, first.end(1))
            and _HEADS.match(self.text, first.end()) is None
            and self.choices.ref_at(self.text, first.end(), len(self.text)) is None
        )

    def _chosen(self) -> Iterator[Place]:
        """Where one of several actions is chosen by saying that one does it, or that it is the one."""
        said = _PREDICATE.match(self.low)
        if said is not None and not _OPEN_SENTENCE.search(self.low, said.end() - 1, said.end() + 1000):
            yield Place("predicate", said.start(), said.end(), len(self.text), closed=False)
        for match in statements.few(_CHOSEN.finditer(self.low)):
            for found in self._before(match.start()):
                yield Place("is right", found, found, match.start(), closed=True)
        for match in statements.few(_DOING.finditer(self.low)):
            if _NOT_DOING.search(self.low, max(0, match.start() - 80), match.start()):
                continue
            yield Place("sentence", match.start(), match.end(), len(self.text), closed=False)
        for match in statements.few(_DOES.finditer(self.low)):
            yield Place("so", match.start(), match.end(), len(self.text), closed=False)

    def _called_right(self) -> Iterator[Place]:
        """Yield the places of options that a text calls right together, as in "Options A and C are correct"."""
        for match in statements.few(_ARE_RIGHT.finditer(self.low)):
            clause = max(self.text.rfind(sign, 0, match.start()) for sign in ".!?\n;:。！？")
            lead = _SEVERAL_LEAD.match(self.low, clause + 1, match.start())
            start = lead.end() if lead else clause + 1
            is_verdict = any(each.start <= match.start() < each.end for each in self.judged)
            if not is_verdict and not _NONE_OF.search(self.low, clause + 1, match.start()):
                yield Place("is right", start, start, match.start(), closed=True)

    def _heads(self) -> Iterator[str]:
        """The letters that begin lines, and those beside an option's text: two of them are a list, and no answer."""
        yield from (match[1].upper() for match in _HEADS.finditer(self.text))
        yield from ("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[item.label or 0] for item in self.items)

    def _before(self, end: int) -> Iterator[int]:
        """Where the option that ends at a place may begin."""
        clause = max(self.text.rfind(sign, 0, end) for sign in ".!?\n;:,。！？，、।")
        start = clause + 1
        sentence = max(self.text.rfind(sign, max(0, end - 400), end) for sign in ".!?\n;。！？।") + 1
        if _NONE_OF.search(self.low, sentence, end):
            return
        listed = self.text[clause : clause + 1] in (",", "，", "、") and self._ends_in_option(sentence, clause)
        for lead in (
            "",
            "so ",
            "therefore ",
            "thus ",
            "i think ",
            "i believe ",
            "that ",
            "hence ",
            "clearly ",
            "and ",
            "but ",
            "yet ",
            "only ",
            "also ",
            "dass ",
            "que ",
            "私は",
            "저는 ",
            "因此",
            "所以",
            "我认为",
        ):
            at = start + len(self.text[start:end]) - len(self.text[start:end].lstrip())
            if self.text[at : at + len(lead)].lower() == lead and not (listed and lead in ("", "and ")):
                yield at + len(lead)

    def _ends_in_option(self, start: int, end: int) -> bool:
        """Tell whether the text before a comma is a letter, so that a second letter makes a list: "A, B and C"."""
        match = re.compile(r"(?:\A|[\s,(\[\"'，、])[(\[\"']?([A-Z])[)\]\"']?\s?\Z").search(
            self.text, max(start, end - 6), end
        )
        return match is not None and self.choices.place_of(match[1]) is not None

    def _claim(self, place: Place) -> Claim | None:
        kind = self.asked.kind
        if place.rule in ("so", "it is") and kind is AnswerKind.ORDER:
            return None
        read = {
            AnswerKind.OPTION: self._option,
            AnswerKind.MULTI: self._multi,
            AnswerKind.ORDER: self._order,
            AnswerKind.YES_NO: self._yes_no,
            AnswerKind.NUMBER: self._number,
            AnswerKind.SPANS: self._spans,
        }[kind]
        claim = read(place)
        if claim is not None and place.rule in _WEAK and self._is_unfinished(place, claim):
            return None
        if claim is None:
            return Claim(place.rule, place.declared, place.start, place.start, None) if self._must(place) else None
        if place.rule in ("tag", "boxed") and self._unsaid_outside(place.end):
            return Claim(place.rule, place.declared, place.start, place.start, None)
        if place.rule not in ("whole", "opening", "last line", "last sentence", "only number") and statements.supposed(
            self.low, place.declared
        ):
            return None
        if (
            place.rule in ("opening", "whole", "last line", "last sentence", "so", "it is")
            and claim.value is None
            and place.rule != "whole"
        ):
            return None if place.rule != "opening" else claim
        return claim

    def _is_unfinished(self, place: Place, claim: Claim) -> bool:
        """Tell whether a text ends where its discussion of the options breaks off: "Let me analyze each option. A:"."""
        rest = self.text[claim.end :].strip(" \n\t\"'*")
        before = self.text[: claim.start].rstrip(" \n\t\"'*([")
        if place.rule == "label" and re.search(r"[:=\n]|-\s|→", self.text[place.declared : place.start]):
            return False
        if not before or len(rest) > 2:
            return False
        if rest.endswith((":", "：")):
            return True
        if rest and not (rest in (".", ")", ").") and claim.end - claim.start == 1):
            return False
        line = self.low[max(self.text.rfind("\n", 0, len(before)) + 1, len(before) - 400) : len(before)]
        pattern = _GOES_THROUGH if "\n" in self.text[len(before) : claim.start] else _ANNOUNCES
        return pattern.search(line) is not None

    def _unsaid_outside(self, end: int) -> bool:
        """Whether what follows a tag or a box denies or doubts what stands in it."""
        mark = re.compile(r"[}$]+|<\s?/[^<>]{1,20}>|\[/[^\[\]]{1,20}\]").match(self.text, end)
        if mark is None:
            return False
        behind = self.text[mark.end() : mark.end() + 60].lstrip(" $*)")
        return behind[:1] == "?" or (behind[:1] != "\n" and self._void(mark.end()) and not _NEXT.match(behind))

    def _must(self, place: Place) -> bool:
        """Whether a place that cannot be read makes the answer unreadable: someone put it there as the answer."""
        text = self.text[place.start : place.end]
        return place.rule in ("tag", "boxed") and bool(text.strip()) and "\\boxed" not in text

    def _void(self, behind: int) -> bool:
        return (
            statements.denied_after(self.text, behind)
            or statements.hedged_after(self.text, behind)
            or statements.unsaid(self.text, behind)
        )

    def _shut(self, at: int, end: int) -> bool:
        match = _SHUT.match(self.text, at, end)
        return (match.end() if match else at) >= end

    # ---- one option ----

    def _option(self, place: Place) -> Claim | None:
        if self.asked.none and (none := self._all_or_none(place)) is not None and not none.places:
            last = len(self.asked.options) - 1
            return replace(none, value=self.choices.options[last], places=(last,))
        lead = _SOFTLY.match(self.low, place.start, place.end) if place.rule in _BARE else None
        start = lead.end() if lead else place.start
        refs, behind, alternative = self._chain(start, place.end, _CONNECTOR, 12)
        if not refs:
            return None
        first = refs[0]
        if place.rule == "it is" and first.by == "text" and " " not in self.text[first.start : first.end]:
            return None
        if place.rule == "opening" and first.by == "text" and self._others(first):
            return None
        if place.rule == "opening" and first.text == () and first.by == "number" and _COUNTED.search(self.low, behind):
            return None
        if place.rule == "predicate" and not self._is_predicate(place, first, behind):
            return None
        contrasted = self._contrasted(behind, first)
        if not contrasted and (statements.denied_after(self.text, behind) or statements.unsaid(self.text, behind)):
            return None
        if place.rule == "label" and self._heads_a_list(place, first):
            return None
        one = len({ref.places for ref in refs}) == 1 and not alternative and first.by != "conflict"
        one = one and not self._goes_on_with_another(behind, first)
        if place.closed and not self._shut(behind, place.end):
            return None
        if not one and place.rule == "sentence" and len(refs) > 1 and not alternative and self._goes_on(behind):
            return None
        value = self.choices.options[first.places[0]] if one else None
        if one and not contrasted and self._hedged(behind, first):
            return None
        if place.rule in ("sentence", "so", "is right") and self._is_put_in_order(behind, first):
            return None
        if place.rule == "opening" and not contrasted and self._is_a_subject(behind):
            return None
        if one and first.by == "letter" and self._numbered_otherwise(first):
            return None
        return Claim(
            place.rule, place.declared, first.start, refs[-1].end, value, first.places if one else (), behind, first.by
        )

    def _goes_on_with_another(self, behind: int, first: Ref) -> bool:
        """Tell whether another letter is joined to the option: "B and C work", "B和C都正确"."""
        other = _AND_ANOTHER.match(self.text, behind)
        place = self.choices.place_of(other[1]) if other else None
        return place is not None and place not in first.places

    def _is_predicate(self, place: Place, first: Ref, behind: int) -> bool:
        """Whether a sentence says nothing but that something is this option, and the text names no other."""
        return (
            first.by == "text"
            and len(first.text) == 1
            and _COMMAND.match(fold(self.choices.options[first.places[0]]).lower()) is None
            and _PREDICATE_ENDS.match(self.low, behind) is not None
            and _FURTHER_SENTENCE.search(self.low, behind) is None
            and not self._others(replace(first, end=0))
        )

    def _option_values(self) -> list[Fraction]:
        """The numbers that the options are; none where one is something else, or two are the same."""
        folded = [fold(text).strip() for text in self.asked.options]
        if not all(text.isdecimal() and len(text) < 20 for text in folded) or len(set(folded)) < len(folded):
            return []
        return [Fraction(text) for text in folded]

    def _numbered_otherwise(self, first: Ref) -> bool:
        """Whether another option stands behind a letter in words: "B. four" where B is 3."""
        values = self._option_values()
        if not values:
            return False
        line = self.text[first.end : first.end + 40].partition("\n")[0].strip(" .:)(*-")
        said = read_answer(line, Asked(AnswerKind.NUMBER)).value if line else None
        return isinstance(said, float) and said in values and said != values[first.places[0]]

    def _counted_option(self) -> Claim | None:
        """Of options that are all numbers, the one that is the only number of the text and counts something: "I see 4 cups"."""
        values = self._option_values()
        if not values or len(self.text) > 2000:
            return None
        reader = _Reader(self.seen, Asked(AnswerKind.NUMBER), self.finish_reason)
        assert reader.numbers is not None
        if (
            len(reader.numbers.found) != 1
            or reader.numbers.found[0].value not in values
            or _OPEN_SENTENCE.search(self.low)
        ):
            return None
        claim, _ = reader.decided()
        if claim is None or not isinstance(claim.value, float):
            return None
        alone = self.text.strip(" .\n") == self.text[claim.start : claim.end]
        if not alone and not _COUNTS.match(self.text, claim.end):
            return None
        at = values.index(Fraction(claim.value))
        return replace(claim, rule="predicate", value=self.asked.options[at], places=(at,))

    def _contrasted(self, behind: int, first: Ref) -> bool:
        """Whether another option is denied behind the one that is stated: "B, not A"."""
        denied = _NOT_THAT.match(self.text, behind)
        if denied is None:
            return False
        letter = self.text[denied.end() : denied.end() + 1]
        place = self.choices.place_of(letter) if letter.isupper() else None
        if place is not None and place not in first.places and _TAIL.match(self.text, denied.end() + 1):
            return True  # "A" is a letter here, not an article
        other = self.choices.ref_at(self.text, denied.end(), len(self.text))
        return (
            other is not None
            and other.by != "conflict"
            and not set(other.places) & set(first.places)
            and _TAIL.match(self.text, other.end) is not None
        )

    def _heads_a_list(self, place: Place, first: Ref) -> bool:
        """Whether a label only leads to a list of options, each on a line of its own: "Let's look at each option:"."""
        if "\n" not in self.text[place.declared : first.start + 1]:
            return False
        line = self.text.find("\n", first.end)
        following = _HEADS.search(self.text, line) if line >= 0 else None
        return following is not None and self.choices.place_of(following[1]) not in (None, *first.places)

    def _is_put_in_order(self, behind: int, first: Ref) -> bool:
        """Whether another option is named as done before or after, or as preferred in turn: "I would take D after B", "D to
        B but C to D"."""
        step = re.compile(
            r"[\s\"')\],]*(?:(?:to|over) [^.!?\n]{1,80}? but (?=[^.!?\n]{1,80} (?:to|over)\b)|(?:and )?(?:only )?(?:after|before|once|until|following|then|next|afterwards|followed by|finally),?\s+)(?:doing |action |option )?"
        ).match(self.low, behind)
        other = self.choices.ref_at(self.text, step.end(), len(self.text)) if step else None
        return other is not None and not set(other.places) & set(first.places)

    def _is_a_subject(self, behind: int) -> bool:
        """Whether a verb follows: "A is tempting" says something about A, and does not choose it."""
        word = re.compile(r"[)\]\"']?[ \t]+([A-Za-zÀ-ɏͰ-ԯ]+)").match(self.text, behind)
        return word is not None and not words.follows(REASONS, word[1].lower(), self.text[word.end() : word.end() + 20])

    def _goes_on(self, behind: int) -> bool:
        return bool(re.match(r"\s+[^\W\d_]", self.text[behind : behind + 5]))

    def _others(self, first: Ref) -> bool:
        """Whether another option's text stands behind one that was named by its text alone."""
        at = first.end
        while (match := re.compile(r"(?<![^\W_])[^\W_]").search(self.text, at)) is not None:
            ref = self.choices.text_at(self.text, match.start(), len(self.text))
            if ref is not None and not set(ref.places) & set(first.places):
                return True
            word = re.compile(r"[^\W_]+").match(self.text, match.start())
            at = word.end() if word else match.end()
        return False

    def _hedged(self, behind: int, first: Ref) -> bool:
        if not statements.hedged_after(self.text, behind):
            return False
        denied = re.compile(r"[\s\"')\].]*,? (?:and )?(?:not|nicht|pas|non|no|não|niet|nie|не) ").match(
            self.text, behind
        )
        if denied:
            other = self.choices.ref_at(self.text, denied.end(), len(self.text))
            return (
                other is None
                or bool(set(other.places) & set(first.places))
                or not self._shut(other.end, len(self.text))
            )
        return True

    def _chain(self, start: int, end: int, connector: re.Pattern[str], many: int) -> tuple[list[Ref], int, bool]:
        """The options named one after the other, the place behind them, and whether "or" stands between them."""
        refs: list[Ref] = []
        first = self.choices.ref_at(self.text, start, end)
        if first is None:
            return refs, start, False
        refs.append(first)
        behind, alternative = first.end, False
        while len(refs) < many:
            either = _OR.match(self.text, behind, end)
            step = either or connector.match(self.text, behind, end)
            if step is None or step.end() == behind:
                break
            ref = self.choices.ref_at(self.text, step.end(), end, after=refs[-1])
            if ref is None and step[0].endswith("both "):  # as in "neither hand, both hands"
                ref = self.choices.ref_at(self.text, step.end() - len("both "), end)
            if ref is None or (
                connector is _CONNECTOR and ref.end < end and "\n" in step[0] and not self._line_ends(ref.end, end)
            ):
                break
            if (
                ref.by == "letter"
                and not step[0].strip()
                and "\n" not in step[0]
                and self.asked.kind is AnswerKind.OPTION
                and self.text[ref.start] in "AI"
            ):
                break
            refs.append(ref)
            is_slash = self.asked.kind is AnswerKind.MULTI and either is not None and either[0].strip() == "/"
            behind, alternative = ref.end, alternative or (either is not None and not is_slash)
        return refs, behind, alternative

    def _line_ends(self, at: int, end: int) -> bool:
        return re.compile(r"[\s\"')\]}>.,;:!*|。]*(?:\n|\Z)|[ \t\"')\]}.,;]*\n").match(
            self.text, at, end
        ) is not None or self._shut(at, end)

    # ---- several options ----

    def _multi(self, place: Place) -> Claim | None:
        if place.rule in ("so", "it is", "last line") and place.rule != "last line":
            return None
        if place.rule == "last sentence":
            return None
        whole = self._all_or_none(place)
        if whole is not None:
            return whole
        if place.rule == "last line":
            place = self._with_lines_above(place)
        compact = _COMPACT.match(self.text, place.start, place.end)
        if (
            compact
            and compact[1].isalpha()
            and self._is_compact(compact[1])
            and self._ends(place, compact.end(1))
            and not self._void(compact.end(1))
        ):
            chosen = tuple(sorted(self._letters(compact[1])))
            return self._several(place, compact.start(1), compact.end(1), chosen)
        refs, behind, alternative = self._chain(place.start, place.end, _CONNECTOR, 2 * len(self.asked.options) + 2)
        if not refs:
            return None
        if (
            alternative
            or any(ref.by == "conflict" for ref in refs)
            or not self._ends(place, behind)
            or self._void(behind)
            or _NONE_OF.search(self.low, max(place.declared - 40, 0), refs[0].start)
        ):
            bad = place.rule in ("label", "tag", "boxed", "json")
            return Claim(place.rule, place.declared, refs[0].start, behind, None, (), behind) if bad else None
        chosen_places = [ref.label if ref.label is not None else ref.places[0] for ref in refs]
        if any(ref.label is None and len(ref.places) > 1 for ref in refs):
            return None
        if (
            place.rule in ("whole", "opening")
            and self.repeated
            and self._is_all((refs[0].start - 3, behind))
            and all(ref.by == "both" for ref in refs)
        ):
            return None
        further = self.choices.ref_at(self.text, re.compile(r"[\s.]*").match(self.text, behind).end(), place.end)  # type: ignore[union-attr]
        if (
            place.rule == "opening"
            and further is not None
            and set(further.places) - set(chosen_places)
            and "\n\n" not in self.text[behind : further.start]
        ):
            return None
        if _OPEN_LIST.match(self.text, behind):
            return None
        if place.rule == "opening" and (_MORE.search(self.text, behind) or (len(refs) == 1 and self._others(refs[0]))):
            return None
        return self._several(place, refs[0].start, behind, tuple(sorted(set(chosen_places))))

    def _with_lines_above(self, place: Place) -> Place:
        """The last line with the options on the lines above it: they are one list."""
        start = place.start
        while True:
            end = len(self.text[:start].rstrip())
            above = max(self.text.rfind("\n", 0, end) + 1, end - 2000)
            ref = self.choices.ref_at(self.text, above, end) if end else None
            if ref is None or not self._shut(ref.end, end):
                break
            start = above
        heading = self.low[max(self.text.rfind("\n", 0, end) + 1, end - 300) : end]
        if start < place.start and _CALLS_WRONG.search(heading):
            return replace(place, start=place.end, declared=place.end)
        return replace(place, start=start, declared=start)

    def _several(self, place: Place, start: int, end: int, chosen: tuple[int, ...]) -> Claim:
        return Claim(
            place.rule, place.declared, start, end, tuple(self.choices.options[n] for n in chosen), chosen, end
        )

    def _is_compact(self, letters: str) -> bool:
        places = self._letters(letters)
        if not letters.isupper() or max(places) >= len(self.asked.options) or len(set(places)) < len(places):
            return False
        return letters.lower() not in _SPELLED or places == sorted(places)

    def _letters(self, letters: str) -> list[int]:
        return ["ABCDEFGHIJ".index(letter) for letter in letters.upper()]

    def _ends(self, place: Place, behind: int) -> bool:
        if place.closed:
            return self._shut(behind, place.end)
        return _TAIL.match(self.text, behind) is not None

    def _all_or_none(self, place: Place) -> Claim | None:
        if place.rule == "opening":
            return self._all_or_none_first(place)
        if place.rule not in ("whole", "label", "tag", "boxed", "json", "last line"):
            return None
        end = place.end if place.closed else (self.text + "\n").index("\n", place.start)
        core = self.text[place.start : end].strip(" \n\t.!\"'()[]{}*。,").lower()
        core = re.sub(r"^(?:the (?:correct |right )?answer is:? |so,? |therefore,? |i think )", "", core)
        start = (
            place.start + len(self.text[place.start : end]) - len(self.text[place.start : end].lstrip(" \n\t\"'([{*"))
        )
        folded = [fold(option).lower().strip(" .") for option in self.asked.options]
        if core in folded:
            return None  # an option says so itself
        if core in words.ALL or words.ALL_RIGHT.fullmatch(core):
            return self._several(place, start, start + len(core), tuple(range(len(folded))))
        if core in words.NONE or words.NONE_RIGHT.fullmatch(core) or self._is_empty_list(place):
            none = [n for n, option in enumerate(folded) if option in words.NONE or words.NONE_RIGHT.fullmatch(option)]
            chosen = tuple(none) if self.asked.kind is AnswerKind.MULTI else ()
            return self._several(place, start, start + len(core), chosen)
        return None

    def _all_or_none_first(self, place: Place) -> Claim | None:
        """Return what a first sentence says about all options, if the text behind names and limits nothing."""
        first = _FIRST_SENTENCE.match(self.low)
        if first is None or self.asked.kind is not AnswerKind.MULTI or _NAMES_MORE.search(self.text, first.end()):
            return None
        is_all = words.ALL_RIGHT.fullmatch(first[1]) is not None
        if not is_all and words.NONE_RIGHT.fullmatch(first[1]) is None:
            return None
        claim = self._all_or_none(Place("whole", first.start(1), *first.span(1), closed=True))
        return replace(claim, rule=place.rule) if claim else None

    def _is_empty_list(self, place: Place) -> bool:
        """Tell whether a place holds only an empty list: []."""
        return _EMPTY_LIST.fullmatch(self.text, place.start, place.end) is not None

    # ---- an order ----

    def _order(self, place: Place) -> Claim | None:
        n = len(self.asked.options)
        listed = self._listed_letters(place)
        if listed is not None:
            return listed
        bad = (
            Claim(place.rule, place.declared, place.start, place.start, None)
            if place.rule in ("label", "tag", "boxed", "json")
            else None
        )
        compact = _COMPACT.match(self.text, place.start, place.end)
        if compact and len(compact[1]) == n and self._ends(place, compact.end(1)):
            digits = compact[1].isdigit()
            chosen = (
                [int(c) - 1 for c in compact[1]]
                if digits
                else (self._letters(compact[1]) if compact[1].isupper() else [])
            )
            if (
                sorted(chosen) == list(range(n))
                and compact[1].lower() not in _SPELLED
                and not self._void(compact.end(1))
            ):
                return self._ordered(place, compact.start(1), compact.end(1), chosen)
        lead = _LEAD.match(self.text, place.start, place.end)
        refs: list[Ref] = []
        behind, alternative = place.start, False
        for start in dict.fromkeys((place.start, lead.end() if lead else place.start)):
            refs, behind, alternative = self._chain(start, place.end, _THEN, n + 2)
            if len(refs) > 1:
                break
        if len(refs) < 2:
            return None
        labels = [ref.label for ref in refs]
        chosen = [
            ref.text[0]
            if ref.by != "letter" and ref.text and ref.label != ref.text[0]
            else (ref.label if ref.label is not None else ref.places[0])
            for ref in refs
        ]
        if any(ref.by == "conflict" for ref in refs):
            if (
                labels != list(range(n))
                or any(not self._numbered(ref) for ref in refs)
                or any(len(ref.text) != 1 for ref in refs)
            ):
                return bad
            chosen = [ref.text[0] for ref in refs]
        around = self.text[max(0, place.declared - 60) : behind + 40]
        if (
            alternative
            or sorted(chosen) != list(range(n))
            or _NOT_FORWARD.search(around)
            or not self._ends(place, behind)
            or self._void(behind)
        ):
            return bad
        if any(len(ref.text) > 1 and ref.label is None for ref in refs):
            return bad
        if (
            place.rule in ("whole", "opening")
            and all(ref.by == "both" and not self._numbered(ref) for ref in refs)
            and chosen == list(range(n))
        ):
            return None
        if place.rule in ("opening",) and self._is_echo(refs):
            return None
        if chosen == list(range(n)) and _GIVEN.search(self.low, max(0, place.declared - 24), refs[0].start):
            return None
        if place.rule == "last line" and self._ordered_otherwise(place, chosen):
            return None
        ordinals = re.search(r"\d(?:st|nd|rd|th)\b", self.text[refs[0].start : behind])
        if ordinals and not any(ref.text for ref in refs):
            return bad
        return self._ordered(place, refs[0].start, behind, chosen)

    def _listed_letters(self, place: Place) -> Claim | None:
        """Read a numbered list that holds only letters as an order: "1. C", "2. A". C", "2. A"."""
        found = list(_NUMBERED_LETTER.finditer(self.text, place.start, place.end))
        numbers = [int(match[1]) for match in found]
        chosen = [self.choices.place_of(match[2]) for match in found]
        places = [each for each in chosen if each is not None]
        whole = range(len(self.asked.options))
        if numbers != [n + 1 for n in whole] or sorted(places) != list(whole) or place.rule in ("last line", "json"):
            return None
        if _NOT_FORWARD.search(self.text[max(0, place.declared - 60) : found[0].start()]):
            return None
        return self._ordered(place, found[0].start(2), found[-1].end(2), places)

    def _ordered_otherwise(self, place: Place, chosen: list[int]) -> bool:
        """Whether the line above is another order of all the options."""
        end = len(self.text[: place.start].rstrip())
        start = max(self.text.rfind("\n", 0, end) + 1, end - 2000)
        refs, behind, _ = self._chain(start, end, _THEN, len(chosen) + 2)
        above = [ref.label if ref.label is not None else ref.places[0] for ref in refs if ref.places]
        since = any(start < at < place.start for at in self.corrected)
        return not since and above != chosen and sorted(above) == sorted(chosen) and self._shut(behind, end)

    def _numbered(self, ref: Ref) -> bool:
        return (
            self.text[ref.start : ref.start + 1].isdigit()
            or self.text[ref.start : ref.start + 2].lstrip("(")[:1].isdigit()
        )

    def _is_echo(self, refs: list[Ref]) -> bool:
        """Whether a list at the beginning only repeats what was given, and something follows it."""
        return all(ref.text for ref in refs) and [ref.text[0] for ref in refs] == list(range(len(refs)))

    def _ordered(self, place: Place, start: int, end: int, chosen: list[int]) -> Claim:
        return Claim(
            place.rule, place.declared, start, end, tuple(self.choices.options[n] for n in chosen), tuple(chosen), end
        )

    # ---- yes or no ----

    def _yes_no(self, place: Place) -> Claim | None:
        if place.rule in ("it is",):
            return None
        match = _YES_NO.match(self.text, place.start, place.end)
        if match is None:
            return None
        yes, behind = bool(match["yes"]), match.end("yes") if match["yes"] else match.end("no")
        if not _AFTER_YES_NO.match(self.text, behind, place.end) or (
            place.closed and not self._shut(behind, place.end)
        ):
            return None
        word = match["yes"] or match["no"]
        if place.rule in ("sentence", "so") and not re.match(
            r"[\s\"')\]]*(?:[.,;:!\n。，！।]|\Z|because|since|as |です|でした|だ|입니다|है)",
            self.text[behind : behind + 12],
        ):
            return None
        start = match.start("yes") if yes else match.start("no")
        value: str | None = "yes" if yes else "no"
        denied = re.match(
            r"[\s\"')]*, ?(?:not?|nicht|pas|non|não|niet|nie|не)\b", self.text[behind : behind + 12], re.IGNORECASE
        )
        if (statements.hedged_after(self.text, behind) and not denied) or re.match(
            r"[\s,]*(?:and|und|et|y|e|en|i|и|or|/|&)\s*(?:yes|no|ja|nein|oui|non|sí|nee|nie|tak|да|нет)\b",
            self.text[behind : behind + 16],
            re.IGNORECASE,
        ):
            value = None
        if word.lower() == "no" and re.match(r"\.\s?\d", self.text[behind : behind + 4]):
            return None
        if value and (self._turned(behind, value) or statements.unsaid(self.text, behind)):
            value = None
        return Claim(place.rule, place.declared, start, behind, value, (), behind)

    def _turned(self, behind: int, value: str) -> bool:
        """Whether a later sentence begins with the other word."""
        for match in re.compile(
            r"[.!?;:\n,—–-]\s{0,3}|\b(?:but|wait|or|and|rather|actually),? ", re.IGNORECASE
        ).finditer(self.text, behind):
            other = _YES_NO.match(self.text, match.end())
            if (
                other
                and _AFTER_YES_NO.match(self.text, other.end("yes") if other["yes"] else other.end("no"))
                and ("yes" if other["yes"] else "no") != value
            ):
                return True
        return False

    # ---- a number ----

    def _number(self, place: Place) -> Claim | None:
        assert self.numbers is not None
        if place.rule == "only number":
            return self._only_number(place)
        if place.rule in ("it is", "so"):
            return None
        lead = _SOON.match(self.text, place.start, place.end)
        at = lead.end() if lead else place.start
        number = next(
            (each for each in self.numbers.found if place.start <= each.start <= at < each.end or each.start == at),
            None,
        )
        if number is None or number.end > place.end:
            return None
        stop = re.compile(r"[.!?](?=\s|\Z)|\n|\(|;|\b(?:because|since|as|where)\b|。").search(
            self.text, number.end, min(place.end, number.end + 2000)
        )
        until = stop.start() if stop else place.end
        others = [each for each in self.numbers.found if number.end <= each.start < until and not each.named]
        if number.named and number.value is not None and not self._named_alone(number, place):
            return None
        if place.closed or place.rule == "opening":
            line = self.text[number.end : place.end if place.closed else (self.text + "\n").index("\n", number.end)]
            if not (_NOUNS.match(line) or (self._shut(number.end, place.end))):
                same = [each for each in others if each.value == number.value]
                if not (len(same) == len(others) and others and _NOUNS.match(self.text[others[-1].end : until])):
                    return None
            if (
                place.rule == "opening"
                and re.match(r"[.):]\s", self.text[number.end : number.end + 2])
                and len(_ENUMERATOR.findall(self.text)) > 1
            ):
                return None
        denied = self._denied_beside(number)
        others = [each for each in others if each is not denied]
        if any(each.value != number.value for each in others):
            if place.rule in ("opening", "last line", "last sentence", "whole", "sentence"):
                return None
            return Claim(place.rule, place.declared, number.start, number.end, None, (), number.end)
        if number.value is None or _HEDGES.search(self.text[max(0, number.start - 30) : number.start]):
            return Claim(place.rule, place.declared, number.start, number.end, None, (), number.end)
        if denied is None and self._unsaid(number):
            return Claim(place.rule, place.declared, number.start, number.end, None, (), number.end)
        return self._counted(place, number)

    def _denied_beside(self, number: Number) -> Number | None:
        """Return the number that is denied right behind this one: "8, not 9"."""
        assert self.numbers is not None
        denied = _NOT_THAT.match(self.text, number.end)
        if denied is None:
            return None
        other = next((each for each in self.numbers.found if each.start == denied.end()), None)
        return other if other is not None and _TAIL.match(self.text, other.end) else None

    def _unsaid(self, number: Number) -> bool:
        """Whether a number is denied or doubted by what follows it, or the nouns behind it: "3 cups?"."""
        assert self.numbers is not None
        of = _OF.match(self.text, number.end)
        if of is not None:
            return any(of.start() <= each.start < of.end() for each in self.numbers.found) or self._unsaid_of(
                of.end("of")
            )
        if self._void(number.end):
            return True
        nouns = _NOUNS_COUNTED.match(self.text, number.end)
        return nouns is not None and _UNSAID.match(self.text, nouns.end()) is not None

    def _unsaid_of(self, behind: int) -> bool:
        """Whether what follows "350 g of", behind some word of it, denies or doubts it."""
        for _ in range(5):
            word = _WORD.match(self.text, behind)
            if word is None:
                return False
            behind = word.end()
            if _UNSAID.match(self.text, behind) or self._void(behind):
                return True
        return False

    def _is_a_name(self, number: Number) -> bool:
        """Whether a word stands right before a number, and none that it counts behind: "camera 3", "May 3"."""
        before = re.search(r"([A-Za-zÀ-ɏͰ-ԯ]+)[\s\"'(*]*\Z", self.text[max(0, number.start - 24) : number.start])
        counts = re.match(r"\s{1,3}[^\W\d_]+", self.text[number.bare_end : number.bare_end + 30])
        counted = number.unit or (counts is not None and counts[0].strip().lower() not in FUNCTION_WORDS)
        return before is not None and not counted and before[1].lower() not in _LEADS

    def _named_alone(self, number: Number, place: Place) -> bool:
        """Whether a number word that may be another word ("one", "elf") stands alone or before its noun."""
        return not number.really_named and place.rule in (
            "whole",
            "label",
            "tag",
            "boxed",
            "json",
            "last line",
            "opening",
        )

    def _counted(self, place: Place, number: Number) -> Claim:
        assert isinstance(number.value, Fraction)
        return Claim(place.rule, place.declared, number.start, number.end, float(number.value), (), number.end)

    def _only_number(self, place: Place) -> Claim | None:
        assert self.numbers is not None
        listed = [match.span(1) for match in _ENUMERATOR.finditer(self.text)]
        listed = listed if len(listed) > 1 else []
        amounts = [
            each for each in self.numbers.found if not each.named and not any(a <= each.start < b for a, b in listed)
        ]
        for number in reversed(amounts):
            before, behind = self.text[max(0, number.start - 40) : number.start], self.text[number.end :]
            if (
                number.value is not None
                and (_EQUALS.search(before) or _TOTAL.match(behind))
                and not _HEDGES.search(before)
                and number is amounts[-1]
                and not self._unsaid(number)
            ):
                return self._counted(Place("equation", number.start, number.start, number.end, False), number)
        if (
            not amounts
            or hedged(self.text)
            or any(
                self._unsaid(each)
                or statements.claimed(self.low, each.start)
                or _IF.search(self.low, max(0, each.start - 80), each.start)
                for each in amounts
            )
        ):
            return None
        if len({each.value for each in amounts}) != 1 or amounts[0].value is None:
            return None
        if any(claimed.value is None for claimed in amounts) or self._is_a_name(amounts[0]):
            return None
        return self._counted(place, amounts[0])

    # ---- spans of time

    def _spans(self, place: Place) -> Claim | None:
        """The span that a place states, or all of them where several are asked for."""
        if place.rule in ("opening", "last sentence"):
            return None
        if place.rule == "only span" and any(self._spans(each) for each in self.found if each.rule in STRONG):
            return None
        there = [each for each in self.spans if place.start <= each.start and each.end <= place.end]
        if place.rule in ("whole", "last line") or (place.closed and not there):
            there = self._span_alone(place, there)
        elif not place.closed and place.rule != "only span":
            there = self._span_soon(place, there)
        if not there:
            return None
        values = sorted({each.value for each in there if each.value is not None})
        why = next((each.why for each in there if each.value is None), "")
        if not why and len(values) > 1 and not self.asked.several:
            why = "It states several spans of time, and one is asked for."
        if any(self._span_unsaid(each) for each in there):
            why = "It denies or doubts a span that it states."
        if why:
            self.why_no_span = why
        if why and place.rule == "only span":
            return None
        value = None if why else tuple(values)
        return Claim(place.rule, place.declared, there[0].start, there[-1].end, value, (), there[-1].end)

    def _span_alone(self, place: Place, there: list[Said]) -> list[Said]:
        """The spans of a place in which nothing else stands."""
        text = self.text[place.start : place.end]
        pair = alone(text, self.asked.unit or SECONDS)
        if pair is not None and not there:
            return [replace(pair, start=place.start + pair.start, end=place.start + pair.end)]
        at, rest = place.start, []
        for each in there:
            rest.append(self.text[at : each.start])
            at = each.end
        rest.append(self.text[at : place.end])
        return [] if any(re.search(r"[^\W_]", part) for part in rest) else there

    def _span_soon(self, place: Place, there: list[Said]) -> list[Said]:
        """The spans of the line in which what a place declares begins, where they begin soon."""
        if not there or there[0].start - place.start > _SPAN_SOON or "\n\n" in self.text[place.start : there[0].start]:
            return []
        line = self.text.find("\n", there[0].end)
        return [each for each in there if line < 0 or each.end <= line]

    def _span_unsaid(self, said: Said) -> bool:
        return bool(_HEDGES.search(self.text[max(0, said.start - 30) : said.start])) or self._void(said.end)


_FIRST_SENTENCE = re.compile(r"[\s\"'*(]*([^.!?;:\n。！？]{3,80})(?:[.!]\s|[。！]|\n)")
_NAMES_MORE = re.compile(
    r"(?<![A-Za-z])(?-i:[A-J])(?![A-Za-z'])|\b(?:but|however|except|although|though|unless|if|or|maybe|only|answer|option)\b|\?|但|しかし|aber|mais|pero",
    re.IGNORECASE,
)
"""Behind a sentence about all options: a single option, or a limit."""
_EMPTY_LIST = re.compile(r"[\s\"'`*]*(?:\[\s*\]|∅|\\?emptyset|\\?varnothing)[\s\"'`*.]*")
_IF = re.compile(r"\b(?:if|unless|suppose|supposing|assuming|wenn|falls|si)\b[^.!?\n]*\Z")
_BARE = frozenset(("whole", "opening", "last line", "last sentence"))
_COUNTED = re.compile(r"\b(?:option|choice) \d|(?:first|second|third|fourth|fifth|last|other) (?:option|choice|one)\b")
_WEAK = frozenset(("last line", "last sentence", "only number", "label"))
"""Rules that take the end of a text, where a truncated answer also ends."""
_SOFTLY = re.compile(
    r"[\s\"'(*]*(?:(?:(?:most |very |quite )?(?:probably|likely)|definitely|certainly|clearly|surely|obviously|i think|i believe|i'd say|i would say|i guess"
    r"|wahrscheinlich|vermutlich|probablement|probablemente|sans doute|可能是|应该是|おそらく|아마)[,:]?\s{0,3}){1,2}"
)
_ABOUT_OPTIONS = r"(?:options?|choices?|alternatives?|answers?|candidates?|possibilit(?:y|ies)|statements?|one by one|each|选项|選択肢)"
_GOES = r"(?:let(?:'s| us| me)|i(?:'ll| will| need to| should| have to)|we(?:'ll| will| need to| should)|to answer|looking at|here (?:is|are))"
_LOOKS = r"(?:analy[sz]\w{1,4}|evaluat\w{1,3}|consider\w{0,3}|examin\w{1,3}|look\w{0,3}|go (?:through|over)|review|check|assess|break down|think|count|compare|discuss|walk through|work through|see)"
_GOES_THROUGH = re.compile(
    rf"\b{_GOES}\b[^.!?\n]{{0,80}}\b{_ABOUT_OPTIONS}\b[^\n]{{0,40}}\Z|逐一分析[^\n]{{0,20}}\Z|\A\W*(?:the )?(?:analysis|evaluation|options|choices)(?: of [^\n.]{{0,30}}| are)?:?\Z"
)
"""A line that leads to a discussion of the options."""
_ANNOUNCES = re.compile(
    rf"\b{_GOES}\b[^.!?\n]{{0,60}}\b{_LOOKS}\b|\b(?:first|firstly|to start|considering|consider|regarding)\b[,:]?\s*\Z"
)
_NONE_OF = re.compile(
    r"\b(?:none|neither|nor|not (?:one|any|all|both|even)|no one|(?:no|any) (?:single |correct |right )?(?:options?|answers?|choices?|one)|which of|whether|incorrect|wrong)\b|\b(?:between|among) (?:options? )?[(\[]?[a-j]\b"
    r"|\b(?:nicht|kein\w{0,2}|weder|aucune?|ninguna?)\b|都不|没有一个|どれも"
)
"""Before options that are called right: none of them is, or it is only asked."""
_ARE_RIGHT = re.compile(
    r"(?:(?:are|is)(?: (?:both|all|each|clearly|definitely|therefore|thus|indeed))?(?: the)?(?: only)? (?:correct|right|true|best|valid|accurate|applicable|the answers?|shown|supported)(?: (?:answers?|options?|choices?|ones?|statements?))?"
    r"|(?:apply|applies)(?: here)?|(?:sind|ist) (?:beide |alle )?(?:die )?(?:richtig\w{0,2}|korrekt\w{0,2})(?: antworten| optionen)?|sont (?:les )?(?:bonnes|correct\w{0,2}|justes)(?: réponses| options)?|son (?:las )?(?:correct\w{1,2})(?: respuestas)?"
    r"|都?是?正确的?|都对|が正しい(?:です)?|が正解(?:です)?|(?:가|이) 정답(?:입니다)?|सही हैं?)(?=[\s.!,;।。]*(?:\Z|\n|[.!;。।]|because|since|,))"
)
_SEVERAL_LEAD = re.compile(
    r"[\s\"'*]*(?:(?:so|therefore|thus|hence|and|i think|i believe|only|both|the|statements?|that|clearly|optionen|nur|die|les|las)[,:]?\s{1,3}){0,4}"
)
_CALLS_WRONG = re.compile(
    r"\b(?:not|incorrect|wrong|false|eliminat\w+|exclud\w+|ruled? out|discard\w*|reject\w*)\b|n't\b|falsch|faux|错|不"
)
_SPAN_SOON = 60
"""So many characters behind what declares it a span has begun: "The event happens in the video from …"."""
_LEADS = frozenset(
    "is are was were s re be equals equal of see count counted total gives get got has have shows show contains contain holds about around roughly approximately exactly only just precisely there say think believe "
    "probably likely answer number say says approx circa ca makes make me to the than but and so therefore estimate "
    "ist sind gibt sehe zähle insgesamt etwa ungefähr est sont a environ voit compte es son hay unos unas tiene è sono ci circa há é são tem er zijn zie ongeveer jest są widzę около всего есть вижу примерно".split()
)
_LAST_LETTER = re.compile(
    r"(?<![0-9A-Za-zÀ-ɏ'-])[(\[\"']?([B-J]|A)[)\]\"'.!]*(?: (?:actually|instead|then|after all|now|rather))?[)\]\"'.!\s]*\Z"
)
_BESIDE = re.compile(
    r"(?:\b(?:not|than|over|nor|except|from|with|to|like|of|for|unlike|before|after|vitamin|type|plan|grade|frame|image|beats|excludes?|isn't|nicht|als|pas|que|no|não|non|niet|nie|не|instead of|option|and|or|second[- ]best (?:is|would be))|不是|非)\s*[(\[\"']?\Z",
    re.IGNORECASE,
)
_HEDGES = re.compile(r"\b(?:maybe|perhaps|possibly|not|either|vielleicht|peut-être|nicht|pas)\s*\Z", re.IGNORECASE)

words_for_yes_and_no = frozenset(word for row in (*words.YES.values(), *words.NO.values()) for word in row.split("|"))
_YES = "|".join(sorted({word for row in words.YES.values() for word in row.split("|")}, key=len, reverse=True))
_NO = "|".join(sorted({word for row in words.NO.values() for word in row.split("|")}, key=len, reverse=True))
_YES_NO = re.compile(
    rf"[\s\"'(\[{{<*:=>]{{0,60}}(?:(?:i think|i believe|i would say|i'd say|i say|probably|likely|definitely|certainly|most likely|the answer is|well|oh|so|ok|okay|sure|(?:based on|according to|in|from|looking at|given|judging by) [^,.\n]{{1,60}},)[,:]?\s{{1,4}}){{0,2}}[\"'(\[]{{0,4}}(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?![0-9A-Za-zÀ-ɏͰ-ԯऀ-ॣ०-ॿ؀-ۿ'-])",
    re.IGNORECASE,
)
_AFTER_YES_NO = re.compile(
    r"[\s\"')\]}>*]*(?:[(.,;:!?।。，、！；：|…=/-]|[-–—]|\n|\Z|(?:because|since|as|it|the|there|he|she|they|we|you|i|this|that|these|those|one can|and|or|weil|da|der|die|das|es|er|sie|car|parce|il|elle|le|la|porque|el|ella|perché|o|a|omdat|het|de|ponieważ|jest|потому|это|according|based|in the|your|her|his|their|its|definitely|indeed|absolutely|of course|sir|please|if|unless|but)\b)"
    r"|[\s\"')]*(?:です|の|的|、|，|है|ہ|입니다|요)",
    re.IGNORECASE,
)
