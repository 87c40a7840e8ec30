"""Words between two verdicts, or after the last one, that take a verdict back."""

from __future__ import annotations

import re

CORRECTS = re.compile(
    r"(?<![\w-])(?:wait|no(?=\s?[,.:;!\u2014-])|scratch (?:that|this|it)|strike that|second thoughts?|on (?:closer )?(?:reflection|inspection)|"
    r"reconsider\w*|correct(?:ion|ing)|correct(?:ed)? (?:rating|score|verdict)|revis\w+|re-?evaluat\w+|amend\w*|(?:i )?chang(?:e|ed|ing) (?:my|it|this|the|to)|updated?|"
    r"mistaken?|oops|sorry|(?:take|took) (?:it|that|this) back|edit|erratum|after all|should (?:really |rather |instead )?be|should have been|"
    r"my bad|i was wrong|too (?:kind|generous|harsh|strict|lenient|high|low)|wrote [^.\n]{0,30} by mistake|"
    r"nein|doch|korrektur|halt|pardon|plut\u00f4t|non|correcci\u00f3n|espera|\u043d\u0435\u0442|\u0438\u0441\u043f\u0440\u0430\u0432\w*|\u043f\u043e\u043f\u0440\u0430\u0432\u043a\u0430)(?![\w-])"
    r"|->|=>|\u2192|\u66f4\u6b63|\u4fee\u6b63|\u4e0d\u5bf9|\u7ea0\u6b63|\u8a02\u6b63|\u3044\u3084|\uc815\uc815",
    re.IGNORECASE,
)
"""Between two verdicts: the first one is taken back."""

RETRACTS = re.compile(
    r"(?:^|[.!?\n\u2014\u2013(-])[\s*_`\"')(]{0,12}(?:but |and )?(?:wait\b(?!\w)|hmm+\b|hold on\b|no[,.!](?=\s)|scratch (?:that|this|it)\b|strike that\b|on second thoughts?\b|"
    r"on (?:closer )?reflection\b|(?:i'm |i am |i was )?(?:just |only )?(?:kidding|joking)\b|jk\b|not!|ignore (?:the |everything )?above|correction\b|i (?:take|took) (?:it|that|this) back|i retract|i withdraw|disregard (?:that|this|the|my)|ignore (?:that|this|my)|"
    r"oops|sorry, (?:no|i|that|my)|my mistake|actually,? (?:no\b|that is not|that's not|i )|i (?:was|am) (?:wrong|mistaken)|i meant|or rather\b|i changed? my mind|"
    r"(?:that|this|it|the (?:rating|score|verdict))(?:'s| is| was| seems)? (?:\w+ )?(?:too (?:kind|generous|harsh|strict|lenient|high|low)|a typo|not (?:my|final|mine|a verdict|the final))\b|"
    r"the (?:rating|score|verdict)(?: above)?(?:'s| is| was| seems)? (?:\w+ )?(?:wrong|a mistake|an error|not right)\b|"
    r"(?:this|that|the (?:rating|score|verdict)) (?:can ?not|can't) be right\b|"
    r"(?:this|that|it|these|those|they)(?:'s| is| was| are| were|'re) (?:(?:only|just|merely|simply) )*(?:an? |the |your |my |some )?(?:examples?|templates?|placeholders?|samples?|illustrations?|(?:form|format)(?! (?:of the )?answer))\b|"
    r"(?:this|that|it|the (?:rating|score|verdict)) (?:should|must|ought to|needs to) (?:really |rather |instead )?(?:be|have been)\b|"
    r"(?:the|this|that|these|those) (?:ratings?|scores?|verdict|lines?|values?|object)(?: above)? (?:is|was|are|were) (?:only |just |merely )?(?:an example|hypothetical|a placeholder|tentative|provisional|illustrative|quoted|not)\b|"
    r"korrektur\b|\u4e0d\u5bf9|\u66f4\u6b63|\u4fee\u6b63)",
    re.IGNORECASE,
)
"""Words after the last verdict that take it back without a new one."""

_CALLED_WRONG = re.compile(
    r"(?:^|[.!?\n\u2014\u2013(-])[\s*_`\"')(]{0,12}(?:but |and )?(?:that|this|it)(?:'s| is| was| seems)? (?:\w+ )?(?:wrong|a mistake|an error|not right)\b"
    r"(?! (?:about|on|in|to|as|because|since|of|with|for)\b)",
    re.IGNORECASE,
)


_AT_ONCE = re.compile(
    r"[\s*_`\"')\]}.,;:-]{0,12}(?:\(?(?:i'm |i am )?(?:just |only )?(?:kidding|joking)\b|jk\b|not!|(?:not really|nope|nah)[\s.!]*(?:\n|\Z))",
    re.IGNORECASE,
)
"""Words right after a verdict, without a mark in between, that deny it."""


def taken_back(text: str, at: int, *, lowest: bool = False) -> re.Match[str] | None:
    """Return where a verdict that ends at ``at`` is taken back without another one.

    ``lowest`` means that the verdict is the lowest value, so that “It is wrong” after it is its reason.
    """
    retraction = _AT_ONCE.match(text, at)
    if retraction is None:
        retraction = next(
            (
                match
                for match in RETRACTS.finditer(text, at)
                if not _says_what_is_right(text, match) and not (lowest and _answers_no(text, match))
            ),
            None,
        )
    return retraction or (None if lowest else _CALLED_WRONG.search(text, at))


def _says_what_is_right(text: str, said: re.Match[str]) -> bool:
    """Return whether “It should be …” continues with the right answer, and not with another score."""
    if re.search(r"\bit (?:should|must|ought to|needs to)\b", said[0], re.I) is None:
        return False
    other = r"\s*(?:an? |the )?(?:\d|\[|higher|lower|one\b|zero|half|full|more|less)"
    return re.match(other, text[said.end() :], re.I) is None


def _answers_no(text: str, said: re.Match[str]) -> bool:
    """Return whether a “No,” answers the question rather than takes a score back."""
    if said[0].lower().lstrip(" .!?\n*_`\"')(\u2014\u2013-")[:3] not in ("no,", "no.", "no!"):
        return False
    takes_back = r"\s*(?:wait|actually|sorry|scratch|that|this|it should|i\b|make|rather|\d|\[)"
    return re.match(takes_back, text[said.end() :], re.I) is None
