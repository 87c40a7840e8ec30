"""How long does it take to write the evidence of a release, and to recompute it: the real size of EgoPlan-Val.

    .venv/bin/python benchmarks/replay.py [--items N] [--keep DIR]

The items are the 3,355 of EgoPlan's validation file, where it lies in ``../shared/data``; else as many made-up ones.
Three simulated people vote on each (10,065 votes), seniors settle some of what is contested, three models answer, two
people grade 300 answers, and a judge's grades of all of them come from a file. Then the evidence is written, recomputed
as it is, and recomputed again with one vote of it flipped.

The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if TYPE_CHECKING:
    from db.engine import Session, Store
    from domain.records import Person

ITEMS, RATERS, GRADED = 3355, 3, 300
MODELS = ("model-a", "model-b", "model-c")
PEOPLE = tuple(f"annotator-{number}" for number in range(8))
SENIOR, GRADERS, JUDGE = "senior", ("grader-1", "grader-2"), "a-judge"
REAL = Path(__file__).resolve().parents[2] / "shared/data/egoplan/EgoPlan_validation.json"
GRADING = """  grading:
    raters: 2
    shows: [task_goal, options, answer]
    criteria: [{name: score, kind: scale, prompt: "How good?", values: [0, 0.5, 1]}]
"""


def schema_text() -> str:
    """EgoPlan's schema with three raters, a senior, and people who grade."""
    from annotation_schemas import shipped

    text = shipped()["egoplan"].read_text(encoding="utf-8")
    text = text.replace("raters: 2\n", "raters: 3\n", 1).replace(
        "adjudication: none", "adjudication: {by: senior, reasons: [{value: wrong_key, label: Wrong}]}", 1
    )
    lines = [line for line in text.splitlines(keepends=True) if "qualification:" not in line]
    return "".join(GRADING if line.startswith("  grading: none") else line for line in lines)


def records(n: int) -> list[dict[str, Any]]:
    """The real questions, or made-up ones."""
    if REAL.is_file():
        found: list[dict[str, Any]] = json.loads(REAL.read_text(encoding="utf-8"))
        return found[:n]
    made = []
    for number in range(n):
        choices = {f"choice_{letter}": f"do {letter} with thing {number % 97}" for letter in "abcd"}
        made.append(
            {"sample_id": number, "video_id": f"V{number % 279}", "task_goal": f"goal {number % 2407}"}
            | {"question": "What next?", "answer": choices["choice_b"], "golden_choice_idx": "b", **choices}
            | {"current_observation_frame": number, "task_progress_metadata": [], "video_source": "made up"}
        )
    return made


# ---- the project -----------------------------------------------------------------------------------------------------


def build(store: Store, home: Path, n: int) -> None:
    """The project ``p``, written in lots, as the engine would store it one by one."""
    from annotation_schemas.loader import load_text
    from domain.roles import Role
    from media.store import MediaStore
    from workflow.access import accounts
    from workflow.access.memberships import set_member
    from workflow.access.projects import create_project
    from workflow.files.import_files import import_files
    from workflow.files.project_check import check

    create_project(store, name="p", loaded=load_text(schema_text(), "Choose what comes next.", "egoplan"))
    path = home / "questions.json"
    path.write_text(json.dumps(records(n)), encoding="utf-8")
    import_files(store, MediaStore(home / "media"), by=None, project="p", format="egoplan", path=path)
    people = {}
    for login in (*PEOPLE, SENIOR, *GRADERS):
        people[login] = accounts.create_person(store, login=login, name=f"{login.title()} of the House")
        role = Role.SENIOR if login == SENIOR else Role.ANNOTATOR
        set_member(store, by=None, project="p", login=login, role=role)
    with store.write() as session:
        _Desk(session, store, people).everything()
    check(store, project="p", rebuild=True)
    with store.write() as session:
        _Desk(session, store, people).settle()
    check(store, project="p", rebuild=True)
    left = check(store, project="p")
    if left:
        raise RuntimeError("\n".join(left[:5]))


class _Desk:
    """What simulated people submit."""

    def __init__(self, session: Session, store: Store, people: dict[str, Person]) -> None:
        from sqlmodel import select

        from db import item_revisions
        from db.tables import ItemRow
        from workflow.access.projects import access_to

        self.session, self.store, self.people = session, store, people
        self.access = access_to(session, person=None, project="p")
        self.project_id = self.access.project_id
        self.content = item_revisions.current_content(session, project_id=self.project_id)
        self.items = {row.id: row for row in session.exec(select(ItemRow))}
        self.dice = random.Random(20260504)

    def everything(self) -> None:
        """Votes, answers, grades, and a judge's ratings out of a file."""
        from db.tables import FileRaterRow, ImportedRatingRow, PredictionRow, RunRow
        from domain.run_kinds import RunKind
        from domain.states import Stage
        from workflow.annotate import grading

        now = self.store.now()
        for task in self._tasks(Stage.VERIFICATION):
            fields = self.content[task.item_id]
            who = PEOPLE[(task.item_id * 3 + task.slot * 2) % len(PEOPLE)]
            self._submit(task, who, *self._vote(fields, who))
        run = RunRow(project_id=self.project_id, kind=RunKind.IMPORT, name="answers", created_at=now)
        self.session.add(run)
        self.session.flush()
        answers = []
        for at, item_id in enumerate(self.content):
            for model in MODELS:
                options = self.content[item_id]["options"]
                text = self.content[item_id]["answer"] if self.dice.random() < 0.5 else self.dice.choice(options)
                common: dict[str, Any] = {
                    "project_id": self.project_id,
                    "item_id": item_id,
                    "run_id": run.id,
                    "created_at": now,
                }
                answers.append((at, PredictionRow(**common, model=model, text=text)))
        self.session.add_all(row for _, row in answers)
        self.session.flush()
        some = [row for at, row in answers if at < GRADED // len(MODELS)]
        graded = [(row.id, row.item_id, self.items[row.item_id].dimension) for row in some]
        grading.open_grading(self.session, access=self.access, predictions=graded, now=now)
        self.session.flush()
        quality = {row.id: self.dice.choice([0, 0.5, 1]) for _, row in answers}
        for task in self._tasks(Stage.GRADING):
            value = quality[task.prediction_id] if self.dice.random() < 0.8 else self.dice.choice([0, 0.5, 1])
            self._submit(task, GRADERS[task.slot % 2], {"score": value}, {})
        self.session.add(FileRaterRow(project_id=self.project_id, name=JUDGE, is_person=False))
        for _, row in answers:
            value = quality[row.id] if self.dice.random() < 0.7 else self.dice.choice([0, 0.5, 1])
            item = self.items[row.item_id]
            self.session.add(
                ImportedRatingRow(
                    project_id=self.project_id, stage=Stage.GRADING, unit=_unit(item.external_id, row.model),
                    rater=JUDGE, criterion="score", value=value, dimension=item.dimension, created_at=now,
                )
            )  # fmt: skip

    def settle(self) -> None:
        """A senior decides about every other contested item."""
        from domain.states import Stage

        for number, task in enumerate(self._tasks(Stage.ADJUDICATION)):
            if number % 2 == 0:
                self._submit(
                    task, SENIOR, {"decision": self.dice.choice(["accept", "reject"]), "cause": "wrong_key"}, {}
                )

    def _vote(self, fields: dict[str, Any], who: str) -> tuple[dict[str, Any], dict[str, Any]]:
        if self.dice.random() < 0.02:
            return {"choice": None}, {"choice": "none_fits"}
        wrong = [each for each in fields["options"] if each != fields["answer"]]
        errs = 0.03 + 0.01 * PEOPLE.index(who)
        return {"choice": self.dice.choice(wrong[:2]) if self.dice.random() < errs else fields["answer"]}, {}

    def _tasks(self, stage: Any) -> Sequence[Any]:
        from sqlmodel import col, select

        from db.tables import TaskRow
        from domain.states import TaskState

        wanted = select(TaskRow).where(TaskRow.stage == stage, TaskRow.state == TaskState.OPEN)
        return self.session.exec(wanted.order_by(col(TaskRow.id))).all()

    def _submit(self, task: Any, who: str, answers: dict[str, Any], reasons: dict[str, Any]) -> None:
        from db.tables import AnnotationRow
        from domain.states import TaskState

        task.state, task.person_id = TaskState.DONE, self.people[who].id
        self.session.add(
            AnnotationRow(
                project_id=self.project_id, task_id=task.id, person_id=self.people[who].id, stage=task.stage,
                dimension=task.dimension, item_id=task.item_id, revision=task.revision or 1,
                prediction_id=task.prediction_id, submit_key=f"k{task.id}", answers=answers, reasons=reasons,
                note="a note in somebody's own words" if task.id % 50 == 0 else "", seconds=7.5,
                schema_version_id=self.access.schema_version_id, schema_hash=self.access.loaded.hash,
                guideline_hash=self.access.loaded.guideline_hash, created_at=self.store.now(),
            )
        )  # fmt: skip


def _unit(item: str, model: str) -> str:
    from domain.rated_units import unit_of

    return unit_of(item, model)


# ---- measuring -------------------------------------------------------------------------------------------------------


def line_of_a_sure_item(root: Path) -> int:
    """A line with a vote on an item of which everyone says the same, so that its verdict moves."""
    rows = [json.loads(line) for line in (root / "evidence/tables/annotation.jsonl").open(encoding="utf-8")]
    said: dict[int, list[Any]] = {}
    for row in rows:
        if row["stage"] == "verification":
            said.setdefault(row["item_id"], []).append(row["answers"]["choice"])
    sure = {item for item, values in said.items() if len(values) == RATERS and len({*values}) == 1 and values[0]}
    places = [at for at, row in enumerate(rows, 1) if row["stage"] == "verification" and row["item_id"] in sure]
    return places[len(places) // 2]


def flip(root: Path, line: int) -> dict[str, Any]:
    """Let the vote on a line of the evidence name another option; the row as it was."""
    path = root / "evidence/tables/annotation.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    was: dict[str, Any] = json.loads(lines[line - 1])
    contents = (root / "evidence/tables/revision.jsonl").read_text(encoding="utf-8").splitlines()
    options = next(row["content"]["options"] for row in map(json.loads, contents) if row["item_id"] == was["item_id"])
    other = next(each for each in options if each != was["answers"]["choice"])
    now = {**was, "answers": {"choice": other}}
    lines[line - 1] = json.dumps(now, ensure_ascii=False, separators=(",", ":")) + "\n"
    path.write_text("".join(lines), encoding="utf-8")
    return was


def timed(what: Callable[[], Any]) -> tuple[tuple[float, float], Any]:
    """Seconds that it takes, on the clock and of a processor, and what comes of it."""
    begun, used = time.perf_counter(), time.process_time()
    found = what()
    return (round(time.perf_counter() - begun, 1), round(time.process_time() - used, 1)), found


def _digests(root: Path) -> dict[str, str]:
    paths = [path for path in root.rglob("*") if path.is_file()]
    return {path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def main() -> None:
    """Build, write, recompute, flip, recompute."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--keep", type=Path, default=None, help="a folder for the release, which stays")
    given = parser.parse_args()
    from db.engine import open_store
    from extensions.replay.recomputation import in_words, replay
    from testkit import passwords, released

    passwords.quicken()
    with tempfile.TemporaryDirectory() as home:
        with closing(open_store(None, Path(home))) as store:
            store.upgrade()
            built, _ = timed(lambda: build(store, Path(home), given.items))
            root = given.keep or Path(home) / "release"
            written, done = timed(lambda: released.release(store, root))
            again, _ = timed(lambda: released.release(store, Path(home) / "again"))
        same = _digests(root) == _digests(Path(home) / "again")
        seconds, found = timed(lambda: replay(root))
        print("\n".join(in_words(found)))
        changed = Path(home) / "changed"
        shutil.copytree(root, changed)
        votes = sum(1 for _ in (root / "evidence/tables/annotation.jsonl").open(encoding="utf-8"))
        was = flip(changed, line_of_a_sure_item(changed))
        flipped, other = timed(lambda: replay(changed))
        print("\n".join(in_words(other)))
    told = {
        "items": given.items,
        "submissions": votes,
        "figures": len(done.figures.told),
        "without": dict(done.figures.without),
        "build_s": built[0],
        "build_cpu_s": built[1],
        "write_s": written[0],
        "write_cpu_s": written[1],
        "write_again_s": again[0],
        "write_again_cpu_s": again[1],
        "same_bytes": same,
        "replay_s": seconds[0],
        "replay_cpu_s": seconds[1],
        "equal": found.ok,
        "flipped_vote": was["id"],
        "flipped_replay_s": flipped[0],
        "flipped_replay_cpu_s": flipped[1],
        "flipped_changed": [each.sentence for each in other.changed],
        "flipped_moved": [vars(each) for each in other.moved],
        "flipped_figures": len(other.differing),
        "evidence_mb": round(sum(path.stat().st_size for path in root.rglob("*")) / 1e6, 1) if given.keep else None,
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
