"""A schema to begin with: every combination of answers makes files that pass the check, without a warning."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import cycle, product

import pytest

from annotation_schemas.loader import examine_text
from annotation_schemas.model import LoadedSchema
from domain import extensions
from extensions.form_builder import outline, schema_text
from extensions.form_builder.outline import AnswerIs, Check, KeptBy, Outline

EVERYTHING = "images, clip, before=image, after=image"
ANSWERS = [
    *((answer, Check.RIGHT) for answer in AnswerIs if extensions.missing("kinds", answer) is None),
    *((answer, Check.BLIND) for answer in (AnswerIs.OPTIONS, AnswerIs.YES_NO, AnswerIs.NUMBER)),
]
KEPT = [(1, KeptBy.UNANIMOUS), (2, KeptBy.UNANIMOUS), (3, KeptBy.MAJORITY)]
GRADED = [(False, False), (True, False), (True, True)]


def made(
    answer: AnswerIs = AnswerIs.TEXT,
    check: Check = Check.RIGHT,
    kept: tuple[int, KeptBy] = (2, KeptBy.UNANIMOUS),
    graded: tuple[bool, bool] = (False, False),
    *,
    shows: str = EVERYTHING,
    question: str = "What is it?",
    dimensions: str = "Reading values, Colour",
    template: str = "",
) -> LoadedSchema:
    """The schema of these answers, which is held to have neither errors nor warnings."""
    begun = Outline(
        name="mine",
        title='Mine: "all" # of it \\ {ours}',
        shows=outline.roles(shows),
        question=question,
        answer=answer,
        dimensions=outline.dimensions(dimensions),
        raters=kept[0],
        check=check,
        keep=kept[1],
        graded=graded[0],
        judged=graded[1],
        template=template or next(iter(outline.templates_for(graded=graded[0], check=check)), ""),
    )
    text = schema_text.write_outline(begun, guideline="mine.md")
    examined = examine_text(text, schema_text.guideline_of(begun), "mine.yaml")
    assert examined.warnings == (), text
    assert max(map(len, text.splitlines())) <= 160, text
    return examined.loaded


@pytest.mark.thorough
def test_every_kind_of_answer_with_every_way_to_check_and_keep_it_passes_without_a_warning() -> None:
    """What is graded depends on the kind of answer alone, so it goes round with the ways to keep an item."""
    rounds = cycle([*GRADED, GRADED[1]])  # four, so that each meets all of the three ways
    for (answer, check), kept in product(ANSWERS, KEPT):
        graded = next(rounds)
        schema = made(answer, check, kept, graded).schema_
        assert schema.stages.verification is not None
        assert schema.stages.verification.raters == kept[0]
        assert (schema.stages.grading is not None, bool(schema.judges)) == graded


def test_a_judge_can_be_asked_by_each_template_that_people_stand_next_to() -> None:
    """Grades for those that grade an answer, votes on whether it is right for the one that checks items."""
    assert outline.templates_for(graded=False, check=Check.BLIND) == []
    for template, criterion in (("etp_answer", "score"), ("verify_reference", "right")):
        (judge,) = made(graded=(criterion == "score", True), template=template).schema_.judges
        assert (judge.template, judge.criteria) == (template, (criterion,))


def test_what_people_find_is_held_against_a_key_that_they_do_not_see() -> None:
    schema = made(AnswerIs.OPTIONS, Check.BLIND, (3, KeptBy.MAJORITY)).schema_
    assert schema.item.field("answer").secret_in == ("verification",)
    assert schema.stages.verification is not None
    keep = schema.stages.verification.keep
    assert (keep.rule, keep.criterion, keep.key, keep.value) == ("majority", "found", "answer", None)
    seen = made(AnswerIs.OPTIONS, Check.RIGHT).schema_
    assert seen.item.field("answer").secret_in == ()


def test_texts_stand_in_the_file_as_they_were_said() -> None:
    loaded = made(question='Is "it" {here}: yes # or no?', dimensions="a=One: of, b=#two")
    assert loaded.schema_.title == 'Mine: "all" # of it \\ {ours}'
    assert loaded.schema_.item.field("question").help == 'Such as: Is "it" {here}: yes # or no?'
    assert [(each.id, each.title) for each in loaded.schema_.dimensions] == [("a", "One: of"), ("b", "#two")]
    assert "- **One: of**: describe the items that belong to this dimension." in loaded.guideline_text


@pytest.mark.parametrize(
    ("read", "sentence"),
    [
        (
            lambda: outline.checked_name("Über uns"),
            "`Über uns` must have only lowercase letters, digits and underscores",
        ),
        (lambda: outline.checked_name(""), "Give the benchmark a name"),
        (lambda: outline.checked_name("a" * 65), "Shorten the name to at most 64 characters."),
        (lambda: outline.checked_title(" "), "Write at least one word."),
        (lambda: outline.checked_title("a\nb"), "Write one line"),
        (lambda: outline.roles("video"), "Items cannot show `video`. Write image, images, clip"),
        (lambda: outline.roles("Left=image"), "`Left` must have only lowercase letters"),
        (lambda: outline.roles("answer=image"), "`answer` has another meaning in the schema"),
        (lambda: outline.roles("image, image"), "The role `image` appears twice"),
        (lambda: outline.roles(" , "), "Name at least one dimension or role."),
        (lambda: outline.dimensions("数数"), "`数数` cannot become an ID. Write ID=TITLE"),
        (lambda: outline.dimensions("Colour, colour"), "The dimension `colour` appears twice"),
        (lambda: outline.people("two"), "Write a number from 1 to 1,000."),
        (lambda: outline.people("0"), "Write a number from 1 to 1,000."),
        (lambda: outline.people("1001"), "Write a number from 1 to 1,000."),
        (lambda: outline.yes_or_no("maybe"), "Write yes or no."),
        (
            lambda: outline.answer_of("words", {}),
            "`words` is unknown. Use one of text, options, yes_no, number, time_span.",
        ),
        (lambda: outline.answer_of("time_span", {"image": "image"}), "A time span needs a clip"),
        (lambda: outline.check_of("blind", AnswerIs.TEXT), "Two people rarely write the same text"),
        (lambda: outline.keep_of("majority", 2), "With 2 raters, a majority means all raters"),
        (lambda: outline.judged_of("yes", fitting=[]), "Touchstone compares a judge with people's grades"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_sentence(read: Callable[[], object], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}"):
        read()


def test_a_text_in_other_letters_is_a_title_with_an_id_of_ours() -> None:
    assert outline.dimensions("n=数数, Größe & Form") == {"n": "数数", "grosse_form": "Größe & Form"}
