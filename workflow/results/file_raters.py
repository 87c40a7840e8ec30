"""Imported raters, and which of them count as people.

The decision is stored once for each project and name, and used wherever people are separated from judges. An unmarked
rater counts as a machine. That is the safe choice, because a machine among the people falsifies every figure about
people.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from db import file_raters, files
from db.engine import Session, Store
from domain.errors import InvalidInputError, Problem
from domain.records import Person
from domain.states import RatersAre, Stage
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead


@dataclass(frozen=True)
class FileRater:
    """A rater with imported ratings."""

    name: str
    is_person: bool
    marked: bool = False
    """A lead or the Label Studio file has marked the rater. An unmarked rater counts as a machine."""
    account: bool = False
    """The ratings belong to a person who has rated here under an account with this name."""
    judge: bool = False
    """A judge or a metric that was run here is called so."""
    ratings: Mapping[Stage, int] | None = None

    @property
    def words(self) -> str:
        """Return whether the rater counts as a person or a machine, and why."""
        if self.account:
            return "a person, because an account with this name has rated"
        if self.judge:
            return "a machine, because a judge or metric with this name has run in this project"
        if not self.marked:
            return "a machine, because nobody has marked the rater as a person"
        return "a person" if self.is_person else "a machine"


def raters(session: Session, *, project_id: int) -> list[FileRater]:
    """Return all imported raters of a project, in the order in which they came."""
    counts = file_raters.counts(session, project_id=project_id)
    if not counts:
        return []
    marks = file_raters.marks(session, project_id=project_id)
    accounts = file_raters.accounts(session, project_id=project_id)
    judges = file_raters.judges(session, project_id=project_id)
    return [
        FileRater(
            name,
            is_person=name in accounts or (name not in judges and marks.get(name, False)),
            marked=name in marks,
            account=name in accounts,
            judge=name in judges and name not in accounts,
            ratings=ratings,
        )
        for name, ratings in counts.items()
    ]


def people(session: Session, *, project_id: int) -> frozenset[str]:
    """Return the imported raters of a project who count as people."""
    return frozenset(rater.name for rater in raters(session, project_id=project_id) if rater.is_person)


def pseudonym(number: int) -> str:
    """Return the pseudonym of a person in exported files, from the person's number."""
    return f"person-{number}"


def people_names(session: Session, *, project_id: int) -> dict[int, str]:
    """Return a pseudonym for every person who has submitted work in a project, by person id."""
    return {id: pseudonym(number) for number, id in enumerate(files.annotators(session, project_id=project_id), 1)}


def pseudonyms(session: Session, *, project_id: int, known: Mapping[int, str]) -> dict[str, str]:
    """Return the names of imported raters in files where people have pseudonyms (``known``, by person id).

    A rater with an account of the same name that has rated here gets that account's pseudonym. Other people get the
    next numbers, in the order in which they came. Machines and unmarked raters keep their names, unless the name equals
    a pseudonym.
    """
    accounts = file_raters.accounts(session, project_id=project_id)
    called = {name: known[id] for name, id in accounts.items() if id in known}
    others = [rater for rater in raters(session, project_id=project_id) if rater.name not in called]
    people_ = [other.name for other in others if other.is_person]
    called |= {name: pseudonym(number) for number, name in enumerate(people_, len(known) + 1)}
    taken = {*known.values(), *called.values()}
    return called | {
        other.name: f"{other.name}, from a file" for other in others if other.name in taken - called.keys()
    }


def list_raters(store: Store, *, by: Person | None, project: str) -> list[FileRater]:
    """Return the same as ``raters``, for leads. ``by`` None is a command on the machine itself."""
    with store.read() as session:
        return raters(session, project_id=require_lead(session, by=by, project=project).project_id)


def mark(
    store: Store,
    *,
    by: Person | None,
    project: str,
    people: Sequence[str] = (),
    machines: Sequence[str] = (),
) -> list[FileRater]:
    """Mark imported raters as people or machines, and return all imported raters. A later mark replaces an earlier one.

    Raises
    ------
    InvalidInputError
        A name has no imported ratings, is in both lists, or belongs to an account that has rated here or to a
        judge that was run here.
    """
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        there = {rater.name: rater for rater in raters(session, project_id=access.project_id)}
        problems = [*_misfits(there, people, RatersAre.PEOPLE), *_misfits(there, machines, RatersAre.MACHINES)]
        problems += [
            Problem("raters", f"{name} is marked both as a person and as a machine. Mark each rater only once.")
            for name in people
            if name in machines
        ]
        if problems:
            raise InvalidInputError(problems)
        _keep(session, store, access, by, people=_new(there, people, True), machines=_new(there, machines, False))
        return raters(session, project_id=access.project_id)


def _misfits(there: Mapping[str, FileRater], names: Iterable[str], are: RatersAre) -> Iterable[Problem]:
    for name in names:
        known = there.get(name)
        if known is None:
            names_ = ", ".join(there) or "none"
            sentence = f"This project has no imported ratings by {name!r}. Raters of imported ratings: {names_}."
            yield Problem("raters", sentence)
        elif known.account and are is RatersAre.MACHINES:
            yield Problem(
                "raters",
                f"{name} has rated in this project with an account, so this rater is a person. Mark this rater as a "
                "person.",
            )
        elif known.judge and are is RatersAre.PEOPLE:
            yield Problem(
                "raters",
                f"{name} has run in this project as a judge or metric, so this rater cannot be a person. Mark "
                "this rater as a machine.",
            )


def _new(there: Mapping[str, FileRater], names: Iterable[str], is_person: bool) -> list[str]:
    """Return the names whose mark changes."""
    return [name for name in names if not (there[name].marked and there[name].is_person == is_person)]


def _keep(
    session: Session,
    store: Store,
    access: Access,
    by: Person | None,
    *,
    people: Sequence[str],
    machines: Sequence[str],
) -> None:
    if not people and not machines:
        return
    file_raters.mark(session, project_id=access.project_id, names=people, is_person=True)
    file_raters.mark(session, project_id=access.project_id, names=machines, is_person=False)
    data = {"people": list(people), "machines": list(machines)}
    log(session, file_raters.MARKED, by=by, project=access, now=store.now(), data=data)


def keep_raters(
    session: Session,
    store: Store,
    access: Access,
    *,
    by: Person | None,
    names: Collection[str],
    are: RatersAre | None,
    human: Collection[str] = (),
) -> list[FileRater]:
    """Store whether the raters of an imported file are people or machines, and return these raters.

    With ``are`` None all marks stay, but unmarked raters in ``human`` become people, because the file says so. Raises
    ``InvalidInputError``, and stores nothing, if a mark contradicts an earlier one or names a judge that ran here.
    """
    mine = {rater.name: rater for rater in raters(session, project_id=access.project_id) if rater.name in names}
    if are is None:
        unmarked = [
            name for name, rater in mine.items() if name in human and not (rater.marked or rater.account or rater.judge)
        ]
        _keep(session, store, access, by, people=unmarked, machines=())
    else:
        is_person = are is RatersAre.PEOPLE
        open_ = {name: rater for name, rater in mine.items() if not rater.account}
        problems = list(_misfits(mine, open_, are))
        problems += [
            Problem(
                "raters",
                f"{name} counts as {rater.words} in this project, but the import marks the raters of this file as "
                f"{are.value}. Nothing was imported. Mark the rater first, or rename the rater in the file.",
            )
            for name, rater in open_.items()
            if rater.marked and not rater.judge and rater.is_person != is_person
        ]
        if problems:
            raise InvalidInputError(problems)
        new = _new(mine, open_, is_person)
        _keep(session, store, access, by, people=new if is_person else (), machines=() if is_person else new)
    return [rater for rater in raters(session, project_id=access.project_id) if rater.name in names]


SHOWN = 12
"""The largest number of names in one sentence."""


def in_sentences(found: Sequence[FileRater]) -> list[str]:
    """Return which raters count as people or machines, one sentence for each reason."""
    sentences = []
    people_ = [rater.name for rater in found if rater.is_person and not rater.account]
    machines = [rater.name for rater in found if not rater.is_person and (rater.marked or rater.judge)]
    unsaid = [rater.name for rater in found if not rater.is_person and not rater.marked and not rater.judge]
    accounts = [rater.name for rater in found if rater.account]
    if people_:
        sentences.append(f"Counted as people: {_some(people_)}.")
    if machines:
        sentences.append(f"Counted as {_machine(machines)}: {_some(machines)}.")
    if unsaid:
        why = "this rater as a person" if len(unsaid) == 1 else "them as people"
        sentences.append(f"Counted as {_machine(unsaid)}, because nobody has marked {why}: {_some(unsaid)}.")
    if accounts:
        sentences.append(
            f"Raters with an account: {_some(accounts)}. The imported ratings count as ratings of these accounts. If "
            "an account rated the same unit in this project, only that rating counts."
        )
    return sentences


def _machine(names: Sequence[str]) -> str:
    return "a machine" if len(names) == 1 else "machines"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
