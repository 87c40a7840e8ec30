"""Labels before a verdict in brackets: its name, its author, and whether it is final."""

from __future__ import annotations

import re

from inference.judges.judge_words import SCORE_NAMES, SCORE_NAMES_EAST
from inference.judges.standing_cues import CueStanding

LABEL = re.compile(
    rf"(?:(?<![\w-])(?P<word>{SCORE_NAMES})(?!\w)|(?P<cjk>{SCORE_NAMES_EAST}))"
    r"(?P<of>(?: (?:for|of|to) (?:the |this |that |my )?[\w' ]{1,30}?)?\s?(?:\([^()\n]{0,24}\)|（[^（）\n]{0,24}）)?)"
    r"[\s*_:=|\"'`>#~$\\(.\u2013\u2014\u2192-]*"
    r"(?:(?:is|was|should be|has to be|must be|remains|=|:|est|ist|es|è|é|jest|là|是|为|為|は|は、|은|는)(?: (?:therefore|thus|hence|then|clearly|now|a|an|the|donc|daher|also))?)?"
    r"[\s*_:=|\"'`>#~$\\(-]*(?:\\?boxed\{|\\(?:text|textbf|mathbf|mathrm)\{|\{)*[\s*_\"'`$]*\Z",
    re.IGNORECASE,
)

OTHER_LABEL = re.compile(
    r"(?:\A|(?<=\n))[\s*_#>\"'`-]*(?:(?:the|my|its|this|a|an|right|wrong|correct|incorrect|good|bad|model|other|another|next|last|number of|max|min) )*"
    r"(?:answers?|responses?|repl(?:y|ies)|questions?|steps?|images?|items?|tasks?|assistants?|students?|candidates?|models?|users?|humans?|judges?|annotators?|raters?|graders?|references?|sources?|citations?|examples?|cases?|"
    r"options?|frames?|pages?|sections?|errors?|mistakes?|counts?|confidence|criteri(?:on|a)|outputs?|versions?|ids?|index|line|see|cf\.?|ref\.?|footnote|figure|table|part|round|attempt|turn)"
    r"(?: (?:\d{1,4}|[a-h]))?[\s*_\"'`]*[:=#]?[\s*_\"'`]*\Z",
    re.IGNORECASE,
)
"""A label of something other than a rating. The brackets after it hold a name, a count or a source."""

WORDS_BEFORE = re.compile(r"[\w'\u2019-]+(?=[\s*_]*$)")

LED_LABEL = re.compile(
    r"(?:\A|[^\w\s*_'\"`]|\n|[\"'`](?=[\s*_]*\Z)|[^\x00-\u024f])[\s*_\"'`#>]*\Z"
    r"|(?<![\w-])(?:my|our|the|own|a|an|and|is|are|this|that|with|of|as|so|thus|therefore|hence|then|now|here|final\w*|overall|total|ultimate|correct|appropriate|"
    r"right|proper|fair|just|suitable|adequate|resulting|revised|corrected|updated|adjusted|amended|new|definitive|concluding|closing|combined|following|"
    r"single|actual|true|numeric(?:al)?|quality|evaluation|assessment|grading|answer's|gives?|give|award|assign|\d+|step|part|independent|honest|verdict|judge's|initial|preliminary|"
    r"die|der|das|meine?|endg\u00fcltige|also|daher|la|le|ma|mon|notre|mi|el|il|mio|minha|a|\u0438\u0442\u043e\u0433\u043e\u0432\u0430\u044f|\u043c\u043e\u044f|ko\u0144cowa|accuracy|style|fluency|logic|content|object)"
    r"[\s*_\"'`]*\Z",
    re.IGNORECASE,
)
"""The text before a label of the judge's own: the start of a sentence or clause, or words such as “my final”."""

VERDICT_IS_THAT = re.compile(
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
"""Words that attribute a rating to another rater than the judge."""

_BEFORE_NOW = re.compile(
    r"(?:initial|preliminary|tentative|provisional|original|earlier|previous|old|draft|prior|interim|naive|gut|first-pass|vorläufige?|предварительн\w+|初步|初始)",
    re.IGNORECASE,
)

_OF_ANOTHER = re.compile(
    r"\b(?:reference|gold(?:en)?|previous|prior|preceding|earlier|other|examples?|sample|last|next|competing|rival|template|illustration|human|another|(?:max(?:imum)?|min(?:imum)?)(?!\.?(?: is|:|=)? ?\d)|best possible|worst possible)\b"
    r"|[(（]\s?(?:if|not|self|requested|demanded|claimed|hypothetical\w*|draft|tentative|provisional|preliminary|quoted|copied|placeholder|pending|default)\b",
    re.IGNORECASE,
)
"""Words after a label that make it a label of another answer."""

UNFINISHED = re.compile(
    rf"(?:(?<![\w</-])(?:{SCORE_NAMES})(?!\w)|{SCORE_NAMES_EAST})[\s*_\"'`]*"
    r"(?:(?:(?:is\b|:|=)[\s*_\"'`]*)?\[{1,2}[^\[\]\n]{0,12}\]?|(?:is\b|:|=)[\s*_\"'`]*)\s*\Z",
    re.IGNORECASE,
)

TAG_BEFORE = re.compile(
    r"(?:\\boxed\{|\\fbox\{|<(?:rating|score|verdict|grade|judge?ment|decision|final|result|final_?(?:answer|rating|score|verdict))>)[\s$\"'*_]*(?:\\(?:text|textbf|mathbf|mathrm)\{)?\Z",
    re.IGNORECASE,
)

BOX_BEFORE = re.compile(r"\\[bf](?:oxed|box)\{[\s$\"'*_]*\Z")

BEST = re.compile(
    r"\W*(?:the )?(?:best|top|highest)(?: (?:one|answer|response|output|choice|score|rating|pick))*\W*$", re.IGNORECASE
)
"""Among letters, the best is the one that the judge prefers. Among numbers, the word explains the scale."""


def label_level(word: str, left: str) -> int:
    if _FINAL.fullmatch(word) or _FINAL.search(left):
        return 3
    return 2


def standing_by_label(before: str, of: str) -> CueStanding | None:
    """Return the standing of a labeled rating if the words before its label show that the rating is not final."""
    before = re.split(r"[.!?;:,\n|]", before)[-1]
    words = re.findall(r"[\w'\u2019-]+", before)
    if _OF_ANOTHER.search(of):
        return CueStanding.QUOTED
    if not words:
        return None
    last = words[-1]
    if _BEFORE_NOW.fullmatch(last):
        return CueStanding.EARLIER
    if _FOREIGN.fullmatch(last) and last.lower() not in ("a", "an", "one") and "my" not in [w.lower() for w in words]:
        return CueStanding.QUOTED
    if len(words) > 1 and last.lower() in ("own", "self") and _FOREIGN.fullmatch(words[-2]):
        return CueStanding.QUOTED
    return None
