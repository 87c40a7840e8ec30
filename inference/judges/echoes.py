"""Templates that come back: replies that repeat the form they were asked for, with its placeholders, and JSON objects that
say two things under one key. Neither holds a verdict that anyone gave."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from domain.reading.verdict_words import plain_words

_HINT = (
    r"(?:your|you|insert|brief\w*|short|explain|explanation|assessments?|evidence|reason\w*|rationale|justif\w+|analysis|feedback|comments?|"
    r"scores?|rating|verdict|grade|judge?ment|text|string|number|value|here|fill|placeholder|describe|description|thoughts?|why|sentences?|words?|"
    r"begr\u00fcndung|bewertung|explication|justification|explicaci\u00f3n|puntuaci\u00f3n|\u8bc4\u5206|\u7406\u7531|\u5206\u6570|\u8bc4\u4f30|\u89e3\u91ca|\u8a55\u4fa1|\u7406\u7531|\u8aac\u660e|\u70b9\u6570)"
)
_BRACKETED = (
    rf"<(?=[^<>\n/]*{_HINT})(?P<tag>[^<>\n/]{{2,80}})>"
    rf"|\{{\{{?(?=[^{{}}\n\":]*{_HINT})[^{{}}\n\":]{{2,80}}\}}\}}?"
    rf"|\[(?=[^\[\]\n]{{0,12}}\b{_HINT})[^\[\]\n{{}}\":]{{2,80}}\]"
    rf"|\((?:your |the |brief |short |some )*{_HINT}\)"
)
_CHOICE = rf"(?:partially correct|partly right|pass|fail|good|bad|match|mismatch|{plain_words(0)}|{plain_words(1)})"
_CHOICES = rf"(?:{_CHOICE}(?:\s?[/|]\s?| or | oder | ou | o ){_CHOICE}(?:\s?[/|]\s?{_CHOICE})*|\d(?:\.\d)?(?:\s?[/|]\s?\d(?:\.\d)?){{2,}}(?![\d/]))"
_WORDS = (
    r"(?:your (?:assessment|explanation|evidence|reason(?:ing|s)?|score|rating|verdict|analysis|answer)(?: here)?|(?:assessment|explanation|evidence|reason(?:ing)?|rationale)(?: here)?|"
    r"\.{3}|\u2026|brief|\$\{?[a-z]\w*\}?|explanation goes here|insert \w+ here|\\*x{3,}|why|string|str|text|todo|tbd|placeholder|lorem ipsum)"
)
_WHOLE = re.compile(
    rf"(?:\A|\n|[:=\uff1a])[ \t*_>#\"'`-]*(?:{_BRACKETED}|{_CHOICES})[ \t*_\"'`.,}}]*(?=\n|\Z|\"\s*[,}}])",
    re.IGNORECASE,
)
_VALUE = re.compile(rf"\A[\s*_\"'`\\]*(?:{_BRACKETED}|{_CHOICES}|{_WORDS})[\s*_\"'`.!]*\Z", re.IGNORECASE)
"""Values that are placeholders as a whole; under a key, plain words count as placeholders."""

_TEXT_KEY = (
    r"(?:assessments?|explanations?|evaluation|evidence|justification|rationale|reasons?|reasoning|analysis|feedback|comments?|remarks?|"
    r"verdict|judge?ment|result|correctness|bewertung|beurteilung|urteil|begründung|erklärung|évaluation|explication|évaluación|evaluación|"
    r"explicación|justificación|veredicto|avaliação|explicação|valutazione|spiegazione|评估|评价|评判|理由|解释|说明|評価|説明|判定|평가|설명|이유)"
)
_NOUN = (
    r"(?:assessments?|explanations?|evaluation|evidence|justifications?|rationale|reasons?|reasoning|analysis|feedback|comments?|remarks?|"
    r"verdict|judge?ment|description|summary|thoughts|scores?|rating|grade|decision|text)"
)
_OF = (
    r"(?: (?:of|for|behind|about|on|why|supporting|to support|in support of|explaining)(?: (?:the|your|this|that|a|an|you|final|given|assigned|gave|chose|chosen))*"
    rf"(?: (?:{_NOUN}|answer|response|prediction|choice|it))?"
    r"|,? (?:of |for |behind )?why (?:you|it|this|the)\b[^\n]{0,60})?"
)
_LENGTH = r"(?:,? (?:here|goes here|below|in (?:a|one|two|\d(?:-\d)?|a few) (?:short )?(?:sentences?|words)))?"
_SHORT = r"(?:very |brief |short |one[- ]sentence |single[- ]sentence |few |quick |\d(?:-\d)?[- ]sentence |final |overall |own |written )"
_LONG = r"(?:concise |detailed |clear |thorough |step[- ]by[- ]step )"
_ABOUT_ITSELF = re.compile(
    rf"(?:(?:an? |the |your |some )?{_SHORT}*{_NOUN}{_OF}{_LENGTH}"
    rf"|(?:an? |the )?(?:your )(?:{_SHORT}|{_LONG})*{_NOUN}{_OF}{_LENGTH}|(?:an? )?(?:{_SHORT}|{_LONG})+{_NOUN} (?:of|for|behind) your {_NOUN}{_LENGTH}"
    r"|(?:please )?(?:explain|describe|provide|give|write|state|insert|enter|put|add|fill in|summari[sz]e|justify|include|replace)"
    rf"(?:(?: (?:in|with) [^.\n]{{1,30}})? (?:(?:an?|the|your|some|here) |{_SHORT}|{_LONG})*{_NOUN}{_OF}{_LENGTH}"
    r"| (?:(?:in|with) [^.\n]{1,30} )?(?:why|how|whether|what)\b[^\n]{0,80}| (?:it |this )?(?:here|below))"
    r"|(?:eine? |die |deine |ihre |meine )?(?:kurze |knappe )*(?:begründung|bewertung|erklärung|einschätzung|beurteilung)(?: (?:der|deiner|ihrer|für die) (?:bewertung|note|punktzahl|antwort))?(?: hier)?"
    r"|(?:erkläre|begründe|beschreibe|erläutere)n?(?: sie)?(?: hier)? (?:die|deine|ihre|kurz|warum)\b[^\n]{0,60}"
    r"|(?:une |la |votre |ta )?(?:brève |courte )*(?:explication|justification|évaluation|analyse)(?: (?:brève|courte))?(?: (?:de|pour) (?:la|votre|ta) (?:note|évaluation|réponse))?(?: ici)?"
    r"|(?:expliquez|explique|justifiez|décrivez) (?:ici |brièvement )?(?:la|votre|ta|pourquoi)\b[^\n]{0,60}"
    r"|(?:una |la |tu |su )?(?:breve )*(?:explicación|justificación|evaluación|análisis)(?: breve)?(?: (?:de|para) (?:la|tu|su) (?:puntuación|nota|evaluación|respuesta))?(?: aquí)?"
    r"|(?:explica|explique|justifica|justifique|describe|describa) (?:aquí |brevemente )?(?:la|tu|su|por qué)\b[^\n]{0,60}"
    r"|(?:你的|您的|请|請)?(?:在此|在这里|在這裡)?(?:简短|简要|簡短|簡要|写下|填写|解释|说明)?的?(?:你的|您的)?(?:评估|评价|评分|解释|说明|理由|分析|評估|評價|解釋|說明)(?:你的|您的)?(?:评分|评估|理由)?(?:写在这里)?"
    r"|(?:あなたの|ここに)?(?:簡単な|簡潔な|短い)?(?:あなたの)?(?:評価|説明|理由|根拠|分析)(?:の説明|の理由)?(?:をここに(?:書く|書いてください)?|を書いてください)?)",
    re.IGNORECASE,
)
"""Words about the explanation itself, where a judge would explain its score: “Your brief justification”."""
_LABELED = re.compile(
    rf"(?:\A|\n)[ \t*_>#-]*{_TEXT_KEY}[ \t*_]*[:：=][ \t*_\"']*(?P<value>[^\n]{{1,160}})", re.IGNORECASE
)
_KEY = re.compile(rf"(?:(?:your|brief|short|final|overall) )?{_TEXT_KEY}", re.IGNORECASE)


def placeholder(text: str) -> tuple[int, int] | None:
    """Return where a whole line, or the whole text after a label, is a placeholder such as ``<your assessment>``."""
    for match in _WHOLE.finditer(text):
        tag = match["tag"]
        if tag is not None and f"</{tag.split()[0]}".lower() in text[match.end() :].lower():
            continue  # a pair of tags around the text
        return match.span()
    for match in _LABELED.finditer(text):
        if _is_about_itself(match["value"]):
            return match.span("value")
    return None


def is_text_key(key: str) -> bool:
    """Return whether a judge explains its score under this key.

    >>> is_text_key("assessment"), is_text_key("final score")
    (True, False)
    """
    return _KEY.fullmatch(key.strip()) is not None


def is_empty_text(value: object) -> bool:
    """Return whether the text of an assessment is only the template's words about it, or only punctuation.

    >>> is_empty_text("Your brief justification"), is_empty_text("______"), is_empty_text("Correct reasoning.")
    (True, True, False)
    """
    return isinstance(value, str) and (_is_about_itself(value) or _is_punctuation(value))


def _is_about_itself(text: str) -> bool:
    bare = text.strip(" \t\n.。!:…*_`\"'()[]<>{},")
    return bool(bare) and _ABOUT_ITSELF.fullmatch(bare) is not None


def _is_punctuation(text: str) -> bool:
    marks = [char for char in text if not char.isspace()]
    return bool(marks) and all(char in "=~^`|" or unicodedata.category(char).startswith("P") for char in marks)


def is_placeholder(value: object) -> bool:
    """Return whether a value of a JSON object is a placeholder.

    >>> is_placeholder("<your assessment>"), is_placeholder("Correct/Incorrect"), is_placeholder("It names the cup.")
    (True, True, False)
    """
    return isinstance(value, str) and _VALUE.match(value) is not None


def repeated_key(pairs: Sequence[tuple[str, Any]]) -> str | None:
    """Return a key that an object, or one within it, holds twice with different values; None without such a key.

    >>> repeated_key([("a", 1), ("b", 2), ("a", 1)]), repeated_key([("a", 1), ("A", 2)])
    (None, 'A')
    """
    seen: dict[str, Any] = {}
    for key, value in pairs:
        name = " ".join(re.split(r"[\s_-]+", key.strip().lower()))
        if name in seen and _plain(seen[name]) != _plain(value):
            return key
        seen[name] = value
        for inner in _inner(value):
            inner_key = repeated_key(inner)
            if inner_key is not None:
                return inner_key
    return None


def _plain(value: Any) -> Any:
    text = str(value).strip().casefold()
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return text


def _inner(value: Any) -> Iterator[Sequence[tuple[str, Any]]]:
    for part in value if isinstance(value, list) else [value]:
        pairs = getattr(part, "pairs", None)
        if pairs is not None:
            yield pairs
