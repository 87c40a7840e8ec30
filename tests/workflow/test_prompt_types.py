"""Prompts with several wordings, one chosen for each item by a seed; and runs crossed over what is added."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from annotation_schemas.prompts import load_prompt_set, parse_prompt_set
from app.cli import cli
from app.services import resources
from db.engine import Store, open_store
from domain.errors import InvalidInputError, ModelError, SchemaError
from domain.run_kinds import RunKind
from domain.runs import Attempt, Outcome, Question, RunPlan, RunState
from inference.spec import ModelSpec
from media.store import MediaStore
from testkit.factories import make_items, make_project
from workflow.access.projects import access_to
from workflow.runs import model_runs, run_start, run_views, worker
from workflow.runs.identities import parts_of
from workflow.runs.model_plans import crossed, plan_for
from workflow.runs.model_questions import Asker

ETP = load_schema(shipped()["etp_bench"])
FISH = ModelSpec(name="fish", adapter="chat", model="fish", modality="images")
TYPES = load_prompt_set("etp_bench_types")

SMALL = """\
default: any
families:
  any:
    general:
      system: "<manner>"
      user: "<opening> {question}"
      wordings:
        opening: [Look., See.]
        manner: [Be brief., Be kind., Be quick.]
"""


# ---- sets of prompts ------------------------------------------------------------------------------------------------


def test_a_prompt_has_a_type_for_each_way_of_taking_its_wordings() -> None:
    found = parse_prompt_set(SMALL, name="small", file="small.yaml")
    types = found.types_of(found.prompt())
    assert [(each.name, each.system, each.user) for each in types] == [
        ("small/any/general/1.1", "Be brief.", "Look. {question}"),
        ("small/any/general/1.2", "Be kind.", "Look. {question}"),
        ("small/any/general/1.3", "Be quick.", "Look. {question}"),
        ("small/any/general/2.1", "Be brief.", "See. {question}"),
        ("small/any/general/2.2", "Be kind.", "See. {question}"),
        ("small/any/general/2.3", "Be quick.", "See. {question}"),
    ]
    assert len({each.hash for each in types}) == 6
    assert found.prompt() == types[0]


def test_the_types_of_etp_bench_are_156_and_begin_with_its_prompts() -> None:
    # 4.2: "a total of 156 text prompt types"
    variants = TYPES.families["any"]
    used = {variant for variant in ETP.schema_.models.variants} if ETP.schema_.models else set()
    assert used == set(variants) - {"general"}
    assert sum(len(TYPES.types_of(variants[variant])) for variant in used) == 156
    everything = [each for variant in used for each in TYPES.types_of(variants[variant])]
    assert len({each.user for each in everything}) == len({each.name for each in everything}) == 156
    for variant, prompt in load_prompt_set("etp_bench").families["any"].items():
        assert variants[variant].user == prompt.user, variant
        for each in TYPES.types_of(variants[variant]):
            assert each.placeholders == prompt.placeholders
            assert "<" not in each.user
    assert TYPES.injections.keys() == load_prompt_set("etp_bench").injections.keys()


@pytest.mark.parametrize(
    ("was", "now", "says"),
    [
        ("[Look., See.]", "[]", "wordings.opening: the wordings must be a list with at least one text"),
        ("[Look., See.]", "Look.", "wordings.opening: the wordings must be a list with at least one text"),
        ("[Look., See.]", "[Look., 7]", "wordings.opening: the wordings must be a list with at least one text"),
        ("[Look., See.]", "[Look., Look.]", "wordings.opening: a wording appears twice"),
        ("opening: [", "ending: [", "wordings.ending: the prompt has no `<ending>`"),
        ("opening: [", "image: [", "and cannot be `image`"),
        ("opening: [Look., See.]", f"opening: {[str(n) for n in range(400)]}", "the wordings combine to 1,200 prompts"),
    ],
)
def test_wordings_that_do_not_fit_are_refused_with_their_line(was: str, now: str, says: str) -> None:
    with pytest.raises(SchemaError) as caught:
        parse_prompt_set(SMALL.replace(was, now), name="small", file="small.yaml")
    assert str(caught.value).startswith("small.yaml:")
    assert says in str(caught.value)


def by_hand(seed: int, prompt: str, item: str, n: int) -> int:
    """Which of n types: the first eight bytes of SHA-256 over seed, prompt and item, as a number, by its remainder."""
    return int(hashlib.sha256(f"{seed}/{prompt}/{item}".encode()).hexdigest()[:16], 16) % n


def test_the_same_seed_chooses_the_same_types_and_another_seed_others() -> None:
    first = TYPES.prompt(variant="type")
    types = TYPES.types_of(first)
    names = [f"Type-{n}" for n in range(288)]

    def chosen(seed: int | None) -> list[str]:
        return [TYPES.type_for(first, seed=seed, item=name).name for name in names]

    assert set(chosen(None)) == {first.name}
    assert chosen(1) == chosen(1) == [types[by_hand(1, first.name, name, 18)].name for name in names]
    assert chosen(1) != chosen(2)
    assert len(set(chosen(1))) == 18
    assert max(Counter(chosen(1)).values()) < 3 * 288 / 18


# ---- plans and runs -------------------------------------------------------------------------------------------------


TOLD = {"objects": "a pie", "spatial": "It is far.", "knowledge": "Open it first."}
TASKS: Sequence[Mapping[str, Any]] = [
    {"task": "a", "question": "Plan it.", "form": "plan", **TOLD},
    {"task": "b", "question": "Plan it.", "form": "plan", **TOLD},
    {"task": "c", "question": "Plan it.", "form": "plan", "objects": "a cup"},
    {"task": "d", "question": "Plan it.", "form": "plan"},
]


@pytest.fixture
def store(tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    (tmp_path / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store = open_store(None, tmp_path)
    make_project(store, loaded=ETP)
    for fields in TASKS:
        make_items(store, dimension="embodied_reasoning", fields=fields)
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    resources.cache_clear()
    yield store
    store.close()
    resources.cache_clear()


def asker(store: Store, plan: RunPlan, tmp_path: Path) -> Asker:
    media = MediaStore(tmp_path / "media")
    return Asker(store, media, schema=ETP.schema_, plan=plan, spec=FISH, cache=tmp_path / "prepared")


def units(store: Store, plan: RunPlan, project: str = "p") -> list[int]:
    with store.read() as session:
        return model_runs.wanted_items(session, access_to(session, person=None, project=project), plan)


def test_the_plan_s_seed_is_the_schema_s_and_part_of_who_the_model_is() -> None:
    usual, other = plan_for(ETP.schema_, FISH), plan_for(ETP.schema_, FISH, prompt_seed=3)
    assert (usual.prompt_set, usual.prompt_seed, other.prompt_seed) == ("etp_bench_types", 156, 3)
    assert parts_of(FISH.dump(), usual) != parts_of(FISH.dump(), other)
    assert RunPlan.of(other.dump()) == other
    assert plan_for(ETP.schema_, FISH, prompts="etp_bench").prompt_seed is None  # one wording each
    with pytest.raises(ModelError, match="Each of the prompts etp_bench has only one wording, so a seed has no effect"):
        plan_for(ETP.schema_, FISH, prompts="etp_bench", prompt_seed=3)


def test_a_question_has_the_type_of_its_item_and_the_attempt_keeps_it(store: Store, tmp_path: Path) -> None:
    plan = plan_for(ETP.schema_, FISH, text_only=True, prompt_seed=3)
    asked = asker(store, plan, tmp_path).ask(units(store, plan))
    first = TYPES.prompt(variant="plan")
    types = TYPES.types_of(first)
    for question in asked:
        wanted = types[by_hand(3, first.name, question.name, 12)]
        assert question.prompt_type == {"name": wanted.name, "hash": wanted.hash}
        assert question.text.splitlines()[0] == wanted.user.splitlines()[0].replace(
            "{task}", "abcd"[int(question.name.rpartition("/")[2])]
        )
    seen = asker(store, plan, tmp_path).describe(units(store, plan))
    assert seen.types == Counter(question.prompt_type["name"] for question in asked)

    class Says:
        about: Mapping[str, Any] = {}

        def answer(self, questions: Sequence[Question], *, tell: Any, stop: Any) -> None:
            for question in questions:
                tell(Attempt(question.unit_id, Outcome.ANSWERED, "1. grasp(pie)", detail={"raw": "x"}))

        def close(self) -> None:
            pass

    run = run_start.start(store, by=None, project="p", spec=FISH, plan=plan)
    means = worker.Means(lambda spec, plan: Says(), lambda row, spec, plan: asker(store, plan, tmp_path))  # type: ignore[arg-type]
    assert worker.work(store, run, means=means) is RunState.DONE
    kept = run_views.attempts_of(store, by=None, run=run)
    told = {each.item: each.attempt.detail for each in kept}
    assert told == {question.name: {"raw": "x", "prompt": question.prompt_type} for question in asked}


def test_a_cross_is_about_the_items_that_have_everything(store: Store, tmp_path: Path) -> None:
    plan = plan_for(ETP.schema_, FISH, text_only=True, injections=tuple(TOLD))
    steps = crossed(plan)
    # Table 3: general, +o., +o.+s., +o.+s.+k.
    labels = [model_runs.label_of(FISH, each) for each in steps]
    assert labels == [
        f"fish{more}, text only" for more in ("", " +objects", " +objects +spatial", " +objects +spatial +knowledge")
    ]
    every = crossed(plan, every=True)
    assert len(every) == len({each.injections for each in every}) == 8
    assert {len(each.injections) for each in every} == {0, 1, 2, 3}
    wanted = {tuple(units(store, each)) for each in [*steps, *every]}
    assert [len(ids) for ids in wanted] == [2]  # tasks a and b, in one order
    for each in every:
        for question in asker(store, each, tmp_path).ask(units(store, each)):
            assert not question.cannot
            assert [name for name, text in TOLD.items() if text in question.text] == list(each.injections)
    assert len({str(parts_of(FISH.dump(), each)) for each in every}) == 8
    alone = plan_for(ETP.schema_, FISH, text_only=True, injections=())
    assert parts_of(FISH.dump(), steps[0]) == parts_of(FISH.dump(), alone)  # the same model, about fewer items
    with store.read() as session:
        access = access_to(session, person=None, project="p")
        assert model_runs.left_out_of_cross(session, access, RunPlan.of(steps[0].dump())) == {
            "without data for spatial and knowledge": 1,
            "without data for objects and spatial and knowledge": 1,
        }


def test_what_cannot_be_crossed_says_so(store: Store) -> None:
    plan = plan_for(ETP.schema_, FISH)
    with pytest.raises(
        ModelError, match=r"To compare additions, name one or more additions, .*\. Name each addition only once"
    ):
        crossed(plan)
    with pytest.raises(ModelError, match="Name each addition only once"):
        crossed(plan_for(ETP.schema_, FISH, injections=("objects", "objects")))
    none = plan_for(ETP.schema_, FISH, injections=("objects",), dimensions=("goal",))
    with pytest.raises(InvalidInputError, match="no items that you chose"):
        units(store, crossed(none)[0])
    make_project(store, name="q", loaded=ETP)
    make_items(store, project="q", dimension="embodied_reasoning", fields=TASKS[2])
    both = crossed(plan_for(ETP.schema_, FISH, injections=("objects", "spatial")))
    with pytest.raises(InvalidInputError, match="no item has data for all of these additions: `objects`, `spatial`"):
        units(store, both[0], "q")


def test_one_command_starts_the_runs_of_a_cross(store: Store, tmp_path: Path) -> None:
    spec = tmp_path / "fish.yaml"
    spec.write_text("name: fish\nadapter: endpoint\nmodel: fish\nendpoint: {base_url: 'http://127.0.0.1:9/v1'}\n")
    words = ["model", "run", "p", "--spec", str(spec), "--text-only"]
    words += [part for name in TOLD for part in ("--with", name)]

    def said(*more: str) -> str:
        done = CliRunner().invoke(cli, [*words, *more])
        assert done.exit_code == 0, done.output
        return done.output

    told = said("--cross", "steps", "--prompt-seed", "3", "--dry-run")
    assert told.count(": 2 items, generate, prompts etp_bench_types") == 4
    assert "1 item is excluded from all runs: without data for spatial and knowledge" in told
    assert "  type etp_bench_types/any/plan/" in told
    told = said("--cross", "all", "--later")
    assert told.count("is waiting for a worker") == 8
    runs = run_views.runs_of(store, by=None, project="p", kind=RunKind.MODEL)
    assert {(each.name, each.wanted) for each in runs} == {
        (model_runs.label_of(FISH, each), 2)
        for each in crossed(plan_for(ETP.schema_, FISH, text_only=True, injections=tuple(TOLD)), every=True)
    }
    done = CliRunner().invoke(cli, ["model", "run", "p", "--spec", str(spec), "--cross", "steps"])
    assert done.exit_code != 0
