"""A large study drawn by seed: items, votes, a senior's decisions, and what each item's votes have to come to.

Nothing here asks Touchstone what is right: verdicts, counts and agreement are worked out from the dice alone.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from db.engine import Session, Store
    from domain.states import Stage

PROJECT = "large"
PICTURES = "pictures"
RATERS = 3
VOTERS = tuple(f"voter{number:02}" for number in range(12))
SENIOR, LEAD = "senior", "lead"
DIMENSIONS = ("near", "far", "indoors", "outdoors")
REASONS = ("wrong_key", "several_valid", "unclear")
BEGAN = datetime(2026, 1, 5, 8, tzinfo=UTC)
_AT_ONCE = 5_000

SCHEMA = """
name: NAME
version: 1
title: A large study (made up)
source: {format: pca_bench}
dimensions:
  - {id: near, title: Near, definition: "What is near."}
  - {id: far, title: Far, definition: "What is far."}
  - {id: indoors, title: Indoors, definition: "What is indoors."}
  - {id: outdoors, title: Outdoors, definition: "What is outdoors."}
item:
  ASSETS
  fields:
    - {name: question, kind: long_text}
    - {name: actions, kind: text_list}
    - {name: answer, kind: option_of, field: actions}
    - {name: reason, kind: long_text, required: false}
stages:
  verification:
    raters: 3
    criteria:
      - {name: fits, kind: choice, prompt: "Does it fit?",
         options: [{value: "yes", label: "Yes"}, {value: "no", label: "No"}]}
    keep: {rule: unanimous, criterion: fits, value: "yes"}
  adjudication:
    by: senior
    reasons:
      - {value: wrong_key, label: The answer is wrong}
      - {value: several_valid, label: Several answers are right}
      - {value: unclear, label: It is unclear}
report: {statistics: [percent_agreement, fleiss_kappa, krippendorff_alpha]}
export: {formats: [pca_bench]}
"""

_WORDS = """
the kettle stands on stove left of window and you see a cup which is half full while someone opens door to garden where
children play near old tree so what should be done next before rain begins again tomorrow morning
"""
WORDS = tuple(_WORDS.split())


def schema_text(name: str, *, images: bool = False) -> str:
    """The study's schema as YAML."""
    return SCHEMA.replace("NAME", name).replace("ASSETS", "assets: [{role: image, kind: image}]" if images else "")


@dataclass(frozen=True)
class Drawn:
    """One item with everything that is done to it."""

    number: int
    dimension: str
    votes: tuple[tuple[str, str], ...]
    """Who, and what they say; empty: no one has voted."""
    decision: tuple[str, str] | None
    """What the senior decides where votes differ, and why."""

    @property
    def state(self) -> str:
        """What the schema's rule says: all three yes, all three no, or what the senior says."""
        said = {value for _, value in self.votes}
        if not said:
            return "in_verification"
        if len(said) == 1:
            return "kept" if said == {"yes"} else "rejected"
        if self.decision is None:
            return "in_adjudication"
        return "kept" if self.decision[0] == "accept" else "rejected"


def drawn(n_voted: int, n_open: int, *, seed: int = 20260105) -> list[Drawn]:
    """So many items with three votes each, and so many without any behind them."""
    dice = random.Random(seed)
    found = []
    for number in range(n_voted + n_open):
        dimension = DIMENSIONS[number % len(DIMENSIONS)]
        votes: tuple[tuple[str, str], ...] = ()
        decision = None
        if number < n_voted:
            share = 0.93 if dice.random() < 0.85 else 0.2
            who = dice.sample(VOTERS, RATERS)
            votes = tuple((one, "yes" if dice.random() < share else "no") for one in who)
            if len({value for _, value in votes}) > 1 and dice.random() < 0.9:
                decision = ("accept" if dice.random() < 0.6 else "reject", dice.choice(REASONS))
        found.append(Drawn(number, dimension, votes, decision))
    return found


def states(items: Sequence[Drawn]) -> dict[str, int]:
    """How many items are in each state."""
    return dict(Counter(each.state for each in items))


def percent_agreement(items: Sequence[Drawn]) -> float:
    """The share of pairs of votes on an item that are the same, in the mean of the items."""
    shares = [
        sum(one == other for one, other in combinations([value for _, value in each.votes], 2)) / 3
        for each in items
        if each.votes
    ]
    return sum(shares) / len(shares)


def krippendorff_alpha(items: Sequence[Drawn]) -> float:
    """Agreement beyond chance of two values: Fleiss' kappa, with chance drawn without replacement."""
    voted = [each for each in items if each.votes]
    n = RATERS * len(voted)
    yes = sum(value == "yes" for each in voted for _, value in each.votes) / n
    differ = 2 * yes * (1 - yes) * n / (n - 1)
    return 1 - (1 - percent_agreement(items)) / differ


# ---- files -----------------------------------------------------------------------------------------------------------


def write_items(path: Path, items: Sequence[Drawn], *, images: Sequence[str] = ()) -> None:
    """The items as an annotation file, about half a kilobyte each, indented as PCA-Bench's authors do."""
    with path.open("w", encoding="utf-8") as out:
        out.write("[")
        for at, record in enumerate(_records(items, images)):
            text = json.dumps(record, indent=4, ensure_ascii=False)
            out.write(",\n    " if at else "\n    ")
            out.write(text.replace("\n", "\n    "))
        out.write("\n]\n")


def _records(items: Sequence[Drawn], images: Sequence[str]) -> Iterator[dict[str, Any]]:
    for each in items:
        dice = random.Random(each.number)
        actions = [f"{' '.join(dice.sample(WORDS, 4))} {letter}" for letter in "abcd"]
        record: dict[str, Any] = {
            "index": each.number,
            "domain": each.dimension.capitalize(),
            "question": f"{' '.join(dice.choices(WORDS, k=22)).capitalize()} ({each.number})?",
            "actions": actions,
            "answer_index": dice.randrange(4),
            "reason": f"{' '.join(dice.choices(WORDS, k=14)).capitalize()}.",
        }
        if images:
            record["image"] = images[each.number]
        yield record


def photographs(folder: Path, n: int, *, size: tuple[int, int]) -> list[str]:
    """So many different JPEG files as a camera of this size makes them, with detail in all parts; their names."""
    import numpy as np
    from PIL import Image

    folder.mkdir(parents=True)
    width, height = size
    dice = np.random.default_rng(7)
    scenes = []
    for _ in range(4):
        coarse = Image.fromarray(dice.integers(0, 256, (9, 16, 3), dtype=np.uint8)).resize(
            size, Image.Resampling.BICUBIC
        )
        fine = dice.normal(0, 14, (height // 2, width // 2, 1)).repeat(2, axis=0).repeat(2, axis=1)
        scenes.append(np.clip(np.asarray(coarse, dtype=np.float32) + fine, 0, 255).astype(np.uint8))
    names = []
    for number in range(n):
        shifted = np.roll(scenes[number % len(scenes)], (37 * number, 91 * number), axis=(0, 1))
        names.append(f"photo-{number:05}.jpg")
        Image.fromarray(shifted).save(folder / names[-1], "JPEG", quality=88)
    return names


# ---- votes -----------------------------------------------------------------------------------------------------------


def write_votes(home: Path, items: Sequence[Drawn]) -> None:
    """Everything that three voters and a senior submit for the study, as the engine would store it one by one.

    Through the pages or the engine's own ``submit`` 300,000 votes take half an hour; here the same rows (slots that
    are done, annotations, the senior's slots and decisions, two events each) go into the tables in lots. The states
    of the items are left as they were, so ``touchstone check --rebuild`` has all of them to bring up to the votes, and
    ``touchstone check`` says afterwards whether what was written is what the protocol allows.
    """
    from db.engine import open_store

    voted = [each for each in items if each.votes]
    with closing(open_store(None, home)) as store:
        desk = _Desk(store)
        moment = BEGAN
        for begin in range(0, len(voted), _AT_ONCE):
            with store.write() as session:
                moment = desk.vote(session, voted[begin : begin + _AT_ONCE], moment)


class _Desk:
    """Writes votes in lots: what is known of the project beforehand."""

    def __init__(self, store: Store) -> None:
        from sqlalchemy import select

        from db.tables import ItemRow, PersonRow, TaskRow
        from domain.states import Purpose
        from workflow.access.projects import access_to

        with store.read() as session:
            access = access_to(session, person=None, project=PROJECT)
            self.project = access.project_id
            self.people = dict(tuple(row) for row in session.execute(select(PersonRow.login, PersonRow.id)))  # type: ignore[call-overload]
            mine = ItemRow.project_id == self.project
            names = session.execute(select(ItemRow.external_id, ItemRow.id).where(mine))  # type: ignore[call-overload]
            self.items = {int(name): id for name, id in names}
            slots = select(TaskRow.item_id, TaskRow.slot, TaskRow.id).where(TaskRow.project_id == self.project)  # type: ignore[call-overload]
            self.slots = {(item, slot): id for item, slot, id in session.execute(slots)}
        self.common = {"project_id": self.project, "purpose": Purpose.LIVE, "revision": 1, "prediction_id": None}
        self.said = {
            **self.common,
            "reasons": {},
            "shown": None,
            "note": "",
            "weight": None,
            "supersedes_id": None,
            "schema_hash": access.loaded.hash,
            "schema_version_id": access.schema_version_id,
            "guideline_hash": access.loaded.guideline_hash,
        }

    def vote(self, session: Session, some: Sequence[Drawn], moment: datetime) -> datetime:
        """All votes on these items and the decisions about them; the moment of the last."""
        from sqlalchemy import bindparam, insert, update

        from db.tables import AnnotationRow, EventRow, TaskRow
        from domain.states import Stage, TaskState

        done: list[dict[str, Any]] = []
        annotations: list[dict[str, Any]] = []
        events: list[dict[str, Any]] = []
        for each in some:
            for slot, (who, value) in enumerate(each.votes):
                moment += timedelta(seconds=2)
                task = self.slots[self.items[each.number], slot]
                done.append({"slot_id": task, "who": self.people[who]})
                self._sent(each, task, who, Stage.VERIFICATION, {"fits": value}, moment, annotations, events)
        close = update(TaskRow).where(TaskRow.id == bindparam("slot_id"))  # type: ignore[arg-type]
        connection = session.connection()
        connection.execute(close.values(state=TaskState.DONE, person_id=bindparam("who"), lease_until=None), done)
        settled = [each for each in some if each.decision is not None]
        if settled:
            slots = insert(TaskRow).returning(TaskRow.id, sort_by_parameter_order=True)  # type: ignore[call-overload]
            made = connection.execute(slots, [self._of_senior(each, moment) for each in settled]).scalars().all()
            for task, each in zip(made, settled, strict=True):
                decision, cause = each.decision or ("", "")
                answers = {"decision": decision, "cause": cause}
                self._sent(each, task, SENIOR, Stage.ADJUDICATION, answers, moment, annotations, events)
        connection.execute(insert(AnnotationRow), annotations)
        connection.execute(insert(EventRow), events)
        return moment

    def _of_senior(self, each: Drawn, at: datetime) -> dict[str, Any]:
        from db import task_slots
        from db.types import public_id
        from domain.states import Stage, TaskState

        item = self.items[each.number]
        return {
            **self.common,
            "public_id": public_id(),
            "stage": Stage.ADJUDICATION,
            "unit": task_slots.unit_of_revision(Stage.ADJUDICATION, item_id=item, revision=1),
            "slot": 0,
            "item_id": item,
            "dimension": each.dimension,
            "state": TaskState.DONE,
            "person_id": self.people[SENIOR],
            "correcting": False,
            "rank": 0,
            "shuffle": 0,
            "opened": 0,
            "awaits_media": False,
            "created_at": at,
        }

    def _sent(
        self,
        each: Drawn,
        task: int,
        who: str,
        stage: Stage,
        answers: dict[str, Any],
        at: datetime,
        annotations: list[dict[str, Any]],
        events: list[dict[str, Any]],
    ) -> None:
        from db.types import public_id

        item, person = self.items[each.number], self.people[who]
        annotation = {"public_id": public_id(), "task_id": task, "person_id": person, "stage": stage, "item_id": item}
        annotation |= {"submit_key": f"{task}", "answers": answers, "seconds": 6.0, "created_at": at}
        annotations.append({**self.said, "dimension": each.dimension, **annotation})
        about = {"project_id": self.project, "person_id": person, "item_id": item, "task_id": task, "origin": None}
        about |= {"data": {"stage": stage.value}}
        events.append({**about, "kind": "task.claimed", "at": at - timedelta(seconds=6)})
        events.append({**about, "kind": "task.submitted", "at": at})
