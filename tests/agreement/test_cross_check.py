"""What scikit-learn and krippendorff give next to ours, and what is said where they differ."""

from __future__ import annotations

import builtins
import json
import math
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agreement import Ratings, Scale, cohen_kappa, krippendorff_alpha
from agreement.cross_check import Peer, label_peers, peers_of
from app.cli import cli

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


def test_scikit_learn_refuses_halves_and_is_given_their_places() -> None:
    with_sklearn()
    peer = kappa(HALVES, "linear")
    assert not peer.differs
    assert (
        peer.reason == "scikit-learn refuses numbers that are not whole, so it was given their places (0, 1, 2, ...)."
    )


def test_scikit_learn_weighs_by_place() -> None:
    with_sklearn()
    uneven = Ratings.from_lists(ann=[1, 2, 4, 8, 1, 2], bob=[1, 4, 4, 2, 8, 2])
    peer = kappa(uneven, "linear")
    assert peer.differs
    assert "place of a value" in (peer.reason or "")


def test_scikit_learn_leaves_out_what_no_one_used() -> None:
    with_sklearn()
    data = [[1, 1], [1, 4], [4, 4], [4, 1], [1, 1], [2, 2]]
    scale = Scale("ordinal", (1, 2, 3, 4))
    peer = kappa(Ratings.from_lists(ann=[a for a, _ in data], bob=[b for _, b in data], scale=scale), "linear")
    assert peer.differs
    assert peer.value == pytest.approx(0.294117647059, abs=1e-12)  # ours: 0.28
    assert "neither rater used (3" in (peer.reason or "")


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


def test_a_wrong_number_is_seen() -> None:
    with_sklearn()
    (peer,) = peers_of("cohen_kappa", {"weights": "none"}, EVEN, 0.123)
    assert peer.differs
    assert peer.reason == "No reason for the difference is known."
    (peer,) = peers_of("cohen_kappa", {"weights": "none"}, EVEN, None)
    assert peer.differs


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


def test_labels_of_a_judge() -> None:
    with_sklearn()
    found = label_peers([1, 1, 1, 0, 0, None], [1, 1, 0, 0, 1, 1])
    assert [name for name, (_, peer) in found.items() if peer.differs] == []
    assert found["accuracy"][1].value == pytest.approx(3 / 5)
    assert found["F1 of 1"][0] == pytest.approx(2 / 3)
    assert [found[f"confusion of {a} and {b}"][1].value for a in (0, 1) for b in (0, 1)] == [1, 1, 1, 2]


def test_a_rate_of_nothing_is_zero_for_scikit_learn() -> None:
    with_sklearn()
    ours, peer = label_peers(["a", "a", "b"], ["a", "a", "a"])["precision of b"]
    assert (ours, peer.value, peer.differs) == (None, 0.0, True)
    assert "no unit makes up" in (peer.reason or "")


# ---- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rows = [(1, 1), (2, 4), (4, 4), (8, 2), (1, 8), (2, 2)]
    path = tmp_path / "ratings.csv"
    lines = [f"u{at},{rater},q,{value}" for at, row in enumerate(rows) for rater, value in zip("ab", row, strict=True)]
    path.write_text("\n".join(["unit,rater,criterion,value", *lines]), encoding="utf-8")
    return path


def test_the_command_shows_columns_and_says_in_red_what_differs(file: Path) -> None:
    with_sklearn()
    with_krippendorff()
    done = CliRunner().invoke(cli, ["agreement", "--ratings", str(file), "--cross-check"], color=True)
    assert done.exit_code == 0, done.output
    assert "scikit-learn" in done.output
    assert "krippendorff" in done.output
    red = [line for line in done.output.splitlines() if line.startswith("\x1b[31m  differs: Cohen's kappa, linear")]
    assert len(red) == 1
    assert "by scikit-learn" in red[0]
    assert "weighs by the place of a value" in done.output
    assert "\x1b[31m  differs: Krippendorff" not in done.output


def test_json_has_both_values(file: Path) -> None:
    with_sklearn()
    plain = CliRunner().invoke(cli, ["agreement", "--ratings", str(file), "--json"])
    assert all("peers" not in line for line in json.loads(plain.output))
    done = CliRunner().invoke(cli, ["agreement", "--ratings", str(file), "--json", "--cross-check"])
    by_name = {(line["statistic"], line["args"].get("weights")): line for line in json.loads(done.output)}
    (same,) = by_name["cohen_kappa", "none"]["peers"]
    assert same["package"] == "scikit-learn"
    assert same["differs"] is False
    assert same["value"] == pytest.approx(by_name["cohen_kappa", "none"]["value"], abs=1e-12)
    assert by_name["cohen_kappa", "linear"]["peers"][0]["differs"] is True
    assert by_name["icc", None]["peers"] == []
