"""Wordings in which judges give scores: every value of a scale in the same manner, with words that fit the value.

A manner is a shape around a score, and words for wrong, partly right and right. Each reply is made for a score, so its
true score is known. Tests and benchmarks share these lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from domain.judging import Value

Words = tuple[str, str, str]
"""Words that call an answer wrong, partly right and right."""

WORDS: Mapping[str, Sequence[Words]] = {
    "English": (
        ("incorrect", "partially correct", "correct"),
        ("wrong", "partly right", "right"),
        ("not correct", "partly correct", "fully correct"),
        ("not right", "half right", "not wrong"),
        ("inaccurate", "somewhat accurate", "accurate"),
        ("false", "partially true", "true"),
        ("no", "partly", "yes"),
        ("fail", "partial", "pass"),
        ("no match", "partial match", "match"),
        ("different", "partly the same", "the same"),
        ("not the same", "partly the same", "identical"),
        ("completely wrong", "partially right", "completely right"),
        ("invalid", "partially valid", "valid"),
        ("never correct", "partly correct", "always correct"),
        ("not correct at all", "partly correct", "entirely correct"),
    ),
    "German": (
        ("falsch", "teilweise richtig", "richtig"),
        ("nicht richtig", "zum Teil richtig", "völlig richtig"),
        ("nicht korrekt", "teilweise korrekt", "korrekt"),
        ("inkorrekt", "teils korrekt", "nicht falsch"),
        ("unzutreffend", "teilweise zutreffend", "zutreffend"),
    ),
    "French": (
        ("incorrect", "partiellement correct", "correct"),
        ("incorrecte", "partiellement correcte", "correcte"),
        ("faux", "en partie vrai", "vrai"),
        ("fausse", "en partie juste", "juste"),
        ("pas correct", "partiellement exact", "tout à fait correct"),
        ("non correct", "partiellement juste", "exact"),
    ),
    "Spanish": (
        ("incorrecto", "parcialmente correcto", "correcto"),
        ("incorrecta", "parcialmente correcta", "correcta"),
        ("no correcta", "en parte correcta", "totalmente correcta"),
        ("equivocado", "parcialmente acertado", "acertado"),
        ("falso", "parcialmente cierto", "cierto"),
    ),
    "Chinese": (
        ("错误", "部分正确", "正确"),
        ("不正确", "部分正确", "完全正确"),
        ("不对", "部分对", "对"),
        ("錯誤", "部分正確", "正確"),
        ("不符合", "部分符合", "符合"),
    ),
    "Japanese": (
        ("誤り", "部分的に正しい", "正しい"),
        ("不正解", "部分的に正解", "正解"),
        ("正しくない", "一部正しい", "正しいです"),
        ("正解ではない", "部分正解", "完全に正解"),
        ("間違い", "部分的に正しい", "間違いではない"),
    ),
}
SENTENCES: Mapping[str, Sequence[Words]] = {
    "English": (
        ("the answer is wrong", "the answer is partly right", "the answer is right"),
        ("the answer is not correct", "the answer is partially correct", "the answer is correct"),
        ("the response isn't correct", "the response is partially correct", "the response is correct"),
        ("it is incorrect", "it is partially correct", "it is correct"),
        (
            "the answer does not match the reference",
            "the answer partially matches the reference",
            "the answer matches the reference",
        ),
    ),
    "German": (
        ("die Antwort ist falsch", "die Antwort ist teilweise richtig", "die Antwort ist richtig"),
        ("die Antwort ist nicht richtig", "die Antwort ist zum Teil richtig", "die Antwort ist korrekt"),
    ),
    "French": (
        ("la réponse est fausse", "la réponse est partiellement correcte", "la réponse est correcte"),
        ("la réponse n'est pas correcte", "la réponse est en partie correcte", "la réponse est juste"),
    ),
    "Spanish": (
        ("la respuesta es incorrecta", "la respuesta es parcialmente correcta", "la respuesta es correcta"),
        ("la respuesta no es correcta", "la respuesta es en parte correcta", "la respuesta es acertada"),
    ),
    "Chinese": (
        ("答案错误", "答案部分正确", "答案正确"),
        ("回答是不正确的", "回答是部分正确的", "回答是正确的"),
    ),
    "Japanese": (
        ("回答は誤りです", "回答は部分的に正しいです", "回答は正しいです"),
        ("答えは正しくありません", "答えは一部正しい", "答えは正しい"),
    ),
}
"""Whole sentences by language."""
REASONS: Sequence[Words] = (
    ("it is not the same", "it is close", "it is the same"),
    ("it names the fork instead of the cup", "it names a cup or a mug", "it names the cup"),
    ("no cup is named, nor could one be seen", "the cup might be meant", "the cup is named"),
    ("it would not stop, or not in time", "it would stop if asked to", "it would stop in time"),
    ("it should have been a fork", "it is a fork or a spoon", "it is a fork"),
    ("it does not describe any key concept", "it describes a part of one", "it describes a key concept"),
    ("nothing in it is supported", "only a part of it is supported", "all of it is supported"),
)
"""Reasons that follow “because”."""

BESIDE = (
    "{v} ({w})",
    "{v} - {w}",
    "{v} \u2013 {w}",
    "{v}, {w}",
    "{v}; {w}",
    "{v} {w}",
    "{v}: {w}",
    "{v} = {w}",
    "{v} → {w}",
    "**{v}** ({w})",
    "{v} (*{w}*)",
)
BESIDE_SENTENCE = (
    "{v}, {w}",
    "{v} - {w}.",
    "{v} ({w})",
    "{v} because {w}",
    "{v}, since {w}.",
    "{v}. {w}.",
    "{v}; {w}.",
)
BESIDE_HAN = ("{v}({w})", "{v}\uff08{w}\uff09", "{v}\uff0c{w}", "{v} - {w}", "{v}。{w}。", "{v}\uff0c因为{w}")
BECAUSE = (
    "{v} because {w}",
    "{v}, because {w}.",
    "{v} since {w}",
    "{v} (because {w})",
    "{v} - because {w}",
    "{v} ({w})",
    "{v} - {w}.",
    "{v}, as {w}",
)
BARE = (
    *(
        "{v}",
        "{v}/{top}",
        "{v} / {top}",
        "{v} out of {top}",
        "{v} out of {top}.",
        "{v}/{top} points",
        "{v} out of {top} points",
        "{v} of {top}",
    ),
    *(
        "{v} points",
        "{v} point",
        "{v} point(s)",
        "{v} pts",
        "{v} Punkte",
        "{v} von {top}",
        "{v} sur {top}",
        "{v} de {top}",
    ),
    *(
        "{v}.",
        "**{v}**",
        "*{v}*",
        "__{v}__",
        "${v}$",
        "\\textbf{{{v}}}",
        "\\mathbf{{{v}}}",
        "**{v}/{top}**",
        "\\text{{{v}}}",
        "{v}分",
        "{v}点",
    ),
)


@dataclass(frozen=True)
class Manner:
    """A wording that every value of a scale can be given in."""

    name: str
    shape: str
    words: Words | None = None

    def say(self, score: str, share: float, top: Value) -> str:
        """Return the wording of a score; ``share`` is the position of the score on its scale, from 0 to 1."""
        words = "" if self.words is None else self.words[0 if share == 0 else 2 if share == 1 else 1]
        return self.shape.format(v=score, w=words, top=top)


def _manners() -> Iterator[Manner]:
    """Yield every shape with every set of words that it takes."""
    for shape in BARE:
        yield Manner(f"bare {shape}", shape)
    for language, some in WORDS.items():
        for words in some:
            for shape in BESIDE_HAN if language in ("Chinese", "Japanese") else BESIDE:
                yield Manner(f"{language} {shape} {words[0]}", shape, words)
    for language, some in SENTENCES.items():
        for words in some:
            for shape in BESIDE_HAN if language in ("Chinese", "Japanese") else BESIDE_SENTENCE:
                yield Manner(f"{language} {shape} {words[0]}", shape, words)
    for words in REASONS:
        for shape in BECAUSE:
            yield Manner(f"reason {shape} {words[0]}", shape, words)


MANNERS: Sequence[Manner] = tuple(_manners())


@dataclass(frozen=True)
class Carrier:
    """A reply around a wording, as one parser expects it."""

    parser: str
    text: str
    score: str = "{v}"

    def reply(self, manner: Manner, value: Value, share: float, top: Value) -> str:
        """Return the whole reply that gives a value in a manner."""
        said = manner.say(self.score.format(v=value), share, top)
        if self.parser == "assessment_json":
            said = said.replace("\\", "\\\\")
        return self.text.replace("@", said)


def _six(line: str) -> str:
    return "\n".join(
        f"{name} assessment evidence: The answer says so.\n{line.format(name=name)}"
        for name in ("action", "perception", "cognition")
    )


CARRIERS: Sequence[Carrier] = (
    *(
        Carrier("double_brackets", text, "[[{v}]]")
        for text in (
            "Compared with the reference.\n\nRating: @",
            "**Rating:** @",
            "Rating: @\n\nLet me know about the next one.",
            "## Rating\n@",
            "- Final rating: @",
            "```\nRating: @\n```",
            "Both name a cup.\n\n### Score: @",
            "| Criterion | Rating |\n|---|---|\n| all | @ |",
            "So my rating is @",
            "It names the cup.\n\n@",
            "Rating: `@`",
            "> Rating: @",
            "1. The answer names the cup.\n2. Rating: @",
            "<rating>@</rating>",
            "*Rating*: @",
            "Final rating\n============\n@",
            "The student says two, the reference says three. I compared both.\n\nMy rating: @",
        )
    ),
    *(
        Carrier("six_lines", _six(line))
        for line in (
            "{name} score: @",
            "**{name} score:** @",
            "- {name} score: @",
            "### {name} score: @",
            "1. {name} score: @",
            "{name} score: **@**",
            "| {name} score | @ |",
            "{name} score: `@`",
            "* **{name} score**: @",
            "{name} score = @",
            "{name} score: @\n",
        )
    ),
    Carrier("six_lines", "```\n" + _six("{name} score: @") + "\n```"),
    Carrier("assessment_json", '{"Assessment": "Compared with the reference.", "Final Score": "@"}'),
    Carrier("assessment_json", '{"Assessment": "Compared with the reference.", "final_score": "**@**"}'),
    Carrier("assessment_json", '{"result": {"Assessment": "Compared.", "Final Score": " @ "}}'),
    Carrier("assessment_json", '```json\n{"Assessment": "Compared.", "Final Score": "@"}\n```'),
    Carrier("assessment_json", 'Here it is:\n{"Final Score": "@", "Assessment": "Compared."}'),
)
