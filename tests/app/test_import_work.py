"""Files that leads import on their page: looked at, brought in once and by one at a time, broken off, and wrong.

Expected numbers are those of the files that the tests write.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from annotation_schemas.formats import FORMATS, ColumnMapping, offered
from annotation_schemas.loader import load_text
from app.controls import on_page
from app.importing import import_jobs
from app.importing.import_preview import as_changed
from app.importing.result_sentence import imported_sentence
from app.jobs import imports
from app.jobs.imports import ImportOrder, ImportPreview
from app.jobs.kinds import KINDS
from app.releasing.prepared_export import formats_of
from app.services import Services
from db import files, jobs
from db.engine import Store
from domain.errors import ConflictError, InvalidFileError
from domain.jobs import JobState
from domain.records import Person
from domain.roles import Role
from domain.settings import Settings
from importers.recognised import recognised
from media.store import MediaStore
from testkit.factories import make_person
from testkit.missing_extensions import needs, needs_every
from tests.app.screens import drawn
from workflow.access.projects import access_to, create_project, project
from workflow.files import uploads
from workflow.files.columns_used import columns_used, formats_used
from workflow.jobs import desk
from workflow.jobs.kinds import Lane
from workflow.jobs.working import Worker

ASKS = """
name: asks
version: 1
title: Asks
source: {format: csv}
dimensions: [{id: all, title: All, definition: "Everything."}, {id: few, title: Few, definition: "Some."}]
item:
  assets: [{role: image, kind: image}]
  fields: [{name: question, kind: text, title: Question}, {name: answer, kind: text}]
stages:
  verification:
    raters: 2
    criteria: [{name: ok, kind: choice, prompt: "Right?", options: ["yes", "no"]}]
    keep: {rule: unanimous, criterion: ok, value: "yes"}
"""
HEAD = "id,question,answer,dimension,image"
N = 60


def lead(store: Store, home: Path, login: str) -> Services:
    person = make_person(store, login, project="p", role=Role.LEAD)
    return Services(store, MediaStore(home / "media"), Settings(home, ""), person, "csrf")


@pytest.fixture
def ann(store: Store, home: Path) -> Services:
    create_project(store, name="p", loaded=load_text(ASKS, "Be exact.", "asks"))
    return lead(store, home, "ann")


def table(n: int = N, *, say: Mapping[int, str] = {}, head: str = HEAD) -> bytes:
    lines = [f"{at},{say.get(at, f'What is {at}?')},It,{'all' if at % 2 else 'few'},{at}.png" for at in range(n)]
    return "\n".join([head, *lines, ""]).encode()


def uploaded(services: Services, content: bytes, name: str = "asks.csv") -> uploads.Source:
    file = io.BytesIO(content)
    file.name = name
    return uploads.staged(services.settings.home, [file], None)


def order(source: uploads.Source, format: str = "csv", **about: Any) -> ImportOrder:
    return ImportOrder("p", source, {"format": format, **about})


def looked(
    services: Services, content: bytes, name: str = "asks.csv", format: str = "csv", **about: Any
) -> ImportPreview | str:
    """What a look finds, or the sentence of its refusal as the page says it."""
    source = uploaded(services, content, name)
    job = import_jobs.begin_look(services, order(source, format, **about))
    assert not job.is_open
    return on_page(job.refused) if job.refused else job.result


def stands(services: Services) -> list[str]:
    """The names of all items."""
    with services.store.read() as session:
        project_id = access_to(session, person=None, project="p").project_id
        return [name for _, name, _ in files.item_ids(session, project_id=project_id)]


@contextmanager
def under_way(services: Services, wanted: ImportOrder) -> Iterator[None]:
    """An import that another process has taken."""
    about: Any = {"kind": "import", "slot": "import/p", "project": "p", "by": services.person, "input": wanted}
    made = desk.begin(services.store, **about)
    worker = Worker(services.store, services.settings.home, services.settings, KINDS, Lane.TASKS)
    row = worker.take(public_id=made.id)
    assert row is not None
    yield
    with services.store.write() as session:
        jobs.end(
            session,
            id=row.id,
            attempt=row.attempts,
            state=JobState.CANCELED,
            said="",
            result=None,
            now=services.store.now(),
        )


def test_two_presses_count_once_and_two_leads_come_after_each_other(ann: Services, store: Store, home: Path) -> None:
    bob = lead(store, home, "bob")
    first = order(uploaded(ann, table()))
    other = order(uploaded(bob, table(5).replace(b"\n", b"\nx").rstrip(b"x"), "more.csv"))
    with under_way(ann, first):
        job = import_jobs.last_import(ann, "p")
        assert job is not None
        assert job.is_open
        assert import_jobs.begin(ann, first).id == job.id  # pressed again while it goes on
        with pytest.raises(ConflictError, match=r"Ann is already importing asks\.csv into this project"):
            import_jobs.begin(bob, other)
        page = drawn(store, home, "import_", "bob", project="p")
        assert "Ann's import of asks.csv continues even if you leave this page" in page.get("progress")[0].proto.text
        assert page.button(key="import.items.go").disabled
        import_jobs.put_away(bob, job)
        assert import_jobs.last_import(ann, "p") is not None, "no one puts away what goes on"
    assert stands(ann) == []
    for _ in range(2):  # and once more when it is over, as the second of two presses comes late
        done = import_jobs.begin(ann, first)
        assert import_jobs.came_of(ann, done).done.items == N  # type: ignore[union-attr]
    last = import_jobs.begin(bob, other)
    assert len(stands(ann)) == N + 5
    assert not (first.source.folder / "raw").exists(), "what is in is not kept twice"
    import_jobs.put_away(bob, last)
    assert import_jobs.last_import(bob, "p") is None


def test_a_resumed_import_says_that_it_stored_the_rows_itself(ann: Services) -> None:
    import_jobs.begin(ann, order(uploaded(ann, table())))
    about: Any = {"kind": "import", "slot": "import/p", "project": "p", "by": ann.person}
    made = desk.begin(ann.store, **about, input=order(uploaded(ann, table())))
    worker = Worker(ann.store, ann.settings.home, ann.settings, KINDS, Lane.TASKS)
    row = worker.take(public_id=made.id)
    assert row is not None
    with ann.store.write() as session:
        jobs.free(session, id=row.id, attempt=row.attempts)
    worker.work_off()
    done = import_jobs.came_of(ann, made).done
    assert done is not None
    assert imported_sentence(done).endswith(imports.RESUMED)


def test_a_look_says_what_is_new_changed_equal_bad_and_missing(ann: Services, home: Path) -> None:
    import_jobs.begin(ann, order(uploaded(ann, table())))
    changed = table(N + 2, say={3: "Other?", 4: "x <b>y</b> \N{GRINNING FACE}" + "z" * 5_000})
    source = uploaded(ann, changed + b"99,,It,all,9.png\n")
    seen = import_jobs.begin_look(ann, order(source)).result
    assert seen.counts == {"new": 2, "changed": 2, "equal": N - 2, "bad": 1, "found": 0, "missing": N + 2}
    assert seen.refused
    assert seen.new_refused is None
    assert [(each.item, each.part, each.before) for each in seen.differences] == [
        (str(at), "question", f"What is {at}?") for at in (3, 4)
    ]
    assert [(each.row, each.item) for each in seen.bad] == [(N + 3, "99")]
    assert list(seen.missing) == [f"{at}.png" for at in range(imports.NAMED)]
    with (source.folder / imports.MISSING).open(newline="") as file:
        assert [row["file"] for row in csv.DictReader(file)] == [f"{at}.png" for at in range(N + 2)]
    assert len(stands(ann)) == N, "nothing is stored"
    assert seen.beside is None
    beside = looked(ann, table(say={3: "Other?"}), "asks v2.csv")
    assert isinstance(beside, ImportPreview)
    assert beside.beside == (
        f"Rows with the names of items in this project from asks.csv: {N} of {N}, including {N - 1} unchanged. The "
        "import would add these rows again as new items, such as asks v2/0. If this file is a newer version, rename "
        "the file to asks.csv."
    )


def test_two_values_are_cut_where_they_begin_to_differ() -> None:
    long = "word " * 200
    assert as_changed("a", None) == ("a", "nothing")
    before, after = as_changed(long + "end", long + "stop")
    assert before.startswith("…")
    assert (before.endswith("end"), after.endswith("stop")) == (True, True)
    before, after = as_changed(["a", "b"], ["a", "c"])
    assert (before, after) == ('["a", "b"]', '["a", "c"]')


@needs("readers", "ratings")
@needs_every("formats")
def test_each_format_is_recognised_by_what_stands_in_its_file(tmp_path: Path) -> None:
    schema = load_text(ASKS, "Be exact.", "asks").schema_
    task = {"id": 1, "data": {"image": "a.png"}, "annotations": []}
    for name, content, format, why in (
        ("a.csv", table(3).decode(), "csv", "the first rows are valid items"),
        ("a.tsv", table(3).decode().replace(",", "\t"), "csv", "the first rows are valid items"),
        ("b.csv", "unit,rater,criterion,value\n1,ann,ok,yes\n", "ratings", "unit, rater, criterion, value"),
        (
            "a2.csv",
            table(3, head="ID,Question,ANSWER,Dimension,Image file").decode(),
            "csv",
            "the first rows are valid items",
        ),
        (
            "c.csv",
            "Nr,Frage\n1,Was?\n",
            "csv",
            "the file has a table with the columns Nr, Frage; choose a field for each name below",
        ),
        (
            "d.jsonl",
            json.dumps({"id": "1", "question": "Q?", "answer": "It", "dimension": "all"}),
            "jsonl",
            "the first",
        ),
        ("e.jsonl", json.dumps({"item": "1", "model": "m", "text": "t"}), "predictions", "item, model, text"),
        ("f.jsonl", json.dumps({"judge": "j", "item": "1", "text": "t"}), "judgements", "judge, item, text"),
        ("fm.jsonl", json.dumps({"item": "1", "model": "m", "judge": "j", "text": "t"}), "judgements", "judge, item"),
        ("g.jsonl", json.dumps({"item": "1", "tool": "ocr", "result": {}}), "tool_results", "item, tool, result"),
        ("h.json", json.dumps([task]), "label_studio", "data, annotations"),
        ("i.json", json.dumps([{"sample_id": 1, "label": "A"}]), "egoplan_submission", "sample_id, label"),
    ):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        found, said = recognised(
            path, list(FORMATS.values()) if name[0] == "i" else offered(schema, writes=False), schema
        )
        assert (name, found.name) == (name, format)
        assert why in said
    for name, content, sentence in (
        ("a.md", "# Notes", "has an unsupported file type"),
        ("a.json", "", "a.json"),
        ("b.json", '[{"id": 1', "b.json"),
        ("c.csv", "", "c.csv"),
    ):
        (tmp_path / name).write_text(content, encoding="utf-8")
        with pytest.raises(InvalidFileError, match=sentence):
            recognised(tmp_path / name, offered(schema, writes=False), schema)


def test_columns_are_remembered_per_project_and_format(ann: Services, store: Store, home: Path) -> None:
    create_project(store, name="q", loaded=load_text(ASKS, "Be exact.", "asks"))
    german = HEAD.replace("question", "Frage")
    said = ColumnMapping({"question": "Frage"})
    import_jobs.begin(ann, order(uploaded(ann, table(head=german)), said=said))
    columns = german.split(",")

    def used(by: Person | None = ann.person, **which: Any) -> object:
        return columns_used(store, **{"by": by, "project": "p", "format": "csv", "columns": columns, **which})

    assert used() == ("asks.csv", said)
    assert used(format="jsonl") is None
    assert used(columns=HEAD.split(",")) is None
    assert used(None, project="q") is None


def test_an_export_offers_first_the_format_of_the_last_file(ann: Services, store: Store) -> None:
    def first() -> tuple[list[str], str]:
        used = formats_used(store, by=ann.person, project="p")
        return used, formats_of(ann, project(store, person=ann.person, project="p"))[0].name

    assert first() == ([], "csv")  # the schema's own
    import_jobs.begin(ann, order(uploaded(ann, table())))
    assert first() == (["csv"], "csv")
    lines = b'{"id": "n-1", "question": "New?", "answer": "Yes", "dimension": "all", "image": "a.png"}\n'
    import_jobs.begin(ann, order(uploaded(ann, lines, "new.jsonl"), format="jsonl"))
    assert first() == (["jsonl", "csv"], "jsonl")


def book(*sheets: str) -> bytes:
    made, out = Workbook(), io.BytesIO()
    made.remove(made.active)
    for name in sheets:
        made.create_sheet(name).append(HEAD.split(","))
        made[name].append(["1", "Q?", "It", "all", "a.png"])
    made.save(out)
    return out.getvalue()


def test_a_small_zip_of_a_large_file_is_left_to_another_process(ann: Services) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("asks.csv", table(60_000))
    assert len(content.getvalue()) < imports.HERE
    assert not order(uploaded(ann, content.getvalue(), "asks.zip")).is_small
    assert order(uploaded(ann, table())).is_small


@needs("sheet_readers", ".xlsx")
def test_what_is_wrong_with_a_file_is_said_in_a_sentence(ann: Services) -> None:
    cut = table()[:-30]
    for name, content, format, sentence in (
        ("a.csv", b"", "csv", "a.csv"),
        ("b.csv", table(3).replace(b"What", "Wäs".encode("latin-1")), "csv", "UTF-8"),
        ("c.csv", cut[: cut.rindex(b",")], "csv", "cells"),
        ("d.json", b'[{"id": "1", "question"', "jsonl", "the file ends in the middle of this record"),
        ("e.csv", b"PK\x03\x04" + bytes(50), "csv", "zip"),
        ("f.csv", b"<!DOCTYPE html><html>Sign in</html>", "csv", "is a web page (HTML), perhaps a sign-in page"),
        ("g.xlsx", book("one")[:200], "csv", "g.xlsx"),
        ("../h.csv", table(3), "csv", "'../h.csv' is not allowed"),
        ("i.csv", table(3).replace(b"id,", b"question,"), "csv", "question"),
        ("j.csv", table(3).replace(b"2,What", b"1,What"), "csv", "1"),
    ):
        found = looked(ann, content, name, format)
        told = found if isinstance(found, str) else "; ".join(each.reason for each in found.bad)
        assert sentence in told, (name, told)
        assert str(ann.settings.home) not in told
    odd = '=1+1 <b>a</b> "q" \N{GRINNING FACE}.csv'
    for name, content in ((odd, table(3, say={1: "z" * 200_000})), ("k.xlsx", book("one"))):
        fine = looked(ann, content, name)
        assert isinstance(fine, ImportPreview)
        assert fine.counts["bad"] == 0
    more = looked(ann, book("one", "two"), "l.xlsx")
    assert isinstance(more, ImportPreview)
    assert (more.counts["new"], more.note) == (1, "l.xlsx: Touchstone reads only the sheet 'one', not 'two'.")
