"""The words that call an answer right or wrong, in pairs: a reader that knows one side of a pair knows the other.

Readers of option lists, of judges' remarks and of templates take their words from here. Patterns are for folded text,
without capturing groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from domain.reading.words import NO, YES

Pair = tuple[str, str]
"""Patterns for a word that calls an answer wrong, and for its counterpart."""


@dataclass(frozen=True)
class Language:
    """The words with which a language calls an answer right or wrong."""

    name: str
    plain: Sequence[Pair]
    """Words that only say whether something is right."""
    judged: Sequence[Pair]
    """Words that grade an answer, but may describe other things elsewhere."""
    graded: Sequence[Pair]
    """Words that may also describe an answer in the middle of a scale: “poor” and “acceptable”."""
    partly: str = ""
    no: str = ""
    """Words that turn the following words into their opposite."""
    fully: str = ""
    mostly: str = ""
    adverbs: str = ""
    """Words that may precede the words without changing them."""
    subject: str = ""
    """Words that may precede the words and show that they are about the answer."""

    def wrong(self) -> str:
        """Return a pattern for all words that call an answer wrong, but for the graded ones."""
        return alternatives((*self.judged, *self.plain), 0)

    def right(self) -> str:
        """Return a pattern for all words that call an answer right, but for the graded ones."""
        return alternatives((*self.judged, *self.plain), 1)


def alternatives(pairs: Sequence[Pair], side: int) -> str:
    """Return a pattern for one side of the pairs: 0 is wrong, 1 is right.

    >>> alternatives((("wrong", "right"), ("false|untrue", "true")), 0)
    'wrong|false|untrue'
    """
    return "|".join(pair[side] for pair in pairs)


_ANSWER = (
    r"(?:the |this |that |a |student's |model's |agent's |assistant's |given |predicted |chosen |its |final )*"
    r"(?:answer|response|reply|prediction|solution|output|action|choice|description|perception|cognition|reasoning|"
    r"statement|student|model|agent|assistant|candidate|it|this|that|which|they)"
)
ANSWER = _ANSWER
"""The answer, as English names it in a sentence about it."""

SPACED: Sequence[Language] = (
    Language(
        "English",
        plain=(
            ("incorrect", "correct"),
            ("wrong", "right"),
            ("inaccurate", "accurate"),
            ("false|untrue", "true"),
            ("invalid", "valid"),
            (NO["en"] + "|" + NO["en, other"], YES["en"] + "|" + YES["en, other"]),
        ),
        judged=(
            ("mistaken|erroneous|errors?", "exact|faultless"),
            ("mismatch(?:ed|ing)?", "match|matching"),
            ("different", "the same|same|identical|equivalent"),
            ("fail|failed|fails|(?:a )?failure|unsuccessful", "pass|passed|passes|(?:a )?success|successful|succeeds"),
            ("inconsistent", "consistent"),
            ("faulty|flawed|nonsense|nonsensical|worthless|useless", "perfect|flawless"),
            ("irrelevant", "relevant"),
            ("unsupported", "supported"),
            ("(?:zero|no) (?:credit|marks?|points?)", "full (?:credit|marks?|points?)"),
            ("unmet", "met"),
            ("rejected", "accepted"),
            ("i disagree", "i agree"),
            (
                "(?:(?:a|an) )?(?:(?:complete|total|clear|obvious) )?miss",
                "(?:(?:a|an) )?(?:(?:direct|clear|perfect|obvious) )?hit",
            ),
            (
                "(?:completely |totally |entirely |way |far |wide )off|off the mark|off base|beside the point",
                "spot[- ]on|dead[- ]on|bang on|on the mark|on point|to the point",
            ),
            ("not even close|nowhere near", "exactly (?:right|so)|right on"),
        ),
        graded=(
            ("bad|poor|terrible|awful|very poor", "ok|okay|good|great|excellent|very good"),
            ("improper|inappropriate|unsuitable|unfit", "proper|appropriate|suitable|fitting"),
            ("unacceptable|unsatisfactory|insufficient", "acceptable|satisfactory|sufficient"),
        ),
        partly=r"partial|partly|partially|somewhat|half|partial (?:credit|match|marks?|answer)|in part|halfway",
        no=rf"not|(?:{_ANSWER}\s+)?(?:isn't|wasn't|aren't|weren't)|no|never|hardly|neither|not at all|non",
        fully=r"full|fully|completely|entirely|totally|wholly|absolutely|perfectly|quite|100% |exactly|altogether|strictly|always",
        mostly=r"mostly|largely|mainly|nearly|almost|essentially|basically|generally|broadly|roughly|close to|very nearly",
        adverbs=r"only|just|merely|simply|clearly|plainly|obviously|definitely|certainly|utterly|factually|really|very|unfortunately|fortunately|sadly|luckily|therefore|thus|so",
        subject=rf"{_ANSWER}(?:'s| is| was| are| were| has been| must be)(?: (?:judged|considered|deemed|clearly|simply|therefore|thus|just|also|still|in fact))*",
    ),
    Language(
        "German",
        plain=(
            ("falsche?", "richtige?"),
            ("inkorrekte?", "korrekte?"),
            ("unrichtig", "stimmt"),
            ("unwahr", "wahr"),
            (NO["de"], YES["de"]),
        ),
        judged=(
            ("unzutreffend|trifft nicht zu", "zutreffend|trifft zu"),
            ("fehlerhaft|fehler", "fehlerfrei"),
            ("verkehrt|daneben|voll daneben", "passt|getroffen|voll getroffen"),
            ("ungenau", "genau"),
            ("verschieden|abweichend|weicht ab", "gleich|identisch|übereinstimmend|stimmt überein"),
            ("durchgefallen", "bestanden"),
            ("ungültig", "gültig"),
            ("unpassend", "passend"),
            ("keine übereinstimmung", "(?:volle |genaue )?übereinstimmung"),
        ),
        graded=(("schlecht|mangelhaft|ungenügend|ungeeignet", "gut|sehr gut|hervorragend|geeignet"),),
        partly=r"teilweise|zum teil|teils|halb|teilrichtig|teilpunkte?",
        no=r"nicht|kein|keine|keineswegs|weder",
        fully=r"ganz|völlig|vollständig|komplett|vollkommen|absolut|voll|gänzlich|immer",
        mostly=r"größtenteils|weitgehend|überwiegend|fast|nahezu|meist|im wesentlichen",
        adverbs=r"nur|leider|klar|eindeutig|wirklich|offensichtlich|zum glück|glücklicherweise|also|somit|daher",
        subject=r"(?:die |diese |das |dies |der |sie |es |er )?(?:(?:antwort|aktion|handlung|lösung|wahl|beschreibung|aussage|begründung) )?(?:ist|war|stimmt|wäre)?(?: (?:also|somit|daher|leider|klar))*",
    ),
    Language(
        "French",
        plain=(
            ("incorrecte?s?", "correcte?s?"),
            ("fausses?|faux", "vraie?s?|justes?"),
            ("inexacte?s?|erronée?s?", "exacte?s?"),
            (NO["fr"], YES["fr"]),
        ),
        judged=(
            ("invalide", "valide"),
            ("différente?s?", "identique"),
            ("échouée?s?|ratée?s?|échec", "réussie?s?|réussite"),
            ("ne correspond pas|ne convient pas|ne concorde pas", "correspond|convient|concorde"),
            ("mal|à côté|à côté de la plaque", "bien|en plein dans le mille"),
            ("aucune correspondance", "correspondance(?: parfaite| exacte)?"),
            ("n'est pas conforme", "conforme"),
        ),
        graded=(("mauvaise?s?|insuffisante?s?|inadaptée?s?", "bonnes?|bons?|excellente?s?|suffisante?s?|adaptée?s?"),),
        partly=r"partiellement|en partie|à moitié|partielle?s?|partiel",
        no=r"pas|n'est pas|ce n'est pas|non|n'est|aucunement|jamais",
        fully=r"tout à fait|entièrement|complètement|totalement|pleinement|parfaitement",
        mostly=r"presque|globalement|majoritairement|en grande partie|largement|quasiment",
        adverbs=r"seulement|clairement|vraiment|malheureusement|heureusement|donc",
        subject=r"(?:(?:la |cette |l')?(?:réponse|action|solution|prédiction|description|affirmation|elle|il|ce|cela) ?)?(?:(?:est|était|c'est)(?: (?:donc|clairement|bien))*)?",
    ),
    Language(
        "Spanish",
        plain=(
            ("incorrect[oa]s?", "correct[oa]s?"),
            ("fals[oa]s?", "verdader[oa]s?|ci?ert[oa]s?"),
            ("inexact[oa]s?|erróne[oa]s?", "exact[oa]s?"),
            (NO["es"], YES["es"]),
        ),
        judged=(
            ("equivocad[oa]s?|errad[oa]s?", "acertad[oa]s?"),
            ("inválid[oa]s?", "válid[oa]s?"),
            ("distint[oa]s?|diferentes?", "idéntic[oa]s?|iguale?s?"),
            ("suspens[oa]|fallid[oa]s?|fallo(?: total)?", "aprobad[oa]s?|lograd[oa]s?|acierto(?: total)?"),
            ("mal", "bien"),
            ("no coincide|no acierta", "coincide|acierta"),
            ("ninguna coincidencia", "coincidencia(?: exacta| total)?"),
        ),
        graded=(("mal[oa]s?|insuficientes?|inadecuad[oa]s?", "buen[oa]?s?|excelentes?|suficientes?|adecuad[oa]s?"),),
        partly=r"parcialmente|en parte|a medias|parcial|parciales",
        no=r"no|no es|no está|nunca|tampoco",
        fully=r"totalmente|completamente|del todo|plenamente|enteramente|perfectamente",
        mostly=r"casi|mayormente|en gran parte|prácticamente|generalmente",
        adverbs=r"solo|sólo|claramente|realmente|lamentablemente|por desgracia|afortunadamente|por suerte",
        subject=r"(?:(?:la |esta |el )?(?:respuesta|acción|solución|predicción|descripción|afirmación|ella|él|eso|esto) ?)?(?:es|está|era|resulta)?(?: (?:claramente|por tanto))*",
    ),
    Language("Korean", (("틀림|틀렸\\w{0,3}|오답", "맞음|맞\\w{0,3}|정답"), (NO["ko"], YES["ko"])), (), ()),
    Language("Hindi", (("गलत", "सही"), (NO["hi"], YES["hi"])), (), ()),
)
"""The languages written with blanks between words."""

UNSPACED: Sequence[Language] = (
    Language(
        "Japanese",
        plain=(
            ("不正解", "正解"),
            ("誤り|間違い|間違って(?:い(?:る|ます))|正しくない|正しくありません", "正しい"),
            ("いいえ", "はい"),
            ("不適切", "適切"),
        ),
        judged=(
            ("誤答", "正答"),
            ("違って(?:い(?:る|ます))|違う|違います|違い|異なります|異なる", "同じ"),
            (
                "一致しない|一致しません|一致していない|一致していません",
                "一致(?:して(?:い(?:る|ます)))?(?:する|します)?",
            ),
            ("合っていない|合っていません", "合って(?:い(?:る|ます))"),
            ("的外れ", "的確"),
            ("不合格", "合格"),
        ),
        graded=(("悪い", "良い"),),
        partly=r"部分的に|部分的|部分|一部",
        no=r"不|非",
        fully=r"完全に|十分に|明らかに|全く",
        mostly=r"ほぼ|ほとんど|大体|概ね",
        subject=r"(?:この|その)*(?:参照|参照回答|正解例|回答|答え|解答|行動|これ|それ)(?:は|が|と|:)?\s?",
    ),
    Language(
        "Chinese",
        plain=(("错误|錯誤|错|錯|不正确|不正確|不对|不對", "正确|正確|对|對"),),
        judged=(
            ("有误|有誤", "没错|沒錯|无误|無誤"),
            ("不准确|不準確", "准确|準確"),
            ("不一致|不符合?|不相符", "一致|符合|相符|吻合"),
            ("不匹配", "匹配"),
            ("不同", "相同"),
            ("否", r"是(?=[\s*_]*(?:[]()[.;:,!|}>\"'。\n\u2013\u2014\u2192-]|$))"),
            ("失败|失敗", "成功"),
            ("不合格|未通过|未通過", "合格|通过|通過"),
            ("无效|無效", "有效"),
            ("假", "真"),
            ("答错|答錯", "答对|答對"),
            ("离题|離題|跑题", "切题|切題"),
            ("×", "○"),
        ),
        graded=(("很差|差", "很好|好"),),
        partly=r"部分|半分|一部|部分的に|部分的|一部分|半|有部分",
        no=r"不是|并不|並不|并非|並非|不太|没有|没|沒|不|非|未|無|无",
        fully=r"完全|全部|明显|明顯|显然",
        mostly=r"基本上|基本|大致|大部分",
        subject=r"(?:因为|因為|所以|该|該|这个|這個|此|学生的?|模型的?|与|與)*(?:参考答案|參考答案|参考|參考|标准答案|回答|答案|解答|行動|动作|動作|它|这|這)(?:是|为|為|:)?\s?",
    ),
)
"""The languages written without blanks between words."""

WRONG_SIGNS, RIGHT_SIGNS = "❌✗✘✖❎🚫⛔×👎", "✅✓✔☑🟢👍"
"""Signs for a verdict."""


def any_of(languages: Sequence[Language], part: str) -> str:
    """Return a pattern for one part of several languages, such as ``no``."""
    return "|".join(words for language in languages if (words := getattr(language, part)))


def wrong_words(languages: Sequence[Language]) -> str:
    """Return a pattern for the words that call an answer wrong."""
    return "|".join(language.wrong() for language in languages)


def right_words(languages: Sequence[Language]) -> str:
    """Return a pattern for the words that call an answer right."""
    return "|".join(language.right() for language in languages)


def plain_words(side: int) -> str:
    """Return a pattern for the words that only say no or wrong (0), or yes or right (1), in all languages."""
    values = (NO, YES)[side].values()
    return "|".join((*(alternatives(language.plain, side) for language in (*SPACED, *UNSPACED)), *values))


def graded_words(languages: Sequence[Language], side: int) -> str:
    """Return a pattern for the graded words of one side: 0 is bad, 1 is good."""
    return "|".join(alternatives(language.graded, side) for language in languages if language.graded)
