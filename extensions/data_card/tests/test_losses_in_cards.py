"""The data card says what is not readable: the same counts and bounds as pages and commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation_schemas.model import Schema
from app.services import resources
from extensions.data_card import card_facts, card_people
from reports.content import Paragraph
from tests.app.test_losses_shown import RIGHT, RIGHT_UNREAD, answers, benchmark, home, is_told, lost_zeros
from workflow.access.projects import access_to

__all__ = ["home"]

pytestmark = pytest.mark.thorough


def facts_of_project() -> tuple[Schema, dict[str, Any]]:
    store = resources().store
    with store.read() as session:
        access = access_to(session, person=None, project="p")
    return access.schema, card_facts.facts(store, access)


def test_a_card_tells_of_a_judge_that_loses_zeros(home: Path) -> None:
    lost_zeros(home)
    schema, known = facts_of_project()
    (grading,) = [each for each in known["agreement"] if each["stage"] == "grading"]
    is_told(grading["losses"][0])
    blocks = card_people.agreement(schema, known).blocks
    (warned,) = [block for block in blocks if isinstance(block, Paragraph) and block.tone == "warning"]
    is_told(warned.words)


def test_a_release_tells_what_the_accuracy_of_models_loses(home: Path) -> None:
    """Twelve of 60 answers of one model are not readable: Fisher, two-sided, 2 C(60,12)/C(120,12) = 0.0003; of three
    tests (model, dimension, key) it is the only small one, and Holm makes it 0.0008."""
    names = benchmark(home, 60)
    rows = [(name, "hidden-7b", RIGHT_UNREAD if at < 12 else RIGHT) for at, name in enumerate(names)]
    answers(home, [*rows, *((name, "other", RIGHT) for name in names)])
    _, known = facts_of_project()
    (words,) = known["answers"]["losses"]
    assert words == (
        "Warning: 12 of 120 answers could not be read (10.0 %): 12 (format violation: no answer, or several "
        "answers). They "
        "count as wrong (report: unreadable). Losses depend on the model (p < 0.001): one model lost 12 of 60, all "
        "others 0 of 60. The mean lies between 0.900 (worst case) and 1.000 (best case). Excluding losses, the "
        "mean is 1.000."
    )
    (block,) = card_people.answers(known)
    assert isinstance(block, Paragraph)
    assert (block.tone, block.words) == ("warning", f"Models' answers against the key: {words}")
