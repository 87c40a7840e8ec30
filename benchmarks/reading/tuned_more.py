"""More wordings that the readers were tuned on: long answers, explanations of the other options, marks of today's models."""

from __future__ import annotations

from benchmarks.reading.cases import LAST, NONE, Wording
from benchmarks.reading.tuned import DECIMALS, PLAIN, _no_digits, _number, _option, _order, _several, _trap, _yes_no

WHY_NOT = ("- **{l}** is incorrect because nothing of it is visible.", "- **{l}** is correct because it is visible.")

ORDINARY = [
    *_option(
        "others explained", "The correct answer is **{L}**.\n\nHere's why the others are wrong:\n- {X} is not visible in the frame.\n- {Y} happens at another time.", "**{L}**\n\n**Why not the others?**\n- {X}: {x} would not make sense here.\n- {Y}: {y} has already happened.",
        "{L}. {T}\n\nExplanation:\n- {X} ({x}) is not shown.\n- {Y} ({y}) is not shown either.", "The answer is {L}. Option {X} is wrong because it is not shown, and option {Y} does not fit.", "**Answer: {L}**\n\n{X} and {Y} can be excluded because nothing of the kind is visible.",
        "{L} is correct. {X} and {Y} are not.", "{L}\n\nReasoning: {why} {X} would need a different scene, and {Y} is not supported.",
    ),
    *_option(
        "long reasoning", "Let's think step by step.\n\n1. {why}\n2. {why}\n3. Option {X} ({x}) needs more than is shown.\n4. Option {Y} ({y}) has no support.\n\nTherefore, the best answer is:\n\n**{L}. {T}**", "First, I look at the scene. {why} Then I compare the options: {X} does not fit, {Y} does not fit either. Only {L} fits. The answer is {L}.",
        "To determine the answer, let us consider what is visible. {why}\n\n{X} is about something else. {Y} is about something else as well.\n\n**Therefore, the correct answer is ({L}) {T}.**", "### Step 1\n{why}\n\n### Step 2\n{why}\n\n### Answer\n\n**{L}**", "{why} {x} is unlikely, and {y} is not shown. So I'd pick {L}.",
        "Got it, let's see. {why} Option {X}: no sign of that. Option {Y}: no sign of that. So {L} is correct.\n\n<answer>{L}</answer>",
        "{why}\n\nLooking at the options:\n{list}\n\nThe one that fits what is shown is {L}.", "Among the options given, {L} is the most plausible.", "Of the given options, **{L}** best describes the scene.",
    ),
    *_option("marks of models", "<|begin_of_box|>{L}<|end_of_box|>", "{why}\n\n<|begin_of_box|>{L}<|end_of_box|>", "<answer>\\boxed{{{L}}}</answer>", "[[{L}]]", "<think>{why} Is it {X}? Hmm, {Y}? No. It is {L}.</think>\n\n<answer>{L}</answer>", "【{L}】", "**Answer:**\n\n> {L}", "### Answer: {L}", "Answer - {L}", "`Answer: {L}`"),
    *_option("labels", "Choice: ({L})", "My choice: {L}", "Predicted answer: {L}", "Correct option: {L}) {T}", "Answer (letter only): {L}", "Best answer: {L}", "Answer:{L}", "answer: {Llow}", "Ans: {L}", "The answer: {L}", "Final choice: {L}.", "Selected answer: ({L}) {T}", "RESPONSE: {L}", "Answer is {L}", "Output: {L}"),
    *_option("sentences", "{L} is my answer.", "I choose {L}", "I will go with option {L}.", "I'm going with {L}.", "The one that fits best is {L}.", "That would be {L}.", "It must be {L}.", "It should be option {L}: {T}.", "Option {L} is the best choice here.", "Option {L} seems most likely.", "{L} best describes the scene.", "{L} fits best.", "The correct answer would be option {L}, {T}.", "I'd say {L}.", "You should choose {L}.", "This corresponds to option {L}.", "The scene matches option {L}.", "The answer is option {L} ({T})."),
    *_option("text in a sentence", "The person will most likely {Tlow}.", "The best action is to {Tlow}.", "The next step is to {Tlow}.", fits=lambda o: "keep driving" in o),
    *_option("with confidence", "{L} (confidence: 90%)", "Answer: {L}\nConfidence: 0.9", "{L}\n\nConfidence: high", "Answer: {L}. I am 95% sure."),
    *_option("german", "Die Lösung ist Option {L}.", "Option {L} wäre die beste Wahl.", "Richtige Antwort: {L}) {T}", "Die Antwort ist **{L}**, weil alles andere nicht passt.", "Somit ist {L} korrekt.", "Ich denke, die Antwort ist {L}.", "Antwort {L} ist korrekt.", "**Antwort: {L}. {T}**", "{L} passt am besten.", language="de"),
    *_option("french", "La bonne réponse est l'option {L}.", "La réponse est donc {L}.", "Réponse correcte : {L}) {T}", "L'option {L} est la meilleure.", "Ma réponse est {L}.", "La réponse correcte est {L}, car rien d'autre ne convient.", "Il faut choisir {L}.", language="fr"),
    *_option("spanish", "La respuesta correcta es la opción {L}.", "Respuesta correcta: {L}) {T}", "La mejor respuesta es {L}.", "Por tanto, {L} es correcta.", "Mi elección es {L}.", "La respuesta correcta es {L}, porque nada más encaja.", "Hay que elegir {L}.", language="es"),
    *_option("chinese", "正确答案：**{L}**", "答案：({L})", "故选：{L}", "故答案为{L}。", "【答案】{L}", "因此答案是 {L}。", "所以正确答案是选项{L}。", "选项{L}最符合图片内容。", "答案为：{L}. {T}", "最终答案：{L}", "{why}\n\n答案：{L}", language="zh"),
    *_option("japanese", "答えは ({L}) です。", "正解：{L}", "答え：{L}. {T}", "最終的な答えは{L}です。", "したがって、答えは選択肢{L}です。", "選択肢{L}を選びます。", "正答は{L}です。", "{L}が最も適切です。", language="ja"),
    *_option("korean", "최종 답: {L}", "정답은 ({L})입니다.", "답은 {L}번입니다.", "정답: {L}. {T}", "따라서 {L}가 정답입니다.", "선택지 {L}가 가장 적절합니다.", "정답은 {L}예요.", language="ko"),
    *_option("hindi", "सही उत्तर: {L}", "उत्तर है {L}", "उत्तर ({L}) है।", "सही विकल्प: {L}. {T}", "अंतिम उत्तर {L} है।", "इसलिए, विकल्प {L} सही है।", language="hi"),
    *_option("verdicts", "{each}", "The answer is {L}.\n\n{each}", "{each}\n\nConclusion: {L}", each=WHY_NOT),
    *_option("verdicts", "{each}", each=("**{l}.** {o}: ❌ Not shown.", "**{l}.** {o}: ✅ Shown.")),
    *_option("verdicts", "{each}", each=("{l}. {o} → Incorrect", "{l}. {o} → Correct")),
    *_option("verdicts", "{each}", each=("- Option {l} ({o}): Incorrect, it is not shown.", "- Option {l} ({o}): Correct, it is shown.")),
    *_option("verdicts", "Evaluating each option:\n\n{each}", each=("**Option {l}: {o}**\nThis is incorrect.\n", "**Option {l}: {o}**\nThis is correct.\n")),
    *_option("verdicts", "{each}", each=("{l}: false", "{l}: true")),
    *_option("verdicts", "{{\n{each}\n}}", each=('  "{l}": false,', '  "{l}": true,')),
    *_option("verdicts", "{each}", each=("- {l}: ✗", "- {l}: ✓")),
    *_option("verdicts", "{each}", language="de", each=("- {l}: falsch", "- {l}: richtig")),
    *_option("verdicts", "{each}", language="fr", each=("- {l} : faux", "- {l} : vrai")),
    *_option("verdicts", "{each}", language="es", each=("- {l}: incorrecta", "- {l}: correcta")),
    *_option("verdicts", "{each}", language="zh", each=("{l}：错误", "{l}：正确")),
    *_option("verdicts", "{each}", language="ja", each=("{l}：不正解", "{l}：正解")),
    *_option("verdicts", "{each}", language="ko", each=("{l}: 오답", "{l}: 정답")),
    *_option("ordinal", "Choice {N}", "I pick the {nth} option: {T}", "The {nth} choice is the best one.", "Answer: Option {N}. {T}", "{N}. {T}", fits=_no_digits),
]  # fmt: skip

TRAPS = [
    *_trap(
        "denied", "{X} is out.", "I can rule out {X}.", "Ruling out {X}.", "{X} has to be wrong.", "I would not go with {X}.", "I'd reject option {X}.", "The answer is anything but {X}.", "It's certainly not option {X}.", "{X} is definitely not the answer.", "{X} cannot be right.", "There is no way it is {X}.", "{X} is not supported by the image.",
        "Do not choose {X}.", "The incorrect option is {X}.", "{X} would be a mistake.", "Never {X}.", "Not {X}", "Everything except {X}.", "All but {X} are possible.", "{X} is clearly wrong, so I exclude it.", "I don't see any support for {X}.", "Option {X} is not it.", "The distractor is {X}.", "{X} is a trap.",
    ),
    *_trap("denied", "I eliminated {X} because it is not shown.", "Option {X} was ruled out.", "We should eliminate option {X}.", "{X}: incorrect", "Option {X}: wrong", "{X} ❌", "({X}) no", "One of the wrong answers is {X}.", "{X} isn't right.", "{X}, no."),
    *_trap("none of them", "None.", "None of these.", "None of the above options apply.", "I don't think any of {letters} is right.", "There is no right answer here: {letters} are all off.", "The correct answer is not listed.", "Neither {X}, {Y} nor {Z}.", fits=lambda o: len(o) > 3 and "neither hand" not in o),
    *_trap("denied, other languages", "{X}ではありません。", "答えは{X}ではない。", "{X}は違います。", "{X}を選ぶべきではありません。", "{X}以外です。", language="ja"),
    *_trap("denied, other languages", "不是{X}。", "答案肯定不是{X}。", "{X}是不对的。", "选项{X}可以排除。", "我不会选{X}。", "{X}选项错误。", language="zh"),
    *_trap("denied, other languages", "Nicht {X}.", "{X} ist falsch.", "{X} scheidet aus.", "Die richtige Antwort ist keinesfalls {X}.", "{X} kann ausgeschlossen werden.", "Ich schließe {X} aus.", language="de"),
    *_trap("denied, other languages", "Pas {X}.", "{X} est faux.", "La bonne réponse n'est pas {X}.", "{X} est à exclure.", "J'élimine {X}.", language="fr"),
    *_trap("denied, other languages", "No es la opción {X}.", "{X} es falsa.", "Elimino {X}.", "{X} queda descartada.", "La correcta no es {X}.", language="es"),
    *_trap("denied, other languages", "{X}는 아닙니다.", "{X}는 오답입니다.", "{X}를 제외합니다.", language="ko"),
    *_trap("denied, other languages", "{X} सही उत्तर नहीं है।", "यह {X} नहीं है।", "{X} को हटा सकते हैं।", language="hi"),
    *_trap("several", "{X} as well as {Y}", "{X} and/or {Y}", "{X} or maybe {Y}", "Options {X}, {Y}", "both {X} and {Y}", "Answer: {X}, {Y}", "{X}\n{Y}", "I would accept {X} or {Y}.", "\\boxed{{{X}, {Y}}}", '{{"answer": ["{X}", "{Y}"]}}', "The correct answers are {X} and {Y}.", "It could be {X}, {Y}, or {Z}.", "Either {X} or {Y} works.", "{X}+{Y}"),
    *_trap("several, other languages", "{X} oder {Y}", "{X} und {Y} sind richtig.", language="de"),
    *_trap("several, other languages", "{X}或{Y}", "答案是{X}或者{Y}。", "{X}和{Y}都正确。", language="zh"),
    *_trap("several, other languages", "{X}または{Y}です。", "{X}と{Y}が正しいです。", language="ja"),
    *_trap("cut off", "Let's break down each option:\n\n{X}. {x}: This", "Let me examine the options.\n- {L}", "I need to look at each choice. {L}.", "We'll go over the possibilities one by one: {L}", "To decide, I compare the options. {L}:", "Let's consider each option:\n1. {L}", "Options to consider: {L}", "Starting with option {L}", "Step 1: Look at option {L}"),
    *_trap("cut off, reported", "Let me consider {X}. {why} So it could be", "**{X}.** {x}\n\n**{Y}.** {y}", "So the answer", finish_reason="length"),
    *_trap("corrected", "{X}, no, {L}.", "I'd say {X}. Actually, looking closer, it is {L}.", "The answer is {X}. Sorry, the answer is {L}.", "Answer: {X}\n\nWait. {why}\n\nAnswer: {L}", "{X} - or rather {L}.", "My initial answer {X} was wrong. The correct answer is {L}.", truth=LAST),
    *_trap("someone else's", "You might be tempted to pick {X}, but {L} is right.", "The label says {X}. The answer is {L}.", "A previous answer was {X}; mine is {L}.", "The user suggested {X}, but the answer is {L}.", truth=LAST),
    *_trap("supposed", "{X} if the light is on, otherwise {Y}.", "If I had to choose blindly, perhaps {X}.", "Assuming it is day, {X}.", "I might have said {X}.", "Could it be {X}?", "Let's suppose it is {X}.", "{X}?", "{X}???"),
    *_trap("echo", "What happens next?\n{list}", "Select {all_or}.", "Respond with one of these letters: {letters}.", "The choices were {inline}.", "Example: Answer: {X}", "Format: 'Answer: {X}'"),
    *_trap("words", "A cup and a plate are on the table.", "I can see a person.", "A dog; a cat.", "It shows plan B of the building."),
    *_trap("verdicts, unsure", "{each}", each=("- {l}: possible", "- {l}: possible")),
    *_trap("verdicts, questions", "{each}", each=("- {l}: correct?", "- {l}: correct?")),
]  # fmt: skip

SEVERAL = [
    *_several("letters", "Options {S} are the correct answers.", "The answer is {S}.", "My answer: {S}", "The correct choices are {S}.", "{S} are right.", "{S} are both correct.", "Answers: {S}", "Answer: {Sj}", "Selected: {Sc}", "I would pick {S}.", "{why}\n\n**{Sc}**", "[[{Sc}]]", "\\boxed{{{Sj}}}", "Both {S}.", "Options {Ss}", "A total of two options apply: {S}.", "{S}. {why}", "The following apply: {S}", size=2),
    *_several("verdicts", "{each}\n\nSo the correct options are {S}.", "{each}", each=("- **{l}** is false because it is not shown.", "- **{l}** is true because it is shown.")),
    *_several("verdicts", "{each}", each=("- [ ] {l}. {o}", "- [x] {l}. {o}")),
    *_several("verdicts", '{{{each}}}', each=('"{l}": false,', '"{l}": true,')),
    *_several("languages", "{Szh}", "答案：{Szh}", "正确答案：{Sj}", "应选{Sj}。", language="zh", size=2),
    *_several("languages", "{Szh}が正しいです。", "正解は{Szh}です。", language="ja", size=2),
    *_several("languages", "Antworten {Sund} sind richtig.", "Ich würde {Sund} wählen.", language="de", size=2),
    *_several("languages", "Je choisis {Set}.", "La réponse est {Set}.", language="fr", size=2),
    *_several("languages", "Elijo {Sy}.", "La respuesta es {Sy}.", "Las opciones correctas son {Sc}.", language="es", size=2),
    *_several("several, open", "{S}?", "It could be {S}.", "If it is day, {S}.", "{Sor}, I am not sure.", "All except {S}.", "{S} are not correct.", "Options {S} can be ruled out.", "Let's check {Sc}", truth=NONE, adversarial=True, size=2),
]  # fmt: skip

NUMBERS = [
    *_number("number", "There are a total of {n} chairs.", "{n} chairs are visible.", "**{n}** cups", "In total, there are {n} objects.", "So, the final answer is {n}.", "The total number of cups is {n}.", "Based on the image, there are {n} people.", "Count: {n}", "{why}\n\n**{n}**", "{why}\n\n{n}", "ANSWER: {n}", "I counted {n} of them.", "<|begin_of_box|>{n}<|end_of_box|>", "Answer: {n}\n\n{why}", "{n}\n\n{why}", "### {n}", "[{n}]", numbers=PLAIN[:4]),
    *_number("sum", "3 + 4 = 7\n\nAnswer: 7", "There are 3 red and 4 blue cups, so 7 in total.", "3 on the left, 4 on the right. Total: 7", "7 (3 + 4)", "7 (seven)", "seven (7)", numbers=(("7", 7),)),
    *_number("scaled number", "approximately {n}", "Answer: **{n}**", "The population is {n}.", "Roughly {n} people live there.", "<answer>{n}</answer>", numbers=(("4.2 million", 4.2e6), ("3 lakh", 3e5), ("25 crore", 2.5e8), ("7.8 billion", 7.8e9), ("15 thousand", 15000), ("two million", 2e6), ("five lakh", 5e5), ("1 crore 20 lakh", 1.2e7))),
    *_number("scaled number, eastern", "约{n}", "有{n}人", "人口是{n}。", numbers=(("3万5千", 35000), ("1亿2000万", 1.2e8), ("三万", 30000), ("二十五", 25), ("两百", 200)), language="zh"),
    *_number("decimal comma", "{n}", "Die Länge ist {n}.", "Ungefähr {n}", numbers=(("3,75", 3.75), ("10,5", 10.5), ("1.250,75", 1250.75)), language="de"),
    *_number("with a unit", "{n} m", "The distance is {n} m.", "About {n} meters.", "{n}m", "\\boxed{{{n}\\ \\text{{m}}}}", numbers=(*PLAIN[:4], *DECIMALS), unit="m"),
    *_number("no number", "somewhere around {n} to {m}", "{n}, maybe {m}", "anything but {n}", "It is not {n}.", "It can't be {n}.", "if there were {n}", "less than {n}", "up to {n}", "{n} – {m}", "{n} or more", "Let me count: {n}", "Counting the ones on the left first: {n}", "zero or {n}", numbers=PLAIN[:4], truth=NONE, adversarial=True),
]  # fmt: skip

YES_NO = [
    *_yes_no("yes or no", "{V}, there is.", "{V}, the cup is on the table.", "Based on the image, {v}.", "{V} – the door is open.", "Final Answer: **{V}**", "The answer to the question is {v}.", "{why}\n\nSo, {v}.", "{why}\n\n{V}.", "<think>{why}</think>{V}", "<|begin_of_box|>{V}<|end_of_box|>", "[[{V}]]", "{V}\n\n{why}", "I would say {v}.", "I think the answer is {v}.", '"{V}"', "{V}, because {why}", "ANSWER: {V}"),
    *_yes_no("german", "{V}.\n\n{why}", "Die Antwort lautet {V}.", language="de"),
    *_yes_no("french", "{V}.\n\n{why}", "La réponse est : {V}.", language="fr"),
    *_yes_no("spanish", "{V}.\n\n{why}", "La respuesta correcta es {V}.", language="es"),
    *_yes_no("chinese", "{V}，图中可以看到。", "答案是{V}。", language="zh"),
    *_yes_no("japanese", "{V}、そうです。", "答えは{V}です。", language="ja"),
    *_yes_no("korean", "{V}, 그렇습니다.", "정답은 {V}입니다.", language="ko"),
    *_yes_no("hindi", "{V}, ऐसा ही है।", "सही उत्तर {V} है।", language="hi"),
    *_yes_no("yes or no, open", "{V}/{W}", "{V}, or {w}, I can't tell.", "If the light is on, {v}.", "I don't know.", "Say {v} or {w}.", "Possibly {v}.", truth=NONE, adversarial=True),
]  # fmt: skip

ORDERS = [
    *_order("order", "The correct sequence of steps is: {Oa}", "**Answer: {Oc}**", "Final order: {Od}", "{why}\n\n**{Ou}**", "[{Oq}]", "{Ol}", "The order is:\n{Ot}", "Correct order: {Oj}", "{Oc}.\n\n{why}", "\\boxed{{{Oa}}}", '{{"answer": "{Oa}"}}', "正确的顺序是{Oc}。"),
    *_order("order, open", "Not in the order {Oc}.", "{Oc}?", "The wrong order is {Oc}.", "Starting with {O1}", truth=NONE, adversarial=True),
]  # fmt: skip

WORDINGS: list[Wording] = [*ORDINARY, *TRAPS, *SEVERAL, *NUMBERS, *YES_NO, *ORDERS]
