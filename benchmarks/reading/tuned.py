"""Wordings that the readers were tuned on. The wordings of ``held_out`` were written before, and stayed unread during
tuning.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.reading.cases import LAST, NONE, Wording
from domain.reading.answers import AnswerKind


def _no_digits(options: Sequence[str]) -> bool:
    return not any(option.isdigit() for option in options)


def _option(manner: str, *texts: str, language: str = "en", **more: object) -> list[Wording]:
    return [Wording(manner, text, language=language, **more) for text in texts]  # type: ignore[arg-type]


def _trap(manner: str, *texts: str, language: str = "en", truth: str = NONE, **more: object) -> list[Wording]:
    return [Wording(manner, text, truth, language=language, adversarial=True, **more) for text in texts]  # type: ignore[arg-type]


ORDINARY = [
    *_option("letter", "{L}", "({L})", "{L}.", "{L})", "**{L}**", "Option {L}", "Option {L}.", "[{L}]", "`{L}`", "{L}\n", "**({L})**"),
    *_option("letter and text", "{L}. {T}", "({L}) {T}", "{L}: {T}", "**{L}. {T}**", "{L}) {T}.", "**{L}**. {T}", "{L} - {T}", "Option {L}: {T}", "**Option {L}: {T}**"),
    *_option("text", "{T}", "{T}.", "**{T}**", '"{T}"'),
    *_option(
        "declared",
        "The correct answer is {L}.", "The correct answer is **{L}. {T}**", "The answer is ({L}).", "The best answer is {L}) {T}.", "Answer: {L}", "**Answer: {L}**", "Final answer: {L}. {T}", "**Final Answer:** {L}",
        "### Final Answer\n{L}", "The correct option is {L}.", "I would choose option {L}.", "I'd go with {L}.", "My answer is {L}: {T}", "The most likely answer is **{L}**.", "Based on the image, the correct answer is **{L}**: {T}.",
    ),
    *_option("boxed", "{why}\n\n$\\boxed{{{L}}}$", "{why} Therefore \\boxed{{\\text{{{L}}}}}.", "\\[\n\\boxed{{\\textbf{{({L})}}}}\n\\]", "\\boxed{{{L}. \\text{{ {T}}}}}", "$$\\boxed{{\\mathrm{{{L}}}}}$$"),
    *_option("json", '{{"answer": "{L}"}}', '```json\n{{"answer": "{L}"}}\n```', '{{"reasoning": "{why}", "answer": "{L}"}}', '{{"choice": "{L}", "confidence": 0.83}}', '```json\n{{\n  "explanation": "{why}",\n  "final_answer": "{L}. {T}"\n}}\n```'),
    *_option("tagged", "<answer>{L}</answer>", "<think>Maybe {X}? No.</think>\n\n{L}", "<think>\n{why}\n</think>\n\nThe answer is **{L}**.", "<reasoning>{why}</reasoning>\n<answer>\n{L}\n</answer>", "<answer>({L}) {T}</answer>"),
    *_option(
        "reasoning first",
        "{why}\n\nTherefore, the answer is {L}.", "{why} {why}\n\n**Answer: {L}**", "{why}\n\nSo the correct answer is **{L}. {T}**.", "{why}\n\n{L}", "{why}\n\n**{L}. {T}**", "{why} The best choice is {L}.",
        "{why}\n{L}. {T}. I hope this helps!", "{why}\n\n{L}. {T}\n\nLet me know if you need anything else.", "{why}\n\nThus, option {L} is the most appropriate choice.", "{why} Hence, {L}.",
        "Step 1: {why}\nStep 2: {why}\n\nConclusion: {L}", "{why}\n\nAnswer:\n\n{L}) {T}", "{why}\nANSWER: {L}",
        "{why}\n\n{L}. {T}.\n\nI hope this helps! Feel free to ask if you have more questions.",
    ),
    *_option(
        "reason after", "{L}. {why}", "{L}\n\n{why}", "**{L}**\n\nExplanation: {why}", "The answer is {L}. {why}", "{L} because the others do not fit what is shown.", "{T}. {why}", "({L}) {T}\n\nReasoning: {why}",
        "Option {L} is correct. {why}", "{L} is the correct answer. {why}", "{L}) {T} – {why}",
    ),
    *_option("verdicts", "{each}", "Let's go through the options:\n\n{each}", each=("- {l}: incorrect", "- {l}: correct")),
    *_option("verdicts", "{each}", each=("- **{l}. {o}**: Incorrect. Nothing of the kind is shown.", "- **{l}. {o}**: Correct. This is what is shown.")),
    *_option("verdicts", "{each}", "{each}\n\nHope this helps!", each=("{l}. {o} ❌", "{l}. {o} ✅")),
    *_option("verdicts", "{why}\n\n{each}", each=("({l}) {o} - wrong", "({l}) {o} - right")),
    *_option("verdicts", "| Option | Verdict |\n|---|---|\n{each}", each=("| {l} | Incorrect |", "| {l} | Correct |")),
    *_option("verdicts", "{each}", each=("Option {l} is incorrect because it is not shown.", "Option {l} is correct because it is shown.")),
    *_option("verdicts", "{each}", each=("{l}: No", "{l}: Yes")),
    *_option("verdicts", "{each}", each=("{l}) False", "{l}) True")),
    *_option(
        "verdicts, then declared", "Let me analyze each option:\n\n{each}\n\nTherefore, the correct answer is **{L}**.", "{each}\n\n**Answer: {L}**", "{each}\n\nSo the best option is {L}. {T}.", "{each}\n\n\\boxed{{{L}}}",
        each=("- **{l}. {o}**: This is not supported by the image.", "- **{l}. {o}**: This matches what is visible."),
    ),
    *_option(
        "elimination", "{X} and {Y} can be ruled out, so the answer is {L}.", "I would rule out option {X}. The answer is {L}.", "It is not {X} and not {Y}. The answer is {L}.", "{X} is wrong since nothing of it is visible. {L} is correct.",
        "We can eliminate {others}. That leaves {L}.", "{X} is incorrect. {Y} is incorrect. Therefore the correct answer is {L}.", "Options {others} are incorrect. The correct answer is {L}.",
    ),
    *_option("ordinal", "The answer is option {N}: {T}", "Option {N}: {T}", "The {nth} option is correct.", "The correct answer is the {nth} option.", "The answer is option {N}.", "Option {N}", fits=_no_digits),
    *_option("hedged a little", "The answer is most likely {L}.", "I believe the answer is {L}. {T}.", "It appears that the correct answer is {L}.", "Probably {L}.", "The answer is clearly {L}."),
    *_option("quoted options", "The options are:\n{list}\n\nThe correct answer is {L}.", "{list}\n\nAnswer: {L}", "Question: what is shown?\n{list}\nAnswer: {L}. {T}", "Given the options {inline}, the answer is ({L})."),
    *_option("contrast", "{L}, not {X}.", "The answer is {L} rather than {X}.", "The answer is {L}, since {X} and {Y} are not shown.", "{L} is better than {X} here. The answer is {L}."),
    *_option(
        "german", "Die richtige Antwort ist {L}.", "Antwort: {L}", "Ich würde Option {L} wählen.", "{why} Daher ist die richtige Antwort {L}.", "Die Antwort lautet {L}: {T}", "Option {L} ist richtig.", "**{L}. {T}**", "Richtig ist {L}.", "{L} ist die richtige Antwort.",
        "Ich wähle {L}.", "{T}", "Am besten passt {L}.", "Meine Antwort ist {L}.", language="de",
    ),
    *_option(
        "french", "La bonne réponse est {L}.", "Réponse : {L}", "Je choisirais l'option {L}.", "{why} La réponse correcte est donc {L}.", "La réponse est {L} : {T}", "L'option {L} est correcte.", "Je choisis {L}.", "{T}", "C'est la réponse {L}.", "Il s'agit de {L}.",
        "La réponse correcte est **{L}. {T}**", language="fr",
    ),
    *_option(
        "spanish", "La respuesta correcta es {L}.", "Respuesta: {L}", "Yo elegiría la opción {L}.", "{why} Por lo tanto, la respuesta correcta es {L}.", "La respuesta es {L}: {T}", "La opción {L} es la correcta.", "Elijo {L}.", "{T}", "La opción correcta es la {L}.",
        "La opción correcta es **{L}. {T}**", language="es",
    ),
    *_option("chinese", "答案是{L}。", "答案：{L}", "正确答案是 {L}. {T}", "{why}所以选{L}。", "我选择{L}。", "选项{L}是正确的。", "{L}", "{T}", "应该选 {L}", "正确选项为{L}。", "因此，答案为 **{L}**。", language="zh"),
    *_option("japanese", "正解は{L}です。", "答え：{L}", "答えは{L}です。", "{why}したがって、正解は{L}です。", "{L}が正しいです。", "選択肢{L}が正解です。", "{T}", "私は{L}を選びます。", "正解は **{L}. {T}** です。", language="ja"),
    *_option("korean", "정답은 {L}입니다.", "정답: {L}", "답은 {L}입니다.", "{why} 따라서 정답은 {L}입니다.", "{L}가 정답입니다.", "{T}", "{L}번이 맞습니다.", "저는 {L}를 선택하겠습니다.", "정답은 **{L}. {T}**입니다.", language="ko"),
    *_option("hindi", "सही उत्तर {L} है।", "उत्तर: {L}", "सही विकल्प {L} है।", "{why} इसलिए सही उत्तर {L} है।", "{T}", "विकल्प {L} सही है।", "मेरा उत्तर {L} है।", "सही उत्तर **{L}. {T}** है।", language="hi"),
]  # fmt: skip

TRAPS = [
    *_trap("none of them", "None of {letters} is right.", "None of the options is correct.", "None of {all_or} matches the image.", "Neither {X} nor {Y} is correct.", "{all_and} are all wrong.", "No option is right: {letters} do not fit.", fits=lambda o: "neither hand" not in o),
    *_trap(
        "denied", "I would rule out option {X}.", "The answer is not {X}.", "It cannot be {X}.", "{X} is wrong.", "Option {X} is incorrect because it is not shown.", "The answer is definitely not {X}. {why}", "I would not choose {X}.", "I don't think it is {X}.",
        "{X} is not the correct answer.", "We can eliminate {X}.", "{X} can be excluded.", "I do not believe that {X} is correct.", "The correct answer isn't {X}.", "Certainly not {X}.", "The least likely answer is {X}.", "The wrong answer is {X}.",
    ),
    *_trap("denied, other languages", "正解は{X}ではありません。", "{X}は正しくありません。", "{X}は間違いです。", "答えは{X}ではないと思います。", language="ja"),
    *_trap("denied, other languages", "答案不是{X}。", "{X}是错误的。", "不应该选{X}。", "可以排除{X}。", "{X}不正确。", language="zh"),
    *_trap("denied, other languages", "Die Antwort ist nicht {X}.", "Option {X} ist falsch.", "Ich würde Option {X} ausschließen.", "{X} kommt nicht in Frage.", "Ich würde {X} nicht wählen.", "Richtig ist nicht {X}.", language="de"),
    *_trap("denied, other languages", "La réponse n'est pas {X}.", "L'option {X} est incorrecte.", "J'écarterais l'option {X}.", "Ce n'est pas {X}.", "Je ne choisirais pas {X}.", language="fr"),
    *_trap("denied, other languages", "La respuesta no es {X}.", "La opción {X} es incorrecta.", "Descartaría la opción {X}.", "No es {X}.", "No elegiría {X}.", language="es"),
    *_trap("denied, other languages", "정답은 {X}가 아닙니다.", "{X}는 틀렸습니다.", "{X}는 제외할 수 있습니다.", language="ko"),
    *_trap("denied, other languages", "सही उत्तर {X} नहीं है।", "{X} गलत है।", "विकल्प {X} सही नहीं है।", language="hi"),
    *_trap("several", "{X} or {Y}", "{X}/{Y}", "Options {X} and {Y} are correct.", "Both {X} and {Y} are correct.", "The answer is {X} or {Y}.", "{X}, {Y}", "It is either {X} or {Y}.", "{X} and {Y}", "{letters}", "{X} & {Y}", "Could be {X}, could be {Y}."),
    *_trap("cut off", "Let me analyze each option carefully. {L}:", "Let me analyze each option carefully.\n\n**{L}.", "Let's look at the options.\n{L}. {T}:", "Let me think step by step. {why} Option {L}", "To answer this, consider option {L}"),
    *_trap("cut off", "Let me go through the options.\n\n{X}: incorrect\n{Y}:", "Looking at the options:\n- {X}. {x}: this is not shown.\n- {Y}. {y}: this", "The options are {inline}. Let us"),
    *_trap("cut off, reported", "{why} The answer is", "Let me analyze each option carefully. {L}:", "- {X}: incorrect\n- {L}: correct\n- {Y}", "{why} Option {L} seems", finish_reason="length"),
    *_trap("corrected", "The answer is {X}. Wait, actually {L}.", "{X}. No, wait, it's {L}.", "Answer: {X}\n\nOn second thought, the answer is {L}.", "I first thought {X}, but the answer is {L}.", "{X}\n\nCorrection: {L}", "The answer is {X}. Hmm, let me re-check. {why} The answer is {L}.", truth=LAST),
    *_trap("someone else's", "Many would say {X}, but the answer is {L}.", "At first glance it looks like {X}. However, the correct answer is {L}.", "A common mistake is to choose {X}. The right answer is {L}.", "While {X} is tempting, {L} is correct.", truth=LAST),
    *_trap("verdicts, none right", "{each}", each=("- {l}: incorrect", "- {l}: incorrect")),
    *_trap("verdicts, all right", "{each}", each=("- {l}: correct", "- {l}: correct")),
    *_trap("verdicts, contradicted", "{each}\n\nThe answer is {X}.", each=("- {l}: incorrect", "- {l}: correct")),
    *_trap("refused", "I'm sorry, but I can't see the image.", "I cannot determine which of {letters} is right.", "As an AI I am unable to view the video, so I can't choose between {all_and}.", "There is not enough information to decide.", "I can't answer this. Options like {X} need the image."),
    *_trap("echo", "{list}", "Choose one of {letters}.", "Answer with the letter {all_or}.", "Please select {all_or}:", "Options: {inline}", "The options are {all_and}."),
    *_trap("supposed", "If the light were on, the answer would be {X}.", "It would be {X} if the door were open.", "Had the person held a knife, I would have said {X}.", "The answer could be {X}, but I am not sure.", "Maybe {X}?", "Is it {X}?"),
    *_trap("conflict", "{X}. {y}", "The answer is {X}: {y}", "({X}) {y}", fits=lambda o: len(o) > 2),
    *_trap("words", "A person is standing there.", "I am not certain.", "A closer look shows nothing.", "The image shows a room."),
]  # fmt: skip


def _several(manner: str, *texts: str, **more: object) -> list[Wording]:
    return [Wording(manner, text, kind=AnswerKind.MULTI, **more) for text in texts]  # type: ignore[arg-type]


SEVERAL = [
    *_several(
        "letters", "{S}", "{Sc}", "{Ss}", "{Sj}", "{Sp}", "Options {S} are correct.", "The correct answers are {S}.", "Answer: {Sc}", "The correct options are **{Sc}**.", "**{Sc}**", "[{Sc}]", "[{Sq}]", "{why}\n\nAnswer: {S}", "{S} are correct.", "Both {S} are correct.",
        "I would select {S}.", "\\boxed{{{Sc}}}", '{{"answer": [{Sq}]}}', '{{"answers": "{Sc}"}}', "<answer>{Sc}</answer>", "{why}\n\nTherefore, the correct options are {S}.", "Options {S} apply.", "{S} apply here.", "Option {S}", size=2,
    ),
    *_several("texts", "{ST}", "{STb}", "The correct answers are:\n\n{ST}", "The following options are correct:\n{STb}", "{T}", size=2),
    *_several("verdicts", "{each}", each=("- {l}: incorrect", "- {l}: correct")),
    *_several("verdicts", "{each}", each=("{l}. {o} ❌", "{l}. {o} ✅")),
    *_several("verdicts", "{why}\n\n{each}", each=("- **{l}. {o}**: Incorrect. It is not shown.", "- **{l}. {o}**: Correct. It is shown.")),
    *_several("verdicts", "{each}\n\nAnswer: {Sc}", each=("{l}: No", "{l}: Yes")),
    *_several("one", "{l0}", "Only {l0} is correct.", "The answer is {l0}.", size=1),
    *_several("german", "{Sund}", "Richtig sind {Sund}.", "Die richtigen Antworten sind {Sund}.", "Antwort: {Sc}", language="de", size=2),
    *_several("french", "{Set}", "Les bonnes réponses sont {Set}.", "Réponses : {Sc}", language="fr", size=2),
    *_several("spanish", "{Sy}", "Las respuestas correctas son {Sy}.", "Respuestas: {Sc}", language="es", size=2),
    *_several("chinese", "{Szh}", "答案是{Szh}。", "正确的选项有{Szh}。", "选{Sj}", language="zh", size=2),
    *_several("several, denied", "Options {S} are incorrect.", "Not {S}.", "I would rule out {S}.", "{S} can be eliminated.", "{Sor}", "Let me analyze each option. {l0}:", "{S} are wrong.", "The answer is not {S}.", truth=NONE, adversarial=True, size=2),
    *_several("several, cut off", "{each}\n\nSo the correct options are", each=("- {l}: perhaps", "- {l}: perhaps"), truth=NONE, adversarial=True),
    *_several("several, corrected", "{R}. Wait, actually {S}.", truth=LAST, adversarial=True, size=2, fits=lambda o: len(o) > 3),
]  # fmt: skip

PLAIN = (("3", 3), ("7", 7), ("12", 12), ("48", 48), ("0", 0))
DECIMALS = (("2.5", 2.5), ("0.75", 0.75), ("13.4", 13.4))
LARGE = (("1,234", 1234), ("12,500", 12500), ("1,200,000", 1200000), ("45 678", 45678))
WORDS = (("five", 5), ("twelve", 12), ("twenty-three", 23))
SCALED = (
    ("2.5 million", 2.5e6),
    ("2 lakh", 2e5),
    ("1.5 crore", 1.5e7),
    ("3 billion", 3e9),
    ("12 thousand", 12000),
    ("4 hundred", 400),
    ("3 million", 3e6),
    ("2 trillion", 2e12),
)
EASTERN = (("3万", 30000), ("2.5亿", 2.5e8), ("1,200万", 1.2e7), ("5千", 5000))
JAPANESE = (("3万", 30000), ("1億", 1e8), ("5千", 5000), ("12万", 120000))
KOREAN = (("3만", 30000), ("1억", 1e8), ("5천", 5000), ("12만", 120000))
HINDI = (("2 लाख", 2e5), ("3 करोड़", 3e7), ("5 हज़ार", 5000), ("4 लाख", 4e5))
GERMAN = (
    ("12,5", 12.5),
    ("3", 3),
    ("1.234.567", 1234567),
    ("0,75", 0.75),
    ("2 Millionen", 2e6),
    ("3,5 Milliarden", 3.5e9),
    ("5 Tausend", 5000),
)
FRENCH = (("12,5", 12.5), ("3", 3), ("1 234 567", 1234567), ("2 millions", 2e6), ("3 milliards", 3e9))
SPANISH = (("12,5", 12.5), ("3", 3), ("1.234.567", 1234567), ("2 millones", 2e6), ("5 mil", 5000))


def _number(
    manner: str, *texts: str, numbers: Sequence[tuple[str, float]] = (*PLAIN, *DECIMALS, *LARGE[:3]), **more: object
) -> list[Wording]:
    return [Wording(manner, text, kind=AnswerKind.NUMBER, numbers=tuple(numbers), **more) for text in texts]  # type: ignore[arg-type]


NUMBERS = [
    *_number(
        "number", "{n}", "{n}.", "**{n}**", "The answer is {n}.", "Answer: {n}", "There are {n} of them.", "{why}\n\nFinal answer: {n}", "{why} So the total is {n}.", "$\\boxed{{{n}}}$", '{{"answer": {n}}}', "<answer>{n}</answer>", "I count {n}.", "\\(\\boxed{{{n}}}\\)",
        "The number of objects is **{n}**.", "{why} Therefore, the answer is **{n}**.", numbers=(*PLAIN, *DECIMALS),
    ),
    *_number("large number", "{n}", "The answer is {n}.", "There are {n} people.", "**{n}**", "$\\boxed{{{n}}}$", numbers=LARGE),
    *_number("number word", "{n}", "There are {n} cups.", "The answer is {n}.", "I can see {n} people in the picture.", numbers=WORDS),
    *_number("scaled number", "{n}", "The answer is {n}.", "Answer: {n}", "It is about {n} people.", "**{n}**", numbers=SCALED),
    *_number("scaled number, chinese", "{n}", "答案是{n}。", "大约{n}人", numbers=EASTERN, language="zh"),
    *_number("scaled number, japanese", "{n}", "答えは{n}です。", numbers=JAPANESE, language="ja"),
    *_number("scaled number, korean", "{n}", "정답은 {n}입니다.", numbers=KOREAN, language="ko"),
    *_number("scaled number, hindi", "{n}", "उत्तर: {n}", numbers=HINDI, language="hi"),
    *_number("number, german", "{n}", "Die Antwort ist {n}.", "Antwort: {n}", numbers=GERMAN, language="de"),
    *_number("number, french", "{n}", "La réponse est {n}.", "Réponse : {n}", numbers=FRENCH, language="fr"),
    *_number("number, spanish", "{n}", "La respuesta es {n}.", "Respuesta: {n}", numbers=SPANISH, language="es"),
    *_number("number with a unit", "{n} cm", "The answer is {n} cm.", "{n} centimeters", "It is {n} cm long.", "\\boxed{{{n} \\text{{ cm}}}}", "$\\boxed{{{n}\\,\\text{{cm}}}}$", numbers=(*PLAIN, *DECIMALS), unit="cm"),
    *_number(
        "no number", "between {n} and {m}", "At least {n}.", "Not {n}.", "{n} or {m}", "{n}-{m}", "The answer is not {n}.", "More than {n}.", "Let me count step by step. First, {n}", "It could be {n} or {m}.", "Either {n} or {m}.", "I can't count them. Frame {n} is dark.",
        numbers=PLAIN[:4], truth=NONE, adversarial=True,
    ),
    *_number("number, corrected", "The answer is {m}. Wait, actually {n}.", "{m}. No, it is {n}.", "Answer: {m}\nCorrection: {n}", numbers=PLAIN[:4], truth=LAST, adversarial=True),
]  # fmt: skip


def _yes_no(manner: str, *texts: str, **more: object) -> list[Wording]:
    return [Wording(manner, text, kind=AnswerKind.YES_NO, **more) for text in texts]  # type: ignore[arg-type]


YES_NO = [
    *_yes_no("yes or no", "{V}", "{V}.", "**{V}**", "{v}", "{V}, that is what is shown.", "The answer is {v}.", "Answer: {V}", "{why} So the answer is {v}.", "{V}. {why}", '{{"answer": "{v}"}}', "\\boxed{{{V}}}", "<answer>{V}</answer>", "{why}\n\n**{V}**", "{why} Therefore, {v}."),
    *_yes_no("german", "{V}", "{V}.", "Die Antwort ist {v}.", "Antwort: {V}", language="de"),
    *_yes_no("french", "{V}", "{V}.", "La réponse est {v}.", "Réponse : {V}", language="fr"),
    *_yes_no("spanish", "{V}", "{V}.", "La respuesta es {v}.", "Respuesta: {V}", language="es"),
    *_yes_no("chinese", "{V}", "{V}。", "答案：{V}", language="zh"),
    *_yes_no("japanese", "{V}", "{V}。", "答えは「{V}」です。", language="ja"),
    *_yes_no("korean", "{V}", "{V}.", "정답: {V}", language="ko"),
    *_yes_no("hindi", "{V}", "{V}।", "उत्तर: {V}", language="hi"),
    *_yes_no("yes or no, open", "{V} and {w}.", "Yes or no", "It is hard to say {v} or {w}.", "I can't see the image.", "Answer with {v} or {w}.", "The answer is not {v}, and I am not sure.", "{V}? I do not know.", truth=NONE, adversarial=True),
    *_yes_no("yes or no, corrected", "{W}. Wait, {v}.", "{W}. Actually, no, I was wrong. The answer is {v}.", truth=LAST, adversarial=True),
]  # fmt: skip


def _order(manner: str, *texts: str, **more: object) -> list[Wording]:
    return [Wording(manner, text, kind=AnswerKind.ORDER, fits=_no_digits, **more) for text in texts]  # type: ignore[arg-type]


ORDERS = [
    *_order("order", "{Oc}", "{Oa}", "{Ou}", "{Oj}", "{Od}", "The correct order is {Oc}.", "Answer: {Oa}", "**{Oc}**", "[{Oc}]", '{{"order": [{Oq}]}}', "{why}\n\nThe order is {Ou}.", "{On}", "{Ot}", "\\boxed{{{Oc}}}", "{why}\n\nFinal answer: {Oc}", "<answer>{Oc}</answer>"),
    *_order("order, open", "{O1}", "The order is not {Oc}.", "The reverse order is {Oc}.", "I can't order them: {O1}", truth=NONE, adversarial=True),
]  # fmt: skip

WORDINGS = [*ORDINARY, *TRAPS, *SEVERAL, *NUMBERS, *YES_NO, *ORDERS]
