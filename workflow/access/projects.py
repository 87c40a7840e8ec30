"""Projects: making them, finding them, and who may do what in them."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from annotation_schemas.model import LoadedSchema, Schema
from db import guidelines, people, projects, task_rules
from db.engine import IntegrityError, Session, Store
from db.records import StoredMember, StoredPerson, StoredProject
from domain.errors import AlreadyTaken, Conflict, InvalidInput, NotAllowed, NotFound, Problem
from domain.records import Membership, Part, Person, ProjectView
from domain.rewording import Reading
from domain.roles import Role, at_least
from domain.states import Stage
from workflow.access.event_log import log

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Access:
    """A project, and what someone may do in it: what every use case asks for first."""

    project_id: int
    name: str
    title: str
    made_up: bool
    seed: int
    began: str
    """When it was made: tells it from one that takes its place, with the same name, seed and numbers of rows."""
    schema_version_id: int
    loaded: LoadedSchema
    """The schema, with the guideline that is in force."""
    role: Role
    dimensions: tuple[str, ...] | None
    stages: tuple[Stage, ...] | None
    guideline: int = 1
    """The version of the guideline that is in force."""
    guideline_seen: int | None = None
    """The version that this person has opened last; None if they have opened none."""
    reading: Reading = field(default_factory=Reading)
    """How what was given under earlier schemas of the project is read."""

    @property
    def schema(self) -> Schema:
        """The project's protocol."""
        return self.loaded.schema_

    @property
    def needed_roles(self) -> tuple[str, ...]:
        """The roles whose images or clips an item waits for."""
        return self.schema.item.needed_roles

    def may_use(self, dimension: str) -> bool:
        """Whether the dimension is one of this person's."""
        return self.dimensions is None or dimension in self.dimensions

    def may_do(self, stage: Stage) -> bool:
        """Whether the stage is one of this person's, and their role is enough for it."""
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
    """Make a project that follows a schema. The schema and its guideline are stored with it and never change.

    ``by`` None is the command on the machine itself; otherwise it takes an admin, who becomes the project's lead.
    ``seed`` decides every order that is drawn (queues, options, gold); by itself no one can know it.
    """
    if problems := name_problems(name):
        raise InvalidInput(problems)
    if by is not None and not by.is_admin:
        raise NotAllowed("Only an admin makes projects; ask one, or use `touchstone project create` on the machine.")
    try:
        with store.write() as session:
            now = store.now()
            row = projects.add(
                session,
                name=name,
                title=title or loaded.schema_.title,
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
        raise AlreadyTaken(f"There is a project named {name!r} already; choose another name.") from error


def name_problems(name: str) -> list[Problem]:
    """What is wrong with a name for a project; empty if it may be one."""
    told = "Name it with up to 64 letters, digits, dots, dashes, underscores."
    return [] if _NAME.fullmatch(name) else [Problem("name", told)]


def projects_of(store: Store, *, person: Person) -> list[ProjectView]:
    """The projects that a person is a member of; an admin sees all of them."""
    with store.read() as session:
        if person.is_admin:
            return [
                view_of(access_to(session, person=person, project=row.name)) for row in projects.everything(session)
            ]
        mine = projects.of_person(session, person_id=person.id)
        return [view_of(access_to(session, person=person, project=row.name)) for row, _ in mine]


def all_projects(store: Store) -> list[ProjectView]:
    """All projects, for the command on the machine itself."""
    with store.read() as session:
        return [view_of(access_to(session, person=None, project=row.name)) for row in projects.everything(session)]


def project(store: Store, *, person: Person, project: str) -> ProjectView:
    """One project, as this person sees it."""
    with store.read() as session:
        return view_of(access_to(session, person=person, project=project))


def members(store: Store, *, person: Person | None, project: str, active: bool = True) -> list[Membership]:
    """Everyone in a project, for its leads; those whose accounts are deactivated only if asked for."""
    with store.read() as session:
        access = require_lead(session, by=person, project=project)
        return [
            Membership(
                person=Person(id=row.id, login=row.login, name=row.name, is_admin=row.is_admin),
                role=member.role,
                dimensions=tuple(member.dimensions) if member.dimensions is not None else None,
                stages=tuple(Stage(stage) for stage in member.stages) if member.stages is not None else None,
            )
            for member, row in projects.members(session, project_id=access.project_id, active=active)
        ]


def set_member(
    store: Store,
    *,
    by: Person | None,
    project: str,
    login: str,
    role: Role,
    dimensions: Sequence[str] | None = None,
    stages: Sequence[Stage] | None = None,
) -> Membership:
    """Let a person into a project, or change their role there. None for dimensions or stages means all of them.

    Raises
    ------
    Conflict
        It is the last active lead of the project, who would be one no more.
    """
    with store.write() as session:
        access = lead_alone(session, by=by, project=project)
        part = Part(login, role, dimensions, stages)
        return put_part(session, access, part, by=by, now=store.now())


def remove_member(store: Store, *, by: Person | None, project: str, login: str) -> None:
    """Take a person out of a project. What they submitted stays.

    Raises
    ------
    Conflict
        It is the last active lead of the project.
    """
    with store.write() as session:
        access = lead_alone(session, by=by, project=project)
        take_out(session, access, login, by=by, now=store.now())


# ---- what the other use cases ask ------------------------------------------------------------------------------------


def put_part(session: Session, access: Access, part: Part, *, by: Person | None, now: datetime) -> Membership:
    """Give someone a part in a project whose row is locked (``lead_alone``). Raises as ``set_member``."""
    dimensions, stages = subset_of_schema(access, dimensions=part.dimensions, stages=part.stages)
    row = people.by_login(session, login=part.login.strip().casefold())
    if row is None:
        raise NotFound(
            f"There is no account with the login {part.login!r}. Make it with `touchstone people add`, "
            "or send its owner an invitation."
        )
    if part.role is not Role.LEAD:
        keep_a_lead(session, project_id=access.project_id, without=row)
    projects.put_member(
        session, project_id=access.project_id, person_id=row.id, role=part.role, dimensions=dimensions, stages=stages
    )
    data = {"login": row.login, "role": part.role.value, "dimensions": dimensions, "stages": stages}
    log(session, "member.set", by=by, project=access, now=now, data=data)
    return Membership(
        person=Person(id=row.id, login=row.login, name=row.name, is_admin=row.is_admin),
        role=part.role,
        dimensions=tuple(dimensions) if dimensions is not None else None,
        stages=tuple(Stage(stage) for stage in stages) if stages is not None else None,
    )


def take_out(session: Session, access: Access, login: str, *, by: Person | None, now: datetime) -> None:
    """Take someone out of a project whose row is locked. Raises as ``remove_member``."""
    row = people.by_login(session, login=login.strip().casefold())
    member = projects.member(session, project_id=access.project_id, person_id=row.id) if row else None
    if row is None or member is None:
        raise NotFound(f"{login!r} is not in the project {access.name!r}.")
    keep_a_lead(session, project_id=access.project_id, without=row)
    projects.remove_member(session, row=member)
    log(session, "member.removed", by=by, project=access, now=now, data={"login": row.login})


def access_to(session: Session, *, person: Person | None, project: str) -> Access:
    """What a person may do in a project; ``NotFound`` for people who are not in it, as if it did not exist.

    ``person`` None is the command on the machine itself, which may do everything.
    """
    found = projects.standing(session, person_id=person.id if person else None, name=project)
    if found is None:
        raise _no_project(project, by_command=person is None)
    return _access_of(session, person, *found)


def access_by_id(session: Session, *, person: Person, project_id: int) -> Access:
    """As ``access_to``, for a project that a task or asset names."""
    found = projects.standing(session, person_id=person.id, id=project_id)
    if found is None:
        raise NotFound("There is no such project any more; look at My work for yours.")
    return _access_of(session, person, *found)


def require_lead(session: Session, *, by: Person | None, project: str) -> Access:
    """What a lead may do; ``NotAllowed`` for others."""
    access = access_to(session, person=by, project=project)
    if not at_least(access.role, Role.LEAD):
        raise NotAllowed(f"Only a lead of {project!r} may do this; ask one of them.")
    return access


def lead_alone(session: Session, *, by: Person | None, project: str) -> Access:
    """As ``require_lead``, with no one else changing who takes part until the transaction ends.

    The role of someone who waited for another lead's change is read after that change.
    """
    row = projects.by_name(session, name=project)
    if row is not None:
        projects.lock(session, id=row.id)
    return require_lead(session, by=by, project=project)


def keep_a_lead(session: Session, *, project_id: int, without: StoredPerson) -> None:
    """Refuse (``Conflict``) to leave a project that ``without`` leads to no one; its row must be locked."""
    leads = projects.leads(session, project_id=project_id)
    if without.id in leads and len(leads) == 1:
        name = projects.by_id(session, id=project_id).name
        raise Conflict(f"{without.name} is the last active lead of {name!r}; make someone else one first.")


def role_for(schema: Schema, stage: Stage) -> Role:
    """The least role that works in a stage."""
    if stage is Stage.ARBITRATION:
        return Role.SENIOR
    return Role(getattr(getattr(schema.stages, stage.value), "by", Role.ANNOTATOR))


def stages_of(schema: Schema) -> list[Stage]:
    """The stages that a schema has, in the order in which items pass through them."""
    return [stage for stage in Stage if getattr(schema.stages, stage.value) is not None]


def subset_of_schema(
    access: Access, *, dimensions: Sequence[str] | None, stages: Sequence[Stage] | None
) -> tuple[list[str] | None, list[str] | None]:
    """Dimensions and stages in a form to store; ``InvalidInput`` if the schema has no such ones."""
    known_dimensions = [dimension.id for dimension in access.schema.dimensions]
    known_stages = stages_of(access.schema)
    problems = [
        Problem("dimensions", f"The schema has no dimension {unknown!r}; it has {', '.join(known_dimensions)}.")
        for unknown in dimensions or ()
        if unknown not in known_dimensions
    ] + [
        Problem("stages", f"The schema has no stage {str(unknown)!r}; it has {', '.join(known_stages)}.")
        for unknown in stages or ()
        if unknown not in known_stages
    ]
    if problems:
        raise InvalidInput(problems)
    return (
        list(dimensions) if dimensions is not None else None,
        [Stage(stage).value for stage in stages] if stages is not None else None,
    )


def stored_schema(session: Session, *, id: int) -> LoadedSchema:
    """A schema as it was stored. Its hash is the stored one, whatever defaults the grammar has gained since."""
    from annotation_schemas.loader import load_text

    row = projects.schema_version(session, id=id)
    if row.hash not in _known_schemas:
        loaded = load_text(row.text, row.guideline_text, row.name)
        told = {"hash": row.hash, "guideline_hash": row.guideline_hash}
        _known_schemas[row.hash] = loaded.model_copy(update=told)
    return _known_schemas[row.hash]


_known_schemas: dict[str, LoadedSchema] = {}
"""Stored schemas by hash. A stored schema never changes, so what was read once is never read again."""


def store_schema(session: Session, *, loaded: LoadedSchema, now: datetime) -> int:
    """Keep a schema as it is; its id, which is the same for the same schema."""
    projects.put_schema_version(
        session,
        row={
            "name": loaded.schema_.name,
            "version": loaded.schema_.version,
            "hash": loaded.hash,
            "guideline_hash": loaded.guideline_hash,
            "text": loaded.text,
            "guideline_text": loaded.guideline_text,
            "created_at": now,
        },
    )
    row = projects.schema_version_by_hash(session, hash=loaded.hash)
    if row is None:
        raise ValueError("a stored schema has an id")
    return row.id


def _with_guideline(session: Session, row: StoredProject, schema_hash: str, guideline_hash: str) -> LoadedSchema:
    """The project's schema with the guideline that is in force; its own hash stays that of the schema as stored."""
    loaded = _known_schemas.get(schema_hash) or stored_schema(session, id=row.schema_version_id)
    if loaded.guideline_hash == guideline_hash:
        return loaded
    if (schema_hash, guideline_hash) not in _known_guidelines:
        text = guidelines.text_of(session, project_id=row.id, number=row.guideline_number)
        told = {"guideline_text": text, "guideline_hash": guideline_hash}
        _known_guidelines[schema_hash, guideline_hash] = loaded.model_copy(update=told)
    return _known_guidelines[schema_hash, guideline_hash]


_known_guidelines: dict[tuple[str, str], LoadedSchema] = {}
"""Schemas with later guidelines, by both hashes; neither ever changes."""


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
        loaded=_with_guideline(session, row, schema_hash, guideline_hash),
        role=Role.LEAD,
        dimensions=None,
        stages=None,
        guideline=row.guideline_number,
        guideline_seen=seen,
        reading=Reading.from_json(row.reading),
    )
    task_rules.let_vote_again(session, project_id=row.id, stages=as_lead.schema.stages.again)
    if person is None or person.is_admin:
        return as_lead
    if member is None:
        raise _no_project(row.name)
    return as_member(as_lead, member)


def as_member(access: Access, member: StoredMember) -> Access:
    """The same project with the part that a member has in it."""
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
    )


def _no_project(name: str, *, by_command: bool = False) -> NotFound:
    if by_command:
        return NotFound(f"There is no project {name!r}; touchstone project list says which there are.")
    return NotFound(f"There is no project {name!r} that you are a member of; look at My work for yours.")
