"""The reader of yes-or-no answers."""

from __future__ import annotations

import re

from domain.reading import statements, words
from domain.reading.answer_text import AnswerText
from domain.reading.answer_types import Claim
from domain.reading.statements import TextPlace

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


class YesNoReader(AnswerText):
    """A reader of yes-or-no answers."""

    def _yes_no(self, place: TextPlace) -> Claim | None:
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
        """Return whether a later sentence begins with the opposite word."""
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
