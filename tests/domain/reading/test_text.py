"""What every reader does first: what counts is found, and each of its characters points into the original."""

from __future__ import annotations

import pytest

from domain.reading.text import Reasoning, fold, is_empty, refusal, visible

COUNTS = {
    "<think>no A</think>B": "B",
    "<THINK >x</ think > B": "B",
    "<thinking>a</thinking>\n<analysis>b</analysis>C": "C",
    "let me see ... </think>B": "B",
    "<think>a</think>x<think>b</think>D": "D",
    "<think>is <reasoning> a tag?</think>B": "B",
    "◁think▷A◁/think▷B": "B",
    "[THINK]A[/THINK]B": "B",
    "<|begin_of_thought|>A<|end_of_thought|>B": "B",
    "<|START_THINKING|>A<|END_THINKING|>B": "B",
    "<|channel|>analysis<|message|>A?<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>": "B",
    "analysisWe look at A.assistantfinalB": "B",
    "analysis of B": "analysis of B",
    "&lt;think&gt;A&lt;/think&gt;B": "B",
    "<seed:think>A</seed:think>B": "B",
    "<unused94>thought A<unused95>B": "B",
    "B<|im_end|>\n<|im_start|>user\nC?": "B",
    "<|im_start|>assistant\nB<|im_end|>": "\nB",
    "<start_of_turn>model\nB<end_of_turn>": "\nB",
    "B</s>": "B",
    "B<|eot_id|><|start_header_id|>assistant<|end_header_id|>C": "B",
    "<s>[INST] [/INST] B</s> [INST] C": "  B",
    "B<｜end▁of▁sentence｜>A": "B",
    "[INST]B": "B",
    "<think>B": "",
    "B <think> or A": "",
    "<think>A</think>B<think>C": "",
    "<|channel|>analysis<|message|>B": "",
    "<think>B</think>": "",
}


@pytest.mark.parametrize("text", COUNTS)
def test_only_what_comes_after_reasoning_counts(text):
    seen = visible(text)
    assert seen.text.strip(" ") == COUNTS[text].strip(" ")
    for place, char in enumerate(seen.text):  # none of these is changed by folding, so each points at itself
        assert text[slice(*seen.span(place, place + 1))] in (char, "&lt;", "&gt;")


def test_a_block_that_never_ends_is_told_from_one_that_does():
    assert visible("<think>B").reasoning is Reasoning.OPEN
    assert visible("<think>A</think>").reasoning is Reasoning.CLOSED
    assert visible("B").reasoning is Reasoning.NONE


FOLDED = {
    "Ｂ": "B",
    "（Ｂ）": "(B)",
    "Ⓑ": "B",
    "🅱️": "B",
    "⒝": "(b)",
    "𝐁": "B",
    "1️⃣": "1",
    "③": "3",
    "٣": "3",
    "५": "5",
    "3٫5": "3.5",
    "a\u00a0\u2009b": "a  b",
    "\ufeffB\u200b\u200f": "B",
    "“B”": '"B"',
    "e\u0301": "é",
    "10²": "10²",
    "½": "½",
    "120 ㎝": "120 cm",
    "&nbsp;B&amp;C": " B&C",
    "<b>B</b><br/>x": "B\nx",
    "<cup>": "<cup>",
    "a\r\nb\rc": "a \nb\nc",
}


@pytest.mark.parametrize("text", FOLDED)
def test_letters_are_folded_and_keep_their_places(text):
    seen = visible(text)
    assert seen.text == FOLDED[text] == fold(text)
    assert len(seen.starts) == len(seen.ends) == len(seen.text)
    assert all(0 <= a < b <= len(text) for a, b in zip(seen.starts, seen.ends, strict=True))
    assert seen.span(0, len(seen.text))[1] <= len(text)


EMPTY = [
    "",
    " \n\t",
    "…",
    "**",
    "?",
    "Failed to obtain answer",
    "Failed to obtain answer via API.",
    "null",
    "\u200b",
    "<br>",
]


@pytest.mark.parametrize("text", EMPTY)
def test_what_says_nothing_is_empty(text):
    assert is_empty(visible(text).text)


@pytest.mark.parametrize("text", ["0", "B", "no", "是", "½ cup", "x" * 1000])
def test_what_says_something_is_not(text):
    assert not is_empty(visible(text).text)


REFUSALS = """
I cannot see the image.
I can’t view the attached pictures.
I'm unable to view the picture.
Unfortunately, I am not able to open the video file.
No image was provided, so I am unable to answer.
No image is visible to me.
There is no image attached.
I don't see any image here.
The image did not load.
The photo seems to be missing.
Please upload the image and I will answer.
I'm sorry, but I can't help with that.
Sorry, I cannot assist with this request.
I apologize, but I am unable to identify people.
As an AI language model, I cannot watch videos.
I must decline.
I'd rather not answer that.
I don't know.
It cannot be determined from the picture.
There is not enough information to answer.
Ich kann das Bild nicht sehen.
Es tut mir leid, dabei kann ich nicht helfen.
Je ne peux pas voir l'image.
Je suis désolé, mais je ne peux pas répondre à cette question.
Lo siento, no puedo ayudar con eso.
No puedo ver la imagen.
Non posso vedere l'immagine.
Mi dispiace, non posso rispondere.
Não consigo ver a imagem.
Ik kan de afbeelding niet zien.
Nie mogę zobaczyć obrazu.
Извините, я не могу ответить на этот вопрос.
Я не вижу изображения.
抱歉，我无法查看图片。
我无法回答这个问题。
申し訳ありませんが、画像が見えません。
죄송하지만 이미지를 볼 수 없습니다.
عذراً، لا أستطيع رؤية الصورة.
क्षमा करें, मैं छवि नहीं देख सकता।
""".strip().splitlines()


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals_are_seen(text):
    seen = visible(text)
    found = refusal(seen.text)
    assert found is not None
    start, end = seen.span(*found)
    assert text[start:end].strip()


ANSWERS = """
The fridge cannot be opened with one hand.
No, the flame is off.
There is no knife on the board.
Yes, there is no cup in the image.
She can't reach the shelf.
The answer is B.
Do not put the pot on the stove.
Sorry, I meant D, not A.
No cup is visible in the picture.
I am not certain, but I see water boiling.
Nein, der Herd ist nicht an.
Non, la flamme est éteinte.
No hay llama.
""".strip().splitlines()


@pytest.mark.parametrize("text", ANSWERS)
def test_what_is_no_refusal_is_not_taken_for_one(text):
    assert refusal(visible(text).text) is None


@pytest.mark.thorough
@pytest.mark.parametrize(
    "piece",
    [
        "<think>",
        "</think>",
        "<|",
        "<",
        "&",
        "&#",
        "<br ",
        "sorry ",
        "i can't ",
        "no image ",
        "is not ",
        "\u0301",
        "我无法",
        "<think ",
    ],
)
def test_hostile_repetition_costs_linear_time(piece):
    """A pattern that doubled its work with each repetition would not come back within this test's own time limit."""
    seen = visible(piece * (200_000 // len(piece)))
    refusal(seen.text)
