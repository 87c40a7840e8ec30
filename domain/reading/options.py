"""The item's option at a place of a text: named by its letter, its number, its words, or several of them.

The module is long because one class, ``Choices``, holds the patterns of an item, which all refer to each other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from string import ascii_uppercase

from domain.reading.statements import plain
from domain.reading.text import fold
from domain.reading.words import ARTICLE_NEXT, NEXT_WORDS, REASONS, follows

LOOK_ALIKES = {
    **{
        "А": "A",
        "С": "C",
        "І": "I",
        "Ј": "J",
    },  # Cyrillic: В and Е look like B and E, and are the 3rd and the 6th letter
    **{"Α": "A", "Β": "B", "Ε": "E", "Ι": "I"},  # Greek, where the look and the place in the alphabet agree
}
"""Letters of other alphabets that can only be look-alikes of a Latin letter."""

WORDISH = r"0-9A-Za-z_\u00aa-\u00ba\u00c0-\u024f\u0370-\u052f"
"""Characters that may not touch an option's letter. Chinese and Japanese do not separate letters by blanks."""
_LETTER = re.compile(
    rf"([A-Za-z{''.join(LOOK_ALIKES)}])(?![{WORDISH}])(?!'[^\W\d_])(?!-[^\W_]{{2}})(?!-[a-z])(?!\.[A-Za-z]\.)(?!\+\+|[°#])"
)
_NUMBER = re.compile(rf"(\d{{1,2}})(?:\s?(?:st|nd|rd|th|º|ª|°)(?![{WORDISH}]))?(?![{WORDISH}'%])(?![.:]\d)")
_OPENING = re.compile(r"[\s\"'(\[{<*:=>【〔|]{0,40}(?:[-•·–—*]\s+)?[\"'(\[{【]{0,4}")
_NOUN = re.compile(
    r"(?:(?:the |die |la |l'|o |a )?(?:correct |right )?(?:options?|choices?|letters?|answers?|both|alternative|variant|variante|opción|opciones|opzione|opzioni|opção|opções|alternativa|alternativas"
    r"|opties?|optie|opcja|opcje|варианты?|варіант|ответы?|lettres?|letras?|lettera|buchstabe|antwort|antworten|réponses?|respuestas?|risposta|resposta|seçenek|number|step|event|image|frame|picture|photo|no\.|nr\.)(?![^\W\d_])"
    r"|选项|選項|選択肢|선택지|답|옵션|보기|الخيار|विकल्प|(?:la|die|el)(?=\s[\"'(]?[A-J](?![\w'])))\s{0,4}[#:]?\s{0,4}[\"'(\[]{0,3}",
    re.IGNORECASE,
)
_COUNTED_NOUN = re.compile(
    r"(?:options?|choices?|alternatives?|variante?n?|opción|opciones|opzion[ei]|opção|opções|opties?|opcj[ae]|варианты?|选项|選項|選択肢|옵션|보기|विकल्प)(?:\s(?:number|no\.|nr\.|nummer|numéro|número))?\s{0,3}#?$",
    re.IGNORECASE,
)
"""Nouns behind which a number is a place among the options: "option 2"."""
_PLACES = (
    ("first", "1st", "erste", "première", "primera", "一", "1"),
    ("second", "2nd", "zweite", "deuxième", "segunda", "二", "2"),
    ("third", "3rd", "dritte", "troisième", "tercera", "三", "3"),
    ("fourth", "4th", "vierte", "quatrième", "cuarta", "四", "4"),
    ("fifth", "5th", "fünfte", "cinquième", "quinta", "五", "5"),
    ("sixth", "6th", "sechste", "sixième", "sexta", "六", "6"),
)
_CARDINALS = (
    ("one", "eins", "un", "uno"),
    ("two", "zwei", "deux", "dos", "due"),
    ("three", "drei", "trois", "tres", "tre"),
    ("four", "vier", "quatre", "cuatro", "quattro"),
    ("five", "fünf", "cinq", "cinco", "cinque"),
    ("six", "sechs", "seis", "sei"),
)
_BY_PLACE = {word: n for words in (_PLACES, _CARDINALS) for n, some in enumerate(words) for word in some}
_ORDINAL_WORDS = "|".join(word for words in _PLACES for word in words[:5])
_ORDINAL = re.compile(
    rf"(?:the |die |la |l')?(?P<word>{_ORDINAL_WORDS}) (?:answer )?(?:option|choice|alternative|one|variante|opción)(?![^\W\d_])"
    rf"|(?:the |die |der |das |la |le |el )(?P<alone>{_ORDINAL_WORDS})(?=[\s\"')\].!*]*\Z)"
    rf"|(?:the |die |la |l')?(?:option|choice|alternative|variante|opción|opzione|opção)s? (?:number )?(?P<cardinal>{'|'.join(word for words in _CARDINALS for word in words)})(?![^\W\d_-])"
    rf"|(?:选项|選項|選択肢)(?P<counted>[{''.join(char for words in _PLACES for char in words[5:6])}])(?![个個])"
    rf"|第(?P<char>[{''.join(char for words in _PLACES for char in words[5:])}])(?:(?:个|個)?(?:选项|選項|選択肢)|(?:个|個)(?=[\s。.!]*\Z))",
    re.IGNORECASE,
)
"""An option by its place in words: "the second option"."""
_CLOSING = re.compile(r"[\"')\]}>】〕*]{0,6}")
_STOPS = re.compile(
    r"\s*(?:[.,:;!?)|=。，、：；！？…·।]|[-–—](?:\s|$)|[-=]?>|→|⇒|<|\n|$|\Z|[—–]|[+&/]|\((?=[\u3040-\u9fff\uac00-\ud7a3]))|\s*\n|\s*\Z"
)
_EAST_ASIAN = re.compile(
    r"\s?[是为為和或项項选選对對因更最吧与與及、。，；：）」です도번이가은는입예라로임인が를의も]|です|だ|を|が|と|번|입니다|과|와|हैं?|और|या| है"
)
_WORD = re.compile(r"\s*([^\W\d_]+(?:'[^\W\d_]+)?)")
_SIGNS = r"[%°$€£¥#&<>~^≤≥≠±√×÷=+½¼¾⅓⅔²³]"
_VOWEL_SIGNS = (
    r"\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u0b82\u0bbe-\u0bcd"
    r"\u0c00-\u0c04\u0c3e-\u0c56\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
)
"""Signs of Arabic, Hindi, Bengali, Tamil, Telugu and Thai that belong to the letter before them."""
_TOKENS = re.compile(
    rf"\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:[{_VOWEL_SIGNS}]+[^\W\d_]*)*(?:['´][^\W\d_]+)*|(?<![\w)])[-]\d+(?:[.,]\d+)*|{_SIGNS}"
)
_ARTICLES = frozenset(
    (
        "the",
        "a",
        "an",
        "to",
        "der",
        "die",
        "das",
        "den",
        "le",
        "la",
        "les",
        "el",
        "los",
        "las",
        "il",
        "lo",
        "gli",
        "o",
        "os",
        "as",
        "het",
        "de",
    )
)
_ITEM = re.compile(
    rf"(?<![{WORDISH}'-])([(\[]?)([A-Za-z])([)\]]?[.:)\]]?)([ \t]*(?:[-–—=](?:[ \t]+|(?![\d.])))?)\n?[ \t]*"
)


_BEFORE_TEXT = " \"'([{*"
"""Marks that may precede an option's text."""
_NOW = re.compile(r"\s(?:next|now|instead)[\"')\]*]*\s*(?:[.!;\n]|\Z|,? (?:because|since|as)\b)")
"""Words after the letter of a chosen action: "I would take D next.", but not "D next only if"."""
_ANOTHER = re.compile(
    rf"\s{{1,6}}(?:and|or|und|oder|et|ou|y|e|o|en|of|i|и|или|lub|then|ve)\s{{1,6}}[(\[]?(?:[A-Z]|option [A-Z])(?![{WORDISH}'])|\s[A-HJ-Z](?![{WORDISH}'-])"
)
"""A second letter after a first: "A and C" names two options, although A and I are also words."""


CLOSING = REASONS | frozenset(
    "and or und oder et ou y e then i и en of first next followed before finally lastly".split()
)
"""Words that may follow an option's whole text."""


@dataclass(frozen=True)
class Ref:
    """An option that is named at some place."""

    start: int
    end: int
    """The end of the words that name the option."""
    places: tuple[int, ...]
    """The options that it may be: several only where they have the same text."""
    by: str
    """How the option is named: ``letter``, ``number``, ``text``, ``both`` (label and text), or ``conflict`` for a label
    next to another option's text.
    """
    label: int | None = None
    """The place that its letter or number names; None without either."""
    text: tuple[int, ...] = ()
    """The places that its words name."""


def tokens(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the words, numbers and meaningful signs of a text, in lower case, with their places."""
    return ((match[0].casefold(), match.start(), match.end()) for match in _TOKENS.finditer(text))


class Choices:
    """An item's options, and where texts name them."""

    def __init__(self, options: Sequence[str], *, numbered: bool = False) -> None:
        self.options = tuple(options)
        self.numbered = numbered
        """Tell whether a bare number names an option."""
        self.counted = not numbered and not any(re.match(r"\W{0,3}\d", fold(text)) for text in options)
        """Tell whether a number after a noun names an option: "option 2", if no option is a number itself."""
        self.words = [tuple(word for word, _, _ in tokens(fold(text))) for text in self.options]
        self.counts_in_words = any(word in _BY_PLACE for some in self.words for word in some)
        """Tell whether an option itself has a word such as "first" or "one", so that "the first" may mean its text."""
        bare = [_without_articles(words) for words in self.words]
        self.bare = bare if len(set(bare)) == len(set(self.words)) else self.words
        self._by_first: dict[str, list[tuple[tuple[str, ...], int]]] = defaultdict(list)
        for place, words in enumerate(self.words):
            for form in {words, self.bare[place]} - {()}:
                self._by_first[form[0]].append((form, place))
        for forms in self._by_first.values():
            forms.sort(key=lambda form: -len(form[0]))
        self._spelled = _spelled(self.options, self.words)
        self._signs = _any_of(self._spelled)

    def same(self, place: int) -> tuple[int, ...]:
        """Return all places of options with exactly the same text."""
        return tuple(n for n, text in enumerate(self.options) if text == self.options[place])

    def ref_at(self, text: str, start: int, end: int, *, after: Ref | None = None) -> Ref | None:
        """Return the option that is named at ``start``, after opening signs and a noun ("option", "answer").

        No text after ``end`` is read. After ``after``, an option named by its number, a bare number also names an
        option: "options 1 and 3".
        """
        begin = _end(_OPENING, text, start, end)
        ref = self._signs_at(text, start, begin, end, closed=True) or self.text_at(text, begin, end, closed=True)
        if ref is not None:
            return self._unless_a_label(text, self._with_label_behind(text, ref, end), begin, end)
        label = self._label_at(text, begin, end)
        if label is None:
            noun = _NOUN.match(text, begin, end)
            label = self._label_at(text, noun.end(), end, named=True) if noun else None
            if label is None and self.counted:
                label = self._enumerated(text, begin, end) or self._place_at(text, begin, end, noun, after)
            if label is None and noun:
                ref = self.text_at(text, noun.end(), end, closed=True)
                return ref and self._with_label_behind(text, ref, end)
        return label

    def _enumerated(self, text: str, begin: int, end: int) -> Ref | None:
        """Return the option whose own number and text are there: "2. keep driving"."""
        number = re.compile(r"(\d)[.)]\s{1,2}(?=\S)").match(text, begin, end)
        own = self.text_at(text, number.end(), end, closed=True) if number else None
        if number is None or own is None or int(number[1]) - 1 not in own.text:
            return None
        return Ref(begin, own.end, own.places, "both", label=int(number[1]) - 1, text=own.text)

    def _place_at(self, text: str, begin: int, end: int, noun: re.Match[str] | None, after: Ref | None) -> Ref | None:
        """Return the option that is named by its place: "option 2", "the second option"."""
        ordinal = _ORDINAL.match(text, begin, end)
        if ordinal and self.counts_in_words and not ordinal["word"]:
            return None
        if ordinal:
            place, start, stop = _BY_PLACE[next(filter(None, ordinal.groups())).lower()], begin, ordinal.end()
        else:
            is_named = noun is not None and _COUNTED_NOUN.search(text[begin : noun.end()].rstrip("\"'([ ")) is not None
            at = noun.end() if noun is not None and is_named else begin
            number = _NUMBER.match(text, at, end) if is_named or (after is not None and after.by == "number") else None
            if number is None:
                return None
            place, start, stop = int(number[1]) - 1, begin if is_named else number.start(), number.end()
        if not 0 <= place < len(self.options):
            return None
        sign = re.compile(r"[\"')\]]{0,2}[ \t]*(?:[.:)]|[-–—=]+(?=\s)|(?=\())[\"')\]]*\s{0,2}\(?").match(
            text, stop, end
        )
        own = self.text_at(text, sign.end(), end) if sign else None
        if own is not None and place in own.text:
            return Ref(start, own.end, self.same(place), "both", label=place, text=own.text)
        if own is not None:
            return Ref(start, own.end, (), "conflict", label=place, text=own.text)
        return Ref(start, stop, self.same(place), "number", label=place)

    def _unless_a_label(self, text: str, ref: Ref, begin: int, end: int) -> Ref:
        """Return a conflict if an option's text is another option's letter or number: "B" for the options B, A."""
        if ref.by != "text" or ref.end - ref.start > 2:
            return ref
        label = self._label_at(text, begin, end)
        return Ref(ref.start, ref.end, (), "conflict", text=ref.text) if label and label.places != ref.places else ref

    def text_at(self, text: str, start: int, end: int, *, closed: bool = False) -> Ref | None:
        """Return the longest option whose whole text is at ``start``, with or without an article.

        With ``closed``, no further word may follow: "the cupboard door" is not "cupboard".
        """
        last = next((at for at in range(start, min(end, start + 8)) if text[at] not in _BEFORE_TEXT), start)
        signs = self._signs_at(text, start, last, end, closed=closed)
        if signs is not None:
            return signs
        first = _TOKENS.search(text, start, min(end, start + 60))
        if first is None or (first[0].casefold() not in self._by_first and first[0].casefold() not in _ARTICLES):
            return None
        window = list(_first_tokens(text, start, end, self._longest + 2))
        for skip in range(2 if window and window[0][0] in _ARTICLES else 1):
            rest = window[skip:]
            if not rest or text[start : rest[0][1]].strip(
                _BEFORE_TEXT + ("" if not skip else text[window[0][1] : window[0][2]])
            ):
                continue
            words = tuple(word for word, _, _ in rest)
            for form, _ in self._by_first.get(words[0], ()):
                if words[: len(form)] != form or not self._runs_on(text, rest, form):
                    continue
                places = tuple(n for n, other in enumerate(self.words) if form in (other, self.bare[n]))
                if len({self.options[n] for n in places}) != 1:
                    return None
                ref = Ref(rest[0][1], rest[len(form) - 1][2], places, "text", text=places)
                if text[ref.end : ref.end + 1] in "-'" and re.match(r"[-'][^\W_]", text[ref.end : ref.end + 2]):
                    continue
                return None if closed and not self._closed(text, ref.end, end, form) else ref
        return None

    def _signs_at(self, text: str, start: int, last: int, end: int, *, closed: bool) -> Ref | None:
        """Return the option with signs that is spelled out at ``start``, or after a mark before it, up to ``last``."""
        if self._signs is None:
            return None
        for at in range(start, last + 1):
            match = self._signs.match(text, at, end)
            if match is None:
                continue
            sign = " ".join(match[0].casefold().split())
            places = tuple(place for place, spelling in self._spelled.items() if spelling == sign)
            if len({self.options[place] for place in places}) != 1 or (
                closed and not self._closed(text, match.end(), end, ())
            ):
                return None
            return Ref(at, match.end(), places, "text", text=places)
        return None

    def _runs_on(self, text: str, found: Sequence[tuple[str, int, int]], form: tuple[str, ...]) -> bool:
        """Return whether an option's words are in one paragraph, even over several lines.

        Two options on two lines are not a third option.
        """
        for n in range(len(form) - 1):
            between = text[found[n][2] : found[n + 1][1]]
            if "\n" in between and (
                between.strip()
                or between.count("\n") > 1
                or (form[: n + 1] in self._forms and form[n + 1 :] in self._forms)
            ):
                return False
        return True

    @cached_property
    def _forms(self) -> frozenset[tuple[str, ...]]:
        return frozenset(form for forms in self._by_first.values() for form, _ in forms)

    def _closed(self, text: str, at: int, end: int, form: tuple[str, ...]) -> bool:
        at = _end(_CLOSING, text, at, end)
        if _STOPS.match(text, at, end) or _EAST_ASIAN.match(text, at, end) or text[at : at + 2] in (" (", " ["):
            return True
        word = _WORD.match(text, at, end)
        return word is not None and follows(CLOSING, word[1].lower(), text[word.end() : word.end() + 20])

    @cached_property
    def _longest(self) -> int:
        return max((len(words) for words in self.words), default=1)

    def place_of(self, letter: str) -> int | None:
        """Return the place of a letter's option."""
        place = ascii_uppercase.find(LOOK_ALIKES.get(letter, letter).upper())
        return place if 0 <= place < len(self.options) else None

    def _label_at(self, text: str, at: int, end: int, *, named: bool = False) -> Ref | None:
        match = _LETTER.match(text, at, end)
        place = self.place_of(match[1]) if match else None
        number = False
        if place is None and self.numbered:
            match = _NUMBER.match(text, at, end)
            place = int(match[1]) - 1 if match and 0 < int(match[1]) <= len(self.options) else None
            number = True
        if match is None or place is None:
            return None
        after = _end(_CLOSING, text, match.end(), end)
        bracketed = after > match.end() and text[match.end()] in ")]】"
        ref = Ref(match.start(), match.end(), self.same(place), "number" if number else "letter", label=place)
        sign = re.compile(r"[ \t]*(?:[.:)\]、．,=–—]|-(?!\d))*[\"')\]]*\s{0,3}(?:\()?(?:[-–—=]+\s)?").match(
            text, after, end
        )
        behind = sign.end() if sign else after
        own = self.text_at(text, behind, end, closed=False)
        between = text[after:behind].strip(" ")
        if own is not None and (between or bracketed or match[1] not in "AaIiEeOo") and "\n\n" not in between:
            agrees = place in own.text
            if not agrees and not self._closed(text, own.end, end, ()):
                own = None
            elif agrees:
                return Ref(match.start(), own.end, ref.places, "both", label=place, text=own.text)
            elif "," not in between or number or between:
                return Ref(match.start(), own.end, (), "conflict", label=place, text=own.text)
        if (
            own is not None
            and not between
            and match[1] in "AI"
            and place in own.text
            and _is_more_than_article(own, text)
        ):
            return Ref(match.start(), own.end, ref.places, "both", label=place, text=own.text)
        if not (bracketed or number or self._stands_alone(text, match[1], after, end, named=named)):
            return None
        if between and not number and self._words_of_another(text, behind, end, place):
            return replace(ref, places=(), by="conflict")
        return ref

    def _stands_alone(self, text: str, letter: str, after: int, end: int, *, named: bool) -> bool:
        if _STOPS.match(text, after, end) or text[after : after + 2] in (" (", " ["):
            return True
        east = _EAST_ASIAN.match(text, after, end)
        if (east and not east[0].isascii()) or (self.numbered and text[after : after + 1] == "-"):
            return True
        if letter.isupper() and _ANOTHER.match(text, after, end):
            return True
        if letter.isupper() and _NOW.match(text, after, end):
            return True
        word = _WORD.match(text, after, end)
        if word is None:
            return False
        if letter.islower() and not named:
            return (
                bool(re.compile(r"\s(?:and|or|und|oder|et|ou|then|because|since)\s").match(text, after, end))
                and letter not in "ai"
            )
        following, behind = word[1].lower(), text[word.end() : word.end() + 20]
        if letter in "IEOaieo" or (letter == "A" and not named):
            return follows(ARTICLE_NEXT, following, behind) and not (letter == "I" and following in ("is", "and"))
        return follows(NEXT_WORDS, following, behind)

    def _words_of_another(self, text: str, start: int, end: int, place: int) -> bool:
        """Return whether the clause after a letter begins like another option and not like its own, or has all its
        words.
        """
        clause: list[str] = []
        for word, begin, stop in _first_tokens(text, start, end, self._longest + 4):
            if re.search(r"[.\n;!?,:]", text[start:begin]):
                break
            clause.append(word)
            start = stop
        if not clause:
            return False
        own = self.words[place]
        for n, other in enumerate(self.words):
            if n in self.same(place) or not other:
                continue
            if len(clause) >= 2 and other[: len(clause)] == tuple(clause) and own[: len(clause)] != tuple(clause):
                return True
            content = {word for word in other if len(word) > 3} or set(other)
            if (
                len(clause) <= len(other) + 2
                and len(other) > 1
                and content <= set(clause)
                and not {word for word in own if len(word) > 3} <= set(clause)
            ):
                return True
        return False

    def _with_label_behind(self, text: str, ref: Ref, end: int) -> Ref:
        """Return the option with the letter in brackets after its text: "put the pot on the stove (B)"."""
        match = re.compile(r"[.,]?\s{0,2}[(\[](?:option |choice |answer )?([A-Za-z]|\d{1,2})[)\]]").match(
            text, ref.end, end
        )
        if match is None:
            return ref
        label = (int(match[1]) - 1 if self.numbered else None) if match[1].isdigit() else self.place_of(match[1])
        if label is None:
            return ref
        if label in ref.text:
            return Ref(ref.start, match.end(), self.same(label), "both", label=label, text=ref.text)
        return Ref(ref.start, match.end(), (), "conflict", label=label, text=ref.text)

    def items(self, text: str) -> list[Ref]:
        """Return every place where a list letter precedes the whole text of an option, in order."""
        refs: list[Ref] = []
        at = 0
        many = 0
        while (match := _ITEM.search(text, at)) is not None and many < 1000:
            many += 1
            at = match.end(2)
            dressed = match[1] or match[3] or match[4].strip()
            place = self.place_of(match[2])
            if place is None or not (dressed or match[2].isupper()):
                continue
            ref = self.text_at(text, match.end(), len(text))
            if ref is None or (not dressed and (match[2] in "AIO" or place not in ref.text)):
                continue
            if place not in ref.text and not self._closed(text, ref.end, len(text), ()):
                continue
            refs.append(replace(ref, start=match.start(), label=place, by="both" if place in ref.text else "conflict"))
            at = ref.end
        return refs

    def enumerations(self, text: str, items: Sequence[Ref]) -> list[tuple[int, int]]:
        """Return where a text repeats two or more options in a row, each after its letter, without choosing one.

        ``items`` are those of the text.
        """
        spans: list[tuple[int, int]] = []
        run: list[Ref] = []
        for item in [*items, None]:
            if (
                item is not None
                and run
                and item.label == (run[-1].label or 0) + 1
                and len(text[run[-1].end : item.start].split()) <= 2
                and not re.search(r"[^\W\d_]{3}", text[run[-1].end : item.start].partition("\n\n")[2])
                and len(text[run[-1].end : item.start]) < 40
            ):
                run.append(item)
                continue
            if len(run) > 1:
                spans.append((run[0].start, run[-1].end))
            run = [item] if item is not None else []
        return spans


def _spelled(options: Sequence[str], words: Sequence[tuple[str, ...]]) -> dict[int, str]:
    """Return how options are written that have signs, or whose words are those of another option, by place.

    Words alone do not tell "a/b" from "a-b", "Yes!" from "Yes?" or one arrow from another.
    """
    spellings: dict[int, str] = {}
    for place, option in enumerate(options):
        spelling = " ".join(plain(fold(option)).casefold().split())
        twins = {options[n] for n, other in enumerate(words) if other == words[place]}
        if re.search(r"[^\s.,;:!?'\"]", spelling) and (
            re.search(r"[^\w\s]", spelling.rstrip(" .,;:!?").strip("'\"")) or len(twins) > 1 or not words[place]
        ):
            spellings[place] = spelling
    return spellings


def _any_of(spelled: Mapping[int, str]) -> re.Pattern[str] | None:
    """Return a pattern for any of these spellings, the longest first, or None without spellings."""
    patterns = [
        (rf"(?<![{WORDISH}])" if re.match(f"[{WORDISH}]", spelling) else "")
        + r"\s+".join(map(re.escape, spelling.split()))
        + rf"(?![{WORDISH}])"
        for spelling in sorted(set(spelled.values()), key=lambda text: -len(text))
    ]
    return re.compile("|".join(patterns), re.IGNORECASE) if patterns else None


def _is_more_than_article(own: Ref, text: str) -> bool:
    return " " in text[own.start : own.end]


def _without_articles(words: tuple[str, ...]) -> tuple[str, ...]:
    return words[1:] if len(words) > 1 and words[0] in _ARTICLES else words


def _first_tokens(text: str, start: int, end: int, many: int) -> Iterator[tuple[str, int, int]]:
    at = start
    for _ in range(many):
        match = _TOKENS.search(text, at, min(end, at + 400))
        if match is None:
            return
        yield match[0].casefold(), match.start(), match.end()
        at = match.end()


def _end(pattern: re.Pattern[str], text: str, start: int, end: int) -> int:
    match = pattern.match(text, start, end)
    return match.end() if match else start
