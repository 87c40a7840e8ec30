"""Triage: candidates are kept or dropped by people, at most so many of a source, and nothing is decided twice."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from PIL import Image, ImageFilter
from sqlmodel import col, select

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store
from db.tables import AssetRow, CandidateRow
from domain.errors import ConflictError, InvalidInputError, LeaseLostError, NotAllowedError, NotFoundError
from domain.records import NoTask, Person
from domain.roles import Role
from domain.states import Stage, TriageState
from examples.scenes import scenes
from extensions.image_pool import queries, triage_decisions, triage_report
from extensions.image_pool.triage_records import TriageGroup
from media.perceptual_hash import ALIKE, distance
from media.store import MediaStore
from testkit.factories import Clock, make_person, make_project
from workflow.access.projects import access_to
from workflow.annotate import image_pool, progress
from workflow.annotate.claims import next_task
from workflow.files.project_check import check

pytestmark = pytest.mark.both_databases

EGOTHINK = load_schema(shipped()["egothink"])


def add(store: Store, folder: Path, pictures: Sequence[Image.Image], *, source: str | None = "video") -> None:
    """Candidates from drawn pictures."""
    folder.mkdir(exist_ok=True)
    begin = len(list(folder.glob("*.png")))
    files = []
    for number, picture in enumerate(pictures, start=begin):
        path = folder / f"{number}.png"
        picture.save(path)
        files.append((path.name, path))
    media = MediaStore(folder / "media")
    done = image_pool.add_to_pool(store, media, by=None, project="p", files=files, source_of=lambda _: source)
    assert done.added == len(pictures)


def drawn(*numbers: int) -> list[Image.Image]:
    return [scenes()[number].picture((320, 240)) for number in numbers]


def unlike(n: int) -> list[Image.Image]:
    """Pictures none of which looks like another."""
    return [Image.effect_noise((90, 80), 90).resize((270, 240)).rotate(90 * k) for k in range(n)]


def group(store: Store, person: Person) -> TriageGroup:
    found = triage_decisions.next_group(store, person=person, project="p")
    assert isinstance(found, TriageGroup), found
    return found


def names(found: TriageGroup) -> list[str]:
    return [frame.asset.id for frame in found.frames]


def keep(store: Store, person: Person, frames: Sequence[str], key: str) -> None:
    triage_decisions.decide(store, person=person, project="p", keep=frames, drop={}, key=key)


@pytest.fixture
def ann(store: Store) -> Person:
    make_project(store, loaded=EGOTHINK)
    return make_person(store, "ann")


def free(store: Store, person: Person) -> set[str]:
    return {asset.id for asset in image_pool.pool(store, person=person, project="p").assets}


@pytest.mark.thorough
@pytest.mark.one_database
def test_images_of_a_project_with_triage_are_candidates_and_those_kept_are_in_the_pool(
    store: Store, ann: Person, tmp_path: Path
) -> None:
    add(store, tmp_path / "in", unlike(3))
    assert free(store, ann) == set()
    first = group(store, ann)
    assert first.left == 3
    assert first.frames[0].kept_of_source == 0
    keep(store, ann, names(first), "a")
    assert free(store, ann) == set(names(first))
    second = group(store, ann)
    assert (second.left, second.frames[0].kept_of_source, second.per_source) == (2, 1, 2)
    triage_decisions.decide(store, person=ann, project="p", keep=[], drop={names(second)[0]: "unclear"}, key="b")
    assert free(store, ann) == set(names(first))
    (line,) = [line for line in progress.my_work(store, person=ann) if line.stage is Stage.TRIAGE]
    assert (line.waiting, line.mine_done, line.available) == (1, 2, True)
    assert check(store) == []


@pytest.mark.thorough
def test_what_looks_alike_is_shown_together_and_a_blurred_one_is_marked(
    store: Store, ann: Person, tmp_path: Path
) -> None:
    picture, other = drawn(0)[0], unlike(1)[0].convert("RGB")
    near = picture.resize((300, 226))
    soft = picture.filter(ImageFilter.GaussianBlur(5))
    add(store, tmp_path / "in", [picture, other, near, soft, *unlike(1)])
    found = group(store, ann)
    assert len(found.frames) == 3
    assert [frame.blurred for frame in found.frames] == [False, False, True]
    assert group(store, ann) == found  # it stays in hand
    triage_decisions.decide(store, person=ann, project="p", keep=names(found)[:1], drop={}, key="a")
    assert names(group(store, ann)) == names(found)[1:]


@pytest.mark.thorough
def test_what_is_found_by_parts_of_hashes_is_what_comparing_all_of_them_finds(store: Store, ann: Person) -> None:
    luck = random.Random(7)
    bases = [luck.getrandbits(64) for _ in range(20)]
    hashes = []
    for at in range(400):
        bits = bases[at % len(bases)]
        for place in luck.sample(range(64), k=at % 9):  # up to eight bits away
            bits ^= 1 << place
        hashes.append(bits - (1 << 64) if bits >> 63 else bits)
    with store.write() as session:
        project = access_to(session, person=None, project="p").project_id
        for at, look in enumerate(hashes):
            asset = AssetRow(project_id=project, name=f"{at}.png", kind="image", in_pool=False, created_at=store.now())
            session.add(asset)
            session.flush()
            session.add(CandidateRow(asset_id=asset.id, project_id=project, look=look))
    with store.read() as session:
        rows = session.exec(select(CandidateRow.asset_id, CandidateRow.look)).all()
        found_any = 0
        for look in hashes[:60]:
            near = {id for id, other in rows if other is not None and distance(look, other) <= ALIKE}
            seen = queries.looks(session, project_id=project, look=look, now=store.now(), per_source=None)
            assert near == {id for id, other in seen if distance(look, other) <= ALIKE}
            assert len(seen) < len(rows) / 2
            found_any += len(near) > 1
    assert found_any > 40


@pytest.mark.one_database
def test_two_people_never_have_the_same_frame_in_hand_until_a_lease_ends(
    store: Store, ann: Person, tmp_path: Path
) -> None:
    store.clock = clock = Clock()
    add(store, tmp_path / "in", unlike(2), source=None)
    bob = make_person(store, "bob")
    first, second = group(store, ann), group(store, bob)
    assert not set(names(first)) & set(names(second))
    eve = make_person(store, "eve")
    left = triage_decisions.next_group(store, person=eve, project="p")
    assert isinstance(left, NoTask)
    assert left.code == "waiting_for_others"
    with pytest.raises(LeaseLostError):
        keep(store, bob, names(first), "x")
    clock.advance(minutes=31)
    assert names(group(store, eve)) == names(first)
    with pytest.raises(LeaseLostError):
        keep(store, ann, names(first), "y")
    keep(store, eve, names(first), "z")
    with pytest.raises(ConflictError, match="already decided"):
        keep(store, ann, names(first), "y")


@pytest.mark.one_database
def test_the_same_key_again_changes_nothing_and_another_decision_under_it_is_refused(
    store: Store, ann: Person, tmp_path: Path
) -> None:
    add(store, tmp_path / "in", unlike(2))
    (frame,) = names(group(store, ann))
    for repeated in (False, True, True):
        done = triage_decisions.decide(store, person=ann, project="p", keep=[frame], drop={}, key="k")
        assert (done.kept, done.repeated) == (1, repeated)
    with pytest.raises(ConflictError, match="an earlier, different decision has the same key"):
        triage_decisions.decide(store, person=ann, project="p", keep=[], drop={frame: "unclear"}, key="k")
    assert triage_report.progress(store, by=None, project="p").total.kept == 1


def test_no_more_of_a_source_than_the_schema_allows_and_the_rest_is_not_asked_for(
    store: Store, ann: Person, tmp_path: Path
) -> None:
    add(store, tmp_path / "in", unlike(4))
    with store.read() as session:
        everything = list(session.exec(select(AssetRow.public_id).order_by(col(AssetRow.id))))
    with pytest.raises(ConflictError, match="2 frames of this video are already kept"):
        keep(store, ann, everything[:3], "a")
    assert free(store, ann) == set()  # all or none
    keep(store, ann, everything[:2], "b")
    left = triage_decisions.next_group(store, person=ann, project="p")
    assert isinstance(left, NoTask)
    assert left.code == "all_done"
    found = triage_report.progress(store, by=None, project="p")
    assert (found.total.left, found.total.kept, found.total.surplus) == (0, 2, 2)
    assert triage_decisions.undo(store, person=ann, project="p") is not None
    assert triage_report.progress(store, by=None, project="p").total.left == 4


@pytest.mark.thorough
def test_eight_at_once_keep_frames_of_one_source(store: Store, ann: Person, tmp_path: Path) -> None:
    add(store, tmp_path / "in", unlike(8))
    people = [ann, *(make_person(store, f"p{n}") for n in range(7))]
    groups = [names(group(store, person)) for person in people]
    assert len({frame for each in groups for frame in each}) == 8
    barrier = Barrier(8)

    def run(at: int) -> str:
        barrier.wait()
        try:
            keep(store, people[at], groups[at], "k")
        except ConflictError as refusal:
            return str(refusal)
        return "kept"

    with ThreadPoolExecutor(8) as threads:
        said = Counter(threads.map(run, range(8)))
    assert said["kept"] == 2
    assert len(said) == 2
    assert len(free(store, ann)) == 2
    assert check(store) == []


@pytest.mark.thorough
def test_eight_people_at_once_get_eight_frames(store: Store, ann: Person, tmp_path: Path) -> None:
    add(store, tmp_path / "in", unlike(8), source=None)
    people = [ann, *(make_person(store, f"p{n}") for n in range(7))]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda person: triage_decisions.next_group(store, person=person, project="p"), people))
    shown = [frame for view in found if isinstance(view, TriageGroup) for frame in names(view)]
    assert len(shown) == len(set(shown))


@pytest.mark.one_database
def test_undo_brings_the_frame_back_into_hand_unless_an_item_is_begun(
    store: Store, ann: Person, tmp_path: Path
) -> None:
    add(store, tmp_path / "in", unlike(3))
    assert triage_decisions.undo(store, person=ann, project="p") is None
    first = group(store, ann)
    keep(store, ann, names(first), "a")
    group(store, ann)
    done = triage_decisions.undo(store, person=ann, project="p")
    assert done is not None
    assert (done.kept, done.dropped) == (1, 0)
    assert free(store, ann) == set()
    again = group(store, ann)
    assert names(again) == names(first)
    assert again.token != first.token
    keep(store, ann, names(again), again.token)
    image_pool.pick(store, person=ann, project="p", dimension="existence", assets=names(again))
    with pytest.raises(ConflictError, match="is already writing an item"):
        triage_decisions.undo(store, person=ann, project="p")
    with pytest.raises(ConflictError, match="is already writing an item"):
        triage_decisions.restore(store, by=None, project="p", frames=names(again))
    assert check(store) == []


def test_a_lead_sends_frames_back_to_triage_and_reads_all_decisions(store: Store, ann: Person, tmp_path: Path) -> None:
    add(store, tmp_path / "in", unlike(3))
    lea = make_person(store, "lea", role=Role.LEAD)
    first = group(store, ann)
    triage_decisions.decide(store, person=ann, project="p", keep=[], drop={names(first)[0]: " too dark "}, key="a")
    second = group(store, ann)
    triage_decisions.decide(store, person=ann, project="p", keep=[], drop={names(second)[0]: "unclear"}, key="b")
    assert triage_report.progress(store, by=lea, project="p").total.dropped == {"too dark": 1, "unclear": 1}
    found, n = triage_report.dropped(store, by=lea, project="p")
    assert ([frame.reason for frame in found], n) == (["unclear", "too dark"], 2)
    for words, reasons in (("DARK", ["too dark"]), ("no such", []), ("video", ["unclear", "too dark"]), ("%", [])):
        found, n = triage_report.dropped(store, by=lea, project="p", words=words)
        assert ([frame.reason for frame in found], n) == (reasons, len(reasons)), words
    found, n = triage_report.dropped(store, by=lea, project="p", limit=1)
    assert ([frame.reason for frame in found], n) == (["unclear"], 2)
    assert triage_decisions.restore(store, by=lea, project="p", frames=names(first)) == 1
    found = triage_report.progress(store, by=lea, project="p")
    assert (found.total.left, found.total.dropped) == (2, {"unclear": 1})
    assert dict(found.by_source) == {"video": found.total}
    rows = list(csv.DictReader(io.StringIO(triage_report.as_csv(store, by=lea, project="p"))))
    assert [(row["decision"], row["reason"], row["typed"], row["by"], row["stands"]) for row in rows] == [
        ("dropped", "too dark", "yes", "ann", "no"),
        ("dropped", "unclear", "no", "ann", "yes"),
        ("brought_back", "", "no", "lea", "no"),
    ]


@pytest.mark.one_database
def test_what_was_dropped_needs_a_reason_and_a_frame_of_this_project(store: Store, ann: Person, tmp_path: Path) -> None:
    add(store, tmp_path / "in", unlike(1))
    (frame,) = names(group(store, ann))
    for drop, key in (({frame: " "}, "k"), ({frame: "x" * 201}, "k"), ({}, "k"), ({frame: "unclear"}, "")):
        with pytest.raises(InvalidInputError):
            triage_decisions.decide(store, person=ann, project="p", keep=[], drop=drop, key=key)
    with pytest.raises(InvalidInputError):
        triage_decisions.decide(store, person=ann, project="p", keep=[frame], drop={frame: "unclear"}, key="k")
    with pytest.raises(NotFoundError):
        triage_decisions.decide(store, person=ann, project="p", keep=["nothing"], drop={}, key="k")


def test_who_may_triage_and_who_may_look(store: Store, ann: Person, tmp_path: Path) -> None:
    add(store, tmp_path / "in", unlike(1))
    (frame,) = names(group(store, ann))
    writer = make_person(store, "writer", stages=[Stage.AUTHORING])
    stranger = make_person(store, "stranger", project=None)
    left = triage_decisions.next_group(store, person=writer, project="p")
    assert isinstance(left, NoTask)
    assert left.code == "not_member"
    with pytest.raises(NotAllowedError):
        keep(store, writer, [frame], "k")
    with pytest.raises(NotAllowedError):
        triage_decisions.undo(store, person=writer, project="p")
    with pytest.raises(NotFoundError):
        triage_decisions.next_group(store, person=stranger, project="p")
    for person in (ann, writer):
        with pytest.raises(NotAllowedError):
            triage_report.progress(store, by=person, project="p")
        with pytest.raises(NotAllowedError):
            triage_report.as_csv(store, by=person, project="p")
        with pytest.raises(NotAllowedError):
            triage_decisions.restore(store, by=person, project="p", frames=[frame])
        with pytest.raises(NotAllowedError):
            triage_report.dropped(store, by=person, project="p")
    make_project(store, name="q")
    other = make_person(store, "other", project="q")
    left = triage_decisions.next_group(store, person=other, project="q")
    assert isinstance(left, NoTask)
    assert left.code == "no_stage"
    assert isinstance(next_task(store, person=ann, project="p", stage=Stage.TRIAGE), NoTask)


def test_check_names_frames_kept_beyond_what_the_schema_allows(store: Store, ann: Person, tmp_path: Path) -> None:
    add(store, tmp_path / "in", unlike(3))
    with store.write() as session:
        for row in session.exec(select(CandidateRow)):
            row.state = TriageState.KEPT
    assert check(store) == [
        "p: source video has 3 kept frames, but the schema allows 2.",
        "p: source video is recorded with 0 kept frames, but has 3.",
    ]
