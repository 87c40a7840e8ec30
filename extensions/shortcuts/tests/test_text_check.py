"""Shortcuts before a release: what a schema's limits say of planted and of clean sets, and what a release tells."""

from __future__ import annotations

import json
import random
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema, Shortcuts
from db.engine import Store
from domain.errors import InvalidFileError, NotAvailableError
from extensions.shortcuts import text_check
from extensions.shortcuts import text_shortcuts as room
from extensions.shortcuts.key_places import places_of
from extensions.shortcuts.tests.test_text_shortcuts import ROLES, drawn, member
from extensions.shortcuts.text_check import TextMeasurement, TextResult, compare_with_limits
from extensions.shortcuts.text_classifier import scores_of
from extensions.shortcuts.text_shortcuts import flag_above, from_members
from media.store import MediaStore
from testkit.factories import claimed, make_person, make_project
from testkit.missing_extensions import needs
from testkit.released import in_words, needs_replay, needs_withdrawal, replay, withdraw
from testkit.schema_versions import take_schema
from tests.paths import shared
from workflow.access.projects import access_to
from workflow.annotate import authoring, submissions
from workflow.releases.checklist import before
from workflow.releases.create import create
from workflow.releases.extension_checks import ReleaseCondition
from workflow.releases.settings import ReleaseOptions
from workflow.releases.text_rules import Choice

SCHEMA = """
name: kitchen
version: VERSION
title: Kitchen
dimensions: [{id: what, title: What}, {id: where, title: Where}]
item:
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list}
    - {name: answer, kind: option_of, field: options}
    - {name: video, kind: text}
stages:
  verification:
    raters: 1
    criteria: [{name: fits, kind: choice, prompt: Fits it, options: ["yes", "no"]}]
    keep: {rule: unanimous, criterion: fits, value: "yes"}
export:
  public_without: [answer]
  private_splits: [hidden]
"""
WORDS = ("cup", "pan", "lid", "jar", "box", "bag", "tin", "pot")
"""Of one length, so that no length tells anything."""


def limited(limits: str, *, version: int = 1) -> LoadedSchema:
    more = f"  shortcuts: {limits}\n" if limits else ""
    return load_text(SCHEMA.replace("VERSION", str(version)) + more, "", "kitchen.yaml")


def kept(store: Store, loaded: LoadedSchema, *, longest: bool) -> None:
    """Twelve items of six videos, each with two options of which the first is right in every other one, and which one
    person keeps; with ``longest`` the right option is longer."""
    make_project(store, loaded=loaded)
    random_ = random.Random(7)
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        new = []
        for at in range(12):
            options = random_.sample(WORDS, 2)
            if longest:
                options[at % 2] += " and lid"
            fields = {"question": "Which?", "options": options, "answer": options[at % 2], "video": f"v{at // 2}"}
            new.append(authoring.NewItem(f"i{at}", ("what", "where")[at % 2], fields))
        authoring.add_items(session, access=access, new=new, now=store.now())
    person = make_person(store, "ann")
    for at in range(12):
        task = claimed(store, person)
        submissions.submit(store, person=person, task=task.id, key=str(at), values={"fits": "yes"})


def line(store: Store, gate: TextResult | None = None) -> ReleaseCondition | None:
    if gate is None:
        with store.read() as session:
            access = access_to(session, person=None, project="p")
        gate = text_check.measure(store, access) if access.schema.export.shortcuts else None
    found = before(store, by=None, project="p", results={} if gate is None else {"shortcuts": gate})
    return next((each for each in found if each.name == "shortcuts"), None)


def release(store: Store, media: MediaStore, home: Path, *despite: str, **more: Any) -> Path:
    return create(
        store, media, home, by=None, project="p", asked=ReleaseOptions(despite=("said", *despite), **more)
    ).place


# ---- the limits ------------------------------------------------------------------------------------------------------


def outcomes(gate: TextResult) -> dict[str, str]:
    return {each.name: each.outcome for each in gate.limits}


def longest_in(n: int, of: int) -> TextMeasurement:
    """Of so many items with two options, each of a source of its own, the longest option is right in ``n``; keys stand
    in both places alike."""
    made = []
    for at in range(of):
        options = ["cup", "pan"]
        options[(at % 2) if at < n else 1 - at % 2] = "a lid"
        made.append(member(str(at), options, at % 2, source=f"v{at}"))
    return TextMeasurement(from_members(made, ROLES))


@pytest.mark.thorough
def test_a_limit_is_of_the_share_or_of_an_end_of_its_interval() -> None:
    """26 of 40 are 65 %; 95 % limits are about 0.65 -+ 1.96 * sqrt(0.65 * 0.35 / 40) = 0.50 and 0.80."""
    at = longest_in(26, 40)
    for bound, above, within in (("value", 0.64, 0.66), ("low", 0.45, 0.55), ("high", 0.75, 0.85)):
        for at_most, outcome in ((above, "not within"), (within, "within")):
            gate = compare_with_limits(Shortcuts(bound=bound, above_chance=0.49, at_most={"longest": at_most}), at)  # type: ignore[arg-type]
            assert (bound, outcomes(gate)["longest"]) == (bound, outcome)
    exact = compare_with_limits(Shortcuts(above_chance=0.49, at_most={"longest": 0.65}), at)
    assert outcomes(exact)["longest"] == "within", "no more than that"
    # chance is a half: of what has no limit of its own, it is the usual one that holds
    usual = {each.name: each.at_most for each in compare_with_limits(Shortcuts(at_most={"longest": 0.7}), at).limits}
    assert (usual["longest"], usual["shortest"]) == (0.7, pytest.approx(0.55))
    # keys stand in both places alike: the better one is right in a half
    assert {each.name: each.value for each in exact.limits}["constant"] == 0.5


@pytest.mark.thorough
def test_a_cue_in_one_of_twenty_keys_is_too_much_and_a_clean_set_is_within() -> None:
    limits = Shortcuts(above_chance=0.1, flagged=0.01)
    planted, clean = (
        compare_with_limits(limits, TextMeasurement(from_members(drawn(400, seed=seed, cue=cue), ROLES)))
        for seed, cue in ((4, " indeed"), (3, ""))
    )
    assert planted.outcome == "not within"
    assert planted.too_many, "more than 4 of the 20 that were planted"
    assert "of 400 items flagged" in planted.said
    assert (clean.outcome, clean.flagged) == ("within", 0), clean.said


def test_what_cannot_be_looked_at_says_why() -> None:
    one = TextMeasurement(None, "all items are from one source")
    assert compare_with_limits(Shortcuts(), one).said == "cannot be computed: all items are from one source"
    none = compare_with_limits(Shortcuts(), TextMeasurement(from_members([], ROLES)))
    assert (none.outcome, none.met) == ("no options", True)


def test_a_score_of_ones_own_flags_what_is_above_it() -> None:
    found = from_members(drawn(40, seed=5), ROLES)
    above = sorted(each.p_key for each in found.items)[-3]
    assert len(flag_above(found, above).flagged) == 2
    gate = compare_with_limits(
        Shortcuts(above_chance=0.7, flagged=0.04, score=0.3), TextMeasurement(flag_above(found, above))
    )
    assert gate.too_many, "2 of 40 are 5 %"
    assert gate.said.endswith("2 of 40 items flagged, at most 4.0 %")


def test_where_right_options_stand_is_held_against_as_many_in_each_place() -> None:
    """30, 10, 10 and 10 of 60: (15^2 + 3 * 5^2) / 15 = 20, of which chi squared with 3 degrees has 0.00017."""
    options = ("a", "b", "c", "d")
    choices = [Choice(options, key, dimension="one") for key, n in enumerate((30, 10, 10, 10)) for _ in range(n)]
    choices += [Choice(options, key, dimension="two") for key in (0, 1)]
    one, two, both = places_of(choices, {"one": "One"})
    assert (one.title, list(one.counts), one.statistic) == ("One", [30, 10, 10, 10], pytest.approx(20.0))
    assert one.p == pytest.approx(0.00016974, rel=1e-4)
    assert (two.p, two.why) == (None, "fewer than 5 items for each position")
    assert list(both.counts) == [31, 11, 10, 10]
    mixed = places_of([*choices, Choice(("a", "b"), 0, dimension="one")], {})
    assert mixed[-1].why == "items have different numbers of options"


@pytest.mark.thorough
def test_egoplan_stands_within_what_its_audit_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An audit of the same file by other code, once: longest 27.63 %, most words shared with the goal 26.23 %, both the
    first on a tie; letters 839, 839, 839, 838; 28 to 29 % for a logistic regression of the words, with 0.8 to spare."""
    rows = json.loads(shared("data", "egoplan", "EgoPlan_validation.json").read_text(encoding="utf-8"))
    once = partial(scores_of, refits=1)  # what is right needs no keys drawn anew, which take a minute
    monkeypatch.setattr(room, "_scores", lambda choices, folds: once(choices, np.array(folds)))
    goals = [(row, [row[f"choice_{letter}"] for letter in "abcd"]) for row in rows]
    found = from_members(
        [
            member(str(row["sample_id"]), options, "ABCD".index(row["golden_choice_idx"]),
                   question=row["task_goal"], source=row["video_id"])
            for row, options in goals
        ],
        ROLES,
    )  # fmt: skip
    right = {name: 100 * (each.value or 0) for name, each in found.by_name.items()}
    assert right["longest"] == pytest.approx(27.63, abs=0.005)
    assert right["overlap"] == pytest.approx(26.23, abs=0.4), "the audit took words of letters alone"
    assert 27.2 <= right["text_only"] <= 29.8
    assert list(found.places[-1].counts) == [839, 839, 839, 838]
    # a half and three halves from 838.75 each: (3 * 0.25^2 + 0.75^2) / 838.75
    assert found.places[-1].statistic == pytest.approx(0.75 / 838.75)
    gate = compare_with_limits(Shortcuts(at_most={"text_only": 0.3}), TextMeasurement(found))
    assert gate.outcome == "within", gate.said
    assert compare_with_limits(Shortcuts(at_most={"longest": 0.27}), TextMeasurement(found)).outcome == "not within"


# ---- a release -------------------------------------------------------------------------------------------------------


def test_a_release_is_refused_while_the_extension_of_its_check_is_missing(
    store: Store, media: MediaStore, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(store, limited("{at_most: {constant: 0.6}}"), longest=True)
    monkeypatch.setattr("domain.extensions.installed", dict)
    with pytest.raises(
        NotAvailableError, match=r"`export\.shortcuts` belongs to the extension Shortcuts, which is not"
    ):
        release(store, media, home, "shortcuts")


@needs_withdrawal
@needs_replay
@needs("release_files", "card.html")
@pytest.mark.thorough
@pytest.mark.both_databases
@pytest.mark.usefixtures("made_tables")
def test_what_is_not_within_stops_a_release_unless_it_is_named_and_is_told_in_it(
    store: Store, media: MediaStore, home: Path
) -> None:
    kept(store, limited("{at_most: {constant: 0.6}}"), longest=True)
    with pytest.raises(InvalidFileError, match=r"not within: Longest option 100\.0 % .*at most 55\.0 %.*\(shortcuts\)"):
        release(store, media, home)
    with pytest.raises(InvalidFileError, match=r"no check shortcut\. Its checks: .*items, .*said, shortcuts\."):
        release(store, media, home, "shortcut")
    place = release(store, media, home, "shortcuts") / "public"
    manifest = json.loads((place / "manifest.json").read_text())
    told = manifest["shortcuts"]
    figures = {each["name"]: each for each in told["limits"]}
    assert (told["outcome"], told["items"], told["chance"], told["bound"]) == ("not within", 12, 0.5, "value")
    assert (figures["longest"]["value"], figures["longest"]["outcome"]) == (1.0, "not within")
    # right options stand in the first place in every other item
    assert (figures["constant"]["value"], figures["constant"]["outcome"]) == (0.5, "within")
    assert "shortcuts" in manifest["asked"]["despite"]
    card = (place / "README.md").read_text()
    assert "Shortcuts checked before the release, in 12 items" in card
    assert "No other shortcuts were looked for" not in card
    found = replay(place)
    figure = {each.id: each for each in found.figures}["shortcuts.longest"]
    assert found.ok
    assert figure.recomputed is not None
    assert figure.recomputed.value == 1.0
    path = place / "evidence/figures.json"
    evidence = json.loads(path.read_text())
    for each in evidence["figures"]:
        if each["id"] == "shortcuts.longest":
            each["value"] = 0.5
    path.write_text(json.dumps(evidence))
    assert [each.id for each in replay(place).differing] == ["shortcuts.longest"]
    withdraw(store, media, home, by=None, project="p", version="1", item="i3", reason="Two are right.")
    again = json.loads((home / "releases/p/1.1/public/manifest.json").read_text())
    assert again["shortcuts"] == told


@pytest.mark.thorough
@pytest.mark.usefixtures("made_tables")
def test_another_limit_is_another_line(store: Store) -> None:
    kept(store, limited(""), longest=True)
    assert line(store) is None, "a schema without limits asks for nothing"
    for version, (limits, done) in enumerate(
        (("{}", False), ("{above_chance: 0.6, at_most: {longest: 0.99}}", False), ("{above_chance: 0.6}", True)), 2
    ):
        take_schema(store, limited(limits, version=version))
        found = line(store)
        assert found is not None
        assert (limits, found.done) == (limits, done), found.said


@needs("release_files", "card.html")
@pytest.mark.thorough
@pytest.mark.usefixtures("made_tables")
def test_figures_of_private_keys_stay_with_them(store: Store, media: MediaStore, home: Path) -> None:
    kept(store, limited("{}"), longest=True)
    asked = {"splits": ("open=0.5", "hidden=0.5"), "private": ("hidden",), "off": 0.5, "lacking": True}
    place = release(store, media, home, "shortcuts", **asked)
    manifest = json.loads((place / "public/manifest.json").read_text())
    told = manifest["shortcuts"]
    assert told["figures"] == "private"
    assert "flagged" not in told
    assert {name for each in told["limits"] for name in each} == {"name", "title", "at_most", "outcome"}
    card = (place / "public/README.md").read_text()
    assert "The figures are in the private part" in card
    (table,) = [part for part in card.split("\n\n") if part.startswith("| Rule |")]
    assert "100.0 %" not in table
    evidence = json.loads((place / "private/evidence/figures.json").read_text())
    assert {each["id"]: each["value"] for each in evidence["figures"]}["shortcuts.longest"] == 1.0


@needs_replay
@pytest.mark.thorough
@pytest.mark.usefixtures("made_tables")
def test_without_scikit_learn_the_line_and_replay_say_so(
    store: Store, media: MediaStore, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(store, limited("{above_chance: 0.9}"), longest=False)
    place = release(store, media, home) / "public"
    monkeypatch.setitem(sys.modules, "sklearn.model_selection", None)
    found = line(store)
    assert found is not None
    assert not found.done
    assert "pip install 'scikit-learn>=1.9.1'" in found.said
    with pytest.raises(InvalidFileError, match="scikit-learn, which is not installed"):
        release(store, media, home)
    again = replay(place)
    assert not again.ok
    assert {each.id.partition(".")[0] for each in again.differing} == {"shortcuts"}
    assert any(said.startswith("Without figures: shortcuts: ") for said in in_words(again))
