"""Published ratings as long tables. They are no part of the project; a test that asks for one skips without it."""

from __future__ import annotations

import csv
import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from agreement import Ratings, Scale
from domain.records import Rating
from tests.paths import SHARED, shared


def pandalm() -> list[Rating]:
    """999 pairs of answers: which is better, by three people."""
    items = json.loads(shared("data", "pandalm", "testset-v1.json").read_text(encoding="utf-8"))
    return [
        Rating(str(item["idx"]), rater, "preference", item[rater])
        for item in items
        for rater in ("annotator1", "annotator2", "annotator3")
    ]


def tifa() -> list[Rating]:
    """800 images, 1 to 5, two ratings each; no one says whose."""
    items = json.loads(shared("data", "tifa", "human_annotations.json").read_text(encoding="utf-8"))
    return [
        Rating(unit, rater, "faithfulness", value)
        for unit, item in items.items()
        for rater, value in zip(("first", "second"), item["human_scores"], strict=True)
    ]


def recipes() -> list[Rating]:
    """52 recipes, six criteria graded 1 to 6, by 15 to 88 people each; a rater here is a place in the list."""
    found = json.loads(
        shared("data", "judge_bench_recipes", "meta_evaluation_recipes.json").read_text(encoding="utf-8")
    )
    return [
        Rating(str(item["id"]), f"place{place:02}", criterion, value)
        for item in found["instances"]
        for criterion, of_item in item["annotations"].items()
        for place, value in enumerate(of_item["individual_human_scores"])
    ]


def tifa_metric(name: str) -> list[Rating]:
    """The same images: the mean of the two people, and what an automatic metric gave."""
    items = json.loads(shared("data", "tifa", "human_annotations_with_scores.json").read_text(encoding="utf-8"))
    return [
        Rating(unit, rater, "faithfulness", value)
        for unit, item in items.items()
        for rater, value in (("people", item["human_avg"]), (name, item[name]))
    ]


LLMBAR_JUDGES = ("GPT-4/CoT", "ChatGPT/Rating", "Falcon/CoT", "GPT-4/Metrics_Reference")


def llmbar() -> list[Rating]:
    """100 pairs of answers: which follows the instruction, by people (gold) and by four judges, each of whom saw both
    orders (``NAME`` and ``NAME swapped``). A reply without a verdict has no rating."""
    folder = shared("data", "llmbar", "Natural")
    pairs = json.loads((folder / "dataset.json").read_text(encoding="utf-8"))
    found = [Rating(str(at), "gold", "better", str(pair["label"])) for at, pair in enumerate(pairs)]
    for judge in LLMBAR_JUDGES:
        for at, pair in enumerate(
            json.loads((folder / "evaluators" / judge / "result.json").read_text(encoding="utf-8"))
        ):
            last = pair["results"][-1]
            for rater, key in ((judge, "swap = False"), (f"{judge} swapped", "swap = True")):
                if last[key]["winner"] is not None:
                    found.append(Rating(str(at), rater, "better", str(last[key]["winner"])))
    return found


def etp_table7() -> list[Rating]:
    """ETP-Bench, Table 7: the mean score of eight aspects as people and as metrics see them."""
    with shared("data", "paper_tables", "etp_table7_metric_vs_human.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        Rating(row["aspect"], rater, "score", float(value))
        for row in rows
        for rater, value in row.items()
        if rater != "aspect"
    ]


def golden() -> Mapping[str, Any]:
    """Values that several other programs gave for published and made data."""
    loaded: Mapping[str, Any] = json.loads(shared("golden", "agreement_golden.json").read_text(encoding="utf-8"))
    return loaded


def write_csv(rows: Iterable[Rating], path: Path) -> Path:
    """The long table as the command reads it."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["unit", "rater", "criterion", "value", "dimension"])
        writer.writerows([row.unit, row.rater, row.criterion, row.value, row.dimension or ""] for row in rows)
    return path


def of_table(counts: Sequence[Sequence[int]], categories: Sequence[Any] | None = None) -> dict[str, list[Any]]:
    """Two raters' lists with this contingency table: rows are the first rater's categories."""
    names = list(categories) if categories is not None else list(range(1, len(counts) + 1))
    cells = [(names[i], names[j]) for i, row in enumerate(counts) for j, count in enumerate(row) for _ in range(count)]
    return {"first": [a for a, _ in cells], "second": [b for _, b in cells]}


NAMES = "abcdefgh"


def ratings_of(data: Mapping[str, Any], args: Mapping[str, Any]) -> Ratings:
    """The raters that an entry is about."""
    categories = args.get("categories") or data.get("categories")
    scale = Scale("interval", tuple(categories)) if categories else None
    if "table" in data:
        return Ratings.from_lists(scale=scale, **of_table(data["table"], categories))
    if "table_proportions" in data:
        counts = [[round(share * data["n"]) for share in row] for row in data["table_proportions"]]
        return Ratings.from_lists(**of_table(counts))
    if "x" in data:
        return Ratings.from_lists(x=data["x"], y=data["y"])
    if "experts" in data:
        return pca(data, args["dimension"])
    if "gpt35" in data:
        return models(data, args["vectors"])
    columns = dict(zip(NAMES, map(list, zip(*data["items_by_raters"], strict=True)), strict=False))
    if args.get("vectors") == "human_mean_vs_judge":
        means = [sum(row) / len(row) for row in data["items_by_raters"]]
        return Ratings.from_lists(human=means, judge=data["judge"])
    if "vectors" in args:
        words = args["vectors"].split("_")
        columns = {NAMES[int(place)]: columns[NAMES[int(place)]] for place in (words[1], words[3])}
    if "pair" in args:
        columns = {NAMES[place]: columns[NAMES[place]] for place in args["pair"]}
    return Ratings.from_lists(scale=scale, **columns)


def pca(data: Mapping[str, Any], dimension: str) -> Ratings:
    """The judge's bits against the majority of three experts."""
    majority = {key: [sum(bits) >= 2 for bits in data["experts"][key]] for key in "PCA"}
    judge = {key: [bool(bit) for bit in data["judge"][key]] for key in "PCA"}
    if dimension == "genuine":
        reference = [all(bits) for bits in zip(*majority.values(), strict=True)]
        judged = [all(bits) for bits in zip(*judge.values(), strict=True)]
    else:
        reference, judged = majority[dimension], judge[dimension]
    return Ratings.from_lists(majority=[int(bit) for bit in reference], judge=[int(bit) for bit in judged])


def models(data: Mapping[str, Any], vectors: str) -> Ratings:
    """Two judges' scores of models by dimension."""
    gpt, claude = data["gpt35"], data["claude2"]
    if vectors == "pooled_90_cells":
        pair = [[score for scores in each.values() for score in scores] for each in (gpt, claude)]
    elif vectors == "model_mean_over_dimensions":
        pair = [[sum(scores) / len(scores) for scores in zip(*each.values(), strict=True)] for each in (gpt, claude)]
    else:
        pair = [gpt[vectors], claude[vectors]]
    return Ratings.from_lists(gpt=pair[0], claude=pair[1])


def entries(computed: Container[str]) -> Iterator[Any]:
    """One parameter per expected value of the statistics that a test computes."""
    if not (SHARED / "golden").is_dir():
        yield pytest.param(None, None, id="absent")
        return
    cases = {case["id"]: case for case in golden()["cases"]}
    for case in cases.values():
        data = cases[case["data"]["same_as"]]["data"] if "same_as" in case["data"] else case["data"]
        for entry in case["expected"]:
            if entry["stat"] in computed:
                args = ",".join(map(str, entry["args"].values()))
                yield pytest.param(data, entry, id=f"{case['id']}-{entry['stat']}-{entry['field']}-{args}")
