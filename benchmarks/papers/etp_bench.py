"""ETP-Bench: 1,875 made-up items in nine aspects, six models, a judge, a rule-based metric, and people on one model's
answers and on all plans."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.manners_judges import write_reply
from benchmarks.papers import dice as said
from benchmarks.papers import truth
from benchmarks.papers.dice import Rater
from benchmarks.papers.study import Study
from benchmarks.papers.truth import Table, printed

ASPECTS = {
    "type": 288,
    "property": 259,
    "temporal": 100,
    "spatial": 488,
    "relevant": 100,
    "operation": 100,
    "sequence": 170,
    "goal": 100,
}
"""How many items each has (Table 1); plans come on top."""
PLANS, TASKS = 270, 50
BEST = "GPT-4V"
MODELS = (BEST, "InstructBLIP", "BLIP-2", "MiniGPT-4", "LLaVA-1.5", "MiniCPM")
TOLD = {BEST: 0.19, f"{BEST} +o": 0.34, f"{BEST} +o+s": 0.72, f"{BEST} +o+s+k": 0.8}
"""How a plan was asked for, and how often it succeeds."""
SAMPLE = 50
"""So many answers of each aspect people grade."""
JUDGE = Rater("gpt-3.5-turbo", 0.85, 0.03)
PEOPLE = (Rater("ann", 0.95), Rater("ben", 0.92), Rater("cem", 0.9))
METRIC = "rouge_l against answer"
VALUES = (0.0, 0.5, 1.0)
PROPERTIES = (
    "breakable",
    "cleaningTool",
    "cookable",
    "grabbable",
    "openable",
    "sliceable",
    "toggleable",
    "waterSource",
)
THINGS = ("hat", "red cup", "kettle", "wooden chair", "bread knife", "fridge", "sponge", "sofa")
NO_SCORE = ("I cannot compare these answers.", '{"Assessment": "half of it is right"}', "Both are fine, I think.")


def study(folder: Path, *, shared: Path | None, quick: bool) -> Study:
    """The whole study, or some items of each aspect and two models."""
    del shared  # the authors' files are not public
    dice = Random(41)
    made = Study("etp_bench", folder)
    models = MODELS[:2] if quick else MODELS
    items = list(_items(dice, 15 if quick else None))
    made.items(made.write("items.json", items), "etp_bench")
    asked = [item for item in items if item["aspect"] in ASPECTS]
    plans = [item for item in items if item["aspect"] not in ASPECTS]
    tasks = {str(item["id"]) for item in dice.sample(plans, min(TASKS, len(plans) // 2))}
    answers, worth, texts = _answered(dice, models, asked)
    success: dict[tuple[str, str], int] = {}
    for model, quality in TOLD.items():
        for item in plans:
            if model == BEST or str(item["id"]) in tasks:
                success[str(item["id"]), model] = int(dice.random() < quality)
                answers.append({"item": str(item["id"]), "model": model, "text": "1. navigate_to(cup)\n2. grasp(cup)"})
    made.answers(answers)
    scores = _judged(made, dice, worth)
    grades, succeeds = _graded(made, dice, asked, worth, success, 4 if quick else SAMPLE)
    made.steps.append(("metric", "run", "etp_bench", "--metric", "rouge_l", "--criterion", "score"))
    aspect = {str(item["id"]): item["aspect"] for item in asked}
    rouge = {str(item["id"]): _rouge(texts[str(item["id"]), BEST], item["answer"]) for item in asked}
    made.tables = list(_tables(models, aspect, scores, grades, rouge, succeeds, tasks))
    made.tables.append(_coefficients(items, scores, succeeds))
    return made


def _items(dice: Random, most: int | None) -> Iterator[dict[str, Any]]:
    number = 0
    for aspect, n in {**ASPECTS, "embodied_reasoning": PLANS}.items():
        for at in range(min(n, most or n)):
            number += 1
            about = {"images": [f"{number}.jpg"], "task": f"Task {at % PLANS}"}
            yield {"id": number, "aspect": aspect, **about, **_asked(dice, aspect, at)}


def _asked(dice: Random, aspect: str, at: int) -> dict[str, Any]:
    question = {"question": f"Question {at} about {aspect}: what is it?"}
    if aspect == "embodied_reasoning":
        return {**question, "form": "plan"}
    if aspect == "type":
        return {**question, "form": "open", "answer": dice.choice(THINGS)}
    if aspect == "property":
        own = sorted(dice.sample(PROPERTIES, 2), key=PROPERTIES.index)
        return {**question, "form": "property_list", "answer": ", ".join(own)}
    options = dice.sample(THINGS, 4)
    if aspect == "sequence" and at % 2:
        return {**question, "form": "multi_select", "options": options, "answer": f"{options[0]}, {options[2]}"}
    return {**question, "form": "multiple_choice", "options": options, "answer": dice.choice(options)}


def _answered(
    dice: Random, models: Sequence[str], asked: Sequence[Mapping[str, Any]]
) -> tuple[list[dict[str, Any]], dict[tuple[str, str], float], dict[tuple[str, str], str]]:
    """The answers as they come in, what each is worth, and its text, by item and model."""
    answers, worth, texts = [], {}, {}
    for model in models:
        quality = dice.uniform(0.1, 0.8)
        for item in asked:
            place = (str(item["id"]), model)
            worth[place] = dice.choices(VALUES, (1 - quality, 0.15, quality))[0]
            text = item["answer"] if worth[place] else dice.choice(THINGS)
            texts[place] = dice.choice(said.OPEN).format(text=text)
            answers.append({"item": place[0], "model": model, "text": texts[place]})
    return answers, worth, texts


def _judged(made: Study, dice: Random, worth: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    scores = {}
    replies = []
    manners = Random(42)
    for place, value in worth.items():
        if dice.random() < JUDGE.silent:
            text = dice.choice(NO_SCORE)
        else:
            scores[place] = given = JUDGE.gives(dice, value, VALUES)
            text = write_reply(manners, "assessment_json", [given], VALUES)
        replies.append({"judge": JUDGE.name, "item": place[0], "model": place[1], "text": text})
    made.replies(replies, "etp_answer", silent=NO_SCORE)
    return scores


def _graded(
    made: Study,
    dice: Random,
    asked: Sequence[Mapping[str, Any]],
    worth: Mapping[tuple[str, str], float],
    success: Mapping[tuple[str, str], int],
    sample: int,
) -> tuple[dict[str, list[float]], dict[tuple[str, str], list[float]]]:
    """People grade a sample of the best model's answers in each aspect, and all plans."""
    drawn = [
        str(item["id"])
        for aspect in ASPECTS
        for item in dice.sample([each for each in asked if each["aspect"] == aspect], sample)
    ]
    grades = {item: [person.gives(dice, worth[item, BEST], VALUES) for person in PEOPLE] for item in drawn}
    succeeds = {place: [person.gives(dice, value, (0, 1)) for person in PEOPLE] for place, value in success.items()}
    rows = [(item, BEST, "score", values) for item, values in grades.items()]
    rows += [(item, model, "success", values) for (item, model), values in succeeds.items()]
    made.people(
        (item, model, person.name, criterion, value)
        for item, model, criterion, values in rows
        for person, value in zip(PEOPLE, values, strict=True)
    )
    return grades, succeeds


def _rouge(text: str, reference: str) -> Fraction:
    """ROUGE-L of two texts: F1 of their longest common subsequence of words in small letters."""
    one, other = (re.findall(r"[a-z0-9]+", each.lower()) for each in (text, reference))
    longest = [0] * (len(other) + 1)
    for word in one:
        before = 0
        for at, each in enumerate(other, 1):
            before, longest[at] = longest[at], before + 1 if word == each else max(longest[at], longest[at - 1])
    return Fraction(2 * longest[-1], len(one) + len(other)) if one and other else Fraction(0)


# ---- what the tables have to say -------------------------------------------------------------------------------------


def _fair(values: Sequence[float | Fraction]) -> Fraction:
    return sum((Fraction(value) for value in values), Fraction(0)) / len(values)


def _tables(
    models: Sequence[str],
    aspect: Mapping[str, str],
    scores: Mapping[tuple[str, str], float],
    grades: Mapping[str, list[float]],
    rouge: Mapping[str, Fraction],
    succeeds: Mapping[tuple[str, str], list[float]],
    tasks: set[str],
) -> Iterator[Table]:
    heads = {name: ("", name.capitalize()) for name in ASPECTS}
    of = {name: [item for item in aspect if aspect[item] == name] for name in ASPECTS}
    cells = {
        model: [
            truth.mean(Fraction(scores[item, model]) for item in of[name] if (item, model) in scores)
            for name in ASPECTS
        ]
        for model in models
    }
    average = {model: truth.over(line) for model, line in cells.items()}
    rows = sorted(models, key=lambda model: (-(average[model] or 0), model))
    table = Table("models", [("", model) for model in rows], [*heads.values(), ("", "Average")])
    for model in rows:
        for head, value in zip(table.columns, [*cells[model], average[model]], strict=True):
            table.put(("", model), head, printed(value, digits=1, percent=True))
    yield table
    yield from _of_plans(succeeds, tasks)

    judged = {item: Fraction(scores[item, BEST]) for item in grades if (item, BEST) in scores}
    people = {item: _fair(values) for item, values in grades.items()}
    by = {"People": people, JUDGE.name: judged, METRIC: {item: rouge[item] for item in grades}}
    table = Table("metrics", [(BEST, name) for name in by], list(heads.values()))
    for who, numbers in by.items():
        for name, head in heads.items():
            value = truth.mean(numbers[item] for item in of[name] if item in numbers)
            table.put((BEST, who), head, printed(value, digits=1, percent=True))
    yield table

    columns = [("", "Over aspects"), *(("Answers", name.capitalize()) for name in ASPECTS)]
    table = Table("consistency", [("", name) for name in (JUDGE.name, METRIC)], columns)
    for who in (JUDGE.name, METRIC):
        pairs = {
            name: [(people[item], by[who][item]) for item in of[name] if item in people and item in by[who]]
            for name in ASPECTS
        }
        means = [(truth.mean(one for one, _ in lot), truth.mean(other for _, other in lot)) for lot in pairs.values()]
        known = [(one, other) for one, other in means if one is not None and other is not None]
        table.put(("", who), columns[0], printed(truth.icc_one(known), digits=3))
        for column, lot in zip(columns[1:], pairs.values(), strict=True):
            table.put(("", who), column, printed(truth.icc_one(lot), digits=3))
    yield table


def _of_plans(succeeds: Mapping[tuple[str, str], list[float]], tasks: set[str]) -> Iterator[Table]:
    def share(model: str, among: set[str] | None) -> truth.Number | None:
        there = [(item, own) for item, own in succeeds if own == model and (among is None or item in among)]
        return truth.mean(_fair(succeeds[place]) for place in there)

    rows = sorted(TOLD, key=lambda model: (-(share(model, None) or 0), model))
    table = Table("plans", [("", model) for model in rows], [("", "Success rate")])
    for model in rows:
        table.put(("", model), ("", "Success rate"), printed(share(model, None), digits=0, percent=True))
    yield table
    table = Table("injection", [("", "Success rate")], [("", model) for model in sorted(TOLD)])
    for model in sorted(TOLD):
        table.put(("", "Success rate"), ("", model), printed(share(model, tasks), digits=0, percent=True))
    yield table


def _coefficients(
    items: Sequence[Mapping[str, Any]],
    scores: Mapping[tuple[str, str], float],
    succeeds: Mapping[tuple[str, str], list[float]],
) -> Table:
    """Of each plan whether most people say that it succeeds, by the model's mean scores in the aspects of its task.

    A task without a score in one of the aspects is left out; only one model has answered both.
    """
    of: dict[tuple[str, str], list[Fraction]] = {}
    task = {str(item["id"]): str(item["task"]) for item in items}
    aspect = {str(item["id"]): str(item["aspect"]) for item in items}
    for (item, model), value in scores.items():
        if model == BEST:
            of.setdefault((task[item], aspect[item]), []).append(Fraction(value))
    rows = []
    for (item, model), values in succeeds.items():
        means = [of.get((task[item], name)) for name in ASPECTS]
        if model == BEST and all(means):
            rows.append(([_fair(lot or []) for lot in means], Fraction(int(sum(values) > len(values) / 2))))
    table = Table("coefficients", [("", "Coefficient")], [("", name.capitalize()) for name in ASPECTS])
    for head, value in zip(table.columns, truth.linear(rows)[1:], strict=True):
        table.put(("", "Coefficient"), head, printed(value, digits=2))
    return table
