"""Figures and files of one version of a schema, on pages and from the command line, against dice counted here."""

from __future__ import annotations

import csv
import io
import json
import random
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from sqlmodel import select
from typer.testing import CliRunner

from annotation_schemas.loader import load_text
from app import services
from app.cli import cli
from db.engine import Store, open_store
from db.tables import ItemRow
from domain.records import Person, TaskView
from domain.roles import Role
from domain.states import Stage
from extensions.schema_migration import migration
from extensions.schema_migration.changes import Decisions
from testkit.factories import make_items, make_people, make_person, make_predictions
from tests.app.screens import drawn, words
from workflow.access.projects import create_project
from workflow.annotate import claims, submissions

SCHEMA = """
name: changing
version: 1
title: Changing
dimensions: [{id: colour, title: Colour}]
item:
  assets: [{role: image, kind: image, min: 0}]
  fields: [{name: question, kind: text}]
stages:
  verification:
    raters: 2
    criteria: [{name: choice, kind: choice, prompt: Does it fit?, options: ["yes", "no"]}]
    keep: {rule: unanimous, criterion: choice, value: "yes"}
  grading:
    raters: 2
    shows: [question]
    combine: mean
    criteria: [{name: score, kind: scale, prompt: "How good?", values: [0, 1, 2]}]
"""
CHANGES = {
    "version: 1": "version: 2",
    "id: colour": "id: hue",
    "name: question": "name: asked",
    "shows: [question]": "shows: [asked]",
    "name: choice": "name: fits",
    "criterion: choice": "criterion: fits",
    "role: image": "role: picture",
    "name: score": "name: grade",
    '"yes", "no"': "fine, poor",
    'value: "yes"': "value: fine",
}
DECIDED = {
    "rename_dimension": ["colour=hue"],
    "rename_field": ["question=asked"],
    "rename_criterion": ["choice=fits", "score=grade"],
    "rename_asset": ["image=picture"],
    "rename_option": ["fits:yes=fine", "fits:no=poor"],
}
"""The second version calls everything otherwise."""
NOW = {"yes": "fine", "no": "poor"}
N = 20
SHARES = {"ann": 13, "bob": 9}
"""How many votes, and grades, each gives before the schema changes."""

Said = dict[str, dict[str, tuple[Any, int]]]
"""Unit -> login -> what they said, and under which version."""


def kappa(pairs: list[tuple[Any, Any]]) -> float:
    """Cohen's, as in his paper: what is seen beyond chance, of what could be."""
    seen = sum(one == other for one, other in pairs) / len(pairs)
    values = {value for pair in pairs for value in pair}
    chance = (
        sum(sum(one == value for one, _ in pairs) * sum(other == value for _, other in pairs) for value in values)
        / len(pairs) ** 2
    )
    return float((seen - chance) / (1 - chance))


def pairs_of(said: Said, version: int | None) -> list[tuple[Any, Any]]:
    """What both said of a unit, both under that version."""
    return [
        (by["ann"][0], by["bob"][0])
        for by in said.values()
        if len(by) == 2 and (version is None or {at for _, at in by.values()} == {version})
    ]


def n_under(said: Said, version: int) -> int:
    return sum(at == version for by in said.values() for _, at in by.values())


class World:
    """A project whose schema changes while two people vote and grade as dice say."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.store: Store = open_store(None, home)
        self.votes: Said = defaultdict(dict)
        self.grades: Said = defaultdict(dict)
        create_project(self.store, name="p", loaded=load_text(SCHEMA, "", "first"), seed=15)
        make_person(self.store, "lea", role=Role.LEAD)
        ids = make_items(self.store, N, fields={"question": "?"})
        with self.store.read() as session:
            self.names = dict(session.exec(select(ItemRow.public_id, ItemRow.external_id)).all())
        make_predictions(self.store, ids, models=["m"])
        self.people = make_people(self.store, "ann", "bob")
        self.dice = random.Random(15)
        self.work({each: SHARES[each.login] for each in self.people}, version=1)
        said = SCHEMA
        for old, new in CHANGES.items():
            said = said.replace(old, new)
        decisions = Decisions.parse({way: list(told) for way, told in DECIDED.items()})
        migration.migrate(self.store, by=None, project="p", loaded=load_text(said, "", "b"), decisions=decisions)
        self.work({each: N - SHARES[each.login] for each in self.people}, version=2)

    def work(self, shares: Mapping[Person, int], *, version: int) -> None:
        asked: list[tuple[Stage, Said, str, list[Any]]] = [
            (Stage.GRADING, self.grades, "score", [0, 1, 2]),
            (Stage.VERIFICATION, self.votes, "choice", ["yes", "yes", "no"]),
        ]
        for (stage, said, name, values), (someone, n) in product(asked, shares.items()):
            called = {"choice": "fits", "score": "grade"}[name] if version == 2 else name
            for _ in range(n):
                view = claims.next_task(self.store, person=someone, project="p", stage=stage)
                if not isinstance(view, TaskView):  # answers to rejected items are graded no more
                    break
                value = self.dice.choice(values)
                submissions.submit(
                    self.store,
                    person=someone,
                    task=view.id,
                    key=view.id,
                    values={called: NOW.get(value, value) if version == 2 else value},
                )
                said[self.names[view.item or ""]][someone.login] = (value, version)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[World]:
    home = tmp_path_factory.mktemp("versions")
    shutil.copyfile(sqlite_template, home / "touchstone.db")
    world = World(home)
    yield world
    world.store.close()


@pytest.fixture
def world(built: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(built.home))
    services.resources.cache_clear()
    yield built
    services.resources().store.close()
    services.resources.cache_clear()
    st.cache_resource.clear()


def run(*said: str, code: int = 0) -> str:
    result = CliRunner().invoke(cli, said)
    assert result.exit_code == code, result.output + str(result.exception)
    return result.stdout if code == 0 else result.output + str(result.exception)


def lines(*said: str) -> dict[str, Mapping[str, Any]]:
    found = json.loads(run("agreement", "show", "p", *said, "--json"))
    return {each["statistic"]: each for each in found if each["args"].get("weights", "none") == "none"}


@pytest.mark.thorough
def test_agreement_is_of_one_version_or_of_all(world: World) -> None:
    for version in (None, 1, 2):
        told = () if version is None else ("--schema-version", str(version))
        for said, stage in ((world.votes, "verification"), (world.grades, "grading")):
            pairs = pairs_of(said, version)
            at = lines("--stage", stage, "--items", "all", *told)
            share = sum(one == other for one, other in pairs) / len(pairs)
            assert at["percent_agreement"]["value"] == pytest.approx(share), (version, stage)
            assert at["percent_agreement"]["n_units"] == len(pairs)
            assert at["cohen_kappa"]["value"] == pytest.approx(kappa(pairs)), (version, stage)
            counts = f"1 ({n_under(said, 1)}), 2 ({n_under(said, 2)})"
            assert {each["args"]["schema"] for each in at.values()} == {
                counts if version is None else f"{version} alone"
            }
    assert "ratings only under version 2 of the schema" in run("agreement", "show", "p", "--schema-version", "2")
    assert "never had version 7 of the schema. Versions of the schema: 1, 2" in run(
        "agreement", "show", "p", "--schema-version", "7", code=1
    )


@pytest.mark.thorough
def test_the_page_agreement_offers_versions_and_says_which_it_shows(world: World) -> None:
    page = drawn(world.store, world.home, "agreement", "lea", project="p")
    choice = next(each for each in page.selectbox if each.label == "Version of the schema")
    assert choice.options == [
        "All versions together",
        *(f"Version {version} alone ({n_under(world.votes, version)} votes)" for version in (1, 2)),
    ]
    pooled = words(page)
    assert f"Ratings under versions of the schema: 1 ({n_under(world.votes, 1)}), 2 (" in pooled
    assert "only under version" not in pooled
    page = choice.select_index(2).run()
    assert "Ratings only under version 2 of the schema" in words(page)
    assert f"{kappa(pairs_of(world.votes, 2)):.2f}" in words(page)
    assert f"{kappa(pairs_of(world.votes, 1)):.2f}" not in words(page)


@pytest.mark.thorough
def test_exports_are_of_one_version_or_of_all(world: World, tmp_path: Path) -> None:
    for version in (1, 2):
        page = drawn(world.store, world.home, "export", "lea", project="p")
        choice = next(each for each in page.selectbox if each.label == "Version of the schema")
        of_all = n_under(world.votes, version) + n_under(world.grades, version)
        assert choice.options[version] == f"Version {version} alone ({of_all} submissions)"
        choice.select_index(version)
        next(each for each in page.selectbox if each.label == "Format").set_value("ratings")
        page = next(each for each in page.button if each.key and "export.prepare" in each.key).click().run()
        ready = page.session_state["export.ready"]
        assert (
            ready["words"]
            == f"Ready: {of_all} ratings in 1 file, with only the ratings under schema version {version}."
        )
        assert ready["words"] in words(page)
        assert ready["name"].endswith(f"-all-schema-{version}.zip")
        out = tmp_path / f"{version}.csv"
        told = run("item", "export", "p", "ratings", "--schema-version", str(version), "--out", str(out))
        assert f"only version {version} of the schema" in told
        ratings = Counter(
            (row["dimension"], row["criterion"], row["value"]) for row in csv.DictReader(io.StringIO(out.read_text()))
        )
        assert ratings == Counter(
            ("hue", name, str(NOW.get(value, value)))
            for given, name in ((world.votes, "fits"), (world.grades, "grade"))
            for by in given.values()
            for value, at in by.values()
            if at == version
        )
        assert ratings.total() == of_all


@pytest.mark.thorough
def test_results_take_grades_of_one_version_or_of_all(world: World) -> None:
    """A model's mean over answers, of each the mean of its grades; 0 to 2 in the schema."""
    for version in (None, 1, 2):
        lots = [[value for value, at in by.values() if version in (None, at)] for by in world.grades.values()]
        means = [sum(lot) / len(lot) for lot in lots if lot]
        told = () if version is None else ("--schema-version", str(version))
        found = json.loads(run("result", "show", "p", "--items", "all", "--scores", "human", "--format", "json", *told))
        (line,) = [
            each for each in found["boards"][0]["lines"] if each["part"] is None and each["mean_over"] == "answers"
        ]
        assert (line["n"], found.get("schema_version")) == (len(means), version)
        assert line["value"] == pytest.approx(sum(means) / len(means))
    assert "never had version 7 of the schema" in run("result", "show", "p", "--schema-version", "7", code=1)
    page = drawn(world.store, world.home, "results", "lea", project="p")
    choice = next(each for each in page.selectbox if each.label == "Version of the schema")
    assert choice.options[1] == f"Version 1 alone ({n_under(world.grades, 1)} grades)"
    assert "These scores count only grades" not in words(page)
    assert "These scores count only grades that people gave under schema version 2" in words(
        choice.select_index(2).run()
    )
