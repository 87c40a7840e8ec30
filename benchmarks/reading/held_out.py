"""Wordings that no rule was tuned on: written before, and read only for the figures of a release."""

from __future__ import annotations

from benchmarks.reading.cases import LAST, NONE, Wording
from benchmarks.reading.tuned import (
    DECIMALS,
    PLAIN,
    _no_digits,
    _number,
    _option,
    _order,
    _several,
    _trap,
    _yes_no,
)

ORDINARY = [
    *_option("letter, dressed", "Option ({L})", "{L} ", "***{L}***", "Choice {L}", "> {L}", "# {L}", "“{L}”", "Answer {L}"),
    *_option("letter and text", "**({L}) {T}**", "{L}: {T}.", "*{L}. {T}*", "- {L}. {T}", "**{L}:** {T}", "{L} — {T}"),
    *_option("text restated", "The correct answer is: {T}.", "The answer is **{T}**.", "Answer: {T}", "{why}\n\n**{T}**", "Final answer: {T}"),
    *_option(
        "declared", "Correct answer: {L}", "The correct choice would be {L}.", "Therefore the correct answer must be {L}.", "**Correct Answer: {L}. {T}**", "I select {L}.", "I'll pick option {L}.", "My final answer: {L}", "The right answer here is option {L}.", "Based on the video, the best answer is:\n\n**{L}. {T}**",
        "The answer to the question is ({L}).", "ANSWER: ({L})", "Selected option: {L}", "The option that best fits is {L}.", "**Final answer**: **{L}**", "Thus the answer is: {L}", "It's {L}.", "Let's go with {L}.",
    ),
    *_option("boxed", "The final answer is $\\boxed{{\\text{{{L}}}}}$.", "**Final Answer**\n\n\\[ \\boxed{{{L}}} \\]", "{why}\n\n\\boxed{{({L})}}", "Final Answer: The final answer is $\\boxed{{{L}}}$. I hope it is correct.", "\\boxed{{\\text{{Option }} {L}}}"),
    *_option("json", '{{"thoughts": "{why}", "final_answer": "{L}"}}', '{{\n  "answer": "{L}",\n  "reason": "{why}"\n}}', '```\n{{"selected_option": "{L}"}}\n```', 'Here is the result:\n```json\n{{"answer": "({L}) {T}"}}\n```', '{{"option": "{L}", "text": "{T}"}}'),
    *_option("tagged", "<thinking>{why} {X} does not fit.</thinking><answer>{L}</answer>", "<think>{why} So {X}? No, {L}.</think>**{L}**", "◁think▷{why}◁/think▷The answer is {L}."),
    *_option(
        "reasoning first", "{why} This matches option {L}.\n\n**{L}**", "1. {why}\n2. {why}\n\nSo, the answer is **{L}**.", "**Reasoning:** {why}\n\n**Answer:** {L}. {T}", "{why} Given this, I would say {L}.", "## Analysis\n{why}\n\n## Answer\n**{L}**", "{why}\n\nIn summary, the correct option is {L}.",
        "{why} Accordingly, the correct answer is option {L}.", "{why}\n\n{L}) {T}. Have a nice day!", "{why} The answer should be {L}: {T}.", "{why}\n\n**Conclusion**\nThe best answer is **{L}. {T}**", "Reason: {why}\nAnswer: {L}", "{why}\n\n=> {L}",
        "{why}\n\nThe final answer is: {L}. {T}. Let me know if that helps!", "Okay, {why} ... So it is {L}.",
    ),
    *_option("reason after", "{L}, because {xlow} is not shown.", "**{L}.** {why}", "The correct answer is {L}.\n\n{why} {why}", "{L} – {T}. {why}", "Answer: {L}\nReason: {why}", "{L}\n\n*Why?* {why}", "I choose {L} since it fits best. {why}"),
    *_option("verdicts", "{each}", each=("{n}. **{l}**: Not correct.", "{n}. **{l}**: This is correct."), fits=_no_digits),
    *_option("verdicts", "{each}\n", "Evaluation of the options:\n\n{each}", each=("* Option {l}: does not match the image.", "* Option {l}: matches the image.")),
    *_option("verdicts", "{each}", each=("✗ {l}. {o}", "✓ {l}. {o}")),
    *_option("verdicts", "{each}", each=("{l}. {o} (incorrect)", "{l}. {o} (correct)")),
    *_option("verdicts", "{each}", each=("**Option {l}** – Wrong. There is no sign of it.", "**Option {l}** – Right! It is plainly visible.")),
    *_option("verdicts", '{{"options": "rated"}}\n{each}\nSo the answer is {L}.', "{each}\n\nOnly {L} is correct.", each=("{l} -> false", "{l} -> true")),
    *_option("elimination", "Since {X} and {Y} don't match, {L} must be right.", "{X}? No. {Y}? No. {L} is the answer.", "After eliminating {others}, the only remaining option is {L}.", "Not {X}, because {why} The answer is {L}.", "By elimination, the answer is {L}."),
    *_option("ordinal", "The answer is the {nth} option, {L}.", "Answer: option {N}", "I choose the {nth} option.", "{N}. {T}", "Option {N} is correct.", fits=_no_digits),
    *_option("hedged a little", "I think it's {L}.", "The answer is probably {L}.", "The most plausible answer is {L}. {T}", "I am fairly confident that the answer is {L}.", "It seems {L} is correct."),
    *_option("quoted options", "Options:\n{list}\n\n{why}\n\nAnswer: **{L}**", "We have {inline}. {why} The correct answer is {L}.", "A choice among {all_or} is asked for. My answer is {L}."),
    *_option("german", "Die korrekte Antwort ist **{L}**.", "Lösung: {L}", "Ich entscheide mich für {L}.", "Also ist {L} richtig.", "Die richtige Option ist {L}) {T}.", "{why} Die Antwort ist also {L}.", "Ich denke, dass {L} richtig ist.", language="de"),
    *_option("french", "La réponse correcte est l'option {L}.", "Je pense que la bonne réponse est {L}.", "La bonne option est {L}.", "Réponse finale : **{L}**", "{why} Par conséquent, la réponse est {L}.", "Je dirais {L}.", "{L} est la bonne réponse.", language="fr"),
    *_option("spanish", "Creo que la respuesta correcta es la {L}.", "Mi respuesta es {L}.", "Respuesta final: **{L}**", "{why} Entonces, la respuesta es {L}.", "Escogería la opción {L}.", "{L} es la respuesta correcta.", "La mejor opción es {L}.", language="es"),
    *_option("chinese", "正确答案：{L}", "我认为答案是{L}。", "综上所述，正确答案是{L}。", "{why}因此选项{L}最合适。", "最佳答案为{L}", "答案应该是{L}。", "选{L}。", "答案选 {L}: {T}", language="zh"),
    *_option("japanese", "正しい答えは{L}です。", "解答：{L}", "{why}よって答えは{L}。", "最も適切なのは{L}です。", "答えは{L}だと思います。", "正解は「{L}」です。", language="ja"),
    *_option("korean", "올바른 답은 {L}입니다.", "답: {L}", "{why} 그러므로 답은 {L}입니다.", "정답은 {L}번입니다.", "{L}이 정답입니다.", "가장 적절한 답은 {L}입니다.", language="ko"),
    *_option("hindi", "सही जवाब {L} है।", "अंतिम उत्तर: {L}", "{L} सही उत्तर है।", "{why} अतः उत्तर {L} है।", "मैं विकल्प {L} चुनूंगा।", language="hi"),
]  # fmt: skip

TRAPS = [
    *_trap("none of them", "I think none of {all_and} is correct.", "Not one of {all_or} is shown.", "There is no correct option among {letters}.", "{X}, {Y} and {Z} are all incorrect.", "All of the options are wrong.", fits=lambda o: len(o) > 3 and "neither hand" not in o),
    *_trap(
        "denied", "I'd exclude {X}.", "{X} doesn't fit.", "It's not {X}.", "Clearly, {X} is false.", "{X} does not match the picture.", "I rule {X} out.", "The answer can't be {X}.", "I'd avoid {X}.", "{X} seems wrong.", "{X} makes no sense.",
        "The correct answer is anything but {X}.", "I would say it's not {X}.", "Option {X} should be discarded.", "I doubt that the answer is {X}.", "{X} is the least plausible option.", "It is unlikely that {X} is right.",
    ),
    *_trap("denied, other languages", "正解は{X}ではない。", "{X}は不正解です。", "{X}を除外します。", language="ja"),
    *_trap("denied, other languages", "答案并非{X}。", "{X}不是正确答案。", "我排除{X}。", "不选{X}。", language="zh"),
    *_trap("denied, other languages", "{X} ist nicht richtig.", "Es ist nicht {X}.", "Antwort {X} kann man ausschließen.", "{X} stimmt nicht.", language="de"),
    *_trap("denied, other languages", "{X} n'est pas correct.", "On peut éliminer {X}.", "La bonne réponse n'est certainement pas {X}.", language="fr"),
    *_trap("denied, other languages", "{X} no es correcta.", "Se puede descartar {X}.", "La respuesta correcta no es {X}.", language="es"),
    *_trap("denied, other languages", "{X}는 정답이 아닙니다.", "답은 {X}가 아니다.", language="ko"),
    *_trap("denied, other languages", "उत्तर {X} नहीं है।", "{X} सही नहीं है।", language="hi"),
    *_trap("several", "{X} and {Y} are both right.", "Answer: {X} or {Y}", "{X} | {Y}", "The answers are {X} and {Y}.", "**{X}/{Y}**", "Possibly {X} or {Y}.", "{X}; {Y}", "I am torn between {X} and {Y}.", "The answer is {X} and {Y}."),
    *_trap("cut off", "Let me evaluate the choices one by one.\n\n{L})", "Okay, let me see. {why} First, {L}.", "I need to consider each option:\n\nOption {L}:", "Analysis of option {L}:\n", "Let's examine {L}. {T} first:"),
    *_trap("cut off", "{X} is incorrect. {Y} is incorrect.", "- {X}: wrong\n- {Y}: wrong\n- {Z}"),
    *_trap("cut off, reported", "{why} I would choose", "Option {X} is wrong. Option {Y} is", "The options are {X}", finish_reason="length"),
    *_trap("corrected", "{X} - sorry, I meant {L}.", "The answer is {X}... actually, the answer is {L}.", "My first answer was {X}; my final answer is {L}.", "Answer: {X}. Scratch that. Answer: {L}.", "It is {X}. No, {L}.", "I initially picked {X}, but on reflection {L} is correct.", truth=LAST),
    *_trap("someone else's", "Some might choose {X}, but {L} is the answer.", "The caption says the answer is {X}. The correct answer is {L}.", "One could think of {X}. But the answer is {L}.", "Although {X} looks right, the answer is {L}.", truth=LAST),
    *_trap("verdicts, two right", "{X}: correct\n{Y}: correct\n{Z}: incorrect", "- {X} ✓\n- {Y} ✓", fits=lambda o: len(o) > 3),
    *_trap("verdicts, none right", "{each}", each=("{l}. {o} ❌", "{l}. {o} ❌")),
    *_trap("refused", "Sorry, I can't help with choosing {all_or}.", "No image was provided, so I cannot choose.", "I am unable to answer. If I had to guess, {X}.", "The video does not load."),
    *_trap("echo", "{list}\nAnswer:", "Which is right, {all_or}?", "You asked me to choose among {letters}.", "Reply with {all_or} only.", "{inline}"),
    *_trap("supposed", "If it were night, {X}.", "I would have picked {X} if the image were clearer.", "Suppose the answer is {X}.", "The answer might be {X}, or not.", "Should I answer {X}?", "{X} would be right only if the door were open."),
    *_trap("conflict", "Answer: {X}. {y}", "{X}) {y}.", "**{X}. {y}**"),
    *_trap("words", "A person is cooking.", "I see nothing of the kind.", "Be careful.", "A lot of things happen at once."),
]  # fmt: skip

SEVERAL = [
    *_several("letters", "**{S}**", "The answers are {S}.", "Correct options: {Sc}", "{S} are the correct options.", "Final answer: {Sc}", "**Answer:** {Sc}", "I choose {S}.", "\\boxed{{\\text{{{Sc}}}}}", "{why} So {S} are correct.", "{Sb}", "({S})", '{{"choices": [{Sq}]}}', "Options {Sc}", "Statements {S} are true.", size=2),
    *_several("texts", "Answer:\n{ST}", "The correct options are {Tand}.", "{why}\n\n{STb}", size=2),
    *_several("verdicts", "{each}", each=("- {l}. {o}: False", "- {l}. {o}: True")),
    *_several("verdicts", "{each}", each=("Option {l} is wrong.", "Option {l} is right.")),
    *_several("verdicts", "{each}", each=("✗ {l}", "✓ {l}")),
    *_several("one", "The only correct option is {l0}.", "{l0}. {t0}", "Answer: {l0}", size=1),
    *_several("german", "Die richtigen Optionen sind {Sund}.", "{Sund} sind richtig.", language="de", size=2),
    *_several("french", "{Set} sont corrects.", "Les options correctes sont {Set}.", language="fr", size=2),
    *_several("chinese", "正确答案是{Sj}。", "{Szh}都是正确的。", language="zh", size=2),
    *_several("several, denied", "{S} do not apply.", "The options {S} are false.", "Neither {Sor}.", "I would exclude {S}.", "Maybe {S}?", "{S} are both incorrect.", truth=NONE, adversarial=True, size=2),
]  # fmt: skip

NUMBERS = [
    *_number("number", "Total: {n}", "The total count is {n}.", "{why} That makes {n} in total.", "Final Answer: **{n}**", "The final answer is $\\boxed{{{n}}}$.", '{{"count": {n}, "reason": "{why}"}}', "I can see {n} in total.", "It's {n}.", "The result is {n}.", numbers=(*PLAIN, *DECIMALS)),
    *_number("large number", "Answer: {n}", "The value is {n}.", "Approximately {n}.", numbers=(("8,765", 8765), ("23,450,000", 23450000), ("99,999", 99999), ("1'250'000", 1250000))),
    *_number("number word", "Answer: {n}", "**{n}**", "There seem to be {n} apples on the table.", numbers=(("seven", 7), ("thirty-one", 31), ("fifteen", 15))),
    *_number("scaled number", "The answer is about {n}.", "$\\boxed{{{n}}}$", "There are {n} of them.", "{n}.", numbers=(("1.2 billion", 1.2e9), ("7 lakhs", 7e5), ("4 crores", 4e7), ("6 hundred", 600), ("5.5 thousand", 5500), ("90 million", 9e7))),
    *_number("scaled number, chinese", "{n}。", "答案：{n}", "一共{n}个", numbers=(("6万", 60000), ("1.5亿", 1.5e8), ("8千", 8000)), language="zh"),
    *_number("scaled number, japanese", "約{n}人です。", "正解は{n}です。", numbers=(("7万", 70000), ("2億", 2e8), ("9千", 9000)), language="ja"),
    *_number("scaled number, korean", "답은 {n}입니다.", "약 {n} 명입니다.", numbers=(("7만", 70000), ("2억", 2e8)), language="ko"),
    *_number("scaled number, hindi", "सही उत्तर {n} है।", "लगभग {n}", numbers=(("7 लाख", 7e5), ("2 करोड़", 2e7)), language="hi"),
    *_number("number, german", "Es sind {n}.", "Ergebnis: {n}", "Die Länge beträgt {n} cm.", numbers=(("7,25", 7.25), ("18", 18), ("0,5", 0.5)), language="de"),
    *_number("number, french", "Il y en a {n}.", "Résultat : {n}", numbers=(("7,25", 7.25), ("18", 18)), language="fr"),
    *_number("number, spanish", "Hay {n}.", "Resultado: {n}", numbers=(("7,25", 7.25), ("18", 18)), language="es"),
    *_number("number with a unit", "Answer: {n} cm", "approximately {n} cm", "The length is {n} centimetres.", "The answer is $\\boxed{{{n}\\text{{ cm}}}}$.", numbers=(*PLAIN[:3], *DECIMALS), unit="cm"),
    *_number("no number", "from {n} to {m}", "No more than {n}.", "It isn't {n}.", "maybe {n}, maybe {m}", "{n}/{m}", "fewer than {n}", "{n} or so, or {m}", "Not enough is shown to count; step 1 is hidden.", "First I see {n} on the left, then {m} on the right.", numbers=PLAIN[:4], truth=NONE, adversarial=True),
    *_number("number, corrected", "{m}... no, {n}.", "The answer is {m}. I made a mistake; the answer is {n}.", numbers=PLAIN[:4], truth=LAST, adversarial=True),
]  # fmt: skip

YES_NO = [
    *_yes_no("yes or no", "{V}!", "Final answer: {V}", "**Answer: {V}**", "The correct answer is **{V}**.", "{V} – {why}", "{why}\n\nAnswer: {v}", "{why} The answer is {V}.", '{{"answer": "{V}", "reason": "{why}"}}', "$\\boxed{{\\text{{{V}}}}}$", "{V}, it is."),
    *_yes_no("german", "{V}, das stimmt so.", "**{V}**", language="de"),
    *_yes_no("french", "{V}, c'est ce que l'on voit.", "**{V}**", language="fr"),
    *_yes_no("chinese", "答案是：{V}。", language="zh"),
    *_yes_no("japanese", "答え：{V}", language="ja"),
    *_yes_no("yes or no, open", "{V} or {w}?", "I would need the image to say {v}.", "Neither yes nor no.", "Maybe {v}.", truth=NONE, adversarial=True),
    *_yes_no("yes or no, corrected", "{W}... wait. {V}.", "I said {w}, but the answer is {v}.", truth=LAST, adversarial=True),
]  # fmt: skip

ORDERS = [
    *_order("order", "The sequence is {Oa}.", "Order: {Oc}", "The correct sequence is: **{Ou}**", "{Og}", "First {Othen}.", '{{"sequence": "{Oc}"}}', "Final answer: {Oj}", "The right order is {On}.", "{why}\n\n{Oa}", "\\boxed{{{Oj}}}"),
    *_order("order, open", "Not {Oc}.", "In reverse: {Oc}", "Perhaps {Oc}?", truth=NONE, adversarial=True),
]  # fmt: skip

WORDINGS: list[Wording] = [*ORDINARY, *TRAPS, *SEVERAL, *NUMBERS, *YES_NO, *ORDERS]
