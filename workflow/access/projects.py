"""Projects: create them, find them, and decide who may do what in them."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotation_schemas.model import LoadedSchema, Schema
from db import guidelines, project_facts, projects, task_rules
from db.engine import IntegrityError, Session, Store
from db.project_facts import FactQuery
from db.records import StoredMember, StoredPerson, StoredProject
from domain.errors import (
    AlreadyTakenError,
    ConflictError,
    InvalidInputError,
    NotAllowedError,
    NotFoundError,
    Problem,
    SchemaError,
)
from domain.language import _
from domain.records import Person, ProjectView
from domain.rewording import Rewording
from domain.roles import Role, at_least
from domain.states import Stage
from workflow.access.event_log import log
from workflow.access.project_names import name_problems, title_problems
from workflow.access.stored_schemas import store_schema, with_guideline


@dataclass(frozen=True)
class Access:
    """A project together with a person's rights in it, the first thing that every use case reads."""

    project_id: int
    name: str
    title: str
    made_up: bool
    seed: int
    began: str
    """Creation time, which distinguishes a project from a later one with the same name, seed and row ids."""
    schema_version_id: int
    loaded: LoadedSchema
    """The schema with the current guideline."""
    role: Role
    dimensions: tuple[str, ...] | None
    stages: tuple[Stage, ...] | None
    guideline: int = 1
    """Number of the current guideline version."""
    guideline_seen: int | None = None
    """Guideline version that this person has opened last; None if they have opened none."""
    reading: Rewording = field(default_factory=Rewording)
    """Rules for reading submissions made under earlier schemas of the project."""
    archived: bool = False
    """Whether the project can no longer be changed."""

    @property
    def schema(self) -> Schema:
        """The project's protocol."""
        return self.loaded.schema_

    @property
    def needed_roles(self) -> tuple[str, ...]:
        """Roles whose images or clips an item must have before people can work on it."""
        return self.schema.item.needed_roles

    def may_use(self, dimension: str) -> bool:
        """Return whether the person may work in the dimension."""
        return self.dimensions is None or dimension in self.dimensions

    def may_do(self, stage: Stage) -> bool:
        """Return whether the person may work in the stage and has a sufficient role."""
        return (self.stages is None or stage in self.stages) and at_least(self.role, role_for(self.schema, stage))


def _draw_seed() -> int:
    return secrets.randbelow(2**31)


def create_project(
    store: Store,
    *,
    name: str,
    loaded: LoadedSchema,
    title: str | None = None,
    made_up: bool = False,
    by: Person | None = None,
    seed: int | None = None,
) -> ProjectView:
    """Create a project that follows a schema; schema and guideline are stored with it and never change.

    The command on the machine itself passes ``by=None``. Other callers need the right to create projects
    (``may_create``) and become the project's lead. ``seed`` decides every random order (queues, options, gold); the
    default is random and secret.

    Raises
    ------
    NotAllowedError
        This person may not create projects.
    AlreadyTakenError
        The name is taken.
    """
    if problems := [*name_problems(name), *title_problems(title or loaded.schema_.title)]:
        raise InvalidInputError(problems)
    if by is not None:
        require_creator(store, by)
    try:
        with store.write() as session:
            now = store.now()
            row = projects.add(
                session,
                name=name,
                title=(title or loaded.schema_.title).strip(),
                made_up=made_up,
                schema_version_id=store_schema(session, loaded=loaded, now=store.now()),
                seed=_draw_seed() if seed is None else seed,
                now=now,
            )
            guidelines.add(
                session,
                project_id=row.id,
                number=row.guideline_number,
                hash=loaded.guideline_hash,
                text=loaded.guideline_text,
                now=now,
            )
            if by is not None:
                projects.put_member(session, project_id=row.id, person_id=by.id, role=Role.LEAD)
            data = {"schema": loaded.schema_.name, "version": loaded.schema_.version, "hash": loaded.hash}
            log(session, "project.created", by=by, project=row.id, now=now, data=data)
            return view_of(access_to(session, person=None, project=name))
    except IntegrityError as error:
        raise AlreadyTakenError(f"Another project has the ID {name!r}. Choose another ID.") from error


def may_create(session: Session, person: Person) -> bool:
    """Return whether a person may create projects in the browser: admins, and leads of any project."""
    return person.is_admin or any(
        member.role is Role.LEAD for _, member in projects.of_person(session, person_id=person.id)
    )


def require_creator(store: Store, person: Person) -> None:
    """Raise ``NotAllowedError`` for a person who may not create projects."""
    with store.read() as session:
        if not may_create(session, person):
            raise NotAllowedError(
                "Only admins and project leads can create a project. Ask an admin to create the project and to make "
                "you a lead."
            )


def taken_names(store: Store) -> frozenset[str]:
    """Return the names of all projects, since each name can be used only once."""
    with store.read() as session:
        return frozenset(row.name for row in projects.everything(session))


def projects_of(store: Store, *, person: Person) -> list[ProjectView]:
    """Return the projects that a person is a member of; an admin gets all projects."""
    with store.read() as session:
        if person.is_admin:
            return _readable(session, person, [row.name for row in projects.everything(session)])
        mine = projects.of_person(session, person_id=person.id)
        return _readable(session, person, [row.name for row, _ in mine])


def all_projects(store: Store) -> list[ProjectView]:
    """Return all projects, for the command on the machine itself."""
    with store.read() as session:
        return _readable(session, None, [row.name for row in projects.everything(session)])


def _readable(session: Session, person: Person | None, names: Sequence[str]) -> list[ProjectView]:
    """Return the projects whose schema can be read here; opening another one gives the reason."""
    by_name = {name: access_or_why(session, person=person, project=name) for name in names}
    for name, why in by_name.items():
        if isinstance(why, str) and person is None:  # only for commands; pages are drawn too often to log this
            logging.getLogger(__name__).warning("The project %s is not listed: %s", name, why)
    return [view_of(access) for access in by_name.values() if isinstance(access, Access)]


def access_or_why(session: Session, *, person: Person | None, project: str) -> Access | str:
    """Return ``access_to``, or the reason if the schema needs an extension that is not installed."""
    try:
        return access_to(session, person=person, project=project)
    except SchemaError as error:
        return str(error)


def project(store: Store, *, person: Person, project: str) -> ProjectView:
    """Return a project as this person sees it."""
    with store.read() as session:
        return view_of(access_to(session, person=person, project=project))


def facts(store: Store, *, person: Person, project: str, queries: Sequence[FactQuery]) -> list[Any]:
    """Return what a project has, one value for each query, read by one statement."""
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        return project_facts.read(session, queries, project_id=access.project_id, person_id=person.id, role=access.role)


# ---- for other use cases ---------------------------------------------------------------------------------------------


def access_to(session: Session, *, person: Person | None, project: str) -> Access:
    """Return a person's rights in a project; raise ``NotFoundError`` for non-members, as if it did not exist.

    The command on the machine itself passes ``person=None`` and may do everything.
    """
    standing = projects.standing(session, person_id=person.id if person else None, name=project)
    if standing is None:
        raise _no_project(project, by_command=person is None)
    return _access_of(session, person, *standing)


def access_by_id(session: Session, *, person: Person, project_id: int) -> Access:
    """Return ``access_to`` for a project given by id, from a task or asset."""
    standing = projects.standing(session, person_id=person.id, id=project_id)
    if standing is None:
        raise NotFoundError(_("This project no longer exists. Open My work to see your projects."))
    return _access_of(session, person, *standing)


def require_lead(session: Session, *, by: Person | None, project: str) -> Access:
    """Return a lead's rights; raise ``NotAllowedError`` for other people."""
    access = access_to(session, person=by, project=project)
    if not at_least(access.role, Role.LEAD):
        raise NotAllowedError(_("Only a lead of {project} may do this. Ask a lead.").format(project=repr(project)))
    return access


def lead_alone(session: Session, *, by: Person | None, project: str) -> Access:
    """Return ``require_lead`` and lock the memberships of the project until the transaction ends.

    If the caller waited for another lead's change, their role is read after that change.
    """
    row = projects.by_name(session, name=project)
    if row is not None:
        projects.lock(session, id=row.id)
    return require_lead(session, by=by, project=project)


def keep_a_lead(session: Session, *, project_id: int, without: StoredPerson) -> None:
    """Raise ``ConflictError`` if ``without`` is the last lead of a project; its row must be locked."""
    leads = projects.leads(session, project_id=project_id)
    if without.id in leads and len(leads) == 1:
        name = projects.by_id(session, id=project_id).name
        raise ConflictError(f"{without.name} is the last active lead of {name!r}. Make another person a lead first.")


def role_for(schema: Schema, stage: Stage) -> Role:
    """Return the lowest role that may work in a stage."""
    if stage is Stage.ARBITRATION:
        return Role.SENIOR
    return Role(getattr(getattr(schema.stages, stage.value), "by", Role.ANNOTATOR))


def stages_of(schema: Schema) -> list[Stage]:
    """Return the stages of a schema, in the order in which items pass through them."""
    return [stage for stage in Stage if getattr(schema.stages, stage.value) is not None]


def subset_of_schema(
    access: Access, *, dimensions: Sequence[str] | None, stages: Sequence[Stage] | None
) -> tuple[list[str] | None, list[str] | None]:
    """Return dimensions and stages in the stored form; raise ``InvalidInputError`` for ones that the schema lacks."""
    known_dimensions = [dimension.id for dimension in access.schema.dimensions]
    known_stages = stages_of(access.schema)
    problems = [
        Problem(
            "dimensions", f"The schema has no dimension {unknown!r}. Its dimensions: {', '.join(known_dimensions)}."
        )
        for unknown in dimensions or ()
        if unknown not in known_dimensions
    ] + [
        Problem("stages", f"The schema has no stage {str(unknown)!r}. Its stages: {', '.join(known_stages)}.")
        for unknown in stages or ()
        if unknown not in known_stages
    ]
    if problems:
        raise InvalidInputError(problems)
    return (
        list(dimensions) if dimensions is not None else None,
        [Stage(stage).value for stage in stages] if stages is not None else None,
    )


def _access_of(
    session: Session,
    person: Person | None,
    row: StoredProject,
    member: StoredMember | None,
    schema_hash: str,
    guideline_hash: str,
    seen: int | None,
) -> Access:
    as_lead = Access(
        project_id=row.id,
        name=row.name,
        title=row.title,
        made_up=row.made_up,
        seed=row.seed,
        began=row.created_at.isoformat(),
        schema_version_id=row.schema_version_id,
        loaded=with_guideline(session, row, schema_hash, guideline_hash),
        role=Role.LEAD,
        dimensions=None,
        stages=None,
        guideline=row.guideline_number,
        guideline_seen=seen,
        reading=Rewording.from_json(row.reading),
        archived=row.archived_at is not None,
    )
    task_rules.let_vote_again(session, project_id=row.id, stages=as_lead.schema.stages.again)
    everything = person is None or person.is_admin
    if not everything and member is None:
        raise _no_project(row.name)
    if as_lead.archived and projects.changes_work(session):
        raise ConflictError(archived_words(row.title))
    return as_lead if everything or member is None else as_member(as_lead, member)


def archived_words(title: str) -> str:
    """Return why an archived project cannot be changed."""
    return _(
        "{title} is archived. You can read and export everything, but you cannot change anything. A lead can "
        "restore the project in Settings."
    ).format(title=title)


def as_member(access: Access, member: StoredMember) -> Access:
    """Return the same project with a member's role, dimensions and stages."""
    return replace(
        access,
        role=member.role,
        dimensions=tuple(member.dimensions) if member.dimensions is not None else None,
        stages=tuple(Stage(stage) for stage in member.stages) if member.stages is not None else None,
    )


def view_of(access: Access) -> ProjectView:
    return ProjectView(
        name=access.name,
        title=access.title,
        made_up=access.made_up,
        schema=access.loaded,
        role=access.role,
        dimensions=access.dimensions,
        stages=access.stages,
        archived=access.archived,
    )


def _no_project(name: str, *, by_command: bool = False) -> NotFoundError:
    if by_command:
        return NotFoundError(f"There is no project {name!r}. To see all projects, run `touchstone project list`.")
    return NotFoundError(
        _("You are not a member of a project named {name}. Open My work to see your projects.").format(name=repr(name))
    )
