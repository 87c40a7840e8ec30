"""PCA-Bench: 317 items of the open track in three domains, models that see and models that ask tools, four judges, and
three people on 300 outputs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random

from benchmarks.manners_judges import write_reply
from benchmarks.papers import dice as said
from benchmarks.papers import truth
from benchmarks.papers.dice import Rater
from benchmarks.papers.study import Study
from benchmarks.papers.truth import Table, printed

DOMAINS: Mapping[str, tuple[str, str, int]] = {
    "Traffic": ("Autonomous-Driving-test_open-meta", "Autonomous Driving", 100),
    "Domestic": ("Domestic-Robot-test_open-meta", "Domestic Robot", 100),
    "Game": ("Open-World-Game-test_open-meta", "Minecraft", 117),
}
"""As the tables call them: file, how its records name the domain, and how many items."""
SCORES = {"P": "perception", "C": "cognition", "A": "action"}
SEEING = (
    *("MiniGPT4-7B", "LLaVA1.5-7B", "Qwen-VL-Chat-7B", "MiniGPT4-13B", "InstructBLIP-13B", "MMICL-13B"),
    *("SPHINX-v1-13B", "LLaVA1.5-13B", "Qwen-VL-Chat-PLUS", "GPT-4V"),
)
ASKING = ("HOLMES ChatGPT", "HOLMES GPT4")
"""Models that ask tools: they have answered only items with results of tools."""
JUDGES = (
    Rater("gpt-4", 0.95, 0.01),
    Rater("Qwen1.5-14B-Chat", 0.6, 0.05),
    Rater("Qwen1.5-72B-Chat", 0.8, 0.03),
    Rater("Qwen1.5-7B-Chat", 0.55, 0.1),
)
"""The first is the benchmark's own; the others are compared with people."""
PEOPLE = (Rater("ann", 0.95), Rater("ben", 0.93), Rater("cem", 0.9))
NO_SCORE = ("I cannot give scores without the image.", "action score: high\nperception score: high", "Good answer!")

Score = Mapping[str, int]
Place = tuple[str, str]
"""Item and model."""


def study(folder: Path, *, shared: Path | None, quick: bool) -> Study:
    """The whole study, or some items of each domain and four models."""
    dice = Random(17)
    made = Study("pca_bench", folder)
    models = [*(SEEING[:2] if quick else SEEING), *ASKING]
    items = dict(_items(made, shared, 8 if quick else None))
    with_tools = {item for at, item in enumerate(items) if at % 2 == 0}
    worth: dict[Place, Score] = {}
    answers = []
    for model in models:
        quality = dice.uniform(0.3, 0.85)
        for item, record in items.items():
            if model in ASKING and item not in with_tools:
                continue
            worth[item, model] = {name: int(dice.random() < quality) for name in SCORES.values()}
            answers.append({"item": item, "model": model, "text": _answer(dice, record, worth[item, model])})
    made.answers(answers)
    drawn = [place for name in DOMAINS for place in dice.sample(_of(name, worth), 18 if quick else 100)]
    judged = _judged(made, dice, worth, drawn)
    grades = {
        (*place, name): [int(person.gives(dice, worth[place][name], (0, 1))) for person in PEOPLE]
        for place in drawn
        for name in SCORES.values()
    }
    made.people(
        (item, model, person.name, name, value)
        for (item, model, name), values in grades.items()
        for person, value in zip(PEOPLE, values, strict=True)
    )
    settled = {place: {name: truth.majority(grades[(*place, name)]) for name in SCORES.values()} for place in drawn}
    made.tables = list(_tables(models, with_tools, judged, settled))
    return made


def _items(made: Study, shared: Path | None, most: int | None) -> Iterator[tuple[str, Mapping[str, object]]]:
    for title, (name, domain, wanted) in DOMAINS.items():
        path = shared / "data" / "pca_bench" / f"{name}.json" if shared else None
        if path is not None and path.is_file():
            records = json.loads(path.read_text(encoding="utf-8"))
        else:
            records = [
                {
                    "version": "1.0",
                    "question": f"{title}, situation {at}: what do you do next?",
                    "actions": [f"Do thing {at}", f"Leave thing {at}", "Wait"],
                    "answer_index": at % 3,
                    "reason": f"Thing {at} is in reach.",
                    "key_concept": [f"thing {at}"],
                    "domain": domain,
                }
                for at in range(wanted)
            ]
        records = records[:most]
        made.write(f"items/{name}.json", records)
        yield from ((f"{name}/{at}", record) for at, record in enumerate(records))
    made.items(made.folder / "items", "pca_bench")


def _of(domain: str, places: Mapping[Place, object]) -> list[Place]:
    return [place for place in places if place[0].startswith(DOMAINS[domain][0])]


def _answer(dice: Random, record: Mapping[str, object], score: Score) -> str:
    actions = record["actions"]
    assert isinstance(actions, list)
    right = record["answer_index"]
    assert isinstance(right, int)
    at = right if score["action"] else (right + 1) % len(actions)
    seen = record["key_concept"] if score["perception"] else "nothing special"
    why = record["reason"] if score["cognition"] else "One never knows."
    if dice.random() < 0.05:
        return dice.choice(said.SAYS_NOTHING)
    return f"I see {seen}. {why} " + dice.choice(said.LETTER[:7]).format(letter=said.LETTERS[at], text=actions[at])


def _judged(
    made: Study, dice: Random, worth: Mapping[Place, Score], drawn: Sequence[Place]
) -> dict[str, dict[Place, Score]]:
    """What each judge says where its reply holds scores: the first about everything, the others about what is drawn."""
    judged: dict[str, dict[Place, Score]] = {}
    replies = []
    manners = Random(18)
    for judge in JUDGES:
        of_judge = judged[judge.name] = {}
        for place in worth if judge is JUDGES[0] else drawn:
            if dice.random() < judge.silent:
                text = dice.choice(NO_SCORE)
            else:
                given = {name: int(judge.gives(dice, value, (0, 1))) for name, value in worth[place].items()}
                of_judge[place] = given
                order = ("action", "perception", "cognition")
                text = write_reply(manners, "six_lines", [given[name] for name in order], (0, 1))
            replies.append({"judge": judge.name, "item": place[0], "model": place[1], "text": text})
    made.replies(replies, "pca_anchors", silent=NO_SCORE)
    return judged


# ---- what the tables have to say -------------------------------------------------------------------------------------


def _genuine(score: Mapping[str, object]) -> int:
    return int(all(score[name] == 1 for name in SCORES.values()))


def _tables(
    models: list[str],
    with_tools: set[str],
    judged: Mapping[str, Mapping[Place, Score]],
    settled: Mapping[Place, Mapping[str, object]],
) -> Iterator[Table]:
    first = judged[JUDGES[0].name]
    derived = {
        place: {**score, "genuine": _genuine(score), "fluke": int(score["action"] == 1) - _genuine(score)}
        for place, score in first.items()
    }

    def share(model: str, name: str, domain: str | None, among: set[str] | None = None) -> truth.Number | None:
        there = derived if domain is None else _of(domain, derived)
        return truth.mean(
            Fraction(derived[place][name])
            for place in there
            if place[1] == model and (among is None or place[0] in among)
        )

    def average(model: str, name: str, among: set[str] | None = None) -> truth.Number | None:
        return truth.over([share(model, name, domain, among) for domain in DOMAINS])

    def ordered(name: str, among: set[str] | None = None) -> list[str]:
        return sorted(models, key=lambda model: (-(average(model, name, among) or 0), model))

    columns = [(domain, letter) for domain in (*DOMAINS, "Average") for letter in SCORES]
    for table_name, among in (("scores", None), ("subset", with_tools)):
        rows = ordered("action", among)
        table = Table(table_name, [("", model) for model in rows], columns)
        for model in rows:
            for domain, letter in columns:
                name = SCORES[letter]
                value = average(model, name, among) if domain == "Average" else share(model, name, domain, among)
                table.put(("", model), (domain, letter), printed(value, digits=2))
        yield table

    rows = ordered("genuine")[::-1]
    table = Table("genuine", [("", model) for model in rows], [("", name) for name in (*DOMAINS, "Average")])
    for model in rows:
        for domain in DOMAINS:
            table.put(("", model), ("", domain), printed(share(model, "genuine", domain), digits=2))
        table.put(("", model), ("", "Average"), printed(average(model, "genuine"), digits=2))
    yield table

    rows = ordered("action")
    names = ("action", "genuine", "fluke")
    table = Table("flukes", [("", model) for model in rows], [("", name.capitalize()) for name in names])
    for model in rows:
        for name in names:
            table.put(("", model), ("", name.capitalize()), printed(share(model, name, None), digits=2))
    yield table

    heads = [("", name.capitalize()) for name in SCORES.values()]
    table = Table("evaluators", [("", judge.name) for judge in JUDGES], heads)
    for judge in JUDGES:
        for name, head in zip(SCORES.values(), heads, strict=True):
            of_judge = judged[judge.name]
            pairs = [(of_judge[place][name], score[name]) for place, score in settled.items() if place in of_judge]
            table.put(("", judge.name), head, printed(truth.cohen(pairs), digits=2))
    yield table

    there = sorted({model for _, model in settled})
    heads = [*heads, ("", "Genuine")]
    table = Table("people", [("", model) for model in there], heads)
    for model in there:
        scores = [{**score, "genuine": _genuine(score)} for place, score in settled.items() if place[1] == model]
        for name, head in zip((*SCORES.values(), "genuine"), heads, strict=True):
            value = truth.mean(Fraction(int(bool(score[name]))) for score in scores)
            table.put(("", model), head, printed(value, digits=2))
    yield table
