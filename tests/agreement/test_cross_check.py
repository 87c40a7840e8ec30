"""What scikit-learn and krippendorff give next to ours, and what is said where they differ."""

from __future__ import annotations

import builtins
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agreement import Ratings, Scale, cohen_kappa, krippendorff_alpha
from agreement.cross_check import Peer, peers_of, second_opinion
from app.cli import cli
from testkit.missing_extensions import needs

EVEN = Ratings.from_lists(ann=[1, 2, 3, 3, 2, 1, None], bob=[1, 2, 3, 2, 2, 3, 1])
HALVES = Ratings.from_lists(ann=[0, 0.5, 1, 1, 0.5], bob=[0, 0.5, 1, 0.5, 0.5])


def with_sklearn() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is an extra")


def with_krippendorff() -> None:
    pytest.importorskip("krippendorff", reason="krippendorff is an extra")


def kappa(ratings: Ratings, weights: Any = "none") -> Peer:
    value = cohen_kappa(ratings, weights=weights).value
    (peer,) = peers_of("cohen_kappa", {"weights": weights}, ratings, None if math.isnan(value) else value)
    return peer


def alpha(ratings: Ratings, level: Any = "nominal") -> Peer:
    value = krippendorff_alpha(ratings, level=level).value
    (peer,) = peers_of("krippendorff_alpha", {"level": level}, ratings, None if math.isnan(value) else value)
    return peer


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_scikit_learn_gives_the_same_for_whole_numbers(weights: str) -> None:
    with_sklearn()
    peer = kappa(EVEN, weights)
    assert (peer.differs, peer.reason) == (False, None)
    assert peer.value == pytest.approx(cohen_kappa(EVEN, weights=weights).value, abs=1e-12)  # type: ignore[arg-type]


def test_halves_are_asked_for_by_their_places() -> None:
    with_sklearn()
    assert not kappa(HALVES, "linear").differs


def test_values_at_unequal_distances_keep_their_distances() -> None:
    with_sklearn()
    uneven = Ratings.from_lists(ann=[1, 2, 4, 8, 1, 2], bob=[1, 4, 4, 2, 8, 2])
    for weights in ("linear", "quadratic"):
        assert not kappa(uneven, weights).differs
    irrational = Ratings.from_lists(ann=[0, 2**0.5, 3, 3], bob=[0, 3, 3, 2**0.5])
    assert kappa(irrational, "linear").value is None
    assert "the list for these values would be too long" in (kappa(irrational, "linear").reason or "")


def test_a_value_that_no_one_used_keeps_its_place() -> None:
    with_sklearn()
    data = [[1, 1], [1, 4], [4, 4], [4, 1], [1, 1], [2, 2]]
    scale = Scale("ordinal", (1, 2, 3, 4))
    peer = kappa(Ratings.from_lists(ann=[a for a, _ in data], bob=[b for _, b in data], scale=scale), "linear")
    # |a - b| observed: (3 + 3) / 6 = 1; expected from the margins 3, 1, 0, 2: (21 + 7 + 22) / 36; 1 - 36 / 50 = 0.28
    assert peer.value == pytest.approx(0.28, abs=1e-12)
    assert not peer.differs


def test_a_constant_has_no_value_anywhere() -> None:
    with_sklearn()
    with_krippendorff()
    same = Ratings.from_lists(ann=[1, 1, 1], bob=[1, 1, 1])
    assert (kappa(same).value, kappa(same).differs) == (None, False)
    assert (alpha(same).value, alpha(same).differs) == (None, False)
    assert alpha(same).reason


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_krippendorff_gives_the_same(level: str) -> None:
    with_krippendorff()
    for ratings in (EVEN, HALVES):
        peer = alpha(ratings, level)
        assert (peer.differs, peer.reason) == (False, None)
        assert peer.value == pytest.approx(krippendorff_alpha(ratings, level=level).value)  # type: ignore[arg-type]


def test_no_one_is_asked_for_what_the_scale_does_not_carry() -> None:
    names = Ratings.from_lists(ann=[1, 2, 3], bob=[1, 2, 2], scale=Scale("nominal"))
    assert peers_of("cohen_kappa", {"weights": "linear"}, names, None) == ()
    assert peers_of("krippendorff_alpha", {"level": "interval"}, names, None) == ()
    assert len(peers_of("krippendorff_alpha", {"level": "nominal"}, names, 0.5)) == 1


def test_texts_in_a_declared_order() -> None:
    with_krippendorff()
    scale = Scale("ordinal", ("bad", "fair", "good"))
    ratings = Ratings.from_lists(ann=["bad", "good", "fair"], bob=["bad", "fair", "fair"], scale=scale)
    assert not alpha(ratings, "ordinal").differs


def test_krippendorff_is_not_asked_for_more_memory_than_there_is() -> None:
    with_krippendorff()
    many = Ratings.from_lists(ann=[at / 7 for at in range(600)], bob=[at / 9 for at in range(600)])
    assert alpha(many, "interval").value is None
    assert "GiB" in (alpha(many, "interval").reason or "")


def test_a_wrong_number_is_an_error_with_both_values() -> None:
    with_sklearn()
    (peer,) = peers_of("cohen_kappa", {"weights": "none"}, EVEN, 0.123)
    assert peer.differs
    (nothing,) = peers_of("cohen_kappa", {"weights": "none"}, EVEN, None)
    assert nothing.differs
    found = second_opinion([("kappa", 0.123, [peer]), ("fine", 1.0, [Peer("scikit-learn 1.9.1", 1.0, False)])])
    assert found.sentence.startswith("Coefficients that differ from scikit-learn 1.9.1: 1 of 2.")
    (sentence,) = found.differences
    assert sentence.startswith(f"kappa: 0.123 in Touchstone, {peer.value:.12g} in scikit-learn ")


def test_the_sentence_names_versions_and_the_largest_difference() -> None:
    peers = [Peer("krippendorff 0.9.0", 0.5 + 3e-11, False), Peer("scikit-learn 1.9.1", 0.5, False)]
    found = second_opinion([("alpha", 0.5, peers[:1]), ("kappa", 0.5, peers[1:]), ("icc", 0.4, [])])
    assert (
        found.sentence
        == "2 coefficients are equal to the results of krippendorff 0.9.0 and scikit-learn 1.9.1 to within 1e-10."
    )
    assert second_opinion([("icc", 0.4, [])]).sentence == "No other installed package computes these coefficients."


@pytest.mark.parametrize(("package", "statistic"), [("sklearn", "cohen_kappa"), ("krippendorff", "krippendorff_alpha")])
def test_without_the_package_a_sentence_says_so(package: str, statistic: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.partition(".")[0] == package:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    (peer,) = peers_of(statistic, {}, EVEN, 0.5)
    assert (peer.value, peer.differs) == (None, False)
    assert "pip install 'krippendorff>=0.9' 'scikit-learn>=1.9.1'" in (peer.reason or "")


# ---- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rows = [(1, 1), (2, 4), (4, 4), (8, 2), (1, 8), (2, 2)]
    path = tmp_path / "ratings.csv"
    lines = [f"u{at},{rater},q,{value}" for at, row in enumerate(rows) for rater, value in zip("ab", row, strict=True)]
    path.write_text("\n".join(["unit,rater,criterion,value", *lines]), encoding="utf-8")
    return path


@needs("readers", "ratings")
@pytest.mark.thorough
def test_the_command_says_in_its_last_line_that_other_packages_agree(file: Path) -> None:
    with_sklearn()
    with_krippendorff()
    done = CliRunner().invoke(cli, ["agreement", "show", "--ratings", str(file)])
    assert done.exit_code == 0, done.output
    # equal, kappa with three weights, and alpha on three levels
    assert done.output.splitlines()[-1].startswith("7 coefficients are equal to the results of krippendorff ")
    assert "0.0000" not in done.output
    columns = CliRunner().invoke(cli, ["agreement", "show", "--ratings", str(file), "--cross-check"])
    assert "scikit-learn      krippendorff" in columns.output


@needs("readers", "ratings")
def test_the_command_shows_a_difference_in_red_with_both_values(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_sklearn()
    import sklearn.metrics

    monkeypatch.setattr(sklearn.metrics, "cohen_kappa_score", lambda *_, **__: 0.25)
    done = CliRunner().invoke(
        cli, ["agreement", "show", "--ratings", str(file), "--statistic", "cohen_kappa"], color=True
    )
    red = [line for line in done.output.splitlines() if line.startswith("\x1b[31m")]
    assert re.search(r"Coefficients that differ from scikit-learn \S+: 3 of 3\.", red[0])
    assert all("in Touchstone, 0.25 in scikit-learn" in line for line in red[1:])
    assert len(red) == 4


@needs("readers", "ratings")
def test_json_has_both_values(file: Path) -> None:
    with_sklearn()
    done = CliRunner().invoke(cli, ["agreement", "show", "--ratings", str(file), "--json"])
    by_name = {(line["statistic"], line["args"].get("weights")): line for line in json.loads(done.output)}
    (same,) = by_name["cohen_kappa", "linear"]["peers"]
    assert same["package"].startswith("scikit-learn ")
    assert same["differs"] is False
    assert same["value"] == pytest.approx(by_name["cohen_kappa", "linear"]["value"], abs=1e-12)
    assert by_name["icc", None]["peers"] == []
