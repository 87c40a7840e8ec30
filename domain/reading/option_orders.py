"""Read in which order an answer puts the options."""

from __future__ import annotations

import re

from domain.reading.answer_types import Claim
from domain.reading.option_sets import COMPACT, SPELLED, OptionSetReader
from domain.reading.options import Ref
from domain.reading.statements import TextPlace

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

_NUMBERED_LETTER = re.compile(
    r"(?:^|\n)[ \t]{0,8}(\d{1,2})[.):][ \t]*(?:option )?\(?([A-J])\)?[ \t]*(?=[\n.;,]|\Z)", re.IGNORECASE
)

_GIVEN = re.compile(r"\b(?:options|choices|alternatives|optionen|opciones|opzioni|opções)\b|选项|選項")


class OrderReader(OptionSetReader):
    """Reads in which order an answer puts the options."""

    def _order(self, place: TextPlace) -> Claim | None:
        n = len(self.asked.options)
        listed = self._listed_letters(place)
        if listed is not None:
            return listed
        bad = (
            Claim(place.rule, place.declared, place.start, place.start, None)
            if place.rule in ("label", "tag", "boxed", "json")
            else None
        )
        compact = COMPACT.match(self.text, place.start, place.end)
        if compact and len(compact[1]) == n and self._ends(place, compact.end(1)):
            digits = compact[1].isdigit()
            chosen = (
                [int(c) - 1 for c in compact[1]]
                if digits
                else (self._letters(compact[1]) if compact[1].isupper() else [])
            )
            if (
                sorted(chosen) == list(range(n))
                and compact[1].lower() not in SPELLED
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

    def _listed_letters(self, place: TextPlace) -> Claim | None:
        """Read a numbered list that holds only letters as an order: "1. C", "2. A". C", "2. A"."""
        matches = list(_NUMBERED_LETTER.finditer(self.text, place.start, place.end))
        numbers = [int(match[1]) for match in matches]
        chosen = [self.choices.place_of(match[2]) for match in matches]
        places = [option_place for option_place in chosen if option_place is not None]
        whole = range(len(self.asked.options))
        if numbers != [n + 1 for n in whole] or sorted(places) != list(whole) or place.rule in ("last line", "json"):
            return None
        if _NOT_FORWARD.search(self.text[max(0, place.declared - 60) : matches[0].start()]):
            return None
        return self._ordered(place, matches[0].start(2), matches[-1].end(2), places)

    def _ordered_otherwise(self, place: TextPlace, chosen: list[int]) -> bool:
        """Return whether the line above is a different order of all options."""
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
        """Return whether a list at the beginning only repeats the given options, and more text follows."""
        return all(ref.text for ref in refs) and [ref.text[0] for ref in refs] == list(range(len(refs)))

    def _ordered(self, place: TextPlace, start: int, end: int, chosen: list[int]) -> Claim:
        return Claim(
            place.rule, place.declared, start, end, tuple(self.choices.options[n] for n in chosen), tuple(chosen), end
        )
