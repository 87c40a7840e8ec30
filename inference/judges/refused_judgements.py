"""Recognition of a judge that declines to judge, or states that it cannot tell."""

from __future__ import annotations

import re

DECLINES_WITHIN = 400

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

DECLINES = re.compile(
    _CANNOT + r"(?:grade|grading|rate|rating|judge|judging|score|scoring|evaluate|evaluating|assess|assessing|"
    r"(?:provide|give|offer|assign|output|produce) (?:a|an|any|the|you a|my) (?:fair |final |meaningful |reliable )?(?:rating|score|verdict|grade|judge?ment|evaluation|assessment)|"
    r"help with (?:grading|judging|rating|scoring) (?:this|that|it))"
    + _OF_THIS
    + r"|(?:抱歉|对不起)[^\n]{0,12}(?:无法|不能)[^\n]{0,8}(?:评分|评判|评价|判断)|无法(?:对[^\n]{0,12})?(?:评分|评判|评价)",
    re.IGNORECASE,
)
"""The judge declines: near the beginning of its reply, and about the whole of it."""

CANNOT_TELL = re.compile(_CANNOT + r"(?:determine|tell|decide|say|verify|know|confirm)" + _OF_THIS, re.IGNORECASE)
