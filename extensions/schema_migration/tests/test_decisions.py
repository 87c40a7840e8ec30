"""Decisions that changes of a schema ask for: which ones fit, what follows, and which are refused."""

from __future__ import annotations

import pytest
import yaml

from annotation_schemas.model import Schema
from domain import typed_json
from domain.errors import InvalidInputError
from extensions.schema_migration.changes import (
    CHANGE_KINDS,
    WAYS,
    Decision,
    Decisions,
    Status,
    compare,
    targets,
)
from extensions.schema_migration.tests.living_schema import (
    ASKS,
    BASE,
    CRITERIA,
    NO,
    VOTES,
    add,
    all_of,
    decided,
    gone,
    made,
    put,
    take,
    told,
)


def test_a_removed_option_is_mapped_or_asked_again() -> None:
    asked = compare(made(), gone())
    (change,) = asked.missing
    assert change.asks == ("--map correct:unsure=OTHER", "--rename-option correct:unsure=NEW",
                           "--ask-again correct:unsure")  # fmt: skip
    assert targets(asked, change, WAYS["map"]) == ("yes", "no")
    for given, value in (({"map": ["correct:unsure=no"]}, "no"), ({"ask_again": ["correct:unsure"]}, None),
                         ({"ask_again": ["correct"]}, None),
                         ({"map": [f"{CRITERIA}.correct.options.unsure=yes"]}, "yes")):  # fmt: skip
        found = decided(gone(), **given)
        assert found.can_be_taken
        said = next(each.decided for each in found.changes if each.row.name == "removed_option")
        assert said is not None
        assert (said.way.name, said.value) == (next(iter(given)), value)


def test_a_value_keeps_the_type_that_the_new_schema_gives_it() -> None:
    less = all_of(put(f"{CRITERIA}.size.values", [1, 2]), put(f"{CRITERIA}.size.labels", ["S", "M"]))
    found = decided(made(less, version=2), map=["size:3=2"])
    assert [each.decided.value for each in found.changes if each.decided] == [2]


def test_a_rename_takes_every_reference_along() -> None:
    """The criterion that decides, the condition, the field that a judge sees: nothing but the rename differs."""
    text = yaml.safe_dump({**BASE, "version": 2})
    new = Schema.model_validate(yaml.safe_load(text.replace("correct", "right")))
    assert told(decided(new, rename_criterion=["correct=right"])) == [(f"{CRITERIA}.correct", "renamed", ASKS)]
    other = text.replace("field: options", "field: choices").replace("name: options", "name: choices")
    new = Schema.model_validate(yaml.safe_load(other))
    assert told(decided(new, rename_field=["options=choices"])) == [("item.fields.options", "renamed", ASKS)]
    options = {"value": "not", "label": "No"}, {"value": "yes", "label": "Yes"}
    new = made(
        put(f"{CRITERIA}.correct.options.no.value", "not"),
        put(f"{CRITERIA}.why.show_if", {"correct": ["not"]}),
        put("stages.refinement.criteria.other.options", list(options)),
        put("stages.refinement.done", {"other": "not"}),
        version=2,
    )
    assert told(decided(new, rename_option=["correct:no=not", "other:no=not"])) == [
        (f"{CRITERIA}.correct.options.no", "renamed", ASKS),
        ("stages.refinement.criteria.other.options.no", "renamed", ASKS),
    ]
    new = made(put("dimensions.bars.id", "columns"), version=2)
    assert told(decided(new, rename_dimension=["bars=columns"])) == [("dimensions.bars", "renamed", ASKS)]
    new = made(put("item.assets.chart.role", "figure"), version=2)
    assert told(decided(new, rename_asset=["chart=figure"])) == [("item.assets.chart", "renamed", ASKS)]
    assert told(compare(made(), new))[0] == ("item.assets.chart", "removed_asset", NO)


def test_a_renamed_field_that_files_would_call_otherwise_says_so() -> None:
    """The files of this benchmark call it `note`: a lead who renames it may want them to stay so."""
    new = made(put("item.fields.note.name", "remark"), version=2)
    (change,) = (each for each in decided(new, rename_field=["note=remark"]).changes if each.row.name == "renamed")
    assert "`remark: note` to `source: fields` of the new schema" in change.sentence
    kept = made(put("item.fields.note.name", "remark"), put("source.fields", {"remark": "note"}), version=2)
    (change,) = (each for each in decided(kept, rename_field=["note=remark"]).changes if each.row.name == "renamed")
    assert "source" not in change.sentence


def test_what_may_only_have_another_name_is_said_so() -> None:
    new = made(put("item.fields.note.name", "notes"), version=2)
    (change,) = compare(made(), new).missing
    assert change.sentence.endswith("If the new name is `notes`, use `--rename-field note=notes`.")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"map": ["correct:maybe=no"]},
         "--map correct:maybe=no matches no change; did you mean `correct:unsure`? You can use this"),
        ({"map": ["correct:unsure=partly"]},
         "--map correct:unsure=partly: `partly` does not exist; the choices are yes, no"),
        ({"map": ["correct:unsure"]}, "--map takes CRITERION:OPTION=OTHER; `correct:unsure` was given."),
        ({"ask_again": ["correct:unsure=no"]}, "--ask-again takes CRITERION[:OPTION]; `correct:unsure=no` was given."),
        ({"mapp": ["correct:unsure=no"]}, "There is no decision `mapp`; did you mean `map`?; use one of: "),
        ({"recompute": ["verification"]}, "--recompute verification matches no change. No change needs this "
        "decision."),
        ({"map": ["correct:unsure=no"], "ask_again": ["correct:unsure"]},
         "--ask-again correct:unsure: this change already has another decision."),
        ({"rename_option": ["correct:unsure=no"]}, "--rename-option correct:unsure=no: the old schema also has `no`."),
        ({"rename_option": ["correct:yes=no"]}, "--rename-option correct:yes=no: the new schema still has `yes`."),
        ({"rename_option": ["nothing:yes=no"]}, "no criterion or field `nothing` is in both schemas."),
        ({"rename_field": ["questions=text"]}, "the old schema has no `questions`; did you mean `question`?"),
        ({"rename_field": ["question=text"]}, "--rename-field question=text: the new schema still has `question`."),
    ],
)  # fmt: skip
def test_a_decision_that_fits_nothing_is_refused(given: dict[str, list[str]], sentence: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        decided(gone(), **given)
    assert sentence in str(refused.value)


def test_every_decision_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(InvalidInputError) as refused:
        decided(gone(), map=["correct:a=b", "correct:c=d"], rename_field=["a=b"])
    assert len(refused.value.problems) == 3


def test_a_name_that_a_field_and_a_criterion_share_needs_the_path() -> None:
    both = all_of(
        add("item.fields", {"name": "size", "kind": "choice", "options": ["a", "b", "c"], "required": False}),
        put(f"{CRITERIA}.size.values", ["a", "b", "c"]),
    )
    less = all_of(both, take("item.fields.size.options", "c"), put(f"{CRITERIA}.size.values", ["a", "b"]),
                  put(f"{CRITERIA}.size.labels", ["S", "M"]))  # fmt: skip
    with pytest.raises(InvalidInputError, match=r"several changes\. Use a longer name: item\.fields\.size\."):
        decided(made(less, version=2), made(both), map=["size:c=a"])
    paths = ["item.fields.size.options.c=a", f"{CRITERIA}.size.values.c=b"]
    assert decided(made(less, version=2), made(both), map=paths).can_be_taken


def test_a_value_that_is_filled_in_has_to_fit() -> None:
    new = made(add("item.fields", {"name": "year", "kind": "integer"}), version=2)
    assert [each.decided.value for each in decided(new, fill=["year=2024"]).changes if each.decided] == [2024]
    with pytest.raises(InvalidInputError, match="--fill year=soon: "):
        decided(new, fill=["year=soon"])


def test_decisions_are_stored_as_they_were_made() -> None:
    given = {"map": ["correct:unsure=no"], "recompute": ["verification"], "rename_field": ["a=b"]}
    made_ = Decisions.parse(given)
    assert Decisions.from_json(made_.as_json()) == made_
    assert str(Decision(WAYS["map"], "correct:unsure", "no")) == "--map correct:unsure=no"
    assert [str(each) for each in made_.made][1:] == ["--recompute verification", "--rename-field a=b"]


def test_one_decision_about_a_stage_is_about_all_that_asks_for_it_there() -> None:
    new = made(
        put(f"{VOTES}.keep.rule", "majority"), put(f"{VOTES}.keep.value", "no"), put(f"{VOTES}.raters", 1), version=2
    )
    assert len(compare(made(), new).missing) == 3
    assert decided(new, recompute=["verification"]).can_be_taken


def test_every_row_says_what_follows_and_how_to_decide() -> None:
    used = {way for row in CHANGE_KINDS.values() for way in row.decisions}
    assert used == set(WAYS.values())
    for row in CHANGE_KINDS.values():
        assert row.meaning.endswith("."), row.name
        assert bool(row.decisions) == (row.status is Status.DECISION) or row.name in ("renamed", "removed_asset"), (
            row.name
        )


def test_rows_are_themselves_in_another_process() -> None:
    """A look or a change that is done elsewhere gets its decisions as JSON, and rows are told apart by ``is``."""
    for row in (*WAYS.values(), *CHANGE_KINDS.values()):
        assert typed_json.decode(typed_json.encode(row)) is row
