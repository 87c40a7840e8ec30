"""The rows of a project that prove its figures, without the identity of any person.

They are the tables of an archive (``db.carried``), so that the same import reads them. Tables that prove no figure are
left out, with the reason. In the others some columns are empty, and people are numbers with a pseudonym. A test fails
if a table is in neither list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from sqlalchemy import select, union
from sqlmodel import Session

from db import project_rows
from db.attributes import DESCRIBED, LABELLED
from db.carried import CARRIED, RowId
from db.survey import Ids, Row, foreign
from db.tables import metadata
from domain.addresses import place_of
from domain.rated_units import BETWEEN
from domain.states import Purpose

LEFT_OUT: Mapping[str, str] = {
    "aside": "postponed items, which do not affect any figure",
    "bridge": "the address and settings of another server",
    "bridge_answer": "raw replies from another server; replies that count are stored as submissions",
    "bridge_person": "email addresses",
    "bridge_project": "content from another server",
    "bridge_task": "tasks sent to another server; returned tasks are stored as submissions",
    "candidate": "images that are waiting for triage",
    "cause_answer": "the conclusions that leads wrote about adjudication reasons",
    "comment": "conversations between people",
    "comment_for": "recipients of comments",
    "draft": "texts that were not submitted",
    "entry_budget": "limits on how often teams may submit answers",
    "gold": "known answers, which must stay secret",
    "gold_pardon": "people whom gold checks stopped",
    "guideline_seen": "when each person opened the guideline",
    "import_file": "imported files, with all their other content",
    "insight": "people who have seen other people's votes",
    "member": "members and their roles",
    "pick": "images that someone is writing about",
    "qualification": "people's results in qualification tests",
    "qualification_review": "reviews of qualification tests",
    "qualification_set": "questions of tests",
    "release": "other releases",
    "release_about": "descriptions of releases",
    "release_item": "content of other releases",
    "run_batch": "files sent to another server",
    "run_batch_problem": "another server's errors about received files",
    "run_batch_unit": "content of files sent to another server",
    "schedule": "deadlines",
    "sift_decision": "images that no item uses",
    "tool_result": "results of tools that models called; the evidence includes the models' answers",
    "withdrawal": "items withdrawn from other releases",
    "walk": "each person's position in their order of items",
}
"""Tables of a project that are not evidence, and why."""

_DETAIL = frozenset({"raw", "raw_characters", "written", "rendered", "transcript", "probe"})
"""The keys of an attempt's detail that are left out: what a server sent around the reply."""
_PARAMS = ("spec", "plan", "folder", "schema", "file", "metric", "sha256")
"""The parameters of a run that are kept: they say which model or judge was asked, and how."""
WITHHELD = "withheld"


@dataclass(frozen=True)
class EvidenceRule:
    """The rules for showing the rows of a table."""

    instead: Mapping[str, Any] = field(default_factory=dict)
    """Values that replace the stored values, by column."""
    notes: tuple[str, ...] = ()
    """Columns of free text, which are empty unless notes are requested."""
    changed: Callable[[Row], None] | None = None
    only: Callable[[Row], bool] | None = None


def _attempt(row: Row) -> None:
    row["error"] = WITHHELD if row["error"] else ""
    row["detail"] = {name: value for name, value in (row["detail"] or {}).items() if name not in _DETAIL}


def _worker(row: Row) -> None:
    row["name"] = f"worker-{row['id']}"


def _annotation(row: Row) -> None:
    row["submit_key"] = f"s{row['id']}"


def _live(row: Row) -> bool:
    return bool(row["purpose"] not in (Purpose.GOLD.value, Purpose.QUALIFICATION.value))


def _of_item(row: Row) -> bool:
    return row["item_id"] is not None


EVIDENCE: Mapping[str, EvidenceRule] = {
    "annotation": EvidenceRule(notes=("note",), changed=_annotation, only=_live),
    "asset": EvidenceRule({"in_pool": False, "group_name": None}),
    "attempt": EvidenceRule({"request_id": None}, changed=_attempt),
    "event": EvidenceRule({"person_id": None, "task_id": None, "origin": None}),
    "exposure": EvidenceRule({"asset_id": None}, only=_of_item),
    "exposure_shape": EvidenceRule(),
    "file_rater": EvidenceRule(),
    "guideline_version": EvidenceRule(notes=("why",)),
    "imported_rating": EvidenceRule(),
    "item": EvidenceRule({"file_id": None, "position": None, "fragment_lead": None, "fragment_raw": None}),
    "item_asset": EvidenceRule(),
    "judge_template": EvidenceRule({"origin": ""}),
    "judge_unit": EvidenceRule(),
    "judgement": EvidenceRule(),
    "media_object": EvidenceRule(),
    "person": EvidenceRule(),
    "prediction": EvidenceRule(),
    "project": EvidenceRule({"archived_at": None}),
    "reading": EvidenceRule(),
    "revision": EvidenceRule(),
    "run": EvidenceRule({"said": ""}, notes=("withdrawn_why",)),
    "run_chunk": EvidenceRule({"lease_until": None}),
    "run_worker": EvidenceRule({"about": {}}, changed=_worker),
    "schema_change": EvidenceRule(),
    "schema_version": EvidenceRule(),
    "source": EvidenceRule(),
    "task": EvidenceRule({"lease_until": None}, only=_live),
}
"""Tables that are evidence, and the rules for showing their rows."""


class EvidenceRows:
    """The rows of a project as evidence.

    Parameters
    ----------
    names
        The pseudonym of everyone who may occur, by person id.
    raters
        The pseudonyms of imported raters who are people.
    events
        The kinds of events that figures rest on.
    last
        The time of the project's last event.
    items
        The items (ids) to include; other items and the rows about them are left out. None: all items.
    notes
        Whether to include free text that people wrote outside their answers.
    """

    def __init__(
        self,
        session: Session,
        *,
        project_id: int,
        names: Mapping[int, str],
        raters: Mapping[str, str],
        events: frozenset[str],
        last: datetime,
        items: frozenset[int] | None = None,
        notes: bool = False,
    ) -> None:
        self.session, self.project_id, self.last = session, project_id, last
        self.raters, self.events, self.items, self.notes = raters, events | {DESCRIBED, LABELLED}, items, notes
        self._names = names
        self.numbers = {id: number for number, id in enumerate(sorted(people(session, project_id=project_id)), 1)}
        """The number of each person, by id: in the order of their accounts, which is the order that statistics use."""
        self._assets, self._media, self._sources = self._shown_media()
        self._tasks = Ids()
        self._servers: dict[str, str] = {}
        self._paths: dict[str, str] = {}
        self._external: dict[str, int] = {}

    def rows(self, table: str) -> Iterator[Row]:
        """Yield the rows of a table, in the order of its key."""
        if table in LEFT_OUT:
            return
        shown = EVIDENCE[table]
        about: dict[str, Any] = {"project_id": self.project_id, "table": table, "last": self.last}
        kinds = self.events if table == "event" else None  # most events come from pages and prove nothing
        for row in project_rows.rows(self.session, **about, kinds=kinds):
            if (shown.only is not None and not shown.only(row)) or not self._takes(table, row):
                continue
            row.update(shown.instead)
            if not self.notes:
                row.update(dict.fromkeys(shown.notes, ""))
            if shown.changed is not None:
                shown.changed(row)
            self._without_people(table, row)
            if table == "run":
                row["params"] = self._params(row["params"] or {})
            yield row

    def _takes(self, table: str, row: Row) -> bool:
        if table == "item" and self.items is not None:
            self._external[row["external_id"]] = row["id"]
            return row["id"] in self.items
        if table == "asset":
            return row["id"] in self._assets
        if table == "media_object":
            return row["sha256"] in self._media
        if table == "source":
            return row["id"] in self._sources
        if table == "person":
            return row["id"] in self.numbers
        if table == "imported_rating" and self.items is not None:
            unit = row["unit"]
            item = self._external.get(unit, self._external.get(unit.rpartition(BETWEEN)[0]))
            return item in self.items
        if table == "task":
            self._tasks.add(row["id"])
        if table == "exposure":  # gold and qualification tasks are left out, with their exposures
            there = row["task_id"] is None or row["task_id"] in self._tasks
            return there and (self.items is None or row["item_id"] in self.items)
        if table == "event":
            return self._said(row)
        return True

    def _said(self, row: Row) -> bool:
        """Keep only the labels of items that are shown. Return whether the event is shown."""
        if row["kind"] == LABELLED and self.items is not None:
            values = (row["data"] or {}).get("said") or {}
            kept = {name: value for name, value in values.items() if self._external.get(name) in self.items}
            row["data"] = {**row["data"], "said": kept}
        return self.items is None or row["item_id"] is None or row["item_id"] in self.items

    def _without_people(self, table: str, row: Row) -> None:
        for column in person_columns(table):
            row[column] = self.numbers.get(row[column])
        if table == "person":
            row["login"] = row["name"] = self._names[row["id"]]
            row["id"] = self.numbers[row["id"]]
        elif table == "imported_rating":
            row["rater"] = self.raters.get(row["rater"], row["rater"])
        elif table == "file_rater":
            row["name"] = self.raters.get(row["name"], row["name"])

    def _params(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a run, with servers numbered and with only the last name of files and folders."""
        made = {name: params[name] for name in _PARAMS if name in params}
        if isinstance(made.get("file"), str):
            made["file"] = last_name(made["file"])
        spec = made.get("spec")
        if not isinstance(spec, Mapping):
            return made
        spec = dict(spec)
        if isinstance(spec.get("model"), str) and PurePosixPath(spec["model"]).is_absolute():
            spec["model"] = self._called(spec["model"])
        endpoint = spec.get("endpoint")
        if isinstance(endpoint, Mapping):
            address = place_of(str(endpoint.get("base_url", "")))  # another port means the same model
            number = self._servers.setdefault(address, f"https://server-{len(self._servers) + 1}.invalid/v1")
            spec["endpoint"] = {**endpoint, "base_url": number, **({"key": None} if "key" in endpoint else {})}
        return {**made, "spec": spec}

    def _called(self, path: str) -> str:
        """Return the last name of a path. Another path with the same name is another model, so it gets a number."""
        if path not in self._paths:
            name = last_name(path)
            n = sum(last_name(other) == name for other in self._paths)
            self._paths[path] = f"{name}-{n + 1}" if n else name
        return self._paths[path]

    def _shown_media(self) -> tuple[set[int], set[str], set[int]]:
        """Return the media of shown items: ids of assets, hashes of files, and ids of sources."""
        link, asset, item = (metadata.tables[name] for name in ("item_asset", "asset", "item"))
        wanted = (
            select(link.c.item_id, asset.c.id, asset.c.sha256, asset.c.source_id)
            .join(asset, asset.c.id == link.c.asset_id)
            .join(item, item.c.id == link.c.item_id)
            .where(item.c.project_id == self.project_id)
        )
        assets: set[int] = set()
        media: set[str] = set()
        sources: set[int] = set()
        for item_id, id, sha256, source in self.session.connection().execute(wanted):
            if self.items is None or item_id in self.items:
                assets.add(id)
                media |= {sha256} if sha256 else set()
                sources |= {source} if source else set()
        return assets, media, sources


def last_name(path: str) -> str:
    """Return the last part of a path of any operating system."""
    return PureWindowsPath(path).name or WITHHELD


@cache
def person_columns(table: str) -> Sequence[str]:
    """Return the columns of a table that hold ids of people. Slots of gold checks also hold them, and are left out."""
    keyed = [name for name, there in foreign(table) if there == "person"]
    return keyed + [name for name, held in CARRIED[table].ids.items() if held == RowId("person")]


def people(session: Session, *, project_id: int) -> set[int]:
    """Return the ids of everyone whom the evidence of a project names."""
    wanted = []
    for name in EVIDENCE:
        of = metadata.tables[name]
        for column in person_columns(name):
            if column in EVIDENCE[name].instead:
                continue
            there = select(of.c[column]).where(of.c[column].is_not(None), project_rows.mine(of, project_id))
            wanted.append(there.where(of.c.purpose.in_(_COUNTED)) if "purpose" in of.c else there)
    return {int(id) for id in session.connection().scalars(union(*wanted))}


_COUNTED = tuple(purpose for purpose in Purpose if purpose not in (Purpose.GOLD, Purpose.QUALIFICATION))
