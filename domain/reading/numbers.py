"""Numbers with their units at a place of a text: digits, words, fractions. Ranges and bounds are never read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from domain.reading.number_words import spelled_number
from domain.reading.scales import NUMERALS, chinese, scaled
from domain.reading.text import fold
from domain.reading.units import AMBIGUOUS_SIGNS, NO_NAMES, unit_of

_EAST = re.compile(rf"(?<!\d)(?<!\d )[{NUMERALS}]+")
_MULTIPLIED = re.compile(
    r"\s?(?:-\s?)?(?:dozens?|dutzend|douzaines?|docenas?|dozzin[ae]|dúzias?|dozijn|tuzin\w{0,3}|打|ダース|다스|gross\b|scores?|pairs?|paare?|paires?|pares\b|pai[ao]\b|couples?|tens\b|tsd\b|(?-i:[KMBGT])(?![\w'])|thousands?|millions?|billions?|hundreds?|k\b|tausend|millionen|mille|mil\b|mila\b|дюжин|тысяч|十|百|千|万|萬|亿|천|만|백"
    r"|and a (?:half|quarter|third)|and (?:one|three)[ -](?:half|quarters?|third)|halves|thirds?|quarters?|fifths?|tenths?|hundredths?|und ein|et demie?|y medi[oa]|e mezz[oa]|e mei[oa]|с половиной|半|½|¼|¾|⅓|⅔|times\b|fold\b|-fold\b)",
    re.IGNORECASE,
)
_FRACTIONS = {
    "½": Fraction(1, 2),
    "¼": Fraction(1, 4),
    "¾": Fraction(3, 4),
    "⅛": Fraction(1, 8),
    "⅜": Fraction(3, 8),
    "⅝": Fraction(5, 8),
    "⅞": Fraction(7, 8),
    "⅕": Fraction(1, 5),
    "⅖": Fraction(2, 5),
    "⅗": Fraction(3, 5),
    "⅘": Fraction(4, 5),
}

# ---- finding numbers ------------------------------------------------------------------------------------------------

_DIGITS = re.compile(
    r"(?<![0-9A-Za-z_À-ɏͰ-ԯ^])(?<!\d[.,:/])(?<![A-Za-z]-)(?P<sign>[-+](?=[\d.½¼¾]))?(?P<body>\d{1,3}(?:[ ']\d{3})+(?![\d'])(?:[.,]\d{1,15})?|\d+(?:[.,:/]\d+)*|\.\d+|(?=[½¼¾⅛⅜⅝⅞⅕⅖⅗⅘]))(?P<more>[eE][-+]?\d{1,3}(?!\w))?(?P<mixed> ?[½¼¾⅛⅜⅝⅞⅕⅖⅗⅘]| \d{1,2}/\d{1,3}(?![\d/.,]))?"
)
_LETTERS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_UNIT = re.compile(
    r"\s?(?P<name>%|°\s?[CF]?(?![A-Za-z])|[$€£¥]|km/h|per cent\b|[^\W\d_²³]+)(?P<power>[²³^]|\s?/\s?[^\W\d]|\s+(?:per|pro|par|por|each)\s+\w)?"
)
_CURRENCY = re.compile(r"(?:US)?[$€£¥]\s?\Z")
_NAMED = re.compile(
    r"(?:\b(?:frame|image|picture|photo|clip|video|step|figure|fig\.?|page|room|level|number|no\.?|nr\.?|version|channel|track|line|row|column|question|case|chapter|section|option|choice|item|point|part|phase|stage|gate|bus|route|highway|model|type|size|grade"
    r"|rule|note|bild|schritt|seite|numéro|étape|paso|número|passo|krok|шаг|кадр|digit|numeral|i am|i'm|word|reads|says|labell?ed|marked|written|printed|named|called|titled|scene|day|year|chapter|at|o'clock|in (?=[12]\d{3}\b))"
    r"|#|第|№)\s?[#:]?\s?[\"']?\Z",
    re.IGNORECASE,
)
_BOUND_BEFORE = re.compile(
    r"(?:(?<![A-Za-z/\"'=-])[<>≤≥≦≧±≠]\s?=?|\b(?:more|less|fewer|greater|higher|lower|larger|smaller|longer|shorter|other|better|no more|no less|no fewer) than|\b(?:max|min)\b\.?|\b(?:equal to|shy of|north of|south of|half of|square of|root of|(?:log|ln|exp|sqrt)\s?\(?)|√|\\sqrt\{|\bat (?:least|most|max(?:imum)?|min(?:imum)?)|\b(?:over|under|above|below|beyond|exceeding|exceeds|up to|within|minimum(?: of)?|maximum(?: of)?"
    r"|anything but|(?:cannot|can not|can't|couldn't|won't) be|almost|nearly|not|never|isn't|aren't|just under|just over|close to|upwards? of|anywhere (?:from|between)|between|from|somewhere between|every|until|till|or|no)|n't"
    r"|\bmehr als|\bweniger als|\bmindestens|\bhöchstens|\büber|\bunter|\bbis zu|\bfast|\bnicht|\bzwischen|\bplus de|\bmoins de|\bau moins|\bau plus|\bpresque|\bpas|\bentre|\bmás de|\bmenos de|\bal menos|\bcomo máximo|\bcasi|\bno|\bpiù di|\bmeno di|\balmeno|\bquasi|\bmais de|\bpelo menos|\bno máximo"
    r"|\bmeer dan|\bminder dan|\bminstens|\bbijna|\bniet|\bponad|\bmniej niż|\bwięcej niż|\bco najmniej|\bprawie|\bnie|\bболее|\bменее|\bбольше|\bменьше|\bпочти|\bне|\bдо|\bот|超过|至少|最多|不到|少于|多于|大于|小于|不是|不足|以上|以下|最少|より|少なくとも|約?最大|최소|최대|أكثر من|أقل من|لا)\s{0,2}(?:the |a |es |il y a )?\Z",
    re.IGNORECASE,
)
_BOUND_AFTER = re.compile(
    r"\s?(?:\+|[<>≤≥](?![/a-z|])|\^|\*\*|[⁰¹²³⁴-⁹⁻]|(?:[×*·∙⋅xX]|\\times|\\cdot)\s?\d|!(?=\s?[/=*+-])|per\s(?!cent)|‰|‱|twice\b|doubled\b|tripled\b|halved\b|squared\b|cubed\b|(?:raised )?to the (?:power|second|third|fourth|fifth|sixth|\d)|times ten|plus\b|upwards?\b|or (?:more|less|fewer|so|better|higher|lower|above|below)\b|or\b|and (?:more|above|up)\b|(?:and|or) (?:over|under)\b|oder (?:mehr|weniger)|ou (?:plus|moins)|o (?:más|menos)|o (?:più|meno)|±|\+/-|plus or minus|out of|of (?:the )?\d|over \d|[个個人只台件杯本つ]?\s?(?:以上|以下|多|余|几)|左右以上|से अधिक|more\b|less\b|fewer\b|at (?:least|most)|minimum|maximum|max\b|min\.? of)",
    re.IGNORECASE,
)
_RANGE_AFTER = re.compile(
    r"(?:\s?(?:[-–—~〜～×·*^]|(?<![^\W\d_])(?:to|bis|à|a|al|tot|do|до|or|oder|ou|o|of|lub|или|and|x|by)|至|到|から|에서|或)|(?<=\d)(?:\s?/|:|\s:))\s?(?:about |around |maybe |perhaps |even )?\Z",
    re.IGNORECASE,
)
_SHARE_BEFORE = re.compile(
    r"(?:(?:\b(?:half|halves|thirds?|quarters?|fourths?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?|hundredths?|part|parts|portion|fraction|share|some|most|rest|remainder|much|none|one|few|many|several|any|per ?cent|percentage|out)|%) of"
    r"|\b(?:twice|thrice|double|triple|quadruple|doubled|half|a third|a quarter|\d+ ?x|(?:\d+|two|three|four|five|six|ten|several|many|n) times))"
    r"(?: (?:the|a|an|all|all the|these|those|this|that|its|his|her|my|our|your|their|about|around|of|only|just|full|whole|original|remaining|total))*\s{1,2}\Z",
    re.IGNORECASE,
)
"""Words that make a number only a part or a multiple of a quantity."""
_OF_ANOTHER = re.compile(
    r"(?:\s+(?!is\b|are\b|was\b|were\b|has\b|have\b)[^\W\d_]+){0,3}\s+of(?:\s+[^\W\d_]+){0,4}\s*", re.IGNORECASE
)
"""Text between a part and its whole: "3 l of the 5 l", "2 pieces of a rope of 10 m"."""
_NAME_BEHIND = re.compile(
    r"[\"']?(?:-[A-Za-z]|\s?o'clock|\s?Uhr|\s(?:is|are|was) (?:written|painted|printed|drawn|carved|stamped|embroidered|engraved|on the))"
)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|possibly|might be|could be|may be|vielleicht|peut-être|quizás?|tal vez|forse|talvez|misschien|может)\b|也许|可能|大概|かもしれ|아마",
    re.IGNORECASE,
)


_IN_A_PHRASE = re.compile(
    r"\s+(?:total|all|the|this|that|each|every|one|my|sum|a|an|front|view|sight|there|it)\b", re.IGNORECASE
)
_PRIME = re.compile(r"\s?(''|[\"'])(?:(?![^\W_])|(?=\d{1,2}(?:[.,]\d{1,2})?\s?(?:''|\")))")
_OPENED = re.compile(r"(?<![^\W_])'(?=\S|\Z)")
_SHUT = re.compile(r"(?<=\S)'(?![^\W_])(?!\Z)")
_PRIMES = {"length": {"'": "ft", '"': "in"}, "time": {"'": "min", '"': "s"}}
"""The unit of a mark after a number, by the quantity that is asked for."""
_WITH_MARKS = frozenset(("in", "ft", "yd", "mi", "min", "s", "h"))
"""The units for which a single mark names the unit. In meters, 5' could be five feet or a slip, so a mark is read only
next to another one, as in 5'11".
"""


@dataclass(frozen=True)
class Number:
    """A number at a place of a text."""

    start: int
    end: int
    """The end of the number, or of its unit."""
    value: Fraction | None
    """The value in the unit that is asked for; None if unknown or of another quantity."""
    why: str = ""
    named: bool = False
    """Whether it only names something (frame 3, "No. 5"), or is a word that may be another ("one"): no sure amount."""
    really_named: bool = False
    """The former."""
    bare_end: int = 0
    """The end of the number itself."""
    unit: str = ""
    word: str = ""
    """The word that follows."""
    marked: bool = False
    """Whether the unit is given only by a mark (' or ")."""


def _exact(body: str) -> Fraction | None:
    """Return the value of digits with their separators; None for no value or two possible ones."""
    plain = body.replace(" ", "").replace("'", "")
    if plain.isdigit():
        return Fraction(plain)
    if re.fullmatch(r"\d+/\d+", plain):
        over, under = map(int, plain.split("/"))
        return Fraction(over, under) if under in (2, 4, 8) and over < under and len(plain) < 5 else None
    if re.fullmatch(r"\d*\.\d+", plain):
        whole, part = plain.split(".")
        # "1.000" is one, or a thousand in half of Europe
        return (
            None
            if len(part) == 3 and part == "000" and whole not in ("", "0")
            else Fraction(plain if whole else "0" + plain)
        )
    if re.fullmatch(r"\d+,\d+", plain):
        whole, part = plain.split(",")
        if len(part) == 3 and whole != "0" and len(whole) <= 3 and not whole.startswith("0"):
            return Fraction(whole + part)
        return Fraction(f"{whole}.{part}") if len(part) != 3 or whole == "0" else None
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", plain):
        return Fraction(plain.replace(",", ""))
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?", plain) and (plain.count(".") > 1 or "," in plain):
        return Fraction(plain.replace(".", "").replace(",", "."))
    return None


MANY = 400
"""Numbers beyond which only the first and the last are looked at."""


class Numbers:
    """The numbers of a text, in the unit that is asked for."""

    def __init__(self, text: str, unit: str | None) -> None:
        self.text = text
        self.asked = unit_of(fold(unit).strip()) if unit else None
        self.asked_name = fold(unit).strip().lower() if unit else None
        self.found = list(self._scan())

    def _scan(self) -> Iterator[Number]:
        candidates = sorted((*self._digits(), *self._words()), key=lambda each: each[0])
        end, last = -1, None
        if len(candidates) > MANY:
            candidates = [*candidates[: MANY // 2], *candidates[-MANY // 2 :]]
        for start, stop, value, sure in candidates:
            if start < end:
                continue
            number = self._judged(start, stop, value, sure)
            if last is not None and _compound(self.text, last, number):
                number = _together(last, number)
            elif last is not None:
                if _of_each_other(self.text, last, number):
                    last, number = (
                        replace(part, value=None, why="a fraction of another amount") for part in (last, number)
                    )
                yield self._without_a_lone_mark(last)
            last, end = number, number.end
        if last is not None:
            yield self._without_a_lone_mark(last)

    def _without_a_lone_mark(self, number: Number) -> Number:
        if not number.marked or self.asked is None or self.asked[2] in _WITH_MARKS:
            return number
        return replace(number, value=None, why="a measurement with only a prime mark as its unit")

    def _digits(self) -> Iterator[tuple[int, int, Fraction | None, bool]]:
        for match in _DIGITS.finditer(self.text):
            if not match["body"] and not match["mixed"]:
                continue
            value = None if len(match["body"]) > 40 else _exact(match["body"]) if match["body"] else Fraction(0)
            if value is not None and match["mixed"]:
                part = match["mixed"].strip()
                more = _FRACTIONS.get(part) or _exact(part)
                value = None if more is None or value.denominator != 1 else value + more
            if value is not None and match["more"]:
                power = int(match["more"][1:])
                value = value * Fraction(10) ** power if abs(power) < 30 else None
            if value is not None and match["sign"] == "-":
                value = -value
            if self.text[match.end() : match.end() + 1] in ("_",):
                value = None
            end = match.end()
            if value is not None:
                value, end = scaled(self.text, end, value)
            yield match.start(), end, value, True

    def _words(self) -> Iterator[tuple[int, int, Fraction | None, bool]]:
        ones = len(re.findall(r"\bone\b", self.text[:5000], re.IGNORECASE))
        for match in _LETTERS.finditer(self.text):
            spelled = spelled_number(self.text, match)
            if spelled and ones > 1 and match[0].lower() == "one":
                spelled = (*spelled[:2], False)  # "there is one on the left, and one on the right"
            if spelled:
                value, end = scaled(self.text, spelled[1], Fraction(spelled[0]))
                sure = spelled[2] or end > spelled[1]
                minus = re.search(r"\bminus \Z", self.text[max(0, match.start() - 8) : match.start()], re.I)
                yield (
                    (match.start() - len(minus[0]) if minus else match.start()),
                    end,
                    -value if minus and value is not None else value,
                    sure,
                )
        for match in _EAST.finditer(self.text):
            number = chinese(match[0])
            before = self.text[max(0, match.start() - 1) : match.start()]
            behind = self.text[match.end() : match.end() + 1]
            if len(match[0]) > 1 and before in tuple("约約有是为為共：:") and not behind.strip(" 。.，,\n"):
                before = " "
            if (
                behind and behind in "个個只把杯支本张張条條块塊人件枚台秒分小厘毫克升公度匹头根盘瓶片颗顆碗口名つ冊"
            ) or (not before.strip() and not behind.strip(" 。.\n")):
                yield match.start(), match.end(), None if number is None else Fraction(number), before not in ("第",)

    def _judged(self, start: int, stop: int, value: Fraction | None, sure: bool) -> Number:
        text = self.text
        before = text[max(0, start - 40) : start]
        why = ""
        if value is None:
            why = "an ambiguous number"
        named = bool(_NAMED.search(before))
        ordinal = re.compile(
            r"(?:st|nd|rd|th|º|ª|-?i?ème|-(?:е|й|я|го)|\.\s?(?:platz|mal)|番目|号|號|층|번째)(?![a-z])", re.I
        ).match(text, stop)
        if ordinal or _NAME_BEHIND.match(text, stop):
            named = True
        if value is not None and _MULTIPLIED.match(text, stop):
            value, why = None, "a number with a multiplier"
        end, unit, word = stop, "", ""
        currency = _CURRENCY.search(before)
        match = _UNIT.match(text, stop)
        prime = self._prime(start, stop)
        if prime:
            value, why, unit = self._of_prime(value, why, prime[0])
            end = prime[1]
        elif currency:
            unit = currency[0].strip()[-1]
            value, why = self._converted(value, why, unit, "")
        elif match:
            name = match["name"].replace(" ", "")
            known = unit_of(name) if not (name in NO_NAMES and not self._is_asked(name)) else None
            if name == "in" and _IN_A_PHRASE.match(text, match.end("name")):
                known = None
            attached = match.start("name") == stop
            if match["power"] and self.asked_name == (name + match["power"]).lower():
                unit, end = name + match["power"], match.end()
            elif match["power"] and (known or attached):
                value, why = None, "a unit of another quantity"
            elif known and text[match.end("name") : match.end("name") + 1].isdigit():
                value, why = None, "a time or a measurement in two parts"
            elif known:
                unit, end = name, match.end("name")
                value, why = self._converted(value, why, name, text[end:])
            else:
                word = name
                if attached and name.isascii() and name not in ("x",) and not ordinal:
                    value, why = None, "a number with attached letters"
                elif attached and name == "x":
                    value, why = None, "a factor, such as 2x"
                elif self.asked is not None and name.lower() not in FUNCTION_WORDS and not self._is_asked(name):
                    value, why = None, "a count of objects that the question does not ask for"
        if value is not None:
            around = text[end : end + 24]
            if _SHARE_BEFORE.search(before):
                value, why = None, "the amount that a fraction or a multiple refers to"
            elif (
                _BOUND_BEFORE.search(before)
                or _BOUND_AFTER.match(around)
                or re.match(r"\s?(?:[-–—~〜～'\"]|to|bis|until|到|至|から|에서)\s?\d", around)
            ):
                value, why = None, "a bound, or one end of a range"
            elif (
                (joined := _RANGE_AFTER.search(before))
                and re.search(r"\d(?:(?![.!?;]\s)[^\n])*\Z", before[max(0, len(before) - 14) : joined.end()])
                and not re.search(r"\d\s?=\s?\Z|\d\s?,\s?\Z", before)
            ):
                value, why = None, "one end of a range"
            elif (
                re.search(r"[\"']\Z", before)
                and re.match(r"[\"']", text[stop : stop + 1])
                and re.search(r"\w\W{0,3}\Z", before)
            ):
                named = True
        return Number(start, end, value, why, named or not sure, named, stop, unit, word, prime is not None)

    def _prime(self, start: int, stop: int) -> tuple[str, int] | None:
        """Return the mark ' or " after a number that is its unit, and its end; None if the mark closes a quotation."""
        match = _PRIME.match(self.text, stop)
        if match is None:
            return None
        line = self.text[max(0, self.text.rfind("\n", 0, start) + 1, start - 200) : start]
        mark = match[1][0]
        opened = line.count('"') % 2 if mark == '"' else len(_OPENED.findall(line)) > len(_SHUT.findall(line))
        return None if opened else (match[1].replace("''", '"'), match.end())

    def _of_prime(self, value: Fraction | None, why: str, mark: str) -> tuple[Fraction | None, str, str]:
        """Return the value in feet and inches, or minutes and seconds, with the unit; None if neither quantity is asked
        for.
        """
        name = _PRIMES.get(self.asked[0], {}).get(mark) if self.asked is not None else None
        if name is None:
            return None, "a measurement with only a prime mark as its unit", mark
        return *self._converted(value, why, name, ""), name

    def _is_asked(self, name: str) -> bool:
        if self.asked_name is None:
            return False
        if name.lower() == self.asked_name:
            return True
        unit = unit_of(name)
        if self.asked is not None and unit is not None:
            return unit[0] == self.asked[0]
        return name.lower().rstrip("s") == self.asked_name.rstrip("s")

    def _converted(self, value: Fraction | None, why: str, name: str, _behind: str) -> tuple[Fraction | None, str]:
        if value is None:
            return None, why
        stated = unit_of(name)
        assert stated is not None
        if self.asked_name is None:
            return (None, "a percentage") if stated[0] == "percent" else (value, "")
        if name.lower() == self.asked_name:
            return value, ""
        if self.asked is None or stated[0] != self.asked[0]:
            if self.asked is not None and {stated[0], self.asked[0]} == {"temperature", "angle"}:
                return value, ""
            return None, "a number in a unit that the question does not ask for"
        if (
            name in AMBIGUOUS_SIGNS
            and name.lower() != self.asked_name
            and self.asked[0] in AMBIGUOUS_SIGNS[name]
            and stated[2] != self.asked[2]
            and name == "m"
            and self.asked[0] == "time"
        ):
            return None, "a number in a unit that the question does not ask for"
        return value * stated[1] / self.asked[1], ""


FUNCTION_WORDS = frozenset(
    "in long tall high wide deep thick heavy is are was of and or the a for to at on per as because since so but if total altogether overall approximately about roughly elapsed remaining left away apart ago later "
    "lang hoch breit tief schwer und oder insgesamt de et ou au total y en total di e in tutto em no total und ist est es è é that which it he she they i we until before after when then".split()
)
"""Words after a number that are not its unit."""


def _compound(text: str, first: Number, second: Number) -> bool:
    """Return whether the second number continues the first: "1 min 30 s"."""
    one, two = unit_of(first.unit) if first.unit else None, unit_of(second.unit) if second.unit else None
    between = text[first.end : second.start]
    return (
        one is not None
        and two is not None
        and one[0] == two[0]
        and one[1] > two[1]
        and re.fullmatch(r"\s?(?:,|and|und|et|y|e|en|i|и)?\s?", between) is not None
    )


def _of_each_other(text: str, first: Number, second: Number) -> bool:
    """Return whether the first number is a part of the second: "5 of the 10 metres"."""
    return first.value != second.value and _OF_ANOTHER.fullmatch(text[first.end : second.start][:120]) is not None


def _together(first: Number, second: Number) -> Number:
    value = None if first.value is None or second.value is None else first.value + second.value
    return Number(
        first.start,
        second.end,
        value,
        first.why or second.why,
        first.named or second.named,
        first.really_named,
        second.bare_end,
        second.unit,
        second.word,
    )


def hedged(text: str) -> bool:
    """Return whether a statement is hedged, as with "maybe".

    >>> hedged("Maybe 5, maybe 6"), hedged("about 5")
    (True, False)
    """
    return _HEDGE.search(text) is not None
