"""A project that tries out a schema: made-up items in a home of its own, with waiting tasks in every stage.

The project is built by the same use cases that pages and commands call. So the votes decide the state of each item.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotation_schemas import made_up
from annotation_schemas.ballots import Ballot
from annotation_schemas.formats import FORMATS, new_record
from annotation_schemas.loader import load_text
from annotation_schemas.made_up import Item
from annotation_schemas.model import LoadedSchema
from app.services import Resources
from db import candidate_images
from domain.errors import NotAvailableError
from domain.records import Person, TaskView
from domain.roles import Role
from domain.states import VERIFICATIONS, ItemState, Stage
from media import made_up as drawn
from workflow.access import accounts, memberships, projects
from workflow.annotate import claims, image_pool, progress, qualification, stage_kinds, submissions
from workflow.files.import_files import import_files
from workflow.runs import run_grading

SEED = 1
MOST_DIMENSIONS = 12
"""Number of dimensions that get items; the first ones of a larger schema."""
MOST_RATERS = 9
"""Number of made-up raters. A schema that asks for more raters stays undecided until a person votes."""
PICTURES = 4
"""Number of different pictures of each role in items. Pictures in the pool have higher numbers."""
POOL = 6
"""Images or clips of each role in the pool."""
CODED, GRADED = 2, 3
"""The numbers of the items whose answers are coded, and of those whose answers are refined, graded and compared.

They differ because the page *Refine* shows the key. A person who has seen an item's key there could not settle it.
"""
ROLES = (("lead", Role.LEAD), ("senior", Role.SENIOR), ("annotator", Role.ANNOTATOR))

_SOURCE = re.compile(r"^source:.*\n(?:[ \t#].*\n|\n)*", re.MULTILINE)


@dataclass
class TrialResult:
    """The result of a build."""

    people: Sequence[tuple[Role, Person]]
    """One person for each role."""
    work: Mapping[Stage, int]
    """Number of waiting tasks in each stage, for the person with the most."""
    left_out: list[str] = field(default_factory=list)
    """Sentences about the parts that could not be made up."""


def build(shared: Resources, loaded: LoadedSchema, folder: Path) -> TrialResult:
    """Build the project in an empty database. ``folder`` receives the imported files."""
    return _Builder(shared, _without_source(loaded), folder).build()


def _without_source(loaded: LoadedSchema) -> LoadedSchema:
    """Return the schema without ``source``, because made-up items do not come from a benchmark's own files."""
    text = _SOURCE.sub("", loaded.text) if loaded.schema_.source is not None else loaded.text
    return load_text(text, loaded.guideline_text, loaded.schema_.name)


class _Builder:
    def __init__(self, shared: Resources, loaded: LoadedSchema, folder: Path) -> None:
        self.store, self.media, self.folder = shared.store, shared.media, folder
        self.loaded, self.schema = loaded, loaded.schema_
        self.project = self.schema.name
        self.left_out: list[str] = []
        self.n_keys = 0
        stages = self.schema.stages
        rated = (stages.grading, stages.coding)
        votes = sum(part.raters for part in stages.verifications.values())  # each stage needs other raters
        self.n_raters = min(max([1, votes, *(part.raters for part in rated if part is not None)]), MOST_RATERS)
        self.raters: list[Person] = []
        self.brought: dict[int, list[Item]] = {}

    def build(self) -> TrialResult:
        projects.create_project(self.store, name=self.project, loaded=self.loaded, made_up=True, seed=SEED)
        people = [(role, self._join(login, f"{login.capitalize()} (made up)", role)) for login, role in ROLES]
        self.raters = [
            self._join(f"rater-{number}", f"Rater {number} (made up)", Role.SENIOR)
            for number in range(1, self.n_raters + 1)
        ]
        self._fill_pool()
        self._settle(1, ItemState.IN_ADJUDICATION)
        self._settle(CODED, ItemState.KEPT)
        self._answers_and_codes(CODED)
        self._settle(GRADED, ItemState.KEPT)
        self._model_answers(GRADED)
        for number, stage in enumerate(reversed([*self.schema.stages.verifications][1:]), 6):
            self._settle(number, ItemState.KEPT, before=stage)  # the last stage first: votes go to all waiting items
        for number in (4, 5):
            self._import(number)
        return TrialResult(people, self._work(people), self.left_out)

    def _join(self, login: str, name: str, role: Role) -> Person:
        person = accounts.create_person(self.store, login=login, name=name)
        memberships.set_member(self.store, by=None, project=self.project, login=login, role=role)
        for stage in (*VERIFICATIONS, Stage.GRADING):
            part = getattr(self.schema.stages, stage.value)
            if part is not None and part.qualification is not None:
                why = "This project only previews a schema."
                qualification.exempt(self.store, by=None, project=self.project, login=login, why=why, stage=stage)
        return person

    # ---- media and items --------------------------------------------------------------------------------------------

    def _draw(self, role: str, kind: str, number: int) -> Path | None:
        """Return a file with the role's name drawn in it. None if this machine cannot draw a clip."""
        path = self.folder / f"{role}-{number}.{'png' if kind == 'image' else 'webm'}"
        if path.exists():
            return path
        if kind == "image":
            path.write_bytes(drawn.picture(f"{role} {number}", number))
            return path
        try:
            drawn.clip(path, f"{role} {number}", number)
        except NotAvailableError as error:
            if str(error) not in self.left_out:
                self.left_out.append(str(error))
            return None
        return path

    def _fill_pool(self) -> None:
        if self.schema.stages.authoring is None and self.schema.stages.triage is None:
            return
        for slot in self.schema.item.assets:
            n = POOL if slot.kind == "image" else 2
            files = [
                path
                for path in (self._draw(slot.role, slot.kind, PICTURES + at) for at in range(n))
                if path is not None
            ]
            image_pool.add_to_pool(
                self.store, self.media, by=None, project=self.project, files=[(path.name, path) for path in files]
            )
        if self.schema.stages.triage is None or self.schema.stages.authoring is None:
            return
        self._keep_candidates(POOL // 2)

    def _keep_candidates(self, n: int) -> None:
        """Decide in triage that the first candidates are kept, so that authors have images to pick."""
        person = self.raters[0]
        with self.store.write() as session:
            access, now = projects.access_to(session, person=person, project=self.project), self.store.now()
            for _ in range(n):
                first = candidate_images.first_free(session, project_id=access.project_id, now=now, per_source=None)
                if first is None:
                    return
                ((row, asset),) = candidate_images.lock(
                    session, project_id=access.project_id, asset_ids=[first.asset_id]
                )
                candidate_images.add_to_pool(session, asset=asset, per_source=None)
                candidate_images.decide(
                    session,
                    row=row,
                    person_id=person.id,
                    key=f"made-up-{asset.public_id}",
                    action="kept",
                    schema_version_id=access.schema_version_id,
                    guideline_hash=access.loaded.guideline_hash,
                    now=now,
                )

    def _items(self, number: int) -> list[Item]:
        items = []
        for dimension in self.schema.dimensions[:MOST_DIMENSIONS]:
            item = made_up.item(self.schema, dimension.id, number)
            if item.problems:
                sentence = f"No made-up item fits {dimension.title}: {item.problems[0]}"
                self.left_out += [sentence] if sentence not in self.left_out else []
            else:
                items.append(item)
        return items

    def _import(self, number: int) -> list[Item]:
        """Import the items of this number, one in each dimension."""
        row = FORMATS["jsonl"].keys
        assert row is not None
        items, lines = self._items(number), []
        self.brought[number] = items
        for place, item in enumerate(items):
            places = {}
            for slot, n in made_up.media(self.schema):
                made = [self._draw(slot.role, slot.kind, (place + at) % PICTURES) for at in range(n)]
                places[slot.role] = [path.name for path in made if path is not None]
            lines.append(
                new_record(
                    row,
                    self.schema,
                    item.fields,
                    dimension=item.dimension,
                    id=self._name(item, number),
                    media=places,
                )
            )
        if lines:
            path = self.folder / f"items-{number}.jsonl"
            path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
            import_files(
                self.store,
                self.media,
                by=None,
                project=self.project,
                format="jsonl",
                path=path,
                media_dir=self.folder,
            )
        return items

    @staticmethod
    def _name(item: Item, number: int) -> str:
        return f"{item.dimension}-{number}"

    # ---- votes and answers ------------------------------------------------------------------------------------------

    def _everything(
        self, people: Iterable[Person], stage: Stage, dimension: str | None = None
    ) -> Iterator[tuple[int, Person, TaskView]]:
        """Yield every task of a stage that these people get, with the person and the person's position."""
        for place, person in enumerate(people):
            while True:
                task = claims.next_task(
                    self.store, person=person, project=self.project, stage=stage, dimension=dimension
                )
                if not isinstance(task, TaskView):
                    break
                yield place, person, task

    def _submit(self, person: Person, task: TaskView, ballot: Ballot) -> None:
        self.n_keys += 1
        submissions.submit(
            self.store,
            person=person,
            task=task.id,
            key=f"made-up-{self.n_keys}",
            values=ballot.values,
            reasons=ballot.reasons,
            seconds=20.0,
        )

    def _settle(self, number: int, state: ItemState, *, before: str | None = None) -> None:
        """Make items of this number, with votes that bring them into this state.

        ``before``: the items stop before this stage of verification. Make no items if votes cannot lead to the state.
        """
        parts = self.schema.stages.verifications
        if not parts:
            if state is ItemState.KEPT:
                self._import(number)
            return
        contested = state is ItemState.IN_ADJUDICATION
        first = next(iter(parts.values()))
        if contested and (self.schema.stages.adjudication is None or not first.adjudicates):
            return
        votes = sum(part.raters for part in parts.values())
        if votes > len(self.raters):
            sentence = (
                f"The preview has fewer than {votes} raters, so votes cannot decide on items, and later stages are "
                "empty."
            )
            self.left_out += [sentence] if sentence not in self.left_out else []
            return
        items, free = self._import(number), list(self.raters)
        for name, part in parts.items():
            voters, free = free[: part.raters], free[part.raters :]
            if name == before:
                return
            plans = {item.dimension: made_up.votes(self.schema, item, state, name) for item in items}
            for place, person, task in self._everything(voters, Stage(name)):
                ballots = plans[task.dimension]
                if ballots is None:
                    self.left_out.append(
                        f"No combination of votes gives an item of {task.dimension} the state {state.value}."
                    )
                    return
                self._submit(person, task, ballots[place])
            if contested:  # contested by the votes of the first stage
                return

    def _model_answers(self, number: int) -> None:
        """Add answers of two made-up models to the items of this number, and pass them on to the later stages."""
        stages, store, project = self.schema.stages, self.store, self.project
        if all(stage is None for stage in (stages.refinement, stages.grading, stages.comparison, stages.coding)):
            return
        models = self._models(number)
        rows = [
            {"item": self._name(item, number), "model": model, "text": text}
            for item in self.brought.get(number, ())
            for model, text in zip(models, made_up.model_answers(self.schema, item.fields), strict=True)
        ]
        if not rows:
            return
        path = self.folder / f"answers-{number}.jsonl"
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        import_files(store, self.media, by=None, project=project, format="predictions", path=path)
        if stages.refinement is not None and number == GRADED:
            self._open(Stage.REFINEMENT, models)
        if stages.grading is not None and stages.grading.sample is None and stages.grading.outputs is None:
            run_grading.send_imports(store, by=None, project=project)
        elif stages.grading is not None:
            run_grading.draw_sample(store, by=None, project=project)
        if stages.comparison is not None:
            self._open(Stage.COMPARISON)

    def _open(self, stage: Stage, models: Sequence[str] | None = None) -> None:
        """Open what the schema plans for a stage, unless the stage belongs to a missing extension."""
        try:
            kind = stage_kinds.of(stage)
        except NotAvailableError as error:
            self.left_out.append(str(error))
            return
        kind.open_work(self.store, by=None, project=self.project, models=models)

    def _models(self, number: int) -> tuple[str, str]:
        """Return two models, different for each number of items. Models in the schema come first."""
        stages = self.schema.stages
        sample = stages.grading.sample if stages.grading is not None else None
        named = [*((sample and sample.models) or ()), *((stages.comparison and stages.comparison.models) or ())]
        names = [*dict.fromkeys(named), *(f"imaginary-model-{letter}" for letter in "abcd")]
        first = 0 if number == GRADED else 2
        return names[first], names[first + 1]

    def _answers_and_codes(self, number: int) -> None:
        """Add answers that get coded.

        They have bad grades, if grades decide what is coded. Some have codes that differ.
        """
        coding = self.schema.stages.coding
        if coding is None:
            return
        self._model_answers(number)
        name = coding.of.criterion or ""
        for _, person, task in self._everything(self.raters, Stage.GRADING):
            forms = made_up.forms(self.schema, "grading", self._item_of(task, number), task.answer)
            self._submit(person, task, min(forms, key=lambda form: _worth(form, name)))
        self._open(Stage.CODING)
        first = self.schema.dimensions[0].id
        coders = self.raters[: coding.raters]
        for place, person, task in self._everything(coders, Stage.CODING, first):
            two = made_up.differing(self.schema, "coding", self._item_of(task, number), task.answer)
            self._submit(person, task, two[place % len(two)])

    def _item_of(self, task: TaskView, number: int) -> Item:
        return made_up.item(self.schema, task.dimension, number)

    def _work(self, people: Sequence[tuple[Role, Person]]) -> dict[Stage, int]:
        n_by_stage: dict[Stage, int] = {}
        for _, person in people:
            mine: dict[Stage, int] = {}
            for row in progress.my_work(self.store, person=person):
                mine[row.stage] = mine.get(row.stage, 0) + row.waiting
            for stage, n in mine.items():
                n_by_stage[stage] = max(n_by_stage.get(stage, 0), n)
        return n_by_stage


def _worth(form: Ballot, criterion: str) -> float:
    """Return the value of a grade: the number given to the criterion, or the sum of all numbers."""
    values = [form.values.get(criterion)] if criterion in form.values else list(form.values.values())
    return sum(float(value) for value in values if isinstance(value, int | float))
