"""Words that multiply a number: thousand, lakh, Milliarde, 万, लाख. They are read in the languages that models answer in."""

from __future__ import annotations

import re
from fractions import Fraction

FACTORS: dict[int, str] = {
    2: "hundred hundreds hundert honderd सौ",
    3: "thousand thousands tausend mille mil mila duizend tysiąc tysiące tysięcy тысяча тысячи тысяч тыс हज़ार हजार ألف آلاف الف",
    5: "lakh lakhs लाख",
    6: "million millions mn mln mio millionen millón millones milione milioni milhão milhões miljoen milion miliony milionów миллион миллиона миллионов млн milyon مليون ملايين",
    7: "crore crores करोड़ करोड",
    9: "billion billions bn milliard milliards milliarde milliarden mrd mia miliardo miliardi bilhão bilhões miljard miliard miliardy miliardów миллиард миллиарда миллиардов млрд milyar अरब مليار مليارات",
    12: "trillion trillions billionen billón billones trilhão trilhões триллион триллиона триллионов खरब تريليون",
}  # fmt: skip
"""The words of each power of ten."""
_FACTORS = {word: 10**power for power, words in FACTORS.items() for word in words.split()}
TWO_MEANINGS = frozenset(("lac", "lacs", "Billion", "Trillion", "bilião", "biliões"))
"""Words that may be another number, or no number, in another language: a German Billion is an English trillion, and a
French lac is a lake."""
_EAST_ASIAN = {
    **dict.fromkeys("百백", 100),
    **dict.fromkeys("千천", 1000),
    **dict.fromkeys("万萬만", 10**4),
    **dict.fromkeys("亿億억", 10**8),
    **{"兆": 10**12},
}
_WORD = re.compile(r"[ \u00a0]?(?P<word>[^\W\d_]+(?:[\u0900-\u0903\u093a-\u094f][^\W\d_]*)*)\.?")
_THOUSANDS = re.compile(r"k(?![^\W_])")
_SIGN = re.compile(r" ?(?P<sign>[百千万萬亿億兆백천만억])(?![分])(?!(?<=千)[克米瓦卡赫帕伏])")
_MORE_SIGNS = re.compile(r" ?(?P<body>\d{1,4}(?:,\d{3})*)(?![\d.,])")
_MORE_WORDS = re.compile(r",?\s(?:and\s|und\s|et\s|y\s)?(?P<body>\d{1,3}(?:\.\d{1,2})?)(?= ?[^\W\d_])")


def scaled(text: str, end: int, value: Fraction) -> tuple[Fraction | None, int]:
    """Return a number times the following words that multiply it, and their end; None for a word with two meanings.

    >>> [str(scaled(text, 1, Fraction(2))[0]) for text in ("2 lakh", "2万5千", "2 mil millones", "2 cups", "2 Billion")]
    ['200000', '25000', '2000000000', '2', 'None']
    """
    factor, at = _factor(text, end)
    if at == end:
        return value, end
    if factor is None:
        return None, at
    value *= factor
    pattern = _MORE_SIGNS if _SIGN.match(text, end) else _MORE_WORDS
    while (more := pattern.match(text, at)) is not None:
        part = Fraction(more["body"].replace(",", ""))
        smaller, stop = _factor(text, more.end())
        if stop == more.end() and pattern is _MORE_WORDS:
            break  # "2 million, 3 of them" is no sum
        if smaller is None or part * smaller >= factor:
            break
        value, at, factor = value + part * smaller, stop, smaller
        if smaller == 1:
            break
    return value, at


def _factor(text: str, at: int) -> tuple[int | None, int]:
    """Return the factor of the words of scale at a place, and their end; 1 without such words."""
    factor: int | None = 1
    for _ in range(3):
        sign = _SIGN.match(text, at)
        if sign is not None:
            factor = factor and factor * _EAST_ASIAN[sign["sign"]]
            at = sign.end()
            continue
        word = _WORD.match(text, at)
        if word is None:
            break
        if word["word"] in TWO_MEANINGS:
            return None, word.end("word")
        known = _FACTORS.get(word["word"].lower())
        if known is None:
            break
        factor = factor and factor * known
        is_short = len(word["word"]) <= 3 and word["word"].lower() not in ("mil",)
        at = word.end() if is_short else word.end("word")
    else:
        return factor, at
    if factor == 1 and (thousands := _THOUSANDS.match(text, at)) is not None:
        return 1000, thousands.end()
    return factor, at


_ONES = dict(zip("零〇一二三四五六七八九两兩", (0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 2), strict=True))
_TENS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
NUMERALS = "".join((*_ONES, *_TENS, *_MYRIADS))


def chinese(text: str) -> int | None:
    """Return the value of a number in Chinese or Japanese numerals; None if the text is not a number.

    >>> chinese("三万五千"), chinese("二十三"), chinese("一百零五"), chinese("十"), chinese("一二")
    (35000, 23, 105, 10, None)
    """
    total = section = digit = 0
    had_digit = False
    smallest = 10**5
    for char in text:
        if char in _ONES:
            if had_digit and digit:
                return None
            digit, had_digit = _ONES[char], True
        elif char in _TENS:
            if _TENS[char] >= smallest:
                return None
            section += (digit if had_digit else 1) * _TENS[char]
            smallest, digit, had_digit = _TENS[char], 0, False
        else:
            if section + digit == 0 or (total and _MYRIADS[char] > total):
                return None
            total = total + (section + digit) * _MYRIADS[char]
            section, digit, had_digit, smallest = 0, 0, False, 10**5
    return total + section + digit
