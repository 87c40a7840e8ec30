"""Texts for models and judges: the functional parts are exact, filling is literal, published files load next to
ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation_schemas import HOME, judge_templates, registry
from annotation_schemas.prompts import (
    Prompt,
    load_prompt_set,
    load_published_prompts,
    read_prompt_set,
)
from domain.errors import SchemaError
from inference.spec import shipped
from tests.paths import shared

TEMPLATES = [row.name for row in registry.rows("template")]


def prompt_of(name: str) -> Prompt:
    return judge_templates.shipped()[name].prompt


PROMPT_SETS = [row.name for row in registry.rows("prompt_set")]


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_has_the_placeholders_that_its_row_says(name: str) -> None:
    row = registry.template(name)
    assert sorted(prompt_of(name).placeholders) == sorted(row.placeholders)
    assert registry.find("parser", row.parser) is not None


def test_every_text_belongs_to_a_row() -> None:
    assert {path.stem for path in (HOME / "templates").iterdir()} == set(TEMPLATES)
    assert {path.stem for path in (HOME / "prompts").iterdir()} == set(PROMPT_SETS)


def test_egothink_reply_form_and_labels() -> None:
    # EgoThink, Table 7
    text = prompt_of("egothink_single").user
    assert 'exactly this form: "Rating: [[0.5]]"' in text
    for part in (
        "[Instruction]\n",
        "[Question]\n{question}\n",
        "[The Start of Reference Answer]\n{ref_answer_1}\n",
        "[The End of Reference Answer]\n",
        "[The Start of Assistant's Answer]\n{answer}\n",
        "[The End of Assistant's Answer]",
    ):
        assert part in text
    assert text.index("explanation") < text.index("Rating:")


def test_pca_bench_labels_and_six_lines() -> None:
    # PCA-Bench, Table 5
    text = prompt_of("pca_anchors").user
    assert text.splitlines()[:7] == [
        "[Question]: {question}",
        "[Action Choices]: {actions}",
        "[Agent Answer]: {model_output}",
        "[Correct Action]: {true_action}",
        "[Key Concepts]: {key_concept}",
        "[Reference Reasoning Process]: {reason}",
        "[System]",
    ]
    assert [line.split(":")[0] for line in text.splitlines()[-6:]] == [
        "action assessment evidence",
        "action score",
        "perception assessment evidence",
        "perception score",
        "cognition assessment evidence",
        "cognition score",
    ]


def test_etp_bench_reply_form() -> None:
    # ETP-Bench, Figure 3
    text = prompt_of("etp_answer").user
    assert '"Assessment"' in text
    assert '"Final Score"' in text
    assert text.endswith('The Student\'s Answer is: "{answer}"\nThe Correct Answer is: "{ref_answer}"')


@pytest.mark.parametrize("name", PROMPT_SETS)
def test_every_prompt_asks_the_question_or_the_goal(name: str) -> None:
    prompts = load_prompt_set(name)
    for variants in prompts.families.values():
        for prompt in variants.values():
            assert {"question", "task_goal"} & set(prompt.placeholders)


def test_egothink_has_the_families_of_its_tables_in_both_variants() -> None:
    # EgoThink, Tables 5 and 6
    prompts = load_prompt_set("egothink")
    assert sorted(prompts.families) == [
        "blip",
        "gpt-4v",
        "llama-adapter-v2",
        "llava",
        "minigpt-4",
        "mplug-owl",
        "openflamingo",
        "otter-image",
        "pandagpt",
    ]
    assert all(set(variants) == {"general", "planning"} for variants in prompts.families.values())
    ends = {family: variants["general"].user for family, variants in prompts.families.items()}
    assert ends["gpt-4v"].endswith("Question: {question} Short answer:")
    assert ends["blip"].endswith("Question: {question} Answer:")
    assert ends["llama-adapter-v2"].endswith("\n\n ### Question:\n{question}\n\n ### Short answer:")
    assert ends["mplug-owl"].endswith("\n<image>\nQuestion: {question}\nShort answer:")
    assert ends["openflamingo"].endswith("<image>Question: {question} Short answer:")
    assert ends["pandagpt"].endswith("\nQuestion: {question}\nShort Answer:")
    assert prompts.prompt(family="llava").system is not None
    chosen = {spec.prompts for spec in shipped()} - {None}
    assert chosen == set(prompts.families), "some description that comes with Touchstone asks in each style"


def test_an_unknown_family_or_variant_falls_back() -> None:
    prompts = load_prompt_set("egothink")
    assert prompts.prompt(family="newer-model", variant="planning") is prompts.families["gpt-4v"]["planning"]
    assert prompts.prompt(family="blip", variant="singing") is prompts.families["blip"]["general"]


def test_filling_is_literal() -> None:
    prompt = Prompt("p", 'Q: {question} A: {answer} {"json": 1}', system="About {question}")
    filled = prompt.fill({"question": "is {answer} \\1 here?", "answer": "no"})
    assert filled.user == 'Q: is {answer} \\1 here? A: no {"json": 1}'
    assert filled.system == "About is {answer} \\1 here?"
    with pytest.raises(ValueError, match="answer"):
        prompt.fill({"question": "?"})


def test_a_broken_prompt_set_is_refused_by_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("default: b\nfamilies:\n  a:\n    planning: {user: x}\n  c:\n    general: {usr: x}\n")
    with pytest.raises(SchemaError) as caught:
        read_prompt_set(path)
    text = str(caught.value)
    for line in (1, 3, 6):
        assert f"{path}:{line}:" in text


def test_the_published_file_loads() -> None:
    prompts = load_published_prompts(shared("data", "egothink", "judge_prompts.jsonl"))
    used = prompts["single-math-v2"]  # the one that EgoThink uses
    assert used.placeholders == ("question", "ref_answer_1", "answer")
    assert used.output_format == "[[rating]]"
    assert used.system == "You are a helpful assistant."
    assert set(used.placeholders) == set(prompt_of("egothink_single").placeholders)
    assert len(prompts) == 9


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no prompts"),
        ("{", ":1: the line is not JSON"),
        ("[]", ":1: the line is not a JSON object"),
        ('{"name": "a"}', ":1: prompt_template"),
        ('{"name": "a", "prompt_template": "x"}\n\n{"name": "a", "prompt_template": "y"}', ":3: name"),
    ],
)
def test_a_published_file_that_does_not_fit_is_refused(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    path.write_text(text)
    with pytest.raises(SchemaError) as caught:
        load_published_prompts(path)
    assert says in str(caught.value)
