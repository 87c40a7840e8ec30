"""EgoPlan-Bench: 3,355 questions of the validation set and 1,584 of the test set, and models that say an option."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.papers import dice as said
from benchmarks.papers import truth
from benchmarks.papers.study import Study
from benchmarks.papers.truth import Table, printed

MODELS = {
    "BLIP-2": "Flan-T5-XL",
    "InstructBLIP": "Flan-T5-XL",
    "InstructBLIP Vicuna": "Vicuna-7B",
    "LLaVA": "LLaMA-7B",
    "MiniGPT-4": "Vicuna-7B",
    "VPGTrans": "LLaMA-7B",
    "MultiModal-GPT": "Vicuna-7B",
    "Otter": "LLaMA-7B",
    "OpenFlamingo": "LLaMA-7B",
    "LLaMA-Adapter V2": "LLaMA-7B",
    "GVT": "Vicuna-7B",
    "mPLUG-Owl": "LLaMA-7B",
    "Kosmos-2": "Decoder only 1.3B",
    "Qwen-VL-Chat": "Qwen-7B",
    "LLaVA-1.5": "Vicuna-7B",
    "VideoChat": "Vicuna-7B",
    "Video-ChatGPT": "LLaMA-7B",
    "Valley": "LLaMA-13B",
    "Video-LLaMA": "LLaMA2-Chat-7B",
    "SEED-LLaMA": "LLaMA2-Chat-13B",
    "CogVLM": "Vicuna-7B",
    "DeepSeek-VL-Chat": "DeepSeek-LLM-7B",
    "mPLUG-Owl-2": "LLaMA2-7B",
    "Yi-VL": "Yi-6B",
    "Gemini-Pro-Vision": "not published",
    "SEED-X": "LLaMA2-Chat-13B",
    "XComposer": "InternLM-7B",
    "GPT-4V": "not published",
}
"""As in Table 1, with their LLM."""
NOT_IN_TEST = ("Kosmos-2", "SEED-LLaMA")
VALIDATION, TEST = 3355, 1584
TOP = 3

Record = Mapping[str, Any]


def study(folder: Path, *, shared: Path | None, quick: bool) -> Study:
    """The validation set: the authors' file where it is, questions in its shape elsewhere."""
    path = shared / "data" / "egoplan" / "EgoPlan_validation.json" if shared else None
    there = json.loads(path.read_text(encoding="utf-8")) if path is not None and path.is_file() else None
    dice = Random(23)
    records = there or list(_made_up(dice, VALIDATION))
    records = dice.sample(records, 60) if quick else records
    made = Study("egoplan", folder)
    right = _answered(made, dice, records, list(MODELS)[-4:] if quick else list(MODELS))
    scores = {record["sample_id"]: Fraction(dice.randrange(600, 960), 1000) for record in records}
    made.labels({str(item): {"bertscore": f"{float(score):.3f}"} for item, score in scores.items()})
    made.tables = list(_tables(records, right, scores))
    return made


def test_study(folder: Path, *, shared: Path | None, quick: bool) -> Study:
    """The test set, whose questions and answers are private: made up in the same shape."""
    del shared
    dice = Random(29)
    records = list(_made_up(dice, 20 if quick else TEST))
    made = Study("egoplan_test", folder)
    models = [model for model in MODELS if model not in NOT_IN_TEST]
    right = _answered(made, dice, records, models[-3:] if quick else models)
    made.tables = [_models(records, right)]
    return made


def _made_up(dice: Random, n: int) -> Iterator[Record]:
    verbs, things = ("take", "wash", "open", "put away", "cut"), ("pan", "onion", "red cup", "lid", "sponge", "fridge")
    actions = [f"{verb} {thing}" for verb in verbs for thing in things]
    for number in range(n):
        goal = f"{dice.choice(verbs)} {dice.choice(things)} and {dice.choice(things)}"
        options, right = dice.sample(actions, 4), dice.randrange(4)
        progress = [
            {"narration_text": dice.choice(actions), "start_frame": 100 * at, "stop_frame": 100 * at + 60}
            for at in range(dice.choice((0, 0, 1, 2, 3, 5, 8, 13)))
        ]
        yield {
            "sample_id": number,
            "video_id": f"P{number % 37:02}",
            "task_goal": goal,
            "question": f"What action should I take next in order to {goal}?",
            "current_observation_frame": 100 * (len(progress) + 1),
            "answer": options[right],
            **{f"choice_{letter}": text for letter, text in zip("abcd", options, strict=True)},
            "golden_choice_idx": said.LETTERS[right],
            "task_progress_metadata": progress,
            "video_source": "EpicKitchens" if dice.random() < 0.7 else "Ego4D",
        }


def _answered(
    made: Study, dice: Random, records: Sequence[Record], models: Sequence[str]
) -> dict[str, dict[int, bool]]:
    """Every model's answers; whether each states the key."""
    path = made.write("items.json", list(records))
    made.items(path, "egoplan")
    right: dict[str, dict[int, bool]] = {}
    answers = []
    for model in models:
        quality, silent = dice.uniform(0.2, 0.6), dice.uniform(0.0, 0.1)
        mine = right[model] = {}
        for record in records:
            options = [record[f"choice_{letter}"] for letter in "abcd"]
            key = said.LETTERS.index(record["golden_choice_idx"])
            item = str(record["sample_id"])
            text, mine[record["sample_id"]], made.stated[item, model] = said.option(dice, options, key, quality, silent)
            answers.append({"item": item, "model": model, "text": text})
    made.answers(answers)
    made.models({model: {"llm": MODELS[model]} for model in models})
    return right


# ---- what the tables have to say -------------------------------------------------------------------------------------


def _share(right: Mapping[int, bool], among: Sequence[int]) -> truth.Number | None:
    return truth.mean(Fraction(int(right[item])) for item in among)


def _ordered(right: Mapping[str, Mapping[int, bool]]) -> list[str]:
    """The highest first."""
    return sorted(right, key=lambda model: (-sum(right[model].values()), model))


def _models(records: Sequence[Record], right: Mapping[str, Mapping[int, bool]]) -> Table:
    everything = [record["sample_id"] for record in records]
    rows = _ordered(right)[::-1]
    table = Table("models", [("", model) for model in rows], [("", "LLM"), ("", "Acc%")])
    for model in rows:
        table.put(("", model), ("", "LLM"), MODELS[model])
        value = _share(right[model], everything)
        table.put(("", model), ("", "Acc%"), printed(value, digits=2, percent=True))
    return table


def _tables(
    records: Sequence[Record], right: Mapping[str, Mapping[int, bool]], scores: Mapping[int, Fraction]
) -> Iterator[Table]:
    yield _models(records, right)
    of = {
        "ID": [record["sample_id"] for record in records if record["video_source"] == "EpicKitchens"],
        "OD": [record["sample_id"] for record in records if record["video_source"] == "Ego4D"],
        "All": [record["sample_id"] for record in records],
    }
    rows = _ordered(right)
    table = Table("domains", [("", model) for model in rows], [("", name) for name in of])
    for model in rows:
        for name, items in of.items():
            table.put(("", model), ("", name), printed(_share(right[model], items), digits=2, percent=True))
    yield table
    alike = {record["sample_id"]: _alike(record["task_goal"], record["answer"]) for record in records}
    past = {record["sample_id"]: Fraction(len(record["task_progress_metadata"])) for record in records}
    for name, values, bins in (("difficulty", scores, 3), ("similarity", alike, 3), ("progress", past, 4)):
        part_of = truth.parts(values, bins)
        parts = list(dict.fromkeys(part_of[item] for item in sorted(values, key=lambda item: values[item])))
        table = Table(name, [("", model) for model in rows[:TOP]], [("", part) for part in parts])
        for model in rows[:TOP]:
            for part in parts:
                items = [item for item, own in part_of.items() if own == part]
                table.put(("", model), ("", part), printed(_share(right[model], items), digits=1, percent=True))
        yield table


def _alike(one: str, other: str) -> Fraction:
    """The share of words that two texts have in common."""
    first, second = (set(re.findall(r"\w+", text.casefold())) for text in (one, other))
    return Fraction(len(first & second), len(first | second))
