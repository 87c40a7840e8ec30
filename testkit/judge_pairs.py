"""Pairs of judges' replies that differ in one thing: the score and its words are at one end of the scale or the other.

A wording puts words for wrong or right beside the lowest or highest score. A reader has to read both replies of a pair
or none. Many of the words are in no table of the readers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from domain.judging import Value


def _pairs(text: str) -> Sequence[tuple[str, str]]:
    return [(wrong, right) for wrong, _, right in (pair.strip().partition(" / ") for pair in text.split(";"))]


WORDS: Mapping[str, Sequence[tuple[str, str]]] = {
    "English": _pairs(
        "incorrect / correct; wrong / right; a complete miss / spot on; completely off / spot on; "
        "way off / dead on; off the mark / on the mark; a total miss / a direct hit; a miss / a hit; "
        "nope / yep; no / yes; inaccurate / accurate; bad / good; a bad answer / a good answer; "
        "poor / excellent; a wrong answer / a right answer; an incorrect answer / a correct answer; "
        "not even close / exactly right; totally wrong / totally right; utterly wrong / utterly right; "
        "clearly wrong / clearly right; definitely incorrect / definitely correct; "
        "plainly wrong / plainly correct; obviously wrong / obviously right; "
        "factually incorrect / factually correct; incorrect answer / correct answer; "
        "wrong action / right action; no match / match; does not match / matches; doesn't match / matches; "
        "mismatch / match; not a match / a match; no credit / full credit; zero marks / full marks; "
        "no points / full points; fail / pass; failed / passed; a failure / a success; "
        "unacceptable / acceptable; false / true; untrue / true; invalid / valid; not correct / correct; "
        "not right / right; not accurate / accurate; not true / true; "
        "not at all correct / entirely correct; incorrect overall / correct overall; "
        "wrong overall / right overall; nonsense / perfect; worthless / flawless; useless / perfect; "
        "hallucinated / grounded; unsupported / supported; not supported / supported; "
        "contradicts the reference / agrees with the reference; "
        "differs from the reference / equals the reference; not equivalent / equivalent; "
        "not the same / the same; different action / same action; missing / present; "
        "not present / present; not met / met; incomplete / complete; unsafe / safe; not safe / safe; "
        "misses the point / gets the point; off-topic / on topic; irrelevant / relevant; "
        "not relevant / relevant; the worst / the best; worst / best; lowest / highest; minimum / maximum; "
        "the lowest score / the highest score; nothing right / everything right; "
        "nothing matches / everything matches; none correct / all correct; all wrong / all right; "
        "not what was asked / what was asked; disagrees / agrees; disagree / agree; I disagree / I agree; "
        "rejected / accepted; denied / confirmed; unsatisfactory / satisfactory; "
        "could not be worse / could not be better; never right / always right; thumbs down / thumbs up; "
        "👎 / 👍; ❌ / ✅; ✗ / ✓; ✘ / ✔"
    ),
    "German": _pairs(
        "falsch / richtig; nicht richtig / richtig; nicht korrekt / korrekt; "
        "völlig falsch / völlig richtig; eindeutig falsch / eindeutig richtig; klar falsch / klar richtig; "
        "daneben / getroffen; voll daneben / voll getroffen; stimmt nicht / stimmt; "
        "trifft nicht zu / trifft zu; passt nicht / passt; unpassend / passend; ungenügend / sehr gut; "
        "mangelhaft / sehr gut; schlecht / gut; nein / ja; ungültig / gültig; unzutreffend / zutreffend; "
        "keine Übereinstimmung / volle Übereinstimmung; stimmt nicht überein / stimmt überein; "
        "weicht ab / stimmt überein; leider falsch / zum Glück richtig; "
        "falsche Antwort / richtige Antwort; nicht bestanden / bestanden"
    ),
    "French": _pairs(
        "faux / vrai; incorrect / correct; incorrecte / correcte; pas correct / correct; "
        "n'est pas correct / est correct; mauvaise réponse / bonne réponse; "
        "à côté / en plein dans le mille; complètement faux / complètement vrai; "
        "totalement faux / totalement vrai; erroné / exact; non / oui; ne correspond pas / correspond; "
        "ne correspond pas à la référence / correspond à la référence; raté / réussi; échec / réussite; "
        "insuffisant / suffisant; mauvais / excellent; clairement faux / clairement juste; "
        "inexact / exact; non conforme / conforme; ce n'est pas juste / c'est juste; "
        "aucune correspondance / correspondance parfaite"
    ),
    "Spanish": _pairs(
        "incorrecto / correcto; incorrecta / correcta; no es correcto / es correcto; "
        "no correcta / correcta; mal / bien; falso / verdadero; equivocado / acertado; erróneo / exacto; "
        "no / sí; no coincide / coincide; no coincide con la referencia / coincide con la referencia; "
        "respuesta incorrecta / respuesta correcta; mala respuesta / buena respuesta; "
        "totalmente incorrecto / totalmente correcto; claramente incorrecto / claramente correcto; "
        "fallo total / acierto total; insuficiente / suficiente; inválido / válido; suspenso / aprobado; "
        "fallido / logrado; ninguna coincidencia / coincidencia exacta; no acierta / acierta"
    ),
    "Chinese": _pairs(
        "错误 / 正确; 不正确 / 正确; 不对 / 对; 错 / 对; 错的 / 对的; 完全错误 / 完全正确; 答案错误 / 答案正确; 回答不正确 / 回答正确; 不符合 / 符合; "
        "不符 / 相符; 与参考不符 / 与参考相符; 不一致 / 一致; 与参考答案不一致 / 与参考答案一致; 否 / 是; 不合格 / 合格; 差 / 好; 很差 / 很好; 失败 / 成功; "
        "未通过 / 通过; 没有匹配 / 完全匹配; 不匹配 / 匹配; 错误的 / 正确的; 明显错误 / 明显正确; 答错了 / 答对了; 离题 / 切题; 不准确 / 准确; 没答对 / 答对了"
    ),
    "Japanese": _pairs(
        "不正解 / 正解; 正しくない / 正しい; 間違い / 正しい; 誤り / 正しい; 間違っている / 合っている; 間違っています / 合っています; 誤答 / 正答; "
        "一致しない / 一致する; 不一致 / 一致; 不適切 / 適切; 不正確 / 正確; 参照と一致しない / 参照と一致する; 違う / 同じ; 完全に間違い / 完全に正しい; "
        "回答は誤りです / 回答は正しいです; 明らかに誤り / 明らかに正しい; 的外れ / 的確; 不合格 / 合格; いいえ / はい; 悪い / 良い; × / ○; "
        "正しくありません / 正しいです"
    ),
}
"""Words that call an answer wrong, and their counterparts, by language."""
SUBJECTS: Mapping[str, Sequence[str]] = {
    'English': ('', 'the answer is ', 'it is ', 'this is ', 'the response is ', "the student's answer is ", 'The model is ', 'because it is ', 'because the answer is ', "it's ", "That's "),
    'German': ('', 'die Antwort ist ', 'das ist ', 'weil die Antwort so ist: '),
    'French': ('', 'la réponse est ', "c'est "),
    'Spanish': ('', 'la respuesta es ', 'es '),
    'Chinese': ('', '答案', '因为答案', '该回答'),
    'Japanese': ('', '答えは', '回答は', 'この答えは'),
}  # fmt: skip
"""What may stand before the words."""
ADVERBS: Mapping[str, Sequence[str]] = {
    'English': ('', 'clearly ', 'completely ', 'simply ', 'just ', 'obviously ', 'absolutely ', 'really ', 'very ', 'therefore '),
    'German': ('', 'ganz ', 'klar ', 'leider ', 'eindeutig '),
    'French': ('', 'tout à fait ', 'clairement ', 'vraiment '),
    'Spanish': ('', 'claramente ', 'totalmente ', 'realmente '),
    'Chinese': ('', '明显', '完全'),
    'Japanese': ('', '明らかに', '完全に'),
}  # fmt: skip
"""What may stand right before them."""
VERBS = (
    "est ",
    "es ",
    "c'est",
    "stimmt",
    "trifft",
    "passt",
    "correspond",
    "coincide",
    "acierta",
    "matches",
    "agrees",
    "equals",
    "disagree",
    "agree",
    "I ",
    "gets",
    "all ",
    "everything",
    "what was",
    "supported",
    "是",
)
"""How words begin that take no subject: they have a verb of their own."""
SCORES: Sequence[str] = (
    '{v}', '**{v}**', '*{v}*', '__{v}__', '`{v}`', '\\textbf{{{v}}}', '\\boxed{{{v}}}', '\\mathbf{{{v}}}',
    '${v}$', '$\\boxed{{{v}}}$', '{v}/{top}', '{v} / {top}', '{v} out of {top}', '{v} points', '{v} pts',
    '{v} of {top}', '{v}/{top} points', '{v} von {top}', '{v} sur {top}', '{v} de {top}', '{v}分', '{v}点',
    '({v})', '"{v}"', '{v} point', '~{v}', '{v}.', '{v}!',
)  # fmt: skip
"""How a score is written."""
BEHIND: Sequence[str] = (
    '{s}', '{s} ({w})', '{s} [{w}]', '{s}: {w}', '{s} - {w}', '{s} -- {w}', '{s} – {w}', '{s} — {w}',
    '{s}, {w}', '{s}; {w}', '{s}. {w}', '{s}. {w}.', '{s} {w}', '{s} = {w}', '{s} → {w}', '{s} => {w}',
    '{s} because {w}', '{s} (because {w})', '{s}, because {w}.', '{s}, since {w}', '{s}, as {w}',
    '{s}, i.e. {w}', '{s} # {w}', '{s} // {w}', '{s} <!-- {w} -->', '{s}（{w}）', '{s}，{w}', '{s}。{w}。',
    '{s}\n{w}', '{s}\n\n{w}.', '{s}\n({w})', '{s} (**{w}**)', '{s} (*{w}*)', '{s} **{w}**', '{s} *({w})*',
    '{s} "{w}"', '{s} | {w}', '{s} / {w}', '{s} {{{w}}}', '{s} <{w}>', '{s}, so {w}', '{s} meaning {w}',
    '{s} and {w}', '{s}!  {w}!', '{s}...{w}', '{s} ({w}).', '{s} ({w}). Next one please.', "{s} '{w}'",
    '{s} (= {w})', '{s} (i.e., {w})', '{s} (the answer: {w})', '{s} for: {w}', '{s} for being {w}',
    '{s} since: {w}',
)  # fmt: skip
BEFORE: Sequence[str] = (
    '{w}: {s}', '{w} - {s}', '{w} ({s})', '{w}, {s}', '{w} → {s}', '{w}\n{s}', '{w}. {s}', '[{w}] {s}',
    '({w}) {s}', '**{w}** {s}', '{w} = {s}', '{w}, so {s}', '{w}, therefore {s}', '{w}; {s}',
)  # fmt: skip
"""How the words stand beside it."""
CARRIERS: Mapping[str, Sequence[str]] = {
    'double_brackets': ('Rating: @', '**Rating:** @', 'Rating: @\n\nLet me know.', '## Rating\n@', '- Final rating: @', 'So my rating is @', 'It names the cup.\n\n@', '@', 'Score: @', '<rating>@</rating>', '| all | @ |', 'Final verdict: @', '> Rating: @', 'My rating: @', '评分：@', '評価：@', 'Bewertung: @', 'Note : @', 'Puntuación: @'),
    'six_lines': ('{n} score: @', '**{n} score:** @', '- {n} score: @', '### {n} score: @', '| {n} score | @ |', '{n} score = @', '1. {n} score: @'),
    'assessment_json': ('{"Assessment": "Compared with the reference.", "Final Score": "@"}', '{"Final Score": "@", "Assessment": "Compared."}', '```json\n{"Assessment": "Compared.", "Final Score": "@"}\n```', 'Here it is: {"Assessment": "Compared.", "Final Score": "@"} Done.'),
}  # fmt: skip
"""Replies around it, by parser."""
SCALES: Sequence[Sequence[float]] = ((0, 1), (0, 0.5, 1), (1, 2, 3, 4, 5), tuple(range(11)))


@dataclass(frozen=True)
class ReplyPair:
    """Replies in one wording, with the lowest and the highest score of a scale."""

    parser: str
    scale: Sequence[Value]
    fitting: tuple[str, str]
    """Words for wrong with the lowest score, words for right with the highest one."""
    contradicting: tuple[str, str]
    """The other way around."""


def reply_pairs(count: int, seed: str) -> Iterator[ReplyPair]:
    """Yield as many pairs, drawn with this seed."""
    draw = Random(seed)
    for _ in range(count):
        yield _drawn(draw)


def _drawn(draw: Random) -> ReplyPair:
    parser = draw.choice(list(CARRIERS))
    carrier = draw.choice(CARRIERS[parser])
    language = draw.choice(list(WORDS))
    wrong, right = draw.choice(WORDS[language])
    scale = draw.choice(SCALES)
    score = draw.choice(SCORES) if draw.random() < 0.5 else "{v}"
    shape = draw.choice(BEHIND if draw.random() < 0.8 else BEFORE)
    subject = draw.choice(SUBJECTS[language]) if draw.random() < 0.35 and not right.startswith(VERBS) else ""
    adverb = (
        draw.choice(ADVERBS[language]) if draw.random() < 0.3 and not right.startswith(("est ", "es ", "c'")) else ""
    )
    is_capital, decimals = draw.random() < 0.2, draw.choice(("g", "g", "g", ".1f"))

    def reply(value: float, words: str) -> str:
        number = format(value, decimals)
        said = score.format(v=f"[[{number}]]" if parser == "double_brackets" else number, top=max(scale))
        beside = subject + adverb + words
        beside = beside[0].upper() + beside[1:] if is_capital else beside
        return _carried(parser, carrier, shape.format(s=said, w=beside))

    low, high = min(scale), max(scale)
    return ReplyPair(parser, scale, (reply(low, wrong), reply(high, right)), (reply(low, right), reply(high, wrong)))


def _carried(parser: str, carrier: str, said: str) -> str:
    if parser == "assessment_json":
        return carrier.replace("@", json.dumps(said, ensure_ascii=False)[1:-1])
    if parser != "six_lines":
        return carrier.replace("@", said)
    lines = (
        f"{name} assessment evidence: The answer says so.\n{carrier.format(n=name)}"
        for name in ("action", "perception", "cognition")
    )
    return "\n".join(lines).replace("@", said)
