"""Small worlds for tests: a schema, a project, people and items. A test names only what matters to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from db import projects
from db.engine import Store
from db.tables import AssetRow, PredictionRow, RunRow
from domain.records import Person, TaskView
from domain.roles import Role
from domain.run_kinds import RunKind
from domain.runs import Attempt, RunPlan, RunState
from domain.states import Stage
from inference.spec import ModelSpec
from workflow.access import accounts
from workflow.access.memberships import set_member
from workflow.access.projects import access_to, create_project
from workflow.annotate import answer_readings, authoring, claims, grading, submissions

BLIND = """
name: blind
version: 1
title: A blind test
dimensions:
  - {id: colour, title: Colour, definition: "A colour.", wanted: 4}
  - {id: shape, title: Shape, definition: "A shape."}
item:
  assets: [{role: image, kind: image}]
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list, length: 2}
    - {name: answer, kind: option_of, field: options, secret_in: [verification]}
    - {name: origin, kind: text, required: false, authored: false, secret_in: [verification, adjudication, grading]}
stages:
  authoring: {per_source: PER_SOURCE}
  verification:
    raters: RATERS
    criteria:
      - {name: choice, kind: option_of, field: options, prompt: "Which one?",
         skip: {label: Skip, reasons: [{value: unclear, label: Unclear}]}}
    keep: {rule: unanimous_and_key, criterion: choice, key: answer}
  adjudication: ADJUDICATION
  grading:
    raters: 2
    shows: [question, answer]
    criteria: [{name: score, kind: scale, prompt: "How good?", values: [0, 0.5, 1]}]
"""
"""Two dimensions, a key that verifiers must not see, k raters, adjudication or none, two graders."""

SETTLING = '{by: senior, edit: true, reasons: [{value: wrong_key, label: "Wrong key"}]}'

UNVERIFIED = """
name: plain
version: 1
title: Written only
dimensions: [{id: colour, title: Colour, definition: "A colour."}]
item:
  assets: [{role: image, kind: image}]
  fields: [{name: question, kind: text}]
stages:
  authoring: {}
"""


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **passed: float) -> None:
        """Let time pass; keywords as for ``timedelta``."""
        self.now += timedelta(**passed)


@cache
def make_schema(*, raters: int = 2, adjudication: bool = True, per_source: int = 2) -> LoadedSchema:
    """The blind schema, with the numbers that a test cares about."""
    text = BLIND.replace("RATERS", str(raters)).replace("PER_SOURCE", str(per_source))
    return load_text(text.replace("ADJUDICATION", SETTLING if adjudication else "none"), "Be exact.", "blind")


def floored(*floors: str, version: int = 1) -> LoadedSchema:
    """The blind schema with floors of agreement, each in YAML."""
    text = BLIND.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    text = text.replace("version: 1", f"version: {version}")
    listed = "".join(f"\n    - {{{each}}}" for each in floors)
    return load_text(f"{text}export:\n  floors:{listed or ' []'}\n", "", "blind.yaml")


def make_project(store: Store, *, name: str = "p", loaded: LoadedSchema | None = None) -> str:
    """A project; its name."""
    return create_project(store, name=name, loaded=loaded or make_schema()).name


def make_person(
    store: Store,
    login: str,
    *,
    project: str | None = "p",
    role: Role = Role.ANNOTATOR,
    dimensions: Sequence[str] | None = None,
    stages: Sequence[Stage] | None = None,
) -> Person:
    """Someone with an account, and a part in a project."""
    person = accounts.create_person(store, login=login, name=login.title())
    if project is not None:
        set_member(store, by=None, project=project, login=login, role=role, dimensions=dimensions, stages=stages)
    return person


def make_people(store: Store, *logins: str, **part: Any) -> list[Person]:
    """Several people with the same part."""
    return [make_person(store, login, **part) for login in logins]


def make_fields(n: int = 1, **fields: Any) -> dict[str, Any]:
    """What an item of the blind schema holds."""
    return {"question": f"Question {n}?", "options": ["red", "blue"], "answer": "red", **fields}


def make_items(
    store: Store,
    n: int = 1,
    *,
    project: str = "p",
    dimension: str = "colour",
    author_id: int | None = None,
    fields: Mapping[str, Any] | None = None,
) -> list[int]:
    """Items as an import brings them in; their ids."""
    with store.write() as session:
        access = access_to(session, person=None, project=project)
        have = len(_ids(store, project))
        new = [
            authoring.NewItem(
                external_id=f"{dimension}/{have + at}",
                dimension=dimension,
                fields=fields or make_fields(have + at, origin=f"origin-{have + at}"),
                author_id=author_id,
            )
            for at in range(n)
        ]
        return authoring.add_items(session, access=access, new=new, now=store.now())


def make_pool(store: Store, n: int, *, project: str = "p", source: str | None = None, **asset: Any) -> list[str]:
    """Free images, known by one hash of which there is no file; their public ids."""
    from db import assets

    known = {"sha256": "0" * 64, "kind": "image", "mime": "image/png", "bytes": 1, "width": 64, "height": 48}
    asset = {"sha256": known["sha256"], **asset}
    with store.write() as session:
        assets.put_media(session, row={**known, "duration": None, "created_at": store.now()})
        row = projects.by_name(session, name=project)
        assert row is not None
        assert row.id is not None
        source_id = assets.source_id(session, project_id=row.id, name=source) if source else None
        made = [
            AssetRow(
                project_id=row.id,
                name=f"{source}-{at}.png",
                kind="image",
                in_pool=True,
                source_id=source_id,
                created_at=store.now(),
                **asset,
            )
            for at in range(n)
        ]
        session.add_all(made)
        session.flush()
        return [asset.public_id for asset in made]


def make_predictions(
    store: Store,
    item_ids: Sequence[int],
    *,
    models: Sequence[str],
    project: str = "p",
    dimension: str = "colour",
    kind: RunKind = RunKind.IMPORT,
) -> None:
    """Answers of models to items, with their slots for grading."""
    with store.write() as session:
        access = access_to(session, person=None, project=project)
        run = RunRow(project_id=access.project_id, kind=kind, name="answers", created_at=store.now())
        session.add(run)
        session.flush()
        rows = [
            PredictionRow(
                project_id=access.project_id,
                item_id=item_id,
                run_id=run.id,
                model=model,
                text=f"Answer {number} of {item_id}",
                created_at=store.now(),
            )
            for item_id in item_ids
            for number, model in enumerate(models)
        ]
        session.add_all(rows)
        session.flush()
        made = [(row.id, row.item_id, dimension) for row in rows]
        grading.open_grading(session, access=access, predictions=made, now=store.now())


def make_run(
    store: Store,
    attempts: Sequence[Attempt],
    *,
    project: str = "p",
    name: str = "little-model",
    wanted: int | None = None,
    state: RunState = RunState.RUNNING,
    spec: ModelSpec | None = None,
    plan: RunPlan | None = None,
    worker: str = "machine/1",
    about: Mapping[str, Any] | None = None,
) -> str:
    """A run of a model in which a worker has made these attempts; its public id."""
    from db import run_attempts, run_chunks

    spec = spec or ModelSpec(name=name, adapter="chat", model="folder")
    now = store.now()
    with store.write() as session:
        access = access_to(session, person=None, project=project)
        units = list(dict.fromkeys(attempt.unit_id for attempt in attempts))
        row = RunRow(
            project_id=access.project_id,
            kind=RunKind.MODEL,
            name=name,
            params={"spec": spec.dump(), "plan": (plan or RunPlan()).dump()},
            state=state,
            spec_hash=spec.hash,
            wanted=len(units) if wanted is None else wanted,
            created_at=now,
        )
        session.add(row)
        session.flush()
        run_id = row.id
        run_chunks.add_chunks(session, run_id=run_id, chunks=[units])
        worker_id = run_chunks.add_worker(session, run_id=run_id, name=worker, about=about or {}, now=now)
        chunk = run_chunks.claim(session, run_id=run_id, worker_id=worker_id, now=now, until=now + timedelta(minutes=1))
        assert chunk is not None
        assert chunk.id is not None
        written = run_attempts.append(
            session,
            run_id=run_id,
            chunk_id=chunk.id,
            worker_id=worker_id,
            attempts=attempts,
            item_ids={attempt.unit_id: attempt.unit_id for attempt in attempts},
            now=now,
        )
        assert written is not None
        answer_readings.keep_attempts(session, run=row, attempts=attempts, now=now)
        return row.public_id


def claimed(store: Store, person: Person, stage: Stage = Stage.VERIFICATION, **where: Any) -> TaskView:
    """The next task of a person, of which there must be one."""
    view = claims.next_task(store, person=person, project=where.pop("project", "p"), stage=stage, **where)
    assert isinstance(view, TaskView), view
    return view


def vote(store: Store, person: Person, choice: str | None = "red", **where: Any) -> TaskView:
    """Claim the next item and vote on it."""
    view = claimed(store, person, **where)
    reasons = {"choice": "unclear"} if choice is None else {}
    submissions.submit(
        store, person=person, task=view.id, key=f"vote-{view.id}", values={"choice": choice}, reasons=reasons
    )
    return view


def _ids(store: Store, project: str) -> list[int]:
    from db import items

    with store.read() as session:
        row = projects.by_name(session, name=project)
        assert row is not None
        assert row.id is not None
        return [item.id for item in items.of_project(session, project_id=row.id)]
