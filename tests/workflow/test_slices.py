"""Items in slices: by value, by number, by how much two texts have in common."""

from __future__ import annotations

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from annotation_schemas.model import Schema
from domain.errors import InvalidInputError
from importers.items import read_items
from tests.paths import shared
from workflow.results.slices import Item, edges_of, similarity, sliced, ways

pytestmark = pytest.mark.both_databases


def schema(name: str = "egoplan") -> Schema:
    return load_schema(shipped()[name]).schema_


def item(dimension: str = "next_action", source: str | None = None, **fields: object) -> Item:
    return Item("p", "n", dimension, source, fields)


def test_texts_are_compared_by_their_words() -> None:
    assert similarity("store the cereal", "Store cereal.") == pytest.approx(2 / 3)
    assert similarity("open fridge", "close drawer") == 0
    assert similarity("Öffne Tür", "öffne tür!") == 1
    assert similarity("?!", "...") is None


def test_progress_length_is_the_number_of_segments() -> None:
    lots = {n: item(task_progress_metadata=[{}] * n) for n in range(1, 101)}
    cut = sliced(schema(), lots, "task_progress_metadata.entries")
    assert cut.labels == ("1 to 25", "26 to 50", "51 to 75", "76 to 100")
    assert [list(cut.of_item.values()).count(at) for at in range(4)] == [25, 25, 25, 25]
    assert cut.of_item[25] == 0
    assert cut.of_item[26] == 1


def test_equal_numbers_are_never_torn_apart() -> None:
    lots = {n: item(sample_id=value) for n, value in enumerate([0] * 60 + [1, 2, 3, 4, 5] * 8)}
    cut = sliced(schema(), lots, "sample_id")
    assert cut.labels == ("0", "1 to 2", "3 to 5")  # three quarters of all are 2 or less
    assert {cut.of_item[n] for n in range(60)} == {0}


def test_few_numbers_are_slices_of_their_own_and_nothing_is_no_zero() -> None:
    lots = {1: item(sample_id=7), 2: item(sample_id=0), 3: item(sample_id=None), 4: item()}
    cut = sliced(schema(), lots, "sample_id")
    assert (cut.labels, dict(cut.of_item)) == (("0", "7"), {1: 1, 2: 0})


def test_numbers_are_cut_where_people_say() -> None:
    lots = {n: item(sample_id=n) for n in range(12)}
    cut = sliced(schema(), lots, "sample_id", bins=(1, 5, 6, 20))
    assert cut.labels == ("below 1", "1 to 4", "5", "6 to 19")  # nothing is 20 and more
    assert [list(cut.of_item.values()).count(at) for at in range(4)] == [1, 4, 1, 6]
    assert cut.of_numbers
    texts = {0: item(task_goal="take cup", answer="take cup"), 1: item(task_goal="take cup", answer="open door")}
    shares = sliced(schema(), texts, "task_goal~answer", bins=(0, 0.25))
    assert (shares.labels, dict(shares.of_item)) == (("0 to below 0.25", "0.25 and more"), {0: 1, 1: 0})
    assert not sliced(schema(), texts, "task_goal", bins=(1, 2)).of_numbers


@pytest.mark.parametrize("text", ["", "1,,2", "5,1", "1,1", "one", "1,nan", "1-4,5-8", ",".join(map(str, range(21)))])
def test_edges_that_are_none_are_told(text: str) -> None:
    with pytest.raises(
        InvalidInputError, match=r"is not valid\. Enter up to 20 numbers from low to high, such as 1,5,9"
    ):
        edges_of(text)


def test_of_many_values_the_frequent_ones_are_slices() -> None:
    values = ["stove"] * 5 + ["sink"] * 3 + [f"place {n}" for n in range(20)]
    cut = sliced(schema(), {n: item(video_id=value) for n, value in enumerate(values)}, "video_id")
    assert cut.labels[:2] == ("stove", "sink")
    assert cut.labels[-1] == "others (11 values)"
    assert len(cut.labels) == 12


def test_dimensions_and_groups_stand_as_in_the_schema() -> None:
    ego = schema("egothink")
    lots = {1: item("counting"), 2: item("existence"), 3: item("existence"), 4: item("spatial")}
    assert sliced(ego, lots, "dimension").labels == ("existence", "spatial", "counting")
    assert sliced(ego, lots, "group").labels == ("Object", "Localization", "Reasoning")


def test_an_unknown_way_is_told_with_those_there_are() -> None:
    assert "task_progress_metadata.entries" in {each.name for each in ways(schema())}
    for name in ("goal", "task_goal~task_goal", "task_goal~options", "task_goal.entries"):
        with pytest.raises(InvalidInputError, match="Choose from: dimension"):
            sliced(schema(), {}, name)


def test_the_published_questions_of_egoplan() -> None:
    path = shared("data", "egoplan", "EgoPlan_validation.json")
    read = read_items(path, format="egoplan", schema=schema())
    lots = {
        at: Item("p", each.external_id, each.dimension, None, each.fields)
        for at, each in enumerate(record for file in read.files for record in file.items)
    }
    progress = sliced(schema(), lots, "task_progress_metadata.entries")
    assert len(lots) == 3355
    assert len(progress.of_item) == 3355
    assert progress.labels[0].startswith("0")  # 499 questions have no progress yet
    # of the lists in the file: 499 are empty, 413 + 413 + 393 + 338 have 1 to 4 actions, 301 + 231 + 189 + 128 5 to 8
    past = sliced(schema(), lots, "task_progress_metadata.entries", bins=(0, 1, 5, 9))
    assert past.labels == ("0", "1 to 4", "5 to 8", "9 and more")
    assert [list(past.of_item.values()).count(at) for at in range(4)] == [499, 1557, 849, 450]
    domain = sliced(schema(), lots, "video_source")  # the paper: 2,432 in-domain, 923 out-of-domain
    assert domain.labels == ("EpicKitchens", "Ego4D")
    assert [list(domain.of_item.values()).count(at) for at in range(2)] == [2432, 923]
    alike = sliced(schema(), lots, "task_goal~answer")
    sizes = [list(alike.of_item.values()).count(at) for at in range(len(alike.labels))]
    assert sum(sizes) == 3355
    assert alike.labels[0] == "0"
