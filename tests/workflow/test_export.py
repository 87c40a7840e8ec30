"""What leaves a project: everything as it is now, or chosen items."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema, load_text
from annotation_schemas.model import LoadedSchema
from db.engine import Store
from domain.errors import InvalidFileError, NotAllowedError, NotFoundError
from domain.roles import Role
from exporters.manifest import manifest
from media.store import MediaStore
from testkit import missing_media
from testkit.factories import Clock, claimed, make_people, make_person, make_pool
from testkit.kept_items import gates_of, kept_ids, votes_on_kept
from testkit.missing_extensions import needs
from testkit.qualification import needs_qualification
from testkit.samples import egoplan_record, egothink_record, write
from tests.paths import shared
from workflow.access.projects import create_project
from workflow.annotate import image_pool, submissions
from workflow.annotate.authoring import edit_item
from workflow.files.export import export, exported
from workflow.files.import_files import import_files
from workflow.files.project_check import remarks

pytestmark = pytest.mark.thorough


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


def project(store: Store, schema: str | LoadedSchema) -> None:
    create_project(store, name="p", loaded=load_schema(shipped()[schema]) if isinstance(schema, str) else schema)


def bring(store: Store, media: MediaStore, format: str, path: Path) -> None:
    import_files(store, media, by=None, project="p", format=format, path=path)
    missing_media.fill(store, media)


def out(store: Store, format: str, path: Path, **options: Any) -> list[str]:
    done = export(store, by=None, project="p", format=format, out=path, **options)
    return [file.relative_to(path if path.is_dir() else path.parent).as_posix() for file in done.files]


def vote(store: Store, login: str, choice: str, *, of: str) -> None:
    """The person's vote on the item whose question or goal is ``of``."""
    from domain.records import Person
    from workflow.access import accounts
    from workflow.annotate import claims

    person: Person = accounts.find_person(store, login=login)
    _let_in(store, login)
    while True:
        view = claimed(store, person)
        if of in view.fields.values():
            break
        claims.release(store, person=person, task=view.id)
    submissions.submit(store, person=person, task=view.id, key=view.id, values={"choice": choice})


def _let_in(store: Store, login: str) -> None:
    """No one here qualifies by a set: these projects have hardly any items."""
    from workflow.access import projects
    from workflow.annotate import qualification

    asked = projects.all_projects(store)[0].schema.schema_.stages.verification
    if asked is not None and asked.qualification is not None:
        qualification.exempt(store, by=None, project="p", login=login, why="A test.")


# ---- as it stands ---------------------------------------------------------------------------------------------------


def test_a_file_gives_a_file_and_a_folder_a_folder(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egothink")
    one = write(tmp_path / "in/Activity/annotations.json", [egothink_record(0)])
    two = write(tmp_path / "in/Forecast/annotations.json", [egothink_record(1)], indent=None)
    bring(store, media, "egothink", tmp_path / "in")
    assert out(store, "egothink", tmp_path / "out") == ["Activity/annotations.json", "Forecast/annotations.json"]
    assert (tmp_path / "out/Activity/annotations.json").read_bytes() == one.read_bytes()
    assert (tmp_path / "out/Forecast/annotations.json").read_bytes() == two.read_bytes()
    assert out(store, "egothink", tmp_path / "out") == ["Activity/annotations.json", "Forecast/annotations.json"]
    (tmp_path / "out/mine.txt").write_text("keep me")
    with pytest.raises(InvalidFileError, match=r"not part of this export \(mine\.txt\)"):
        out(store, "egothink", tmp_path / "out")
    with pytest.raises(InvalidFileError, match="is a file"):
        out(store, "egothink", two)


def test_one_edited_item_differs_and_nothing_else(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egoplan")
    records = [egoplan_record(n) for n in range(3)]
    bring(store, media, "egoplan", write(tmp_path / "val.json", records, indent="\t"))
    edit_item(store, person=None, project="p", item="1", fields={"task_goal": "Décor", "answer": "fold napkin"})
    out(store, "egoplan", tmp_path / "new.json")
    records[1].update(task_goal="Décor", answer="fold napkin", golden_choice_idx="C")
    assert (tmp_path / "new.json").read_bytes() == json.dumps(records, indent="\t").encode()


def test_what_was_written_in_the_browser_joins_the_file_of_its_dimension(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    project(store, "egothink")
    known = [egothink_record(0)]
    bring(store, media, "egothink", write(tmp_path / "Activity/annotations.json", known, indent=2))
    (first,) = make_pool(store, 1, source="kitchen")
    (second,) = make_pool(store, 1, source="garden")
    ann = make_person(store, "ann")
    for asset, dimension in ((first, "activity"), (second, "counting")):
        view = image_pool.pick(store, person=ann, project="p", dimension=dimension, assets=[asset])
        values = {"question": f"What of {dimension}?", "answer": "Ja."}
        submissions.submit(store, person=ann, task=view.id, key=dimension, values=values)
    new = [
        {"source_dataset": name, "image_path": [f"{name}-0.png"], "question": f"What of {dimension}?", "answer": "Ja."}
        for name, dimension in (("kitchen", "activity"), ("garden", "counting"))
    ]
    assert dict(exported(store, by=None, project="p", format="egothink").files) == {
        "annotations.json": json.dumps([*known, new[0]], indent=2).encode(),
        "Reasoning/counting/annotations.json": json.dumps([new[1]], indent=4).encode(),
    }


def test_exports_are_for_leads_and_for_formats_that_fit(store: Store, tmp_path: Path) -> None:
    project(store, "egothink")
    ann, eve = make_person(store, "ann"), make_person(store, "eve", project=None)
    for person, error in ((ann, NotAllowedError), (eve, NotFoundError)):
        with pytest.raises(error):
            export(store, by=person, project="p", format="egothink", out=tmp_path / "x")
    with pytest.raises(InvalidFileError, match="cannot export EgoThink as pca_bench"):
        export(store, by=None, project="p", format="pca_bench", out=tmp_path / "x")
    assert not (tmp_path / "x").exists()
    lead = make_person(store, "lea", role=Role.LEAD)
    assert export(store, by=lead, project="p", format="egothink", out=tmp_path / "x").files == []


# ---- chosen items --------------------------------------------------------------------------------------------------


def verified(store: Store, media: MediaStore, tmp_path: Path) -> list[dict[str, Any]]:
    """Three items, two verifiers: the first item is kept, the second dropped, the third waits."""
    records = [egoplan_record(n, task_goal=f"Goal {n}") for n in range(3)]
    bring(store, media, "egoplan", write(tmp_path / "val.json", records, indent=None))
    make_people(store, "ann", "bob")
    vote(store, "ann", "take cup", of="Goal 0")
    vote(store, "bob", "take cup", of="Goal 0")
    vote(store, "ann", "take plate", of="Goal 1")
    vote(store, "bob", "take cup", of="Goal 1")
    vote(store, "ann", "take cup", of="Goal 2")
    return records


@needs("formats", "hf_dataset")
@needs_qualification
def test_chosen_items_alone_are_never_taken_for_the_whole(store: Store, media: MediaStore, tmp_path: Path) -> None:
    store.clock = Clock()
    project(store, "egoplan")
    records = verified(store, media, tmp_path)
    whole, part = tmp_path / "whole", tmp_path / "part"
    whole.mkdir()
    assert out(store, "egoplan", whole) == ["val.json"]
    (whole / "manifest.json").write_bytes(manifest({"project": "p"}, {"val.json": b""}))  # as of an earlier version
    part.mkdir()
    only = {"only": ("2", "0", "2")}
    name = "val.chosen-2-of-3.json"
    assert out(store, "egoplan", part, **only) == [name, "manifest.json"]
    assert json.loads((part / name).read_bytes()) == [records[0], records[2]], "as they stand, in the order of the file"
    told = json.loads((part / "manifest.json").read_bytes())
    says = "Partial export: 2 of the project's 3 items, selected for this export."
    sizes = {"written": 2, "of": 3, "chosen": 2, "chosen_and_not_written": []}
    assert list(told.items())[1] == ("restricted", {"says": says, **sizes})
    assert [(item["id"], item["file"], item["position"], item["state"]) for item in told["items"]] == [
        ("0", name, 0, "kept"),
        ("2", name, 1, "in_verification"),
    ]
    assert (told["verified"], told["counts"]["items"], told["counts"]["kept"]) == (False, 2, 1)
    assert not {"gates", "votes", "policy"} & set(told), "what is of the whole project, or may still change"

    tasks = exported(store, by=None, project="p", format="label_studio", only=("1",)).files
    assert [each["data"]["item_id"] for each in json.loads(tasks["label_studio.chosen-1-of-3.json"])] == ["1"]

    for place, options, why in [
        (tmp_path / "x", {"only": ("0", "<b>", "9")}, "does not have these items: <b>, 9. Nothing was written"),
        (whole / "part.json", only, "already describes an export of all of the items. Choose another folder"),
        (part / "other.json", only, f"also describes {name}, which is not part of this export"),
    ]:
        with pytest.raises(InvalidFileError, match=re.escape(why)):
            out(store, "egoplan", place, **options)
    with pytest.raises(InvalidFileError, match="Export ratings without choosing items"):
        out(store, "ratings", tmp_path / "r.csv", **only)
    assert not any((tmp_path / name).exists() for name in ("x", "whole/part.json", "part/other.json"))

    for other in ("whole", "again", "folder"):
        create_project(store, name=other, loaded=load_schema(shipped()["egoplan"]))
    for other, path, note in (
        ("whole", whole / "val.json", False),
        ("again", part / name, True),
        ("folder", part, True),
    ):
        done = import_files(store, media, by=None, project=other, format="egoplan", path=path, new_only=True)
        assert (says in (done.note or "")) is note
    assert remarks(store, project="p") == []
    assert remarks(store, project="again") == [f"again: items were imported from {name}: {says}"]
    assert remarks(store, project="folder") == [f"folder: items were imported from part: {says}"]


@needs_qualification
def test_the_same_state_gives_the_same_bytes(store: Store, media: MediaStore, tmp_path: Path) -> None:
    store.clock = clock = Clock()
    project(store, "egoplan")
    verified(store, media, tmp_path)

    def kept() -> dict[str, bytes]:
        return dict(exported(store, by=None, project="p", format="egoplan", only=kept_ids(store)).files)

    clock.advance(days=1)
    first = kept()
    clock.advance(days=2)
    assert kept() == first
    vote(store, "bob", "take cup", of="Goal 2")
    later = kept()
    assert json.loads(later["manifest.json"])["date"] == "2026-05-07T09:00:00+00:00"
    assert len(json.loads(later["val.chosen-2-of-3.json"])) == 2


@needs_qualification
def test_private_answers_are_in_no_public_file(store: Store, media: MediaStore, tmp_path: Path) -> None:
    path = shipped()["egoplan"]
    text = path.read_text().replace("export:\n", "export:\n  public_without: [answer]\n")
    project(store, load_text(text, "The guideline.", "egoplan"))
    verified(store, media, tmp_path)
    public = exported(store, by=None, project="p", format="egoplan", public=True, only=("0",)).files
    expected = json.dumps([egoplan_record(0, test=True, task_goal="Goal 0")]).encode()
    assert public["val.chosen-1-of-3.json"] == expected
    assert json.loads(public["manifest.json"])["left_out"] == ["answer"]
    whole = exported(store, by=None, project="p", format="egoplan", public=True).files
    assert json.loads(whole["val.json"]) == [egoplan_record(n, test=True, task_goal=f"Goal {n}") for n in range(3)]
    private = exported(store, by=None, project="p", format="egoplan", only=("0",)).files
    assert json.loads(private["val.chosen-1-of-3.json"])[0]["golden_choice_idx"] == "B"
    assert json.loads(private["manifest.json"])["left_out"] == []
    as_it_stands = exported(store, by=None, project="p", format="egoplan").files
    assert as_it_stands["val.json"] == (tmp_path / "val.json").read_bytes()


@needs_qualification
def test_a_manifest_goes_next_to_a_single_file_and_over_no_other(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    project(store, "egoplan")
    verified(store, media, tmp_path)
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "manifest.json").write_text('{"name": "an app"}')
    with pytest.raises(InvalidFileError, match="not a Touchstone manifest"):
        out(store, "egoplan", folder / "kept.json", only=("0",))
    (folder / "manifest.json").unlink()
    assert out(store, "egoplan", folder / "kept.json", only=("0",)) == ["kept.json", "manifest.json"]
    said = json.loads((folder / "manifest.json").read_bytes())
    assert [file["path"] for file in said["files"]] == ["kept.json"]
    assert [item["file"] for item in said["items"]] == ["kept.json"]


# ---- real files -----------------------------------------------------------------------------------------------------

REAL = [
    ("egothink", ("egothink", "data")),
    ("egoplan", ("egoplan", "EgoPlan_validation.json")),
    ("pca_bench", ("pca_bench",)),
]


@pytest.mark.parametrize(("format", "place"), REAL)
def test_published_files_go_through_the_database_unchanged(
    store: Store, media: MediaStore, tmp_path: Path, format: str, place: tuple[str, ...]
) -> None:
    root = shared("data", *place)
    project(store, format)
    bring(store, media, format, root)
    target = tmp_path / ("out.json" if root.is_file() else "out")
    written = out(store, format, target)
    if root.is_file():
        assert target.read_bytes() == root.read_bytes()
        return
    assert set(written) == {path.relative_to(root).as_posix() for path in root.rglob("*.json")}
    for path in written:
        assert (target / path).read_bytes() == (root / path).read_bytes()


@pytest.mark.parametrize(
    ("format", "place", "key", "wrong"),
    [
        ("egoplan", ("egoplan", "EgoPlan_validation.json"), lambda record: record["answer"], "choice_a"),
        (
            "pca_bench",
            ("pca_bench", "Domestic-Robot-test_open-meta.json"),
            lambda record: record["actions"][record["answer_index"]],
            "actions",
        ),
    ],
)
def test_published_items_are_kept_if_two_people_find_their_key(
    store: Store, media: MediaStore, tmp_path: Path, format: str, place: tuple[str, ...], key: Any, wrong: str
) -> None:
    records = json.loads(shared("data", *place).read_bytes())[2:4]
    project(store, format)
    bring(store, media, format, write(tmp_path / "two.json", records))
    make_people(store, "ann", "bob")
    for record, login, choice in [
        (records[0], "ann", key(records[0])),
        (records[0], "bob", key(records[0])),
        (records[1], "ann", key(records[1])),
        (records[1], "bob", record_wrong(records[1], wrong)),
    ]:
        vote(store, login, choice, of=record["question"])
    kept = kept_ids(store)
    released = exported(store, by=None, project="p", format=format, file_name="two.json", only=kept)
    assert json.loads(released.files["two.json"]) == records[:1]
    assert votes_on_kept(store) == {kept[0]: [{"choice": key(records[0])}] * 2}
    gates = gates_of(store)
    assert (gates["kept"], gates["rejected"]) == (1, 1)


def record_wrong(record: dict[str, Any], name: str) -> str:
    """An option of the record that is not its key."""
    options = record[name] if name == "actions" else [record[f"choice_{letter}"] for letter in "abcd"]
    answer = record["answer"] if "answer" in record else options[record["answer_index"]]
    return next(option for option in options if option != answer)


@needs_qualification
def test_ratings_leave_with_pseudonyms(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store, "egoplan")
    verified(store, media, tmp_path)
    text = exported(store, by=None, project="p", format="ratings").files["ratings.csv"].decode()
    assert text.splitlines() == [
        "unit,rater,criterion,value,dimension",
        "0,person-1,choice,take cup,next_action",
        "0,person-2,choice,take cup,next_action",
        "1,person-1,choice,take plate,next_action",
        "1,person-2,choice,take cup,next_action",
        "2,person-1,choice,take cup,next_action",
    ]
