"""How far a set can be answered by its texts: rules by hand, the classifier next to a plain computation, flags."""

from __future__ import annotations

import csv
import io
import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import optimize

from db.engine import Store
from domain.errors import InvalidInputError, NotAllowedError
from domain.roles import Role
from domain.states import Items
from extensions.shortcuts import text_classifier
from extensions.shortcuts.text_classifier import folds_of, scores_of
from extensions.shortcuts.text_shortcuts import TextShortcuts, as_csv, as_json, find_text_shortcuts, from_members
from testkit.factories import make_items, make_person, make_project
from workflow.releases.set_items import Media, Member, Roles
from workflow.releases.text_rules import Choice, share_right

pytestmark = pytest.mark.thorough

ROLES = Roles(question="question", answer="answer", options="options")
WORDS = ("cup", "pan", "lid", "bowl", "knife", "fork", "plate", "jar", "spoon", "board", "towel", "kettle")


def member(id: str, options: Sequence[str], key: int | None, *, question: str = "?", source: str | None) -> Member:
    fields = {"question": question, "options": list(options), "answer": None if key is None else options[key]}
    return Member("colour", fields, [Media("image", f"{id}.jpg", source)], id=id)


def rule(found: TextShortcuts, name: str) -> float | None:
    return dict(found.baselines)[name].value


def drawn(n: int, *, seed: int, cue: str = "", every: int = 20) -> list[Member]:
    """Items whose key is drawn; one of `every` keys has the cue, too."""
    random_ = random.Random(seed)
    made = []
    for at in range(n):
        options = random_.sample(WORDS, 4)
        key = random_.randrange(4)
        if cue and at % every == 0:
            options[key] += cue
        made.append(member(str(at), options, key, source=f"v{at // 4}"))
    return made


def test_rules_on_four_items_by_hand() -> None:
    found = from_members(
        [
            member("1", ["red", "a blue cup"], 0, question="Is the cup red?", source="v1"),
            member("2", ["red", "blue"], 0, question="Which colour?", source="v2"),
            member("3", ["blue", "red", "green"], 1, question="Not blue?", source="v3"),
            member("4", ["blue", "green"], 1, question="What?", source="v3"),
            member("5", ["blue", "green"], None, source="v4"),
        ],
        ROLES,
    )
    assert found.skipped == ["5"]
    assert found.chance == pytest.approx((1 / 2 + 1 / 2 + 1 / 3 + 1 / 2) / 4)
    # keys stand in places 1, 1, 2, 2
    assert [rule(found, f"Always place {place}") for place in (1, 2, 3)] == [0.5, 0.5, 0]
    # longest: the second (wrong), blue (wrong), green (wrong), green (right); shortest: red, red, red, blue
    assert rule(found, "Longest option") == 0.25
    assert rule(found, "Shortest option") == 0.75
    # "red" and "a blue cup" share one word each: the first, right; none: the first, right; "blue": wrong, first: wrong
    assert rule(found, "Most words from the question") == 0.5
    # three folds, v3 (two items) alone: item 1 learns from 2, 3, 4 (places 1, 2, 2; red 2, green 1): place 2, red;
    # item 2 alike; items 3 and 4 learn from 1 and 2: place 1, red; of item 4 neither text is known: the first
    assert rule(found, "Most common position in other sources") == 0
    assert rule(found, "Most common answer in other sources") == 0.75


def test_a_set_whose_longest_option_is_always_right_is_found_whole() -> None:
    random_ = random.Random(1)
    made = []
    for at in range(60):
        options = random_.sample(WORDS, 4)
        key = random_.randrange(4)
        options[key] += " that stands over there"
        made.append(member(str(at), options, key, source=f"v{at // 3}"))
    found = from_members(made, ROLES)
    longest = dict(found.baselines)["Longest option"]
    assert longest.value == 1.0
    # all 20 videos alike: no draw differs, and limits of zero width would claim certainty
    assert longest.low is not None
    assert 0.8 < longest.low < 1
    assert dict(found.text_only)["All"].value == 1.0
    assert len(found.flagged) == 60
    assert all(each.reasons for each in found.flagged)


def test_keys_that_are_drawn_come_out_at_chance_and_no_item_is_flagged() -> None:
    found = from_members(drawn(200, seed=3), ROLES)
    all_ = dict(found.text_only)["All"]
    assert all_.low is not None
    assert all_.high is not None
    assert all_.low <= 0.25 <= all_.high
    assert found.flagged == []


def test_planted_words_are_found_and_named() -> None:
    found = from_members(drawn(400, seed=4, cue=" indeed"), ROLES)
    planted = {str(at) for at in range(0, 400, 20)}
    top = {each.choice.id for each in found.items[:40]}
    assert len(planted & top) >= 0.9 * len(planted)
    flagged = {each.choice.id for each in found.flagged}
    assert planted & flagged
    assert len(flagged - planted) <= 0.05 * 380
    assert all("indeed" in " ".join(each.reasons) for each in found.flagged if each.choice.id in planted)


def test_the_classifier_is_a_logistic_regression_of_each_key_against_the_others() -> None:
    """Its probabilities next to those of scipy's minimum of the same penalised likelihood, words weighed by hand."""
    rows = [("a", "b", 0, "v1"), ("a", "c", 0, "v2"), ("b", "c", 1, "v3"), ("c", "b", 1, "v4"), ("a", "b", 0, "v5")]
    choices = [Choice([one, other], key, "", str(at), "", v) for at, (one, other, key, v) in enumerate(rows)]
    fold_of = np.array([0, 1, 1, 1, 1])
    found = scores_of(choices, fold_of, refits=1)[0]
    # one word an option: tf-idf has length 1, so that each is a unit vector. Options are of one length and share no
    # word with a question: what is left are places. Coordinates: a, b, c, place 1, place 2
    unit = dict(zip("abc", np.eye(5)[:3], strict=True))
    place = np.eye(5)[3:] * text_classifier.WEIGHT
    apart = []
    for one, other, key, _ in rows[1:]:
        both = [unit[one] + place[0], unit[other] + place[1]]
        apart.append(both[key] - both[1 - key])

    def penalised(weights: text_classifier.Floats) -> float:
        return float(
            np.logaddexp(0, -np.array(apart) @ weights).sum() * text_classifier.PENALTY + weights @ weights / 2
        )

    weights = optimize.minimize(penalised, np.zeros(5), tol=1e-12).x
    odds = (unit["a"] + place[0] - unit["b"] - place[1]) @ weights
    assert found.p_key == pytest.approx(1 / (1 + math.exp(-odds)), abs=1e-4)


def test_folds_never_share_a_source_and_the_same_set_says_the_same() -> None:
    sources = [f"v{at % 7}" for at in range(30)]
    folds = folds_of(sources)
    assert all(len({folds[at] for at in range(30) if sources[at] == source}) == 1 for source in sources)
    assert set(folds) == {0, 1, 2, 3, 4}
    one, other = (as_csv(from_members(drawn(40, seed=5), ROLES)) for _ in range(2))
    assert one == other


def test_limits_are_by_source() -> None:
    # ten sources of ten items, each all right or all wrong: as ten things, not as a hundred
    hits = [at // 10 % 2 == 0 for at in range(100)]
    found = share_right(hits, [at // 10 for at in range(100)])
    # a mean of ten coins has a standard error of sqrt(0.25 / 10), twice that is 0.316
    assert found.value == 0.5
    assert found.low == pytest.approx(0.5 - 1.96 * math.sqrt(0.025), abs=0.05)
    assert found.method == "percentile bootstrap by cluster, 2000 draws"


def test_odd_sets_say_what_they_are() -> None:
    assert from_members([], ROLES).items == ()
    same = from_members([member(str(at), ["a", "a"], 0, source=None) for at in range(6)], ROLES)
    assert (same.without_source, same.chance) == (6, 0.5)
    alone = from_members([member(str(at), ["only this"], 0, source=f"v{at}") for at in range(6)], ROLES)
    assert dict(alone.text_only)["All"].value == 1.0
    assert alone.flagged == []
    wordless = from_members([member(str(at), ["?", "!!"], at % 2, source=f"v{at}") for at in range(6)], ROLES)
    assert len(wordless.items) == 6
    with pytest.raises(InvalidInputError, match="one source"):
        from_members([member(str(at), ["a", "b"], 0, source="v") for at in range(6)], ROLES)


@pytest.mark.both_databases
def test_of_a_project_for_its_leads_alone(store: Store) -> None:
    make_project(store)
    make_items(store, 4)
    found = find_text_shortcuts(store, by=None, project="p", items_=Items.ALL)
    # every item of the small world has the options red and blue, and red is right
    assert rule(found, "Always place 1") == 1.0
    assert rule(found, "Shortest option") == 1.0
    assert rule(found, "Longest option") == 0.0
    assert as_json(found)["items"] == 4
    rows = list(csv.DictReader(io.StringIO(as_csv(found))))
    assert [(row["right"], row["options"]) for row in rows] == [("1", "2")] * 4
    for login, role in (("ann", Role.ANNOTATOR), ("sen", Role.SENIOR)):
        with pytest.raises(NotAllowedError):
            find_text_shortcuts(store, by=make_person(store, login, role=role), project="p")
