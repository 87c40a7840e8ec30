"""Reference metrics: worked arithmetic, and what they cannot read."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any

import pytest

from domain.errors import InvalidInputError, NotAvailableError
from extensions.reference_metrics.metrics import MEANINGS, metric

REFERENCE, ANSWER = "the cup on the table", "A cup is on a table!"
"""Five words and six; in common and in order: cup, on, table."""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rouge_l", 2 * (3 / 6) * (3 / 5) / (3 / 6 + 3 / 5)),
        ("rouge_1", 2 * 3 / 11),
        ("rouge_2", 0.0),
        ("token_f1", 2 * 3 / 11),
        ("exact_match", 0.0),
    ],
)
def test_worked(name: str, expected: float) -> None:
    assert metric(name).measure(REFERENCE, ANSWER) == pytest.approx(expected)


def test_order_counts_for_rouge_l_only() -> None:
    # of "d c b a" only one letter at a time is in the order of "a b c d"
    assert metric("rouge_l").measure("a b c d", "d c b a") == pytest.approx(1 / 4)
    assert metric("rouge_1").measure("a b c d", "d c b a") == 1


def test_bleu_of_a_sentence() -> None:
    # 1-grams 4 of 4, 2-grams 3 of 3, 3-grams 2 of 2, 4-grams 1 of 1, and e^(1 - 5/4) for brevity
    assert metric("bleu").measure("a b c d e", "a b c d") == pytest.approx(2.718281828459045 ** (1 - 5 / 4))


def test_chrf_of_a_word() -> None:
    # "ab" in "abc": 1-grams P 2/2 R 2/3, 2-grams P 1/1 R 1/2; sacrebleu leaves out the orders that one side lacks
    precision, recall = (1 + 1) / 2, (2 / 3 + 1 / 2) / 2
    assert metric("chrf").measure("abc", "ab") == pytest.approx(5 * precision * recall / (4 * precision + recall))


@pytest.mark.parametrize("name", MEANINGS)
def test_what_is_equal_is_one(name: str) -> None:
    made = metric(name)
    assert made.measure("Put the red cup on the table.", "Put the red cup on the table.") == pytest.approx(1)
    assert made.measure("Put the red cup on the table.", "") == 0


@pytest.mark.parametrize(
    ("reference", "answer", "which"), [("杯子", "a cup", "reference"), ("a cup", "杯子", "answer")]
)
def test_a_script_that_rouge_does_not_read_is_no_zero(reference: str, answer: str, which: str) -> None:
    assert metric("rouge_l").measure(reference, answer) == (
        f"The {which} has no Latin letters or digits, and rouge_l cannot read other characters."
    )
    assert metric("token_f1").measure("杯子 红", "杯子") == pytest.approx(2 / 3)


def test_the_library_and_its_settings_are_written_out() -> None:
    told = metric("rouge_l").dump()
    assert told["library"] == "rouge-score"
    assert told["library_version"]
    assert told["settings"]["use_stemmer"] is False
    assert "nrefs:1" in metric("chrf").dump()["settings"]["signature"]
    assert metric("exact_match").dump()["library"] is None


def test_no_such_metric() -> None:
    with pytest.raises(InvalidInputError, match=r"Unknown metric 'meteor'\. Choose one of rouge_l, rouge_1"):
        metric("meteor")


@pytest.mark.parametrize(("name", "package"), [("rouge_l", "rouge_score"), ("chrf", "sacrebleu")])
def test_without_the_library(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(module: str, *args: Any, **more: Mapping[str, Any]) -> Any:
        if module.startswith(package):
            raise ImportError(module)
        return real(module, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(NotAvailableError, match=r"pip install 'rouge-score>="):
        metric(name)
    assert metric("token_f1").measure("a", "a") == 1
