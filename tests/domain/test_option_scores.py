"""Scores worked out by hand: sums, means, bytes, what the pictures add, and who wins under each."""

from __future__ import annotations

import json

import pytest

from annotation_schemas import registry
from domain.option_scores import MEANINGS, Option, Ranking

CUT = Option.of("cut the onion", (-1.0, -2.0, -0.5), (-1.5, -2.0, -1.0))
WASH = Option.of("wash", (-1.25, -1.25), (-0.5, -0.5))
LONG = Option.of("öffne sie", (-0.5, -0.5, -0.5, -0.5, -0.5, -1.5), (-0.5, -0.5, -0.5, -0.5, -0.5, -1.0))


def test_scores_by_hand() -> None:
    assert CUT.scores == {
        "mean_logprob": pytest.approx(-3.5 / 3),
        "sum_logprob": -3.5,
        "per_byte_logprob": pytest.approx(-3.5 / 13),
        "pmi_logprob": 1.0,  # -3.5 - (-4.5)
    }
    assert WASH.scores == {
        "mean_logprob": -1.25,
        "sum_logprob": -2.5,
        "per_byte_logprob": -0.625,
        "pmi_logprob": -1.5,  # -2.5 - (-1.0)
    }
    assert LONG.bytes == 10  # nine letters, one of them of two bytes
    assert LONG.scores["per_byte_logprob"] == pytest.approx(-0.4)


def test_every_score_has_a_winner_of_its_own() -> None:
    ranking = Ranking((CUT, WASH, LONG))
    assert ranking.winners == {"mean_logprob": 2, "sum_logprob": 1, "per_byte_logprob": 0, "pmi_logprob": 0}
    assert ranking.winner.text == "öffne sie"
    assert Ranking((CUT, WASH, LONG), "sum_logprob").winner.text == "wash"
    assert ranking.warning == (
        "The winner depends on the score: “öffne sie” by mean_logprob; “wash” by sum_logprob; "
        "“cut the onion” by per_byte_logprob, pmi_logprob."
    )
    assert ranking.ties == {}


def test_no_warning_where_all_scores_agree() -> None:
    ranking = Ranking((Option.of("ab", (-1.0,)), Option.of("cd", (-3.0,))))
    assert ranking.winners == {"mean_logprob": 0, "sum_logprob": 0, "per_byte_logprob": 0}
    assert ranking.warning == ""


def test_without_pictures_left_out_there_is_no_pmi() -> None:
    ranking = Ranking((Option.of("ab", (-1.0,)), CUT), "pmi_logprob")
    assert "pmi_logprob" not in ranking.scores
    with pytest.raises(ValueError, match="pmi_logprob"):
        _ = ranking.winner


def test_options_that_are_the_same_text_are_no_tie() -> None:
    same = Ranking((Option.of("cut", (-2.0,)), Option.of("peel", (-1.0,)), Option.of("peel", (-1.0,))))
    assert same.winners["mean_logprob"] == 1
    assert (same.ties, same.warning) == ({}, "")


def test_a_tie_is_said_and_the_first_is_taken() -> None:
    tied = Ranking((Option.of("take", (-2.0,)), Option.of("peel", (-1.0,)), Option.of("wash", (-1.000001,))))
    assert tied.winner.text == "peel"
    assert tied.ties["mean_logprob"] == [1, 2]
    assert tied.warning == "These options have the same mean_logprob, so the first option wins: “peel”, “wash”."


def test_what_is_kept_says_the_same_when_it_is_read() -> None:
    ranking = Ranking((CUT, WASH, LONG, Option.of("x", (-1 / 3, -1e-7), (-0.1, -0.2))), "per_byte_logprob")
    kept = json.loads(json.dumps(ranking.dump(way="cached"), allow_nan=False))
    assert kept["options"][0] == {
        "text": "cut the onion",
        "logprobs": [-1.0, -2.0, -0.5],
        "bytes": 13,
        "without_image": [-1.5, -2.0, -1.0],
    }
    assert kept["way"] == "cached"
    again = Ranking.read(kept)
    assert again == ranking
    assert (again.winners, again.dump(way="cached")) == (kept["winners"], kept)


@pytest.mark.parametrize("wrong", [(), (float("nan"),), (-1.0, float("-inf"))])
def test_no_score_is_made_from_what_is_not_a_number(wrong: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="does not give a probability for every token of the option “cut”"):
        Option.of("cut", wrong)


def test_the_registry_says_what_the_scores_mean() -> None:
    assert {row.name: row.meaning for row in registry.rows("score") if row.available} == MEANINGS
    assert registry.require_row("strategy", "rank_options").available
