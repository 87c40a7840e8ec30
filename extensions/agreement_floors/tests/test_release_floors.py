"""Required agreement before a release: its value, whether it blocks the release, and the date of the rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.jobs.figure_requests import request_figure
from db.engine import Store
from domain.errors import InvalidFileError
from domain.roles import Role
from domain.settings import Settings
from extensions.agreement_floors.standings import FloorStanding, standings, state_of
from media.store import MediaStore
from testkit.factories import Clock, claimed, floored, make_items, make_person, make_project
from testkit.missing_extensions import needs
from testkit.released import needs_replay, needs_withdrawal, replay, withdraw
from testkit.schema_versions import take_schema
from tests.app.screens import drawn, rows
from workflow.annotate import submissions
from workflow.releases.create import create
from workflow.releases.settings import ReleaseOptions

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("made_tables")]

ALPHA = "criterion: choice, statistic: krippendorff_alpha"
KAPPA = "criterion: choice, statistic: cohen_kappa"
SHARE = "criterion: choice, statistic: percent_agreement"
SAID = {"ann": "red red red blue red", "bob": "red red red blue blue"}
"""Five items. Of the ten votes seven are red and three blue, and the two agree on four items:

- percent agreement 4/5 = 0.8;
- Cohen's kappa: by chance 4/5 * 3/5 + 1/5 * 2/5 = 0.56, so (0.8 - 0.56) / 0.44 = 0.5455;
- Krippendorff's alpha: 1 - (2/10) / (2 * 7 * 3 / (10 * 9)) = 1 - 0.2 / 0.4667 = 0.5714;
- Wilson's limits of 4 of 5: (0.8 + 0.3842 -+ 1.96 * sqrt(0.16/5 + 3.8416/100)) / 1.7683 = 0.376 and 0.964.
"""


def voted(store: Store, *given: str, people: int = 2) -> Store:
    store.clock = clock = Clock()
    make_project(store, loaded=floored(*given))
    make_items(store, 5)
    clock.advance(minutes=1)
    for login, said in list(SAID.items())[:people]:
        person, choices = make_person(store, login), said.split()
        for _ in choices:
            task = claimed(store, person)
            number = int(str(task.fields["question"]).removeprefix("Question ").removesuffix("?"))
            submissions.submit(
                store, person=person, task=task.id, key=f"{login}-{number}", values={"choice": choices[number]}
            )
    clock.advance(minutes=1)
    return store


def standing(store: Store, name: str = "choice.krippendorff_alpha") -> FloorStanding:
    return next(each for each in standings(store, project="p") if each.name == name)


def release(store: Store, media: MediaStore, home: Path, *despite: str, **more: Any) -> dict[str, Any]:
    made = create(
        store, media, home, by=None, project="p", asked=ReleaseOptions(despite=("said", "items", *despite), **more)
    )
    found: dict[str, Any] = json.loads((made.place / "public/manifest.json").read_text())
    return found


@pytest.mark.parametrize(
    ("floor", "outcome", "value", "words"),
    [
        (f"{ALPHA}, at_least: 0.57", "met", 0.5714, "met: 0.571 "),
        (f"{ALPHA}, at_least: 0.58", "not met", 0.5714, "it must be at least 0.58"),
        (f"{ALPHA}, at_least: 0.5, bound: low", "cannot be computed", None, "the lower limit must be at least 0.5"),
        (f"{SHARE}, at_least: 0.37, bound: low", "met", 0.8, "(0.376 to 0.964)"),
        (f"{SHARE}, at_least: 0.38, bound: low", "not met", 0.8, "the lower limit must be at least 0.38"),
        (f"{KAPPA}, at_least: 0.54", "met", 0.5455, "(5 units, 2 raters)"),
        (f"{KAPPA}, at_least: 0.55", "not met", 0.5455, "not met: 0.545 "),
        (f"{SHARE}, at_least: 0.8", "met", 0.8, "before anyone voted"),
        (
            "criterion: choice, statistic: light_kappa, at_least: 0.5",
            "cannot be computed",
            None,
            "more than two raters",
        ),
        ("criterion: score, statistic: icc, at_least: 0.5", "cannot be computed", None, "there are no ratings yet"),
    ],
)
def test_a_floor_is_met_or_not_or_cannot_be_computed(
    floor: str, outcome: str, value: float | None, words: str, store: Store
) -> None:
    (found,) = standings(voted(store, floor), project="p")
    assert (found.outcome, found.met) == (outcome, outcome == "met")
    assert found.value == (None if value is None else pytest.approx(value, abs=0.0001))
    assert words in found.said
    assert found.beforehand


def test_one_person_cannot_agree_alone(store: Store) -> None:
    found = standing(voted(store, f"{ALPHA}, at_least: 0.1", people=1))
    assert found.outcome == "cannot be computed"
    assert "only one rater" in found.said


@needs_withdrawal
@needs_replay
@pytest.mark.both_databases
def test_what_is_not_met_stops_a_release_unless_it_is_named_and_is_told_in_it(
    store: Store, media: MediaStore, home: Path
) -> None:
    voted(store, f"{SHARE}, at_least: 0.75", f"{ALPHA}, at_least: 0.6")
    with pytest.raises(InvalidFileError, match=r"not met: 0\.571 .*\(floor\.choice\.krippendorff_alpha\)"):
        release(store, media, home)
    told = release(store, media, home, "floor.choice.krippendorff_alpha")
    share, alpha = told["floors"]
    assert (share["outcome"], share["at_least"], share["value"]) == ("met", 0.75, 0.8)
    assert (alpha["outcome"], alpha["beforehand"]) == ("not met", True)
    assert alpha["settings"] == [
        {"version": 1, "at": "2026-05-04T09:00:00+00:00", "at_least": 0.6, "bound": "value", "votes": 0}
    ]
    place = home / "releases/p/1/public"
    found = replay(place)
    figure = {each.id: each for each in found.figures}["floors.choice.krippendorff_alpha"]
    assert found.ok
    assert figure.recomputed is not None
    assert figure.recomputed.value == pytest.approx(alpha["value"])
    withdraw(store, media, home, by=None, project="p", version="1", item="colour/0", reason="Two are red.")
    again = json.loads((home / "releases/p/1.1/public/manifest.json").read_text())
    assert again["floors"] == told["floors"]


@pytest.mark.both_databases
def test_a_floor_that_was_made_lower_after_people_had_voted_is_told_as_such(store: Store) -> None:
    """Ten votes under 0.6; then the floor is 0.5, another one comes, and a third is taken away."""
    voted(store, f"{ALPHA}, at_least: 0.6", f"{SHARE}, at_least: 0.9")
    earlier = floored(f"{ALPHA}, at_least: 0.6", f"{SHARE}, at_least: 0.9")
    later = floored(f"{ALPHA}, at_least: 0.5", f"{KAPPA}, at_least: 0.2", version=2)
    take_schema(store, later)
    alpha, kappa, share = standings(store, project="p")
    assert (alpha.outcome, alpha.beforehand) == ("met", False)
    assert "lowered from 0.6 to 0.5 in version 2, after 10 votes" in alpha.said
    assert (kappa.outcome, kappa.beforehand) == ("met", False)
    assert "set in version 2 of the schema, after 10 votes" in kappa.said
    assert (share.outcome, share.at_least, share.met) == ("taken away", None, True)
    assert "removed in version 2, after 10 votes" in share.said
    take_schema(store, earlier)
    alpha, share, kappa = standings(store, project="p")
    assert (alpha.outcome, [each.at_least for each in alpha.settings]) == ("not met", [0.6, 0.5, 0.6])
    assert not alpha.beforehand, "it was lower for a while"
    assert (share.outcome, kappa.outcome) == ("not met", "taken away")


def test_a_floor_that_changes_before_anyone_votes_is_set_beforehand(store: Store) -> None:
    store.clock = clock = Clock()
    make_project(store, loaded=floored(f"{SHARE}, at_least: 0.9"))
    clock.advance(minutes=1)
    take_schema(store, floored(f"{SHARE}, at_least: 0.5", version=2))
    (found,) = standings(store, project="p")
    assert found.beforehand
    assert [(each.version, each.at_least) for each in found.settings] == [(1, 0.9), (2, 0.5)]
    assert "lowered" not in found.said


def test_the_page_and_its_figures_have_a_line_for_each_floor(store: Store, home: Path) -> None:
    voted(store, f"{SHARE}, at_least: 0.75", f"{ALPHA}, at_least: 0.6")
    lea = make_person(store, "lea", role=Role.LEAD)
    lines = {row["What"]: row for row in rows(drawn(store, home, "release", "lea", project="p"), "How it stands")}
    share = lines["Floor: Verification: Percent agreement of choice"]
    alpha = lines["Floor: Verification: Krippendorff's alpha of choice"]
    assert (share["State"], alpha["State"]) == ("Done", "Blocking")
    assert alpha["How it stands"].startswith("Not met: 0.571 ")
    take_schema(store, floored(f"{ALPHA}, at_least: 0.5", version=2))
    state, size = state_of(store, by=lea, project="p")
    now = request_figure(store, Settings(home, ""), "floors", {"project": "p"}, state=state, size=size)
    assert now.figure is not None
    assert [(each.outcome, each.at_least) for each in now.figure.value] == [("met", 0.5), ("taken away", None)]


@needs("release_files", "card.html")
def test_floors_are_in_the_card(store: Store, media: MediaStore, home: Path) -> None:
    voted(store, f"{SHARE}, at_least: 0.75", f"{ALPHA}, at_least: 0.6")
    asked = ReleaseOptions(despite=("said", "items", "floor.choice.krippendorff_alpha"))
    place = create(store, media, home, by=None, project="p", asked=asked).place
    text = (place / "public/README.md").read_text()
    assert "not met: 0.571" in text
    assert "set in version 1 of the schema, before anyone voted" in text
