"""EgoThink: 700 questions in twelve dimensions, 21 models, three judges, and three people on one model's answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from random import Random

from benchmarks.manners_judges import write_reply
from benchmarks.papers import dice as said
from benchmarks.papers import truth
from benchmarks.papers.dice import Rater
from benchmarks.papers.study import Study
from benchmarks.papers.truth import Table, printed

DIMENSIONS: Mapping[str, tuple[str, str, str, str, int]] = {
    "existence": ("Object/existence", "Object", "Existence", "Exist", 50),
    "attribute": ("Object/attribute", "Object", "Attribute", "Attr", 50),
    "affordance": ("Object/affordance", "Object", "Affordance", "Afford", 50),
    "activity": ("Activity", "Activity", "Activity", "Activity", 100),
    "location": ("Localization/location", "Localization", "Location", "Loc", 50),
    "spatial": ("Localization/spatial", "Localization", "Spatial relationship", "Spatial", 50),
    "counting": ("Reasoning/counting", "Reasoning", "Counting", "Count", 50),
    "comparison": ("Reasoning/comparing", "Reasoning", "Comparison", "Compar", 50),
    "situated": ("Reasoning/situated", "Reasoning", "Situated reasoning", "Situated", 50),
    "forecasting": ("Forecast", "Forecasting", "Forecasting", "Forecasting", 100),
    "navigation": ("Planning/navigation", "Planning", "Navigation", "Nav", 50),
    "assistance": ("Planning/assistance", "Planning", "Assistance", "Assist", 50),
}
"""Folder, group, title, how Table 3 calls it, and how many questions (Table 4)."""
GRADED = ("existence", "attribute", "affordance", "navigation", "assistance")
BEST = "GPT-4V"
MODELS = (
    BEST,
    *(f"{name}-7B" for name in ("OpenFlamingo", "VideoChat", "LLaVA-1.5", "MiniGPT-4", "InstructBLIP", "Otter-I")),
    *(f"{name}-7B" for name in ("PandaGPT", "mPLUG-owl", "Video-LLaVA", "LLaVA", "ShareGPT4V", "LLaMA-Adapter")),
    *(f"{name}-13B" for name in ("InstructBLIP", "PandaGPT", "LLaVA-Vicuna", "LLaVA-Llama2", "LLaVA-1.5")),
    "BLIP-2-6.7B",
    "BLIP-2-11B",
    "InstructBLIP-11B",
)
SIZES = {model: "API-based model" if model == BEST else "7B" for model in MODELS if "1" not in model[-4:]} | {
    model: "13B" for model in MODELS if "1" in model[-4:]
}
"""How the paper's tables group them."""
VALUES = (0.0, 0.5, 1.0)
JUDGES = (Rater("gpt-4", 0.9, 0.01), Rater("gpt-3.5-turbo", 0.6, 0.04), Rater("claude-2", 0.85, 0.08))
PEOPLE = (Rater("ann", 0.93), Rater("ben", 0.9), Rater("cem", 0.88))
NO_SCORE = (
    "I'm sorry, but I cannot rate this answer.",
    "Rating: [[0.75]]",
    "The answer is partly right, and partly not.",
    "As I cannot see the image, I would say it is fine.",
)


def study(folder: Path, *, shared: Path | None, quick: bool) -> Study:
    """The whole study, or a few questions of each dimension and three models."""
    dice = Random(31)
    made = Study("egothink", folder)
    models = MODELS[:3] if quick else MODELS
    texts = dict(_items(made, shared, 3 if quick else None))
    worth: dict[tuple[str, str], float] = {}
    answers = []
    for model in models:
        quality = dice.uniform(0.2, 0.8)
        for item, text in texts.items():
            worth[item, model] = dice.choices(VALUES, (1 - quality, 0.3, quality))[0]
            answers.append({"item": item, "model": model, "text": dice.choice(said.OPEN).format(text=text)})
    made.answers(answers)
    made.models({model: {"size": SIZES[model], **_attributes(model)} for model in models})
    scores = _judged(made, dice, worth)
    grades = _graded(made, dice, worth)
    made.tables = list(_tables(list(models), list(texts), scores, grades))
    return made


def _items(made: Study, shared: Path | None, most: int | None) -> Iterator[tuple[str, str]]:
    """The questions as files: the authors' where they are, others in the same shape. Item and right answer."""
    root = made.folder / "items"
    for folder, _, title, _, wanted in DIMENSIONS.values():
        path = shared / "data" / "egothink" / "data" / folder / "annotations.json" if shared else None
        if path is not None and path.is_file():
            records = json.loads(path.read_text(encoding="utf-8"))
        else:
            records = [
                {
                    "source_dataset": "ego4d",
                    "image_path": [f"{at}.jpg"],
                    "question": f"{title}: what about thing {at} next to me?",
                    "answer": f"a thing of kind {at % 7}",
                }
                for at in range(1, wanted + 1)
            ]
        records = records[:most]
        made.write(f"items/{folder}/annotations.json", records)
        yield from ((f"{folder}/{at}", record["answer"]) for at, record in enumerate(records))
    made.items(root, "egothink")


def _attributes(model: str) -> dict[str, str]:
    """Of open models the family, and whether they were tuned on instructions."""
    if model == BEST:
        return {}
    family = model.rpartition("-")[0].removeprefix("Instruct")
    return {
        "family": "BLIP" if family.startswith("BLIP") else family,
        "tuned": "no" if model[0] == "B" else "yes",
        "llm": f"Vicuna-{SIZES[model]}",
        "video": "yes" if "ideo" in model else "no",
    }


def _dimension(item: str) -> str:
    folder = item.rpartition("/")[0]
    return next(name for name, row in DIMENSIONS.items() if row[0] == folder)


def _judged(made: Study, dice: Random, worth: Mapping[tuple[str, str], float]) -> dict[tuple[str, str, str], float]:
    """The first judge reads everything, the others object and planning; what each says where its reply has a score."""
    scores: dict[tuple[str, str, str], float] = {}
    replies = []
    manners = Random(32)
    for judge in JUDGES:
        for (item, model), value in worth.items():
            if judge is not JUDGES[0] and _dimension(item) not in GRADED:
                continue
            if dice.random() < judge.silent:
                text = dice.choice(NO_SCORE)
            else:
                scores[judge.name, item, model] = given = judge.gives(dice, value, VALUES)
                text = write_reply(manners, "double_brackets", [given], VALUES)
            replies.append({"judge": judge.name, "item": item, "model": model, "text": text})
    made.replies(replies, "egothink_single", silent=NO_SCORE)
    return scores


def _graded(made: Study, dice: Random, worth: Mapping[tuple[str, str], float]) -> dict[str, list[float]]:
    """People grade the best model's answers in object and planning; of each item their grades in their order."""
    grades = {
        item: [person.gives(dice, value, VALUES) for person in PEOPLE]
        for (item, model), value in worth.items()
        if model == BEST and _dimension(item) in GRADED
    }
    made.people(
        (item, BEST, person.name, "score", value)
        for item, values in grades.items()
        for person, value in zip(PEOPLE, values, strict=True)
    )
    return grades


# ---- what the tables have to say -------------------------------------------------------------------------------------


def _tables(
    models: list[str], items: list[str], scores: Mapping[tuple[str, str, str], float], grades: Mapping[str, list[float]]
) -> Iterator[Table]:
    of = {name: [item for item in items if _dimension(item) == name] for name in DIMENSIONS}

    def judged(judge: str, model: str, dimension: str, *, among: object = None) -> truth.Number | None:
        there = [(judge, item, model) for item in of[dimension] if among is None or item in grades]
        return truth.mean(Fraction(scores[place]) for place in there if place in scores)

    def people(dimension: str) -> truth.Number | None:
        return truth.mean(truth.mean(map(Fraction, grades[item])) or Fraction(0) for item in of[dimension])

    sizes = list(dict.fromkeys(SIZES.values()))
    open_ones = sorted(filter(_attributes, models), key=lambda model: (sizes.index(SIZES[model]), model))
    table = Table("attributes", [(SIZES[model], model) for model in open_ones], [("", "LLM"), ("", "Video")])
    for model in open_ones:
        for (_, title), name in zip(table.columns, ("llm", "video"), strict=True):
            table.put((SIZES[model], model), ("", title), _attributes(model)[name])
    yield table

    first, *others = (judge.name for judge in JUDGES)
    cells = {model: {name: judged(first, model, name) for name in DIMENSIONS} for model in models}
    average = {model: truth.over(list(line.values())) for model, line in cells.items()}
    rising = sorted(models, key=lambda model: average[model] or 0)
    heads = {name: (row[1], row[3]) for name, row in DIMENSIONS.items()}
    rising.sort(key=lambda model: sizes.index(SIZES[model]))
    table = Table("models", [(SIZES[model], model) for model in rising], [*heads.values(), ("", "Average")])
    for model in rising:
        for name, head in heads.items():
            table.put((SIZES[model], model), head, printed(cells[model][name], digits=1, percent=True))
        table.put((SIZES[model], model), ("", "Average"), printed(average[model], digits=1, percent=True))
    yield table

    for name, attribute in (("sizes", "size"), ("tuning", "tuned")):
        groups: dict[tuple[str, str], list[truth.Number]] = {}
        for model in models:
            own = {"size": SIZES[model], **_attributes(model)}
            if "family" in own:
                groups.setdefault((own["family"], own[attribute]), []).append(average[model] or 0)
        values = sorted({value for _, value in groups}, key=["7B", "13B", "no", "yes"].index)
        order = sorted(groups, key=lambda group: (group[0], values.index(group[1])))
        table = Table(name, [("", f"{family} · {value}") for family, value in order], [("", "Average")])
        for family, value in order:
            mean = printed(truth.mean(groups[family, value]), digits=1, percent=True)
            table.put(("", f"{family} · {value}"), ("", "Average"), mean)
        yield table

    table = Table("people", [("", BEST)], [heads[name] for name in GRADED])
    for name in GRADED:
        table.put(("", BEST), heads[name], printed(people(name), digits=1, percent=True))
    yield table

    called = dict(zip(others, ("GPT-3.5", "Claude-2"), strict=True))
    columns = [(DIMENSIONS[name][2], words) for name in GRADED for words in called.values()]
    table = Table("judges", [(SIZES[model], model) for model in rising], columns)
    for model in rising:
        for name in GRADED:
            for judge, words in called.items():
                value = printed(judged(judge, model, name), digits=1, percent=True)
                table.put((SIZES[model], model), (DIMENSIONS[name][2], words), value)
    yield table
    yield _correlations([first, *others], scores, grades)
    yield _levels(scores, grades)
    yield _annotators(list(grades.values()))

    table = Table(
        "evaluators",
        [(BEST, "People"), *((BEST, judge.name) for judge in JUDGES)],
        [(DIMENSIONS[name][1], DIMENSIONS[name][2]) for name in GRADED],
    )
    for name in GRADED:
        column = (DIMENSIONS[name][1], DIMENSIONS[name][2])
        table.put((BEST, "People"), column, printed(people(name), digits=1, percent=True))
        for judge in JUDGES:
            value = judged(judge.name, BEST, name, among=grades)
            table.put((BEST, judge.name), column, printed(value, digits=1, percent=True))
    yield table


def _correlations(
    judges: list[str], scores: Mapping[tuple[str, str, str], float], grades: Mapping[str, list[float]]
) -> Table:
    """Pearson of every two over the answers that people graded and both scored; people's grade is their mean."""
    numbers = {judge: {item: scores.get((judge, item, BEST)) for item in grades} for judge in judges}
    numbers["People"] = {item: truth.mean(map(Fraction, values)) for item, values in grades.items()}  # type: ignore[assignment]
    names = list(numbers)
    table = Table("correlations", [("", name) for name in names[1:]], [("", name) for name in names[:-1]])
    for down, row in enumerate(names):
        for across, column in enumerate(names[:-1]):
            if down == 0:
                continue
            if across >= down:
                table.put(("", row), ("", column), "")
                continue
            pairs = [(numbers[row][item], numbers[column][item]) for item in grades]
            known = [(one, other) for one, other in pairs if one is not None and other is not None]
            table.put(("", row), ("", column), printed(truth.pearson(known), digits=1, percent=True))
    return table


def _levels(scores: Mapping[tuple[str, str, str], float], grades: Mapping[str, list[float]]) -> Table:
    """Pearson of each judge and people over answers and over means; of one model there are no two means."""
    levels = ("Answers", "Means of a model in a dimension", "Means of a model")
    table = Table("levels", [("", judge.name) for judge in JUDGES], [("", name) for name in levels])
    for judge in JUDGES:
        pairs: dict[str, list[tuple[Fraction, Fraction]]] = {name: [] for name in GRADED}
        for item, values in grades.items():
            if (judge.name, item, BEST) in scores:
                people = truth.mean(map(Fraction, values))
                pairs[_dimension(item)].append((Fraction(people or 0), Fraction(scores[judge.name, item, BEST])))
        means = [
            (Fraction(truth.mean(one for one, _ in lot) or 0), Fraction(truth.mean(other for _, other in lot) or 0))
            for lot in pairs.values()
        ]
        answers = truth.pearson([pair for lot in pairs.values() for pair in lot])
        values_of = (answers, truth.pearson(means), None)
        for name, value in zip(levels, values_of, strict=True):
            table.put(("", judge.name), ("", name), printed(value, digits=1, percent=True))
    return table


def _annotators(lots: list[list[float]]) -> Table:
    columns = {
        "Agreement of two": truth.agreeing(lots),
        "Fleiss' kappa": truth.fleiss(lots),
        "Mean of Cohen's kappas": truth.mean_cohen(lots),
    }
    table = Table("annotators", [("", "Annotators")], [("", name) for name in columns])
    for name, value in columns.items():
        table.put(("", "Annotators"), ("", name), printed(value, digits=2))
    return table
