"""Numbers in words: “twenty-one”, “three hundred”, “dreißig”."""

from __future__ import annotations

import re

NUMBER_WORDS = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig",
    "fr": "zéro - deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt",
    "es": "cero - dos tres cuatro cinco seis siete ocho nueve diez - doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte",
    "it": "zero - due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove venti",
    "pt": "zero - dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito dezenove vinte",
    "nl": "nul - twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien twintig",
    "pl": "zero - dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście",
    "ru": "ноль - два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
    "tr": "sıfır - iki üç dört beş altı yedi sekiz dokuz",
    "ar": "صفر واحد اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة",
    "hi": "शून्य एक दो तीन चार पाँच छह सात आठ नौ दस",
    "ko": "영 하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉 열",
}
"""Number words from zero upward. Words that are also articles are left out, except in English, where context
decides.
"""
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS: dict[str, int] = {word: n for row in NUMBER_WORDS.values() for n, word in enumerate(row.split()) if word != "-"}
_WORDS |= {
    "duas": 2,
    "dwie": 2,
    "две": 2,
    "cinq": 5,
    "पांच": 5,
    "due": 2,
    "fuenf": 5,
    "zwoelf": 12,
    "zwo": 2,
    "isshiki": -1,
    "cien": 100,
    "cent": 100,
    "hundert": 100,
    "cento": 100,
    "honderd": 100,
    "сто": 100,
    "sto": 100,
}
_WORDS |= {
    "einundzwanzig": 21,
    "dreißig": 30,
    "vierzig": 40,
    "fünfzig": 50,
    "sechzig": 60,
    "siebzig": 70,
    "achtzig": 80,
    "neunzig": 90,
    "trente": 30,
    "quarante": 40,
    "cinquante": 50,
    "soixante": 60,
    "treinta": 30,
    "cuarenta": 40,
    "cincuenta": 50,
    "trenta": 30,
    "quaranta": 40,
    "cinquanta": 50,
    "trinta": 30,
    "quarenta": 40,
    "cinquenta": 50,
    "dertig": 30,
    "veertig": 40,
    "vijftig": 50,
}
del _WORDS["isshiki"]
_AMBIGUOUS = frozenset(
    ("one", "elf", "acht", "sei", "due", "dix", "sept", "neuf", "sto", "cent", "tien", "sete", "tre")
)
"""Number words that are other words, too, in the same or another language."""
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}

_COUNTS_ONE = re.compile(
    r"\b(?:there(?:'s| is| was)|i(?: can| could)? (?:see|count|find)|(?:shows|contains|has|holds|includes))(?: (?:only|just|exactly|clearly))? \Z|\b(?:only|exactly|just) \Z",
    re.IGNORECASE,
)
"""Words before "one" that make it a count, and not a pronoun."""


def spelled_number(text: str, match: re.Match[str]) -> tuple[int, int, bool] | None:
    """Return the value of the number word at a match, its end, and whether it is certainly a number."""
    word = match[0].lower()
    first, _, second = word.partition("-")
    if word in _WORDS:
        value, end = _WORDS[word], match.end()
    elif first in TENS and second in _WORDS and 0 < _WORDS[second] < 10:
        value, end = 20 + 10 * TENS.index(first) + _WORDS[second], match.end()
    elif word in TENS:
        value, end = 20 + 10 * TENS.index(word), match.end()
    elif word in ("a", "one") and re.compile(r" (?:hundred|thousand)\b", re.I).match(text, match.end()):
        value, end = 1, match.end()
    else:
        return None
    sure = word not in _AMBIGUOUS or (
        word == "one" and _COUNTS_ONE.search(text[max(0, match.start() - 40) : match.start()]) is not None
    )
    if value in range(20, 91, 10) and word in (*TENS,):
        more = re.compile(r"[ -](one|two|three|four|five|six|seven|eight|nine)\b", re.I).match(text, end)
        if more:
            value, end = value + _WORDS[more[1].lower()], more.end()
    for _ in range(3):
        scale = re.compile(r" (hundred|thousand|million)\b(?: and)?(?: ([a-z]+)(?:[- ]([a-z]+))?)?", re.I).match(
            text, end
        )
        if scale is None:
            break
        value *= _SCALES[scale[1].lower()]
        end, sure = scale.end(1), True
        words = [group.lower() for group in scale.groups()[1:] if group]
        if words and words[0] in TENS:
            value, end = value + 20 + 10 * TENS.index(words[0]), scale.end(2)
            if len(words) > 1 and 0 < _WORDS.get(words[1], 0) < 10:
                value, end = value + _WORDS[words[1]], scale.end(3)
        elif words and words[0] in _WORDS and _WORDS[words[0]] > 0:
            value, end = value + _WORDS[words[0]], scale.end(2)
    return value, end, sure
