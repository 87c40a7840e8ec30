"""BERTScore of two texts by a model in a folder, held against numpy alone; and its label of items, end to end."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.services import Resources
from db.engine import Store
from domain.errors import InvalidInputError, ModelError
from domain.settings import Settings
from extensions.reference_metrics import similarity_labels as labels
from extensions.reference_metrics import text_similarity
from media.store import MediaStore
from testkit.egoplan import KEYS, made
from workflow.access.audit import entries as events
from workflow.results import project_answers
from workflow.results.slices import sliced

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "clean", "cup", "take", "the", "wash", "dry", "put", "down", "0", "1", "2"]
SIZE = 8


pytestmark = pytest.mark.thorough  # it loads torch


@pytest.fixture(scope="module")
def table() -> np.ndarray[Any, Any]:
    """A vector for each word."""
    return np.random.default_rng(5).normal(size=(len(WORDS), SIZE))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, table: np.ndarray[Any, Any]) -> Path:
    """A BERT whose layer 0 is that table, each row brought to mean 0 and variance 1, and nothing of the place."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    path = tmp_path_factory.mktemp("similarity") / "tiny-bert"
    path.mkdir()
    (path / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    BertTokenizerFast(vocab=dict(zip(WORDS, range(len(WORDS)), strict=True))).save_pretrained(path)
    shape = {"hidden_size": SIZE, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    model = BertModel(BertConfig(vocab_size=len(WORDS), max_position_embeddings=16, layer_norm_eps=1e-12, **shape))
    with torch.no_grad():
        parts = model.embeddings
        parts.word_embeddings.weight.copy_(torch.from_numpy(table))
        parts.position_embeddings.weight.zero_()
        parts.token_type_embeddings.weight.zero_()
    model.save_pretrained(path)
    return path


def by_hand(table: np.ndarray[Any, Any], one: str, other: str) -> float:
    """F1 by the paper's formulas: [CLS] and [SEP] can be matched and weigh nothing."""
    rows = (table - table.mean(axis=1, keepdims=True)) / table.std(axis=1, keepdims=True)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)

    def best(text: str, against: str) -> float:
        theirs = ["[CLS]", *against.split(), "[SEP]"]
        return float(
            np.mean(
                [max(rows[WORDS.index(word)] @ rows[WORDS.index(each)] for each in theirs) for word in text.split()]
            )
        )

    precision, recall = best(one, other), best(other, one)
    return 2 * precision * recall / (precision + recall)


def test_numbers_are_those_of_the_formulas(folder: Path, table: np.ndarray[Any, Any]) -> None:
    made = text_similarity.opened(folder, layer=0)
    pairs = [
        ("clean cup", "wash the cup"),
        ("take cup", "put down the cup"),
        ("dry", "clean the cup 1"),
        ("cup", "cup"),
    ]
    found = made.measure(pairs)
    assert found == pytest.approx([by_hand(table, *pair) for pair in pairs], abs=1e-5)
    assert made.measure([(other, one) for one, other in pairs]) == pytest.approx(found), "the same in either order"
    assert found[3] == pytest.approx(1)
    assert made.measure([("cup", " ")]) == [None]
    assert (made.about["model"], made.about["layer"], len(made.about["sha256"])) == ("tiny-bert", 0, 64)
    assert text_similarity.opened(folder).about["layer"] == 1


def test_what_cannot_be_is_told(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInputError, match="tiny-bert has layers 0 to 1, so layer 2 does not exist"):
        text_similarity.opened(folder, layer=2)
    with pytest.raises(ModelError, match="is not a folder on this machine"):
        text_similarity.opened(tmp_path / "roberta-large")
    with pytest.raises(ModelError, match=r"Touchstone cannot load .* as a text model"):
        text_similarity.opened(tmp_path)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ModelError, match=r"pip install 'torch>="):
        text_similarity.opened(folder)


def test_items_have_it_as_a_label_and_results_are_cut_by_it(
    store: Store, folder: Path, table: np.ndarray[Any, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    media = MediaStore(tmp_path / "media")
    made(store, media, tmp_path, KEYS[:3])
    monkeypatch.setattr(
        "extensions.reference_metrics.commands.run_metric.opened",
        lambda: Resources(store, media, Settings(tmp_path, "")),
    )

    def said(*more: str) -> str:
        asked = ["similarity", "run", "p", "--of", "task_goal~answer", "--model", str(folder), "--layer", "0", *more]
        done = CliRunner().invoke(cli, asked, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    assert "bertscore of task_goal~answer. Items measured: 3. Unchanged: 0. Without a text: 0." in said()
    assert "Items measured: 0. Unchanged: 3." in said()
    (event,) = events(store, by=None, project="p", kinds=["items.labelled"])
    assert event.data["similarity"]["transformers"]
    found = project_answers.read_project(store, person=None, project="p")
    wanted = [
        by_hand(table, f"clean cup {at}", answer)
        for at, answer in enumerate(("take the cup", "put down the cup", "wash the cup"))
    ]
    assert [each.labels["bertscore"] for each in found.items.values()] == pytest.approx(wanted, abs=1e-5)
    cut = sliced(found.schema, found.items, "bertscore", bins=(-1, sum(sorted(wanted)[:2]) / 2))
    assert (cut.of_numbers, sorted(cut.of_item.values())) == (True, [0, 1, 1])
    about: dict[str, Any] = {"by": None, "project": "p", "folder": folder}
    for how, words in (
        (
            {"fields": ("task_goal", "answer"), "layer": 1},
            r"bertscore was already measured with other settings \(layer: 0, not 1\)",
        ),
        (
            {"fields": ("task_goal", "options")},
            "Name two different fields, joined by ~. The possible fields are task_goal, question, answer",
        ),
        ({"fields": ("task_goal", "answer"), "name": "question"}, "'question' is not a valid label name"),
        ({"fields": ("task_goal", "answer"), "name": "Bert Score"}, "is not a valid label name"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            labels.measure(store, **about, **how)
