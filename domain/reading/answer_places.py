"""Find where in an answer something is stated: in verdicts, contrasts, corrections, choices."""

from __future__ import annotations

import re
from collections.abc import Iterator

from domain.reading import statements, words
from domain.reading.answer_text import HEADS, NONE_OF, OPEN_SENTENCE, AnswerText
from domain.reading.answer_types import AnswerKind, Claim
from domain.reading.statements import TextPlace

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
"""The beginning of a first sentence, up to its predicate."""

_RATHER = re.compile(
    r"[\s\"')\]]*(?:,? ?(?:only )?(?:if|unless|when|provided)\b|avoided\b|to (?:avoid|exclude|reject|discard|skip|rule out|leave out)\b|of the (?:wrong|bad|worst|remaining)\b|(?:left|ruled) out\b|or\b|(?:next to|beside|behind|above|below|under|over|by|in front|on top|there|where|at the|on the|to (?:the|a|an|it|him|her)\b|in the (?:middle|corner|center|centre|front|back))\b)"
)
"""Words after "is the best" that change its meaning."""

_CHOSEN = re.compile(rf"(?<![^\s\"')\]*])(?:{'|'.join(words.CHOSEN)})(?={words.CLAUSE_ENDS})")

_DOING = re.compile(rf"(?<![\w'-])(?:{'|'.join(words.DOING)}):?\s{{1,3}}(?:to )?")

_NOT_DOING = re.compile(
    r"\b(?:before|until|after|when|while|once|where|unlikely|impossible|thought|assumed|say|says|said|think that|who|which|what|that one)\b[^.!?;,:\n]*\Z"
)
"""Words before "the person will …" in its clause that make it a time or a thought, and not a choice."""

_DOES = re.compile(rf"(?:(?<=\n)|(?<=[.!:] )|\A)[ \t]{{0,8}}{words.DOES}")

_FIRST_LINE = re.compile(r"\s*([^\n]+)\n\s*")

_ARE_RIGHT = re.compile(
    r"(?:(?:are|is)(?: (?:both|all|each|clearly|definitely|therefore|thus|indeed))?(?: the)?(?: only)? (?:correct|right|true|best|valid|accurate|applicable|the answers?|shown|supported)(?: (?:answers?|options?|choices?|ones?|statements?))?"
    r"|(?:apply|applies)(?: here)?|(?:sind|ist) (?:beide |alle )?(?:die )?(?:richtig\w{0,2}|korrekt\w{0,2})(?: antworten| optionen)?|sont (?:les )?(?:bonnes|correct\w{0,2}|justes)(?: réponses| options)?|son (?:las )?(?:correct\w{1,2})(?: respuestas)?"
    r"|都?是?正确的?|都对|が正しい(?:です)?|が正解(?:です)?|(?:가|이) 정답(?:입니다)?|सही हैं?)(?=[\s.!,;।。]*(?:\Z|\n|[.!;。।]|because|since|,))"
)

_SEVERAL_LEAD = re.compile(
    r"[\s\"'*]*(?:(?:so|therefore|thus|hence|and|i think|i believe|only|both|the|statements?|that|clearly|optionen|nur|die|les|las)[,:]?\s{1,3}){0,4}"
)


class PlaceFinder(AnswerText):
    """Finds where an answer may state something."""

    def _verdicts(self) -> Iterator[Claim]:
        """Yield the option that a list of verdicts supports, if the list judges two options or more."""
        verdicts = self.judged
        judged = {verdict.place: verdict.right for verdict in verdicts}
        is_whole = len(judged) == len(self.asked.options)
        if len(judged) < 2 or (not is_whole and self.finish_reason in ("length", "content_filter")):
            return
        right = sorted(place for place, is_right in judged.items() if is_right)
        start, end = verdicts[0].start, verdicts[-1].end
        if any(judged[verdict.place] is not verdict.right for verdict in verdicts):
            yield Claim("verdicts", start, start, end, None)
        elif self.asked.kind is AnswerKind.MULTI:
            if is_whole or len(right) == len(judged):
                chosen = tuple(self.choices.options[place] for place in right)
                yield Claim("verdicts", start, start, end, chosen, tuple(right), end)
        elif right:
            same = self.choices.same(right[0])
            value = self.choices.options[right[0]] if set(right) <= set(same) else None
            yield Claim("verdicts", start, start, end, value, same if value is not None else (), end)

    def _next_to_json(self) -> Iterator[tuple[int, int]]:
        """Yield objects with an answer in them. Their other values are no answers."""
        keys = [place.start for place in self.found if place.rule == "json"]
        for start, end in statements.objects(self.text) if keys else ():
            if any(start < key < end for key in keys):
                yield start, end

    def _places(self) -> Iterator[TextPlace]:
        yield TextPlace("whole", 0, 0, len(self.text), closed=True)
        listed = len({verdict.place for verdict in self.judged}) > 1 or len(set(self._heads())) > 1
        if (not listed or self._first_line_alone()) and not self.text.lstrip().startswith("{"):
            yield TextPlace("opening", 0, 0, len(self.text), closed=False)
        yield from self.found
        if self.asked.kind is AnswerKind.OPTION:
            for match in list(_RIGHT.finditer(self.low))[-statements.MANY :]:
                if _RATHER.match(self.low, match.end()):
                    continue
                for begin in self._before(match.start()):
                    yield TextPlace("is right", begin, begin, match.start(), closed=True)
            yield from self._chosen()
            yield from self._contrasts()
            for at in self.corrected:
                if (instead := statements.corrected_to(self.low, at)) is not None:
                    yield instead
        if self.asked.kind is AnswerKind.MULTI:
            yield from self._called_right()
        if self.numbers is not None:
            yield TextPlace("only number", 0, 0, len(self.text), closed=False)
        if self.asked.kind is AnswerKind.SPANS:
            yield TextPlace("only span", 0, 0, len(self.text), closed=False)

    def _contrasts(self) -> Iterator[TextPlace]:
        """Yield the places of options after a denied one: “Not B but C”, “BではなくC”."""
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
                yield TextPlace("so", declared, step.end(), end.start() if end else len(self.text), closed=True)

    def _first_line_alone(self) -> bool:
        """Return whether the first line is only an option, without a list after it: an answer, and then reasons."""
        first = _FIRST_LINE.match(self.text)
        ref = self.choices.ref_at(self.text, 0, first.end(1)) if first and self.asked.options else None
        return (
            first is not None
            and ref is not None
            and self._shut(ref.end, first.end(1))
            and HEADS.match(self.text, first.end()) is None
            and self.choices.ref_at(self.text, first.end(), len(self.text)) is None
        )

    def _chosen(self) -> Iterator[TextPlace]:
        """Yield the places where one of several actions is chosen, as the action to do or as the right one."""
        predicate = _PREDICATE.match(self.low)
        if predicate is not None and not OPEN_SENTENCE.search(self.low, predicate.end() - 1, predicate.end() + 1000):
            yield TextPlace("predicate", predicate.start(), predicate.end(), len(self.text), closed=False)
        for match in statements.few(_CHOSEN.finditer(self.low)):
            for begin in self._before(match.start()):
                yield TextPlace("is right", begin, begin, match.start(), closed=True)
        for match in statements.few(_DOING.finditer(self.low)):
            if _NOT_DOING.search(self.low, max(0, match.start() - 80), match.start()):
                continue
            yield TextPlace("sentence", match.start(), match.end(), len(self.text), closed=False)
        for match in statements.few(_DOES.finditer(self.low)):
            yield TextPlace("so", match.start(), match.end(), len(self.text), closed=False)

    def _called_right(self) -> Iterator[TextPlace]:
        """Yield the places of options that a text calls right together, as in "Options A and C are correct"."""
        for match in statements.few(_ARE_RIGHT.finditer(self.low)):
            clause = max(self.text.rfind(sign, 0, match.start()) for sign in ".!?\n;:。！？")
            lead = _SEVERAL_LEAD.match(self.low, clause + 1, match.start())
            start = lead.end() if lead else clause + 1
            is_verdict = any(verdict.start <= match.start() < verdict.end for verdict in self.judged)
            if not is_verdict and not NONE_OF.search(self.low, clause + 1, match.start()):
                yield TextPlace("is right", start, start, match.start(), closed=True)

    def _before(self, end: int) -> Iterator[int]:
        """Yield where the option that ends at a place may begin."""
        clause = max(self.text.rfind(sign, 0, end) for sign in ".!?\n;:,。！？，、।")
        start = clause + 1
        sentence = max(self.text.rfind(sign, max(0, end - 400), end) for sign in ".!?\n;。！？।") + 1
        if NONE_OF.search(self.low, sentence, end):
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
