"""The pages Drafting and Pipelines tell leads of proposals: looked at before they come in, counted, compared by arm."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from db.engine import Store
from domain.jobs import JobState
from domain.roles import Role
from extensions.drafting.proposal_run import PROPOSALS
from extensions.drafting.tests import test_proposal_import
from extensions.drafting.tests.test_arm_report import study
from testkit.factories import make_fields, make_person, make_pool, make_project
from testkit.missing_extensions import needs
from tests.app.screens import drawn, part, rows, words
from tests.workflow import test_benchmark_judges
from workflow.jobs import desk

pytestmark = pytest.mark.thorough

MODEL = "drafter-9"


def proposals(images: list[str], **head: Any) -> bytes:
    """A file with a proposal for each of these images, and one for an image that is not here."""
    made = [
        {"image": f"{n}.png", "asset": asset, "sha256": ["0" * 64], "dimension": "colour", "fields": make_fields(n)}
        for n, asset in enumerate(images)
    ]
    made.append({**made[0], "image": "lost.png", "asset": "nowhere"})
    return json.dumps({"project": "p", "model": MODEL, "proposals": made, **head}).encode()


def made_of(file: bytes, **changed: Any) -> bytes:
    """What stands beside it: of twelve images two were not asked about, five have a proposal, one was declined."""
    told = {
        "made_by": "touchstone drafting",
        "project": "p",
        "settings": {"model": {"name": MODEL, "endpoint": {"price": {"currency": "EUR"}}}},
        "counts": {
            "images": 12, "images not asked about: beyond --limit": 2, "proposals": 5, "images declined": 1,
            "images without": 4, "requests": 21, "tokens_in": 900, "tokens_out": 90, "cost": 0.25,
        },
        "failures": [{"kind": "the reply is not JSON", "replies": 12, "images": ["w1.png"]}],
        "left_out": [
            {"image": "wall.png", "why": "declined", "said": ["It shows a wall."]},
            *({"image": f"w{n}.png", "why": "no reply was taken", "said": []} for n in range(1, 5)),
        ],
        "files": [{"path": "d.json", "sha256": hashlib.sha256(file).hexdigest()}],
    }  # fmt: skip
    return json.dumps({**told, **changed}).encode()


def given(store: Store, home: Path, file: bytes, made: bytes | None = None) -> AppTest:
    page = drawn(store, home, "drafting", "lea", project="p")
    page.file_uploader[0].upload("d.json", file, "application/json")
    if made is not None:
        page.file_uploader[1].upload("d.made.json", made, "application/json")
    page.run()
    return page.button(key="drafting.look").click().run()


def kept(store: Store) -> int:
    ((n,),) = test_benchmark_judges.rows(store, "SELECT count(*) FROM asset WHERE proposal IS NOT NULL")
    return int(n)


@needs("pages", "pipelines")
def test_a_file_is_looked_at_then_given_and_told_step_by_step(store: Store, home: Path) -> None:
    make_project(store)
    make_person(store, "lea", role=Role.LEAD)
    ann = make_person(store, "ann")
    images = make_pool(store, 4)
    file = proposals(images)
    page = given(store, home, file, made_of(file))
    # four images of one dimension, half of them
    assert part(page, "look").startswith(
        "This gives 4 images with a proposal: authors see the proposal for 2 of the images, but not for 2 (seed "
    )
    assert [(each["Refused"], each["Why"]) for each in rows(page, "Refused")] == [
        ("lost.png", "This image is not in the project.")
    ]
    assert "0.png" in part(page, "proposals")
    assert kept(store) == 0
    assert test_proposal_import.events(store, "drafting.imported") == []
    page.number_input(key="drafting.share").set_value(0.25).run()
    assert 'data-part="look"' not in words(page), "it was of other settings"
    page.number_input(key="drafting.share").set_value(0.5).run()
    page.button(key="drafting.give").click().run()
    assert "4 images with a proposal: authors see the proposal for 2 of the images" in words(page)
    assert kept(store) == 4
    assert "no item was written in either arm" in part(page, "refusal")

    for image in images[:3]:
        test_proposal_import.pick(store, ann, image)
    page = drawn(store, home, "pipelines", "lea", project="p")
    made, out = rows(page, "Dropped, and why")
    assert (made["Step"], made["In"], made["Out"], made["Cost"]) == ("Proposing", "12", "5", "0.2500 EUR")
    assert made["How"] == "drafter-9, 21 requests"
    for said in (
        "images not sent to the model (more than requested): 2",
        "declined: 1, such as wall.png",
        "no reply was taken: 4, such as w1.png",
        "invalid replies, the reply is not JSON: 12",
    ):
        assert said in made["Dropped, and why"]
    assert (out["Step"], out["In"], out["Out"]) == ("Giving to images", "5", "4")
    assert out["How"].startswith("d.json, ")
    assert "by lea; shown to authors for 50 % of images; seed " in out["How"]
    assert out["Dropped, and why"] == "This image is not in the project: 1, such as lost.png"
    arms = rows(page, "The proposal is")
    assert [(each["Images"], each["Written"]) for each in arms] == [("2", "0")] * 2
    assert sum(int(each["Started"]) for each in arms) == 3

    again = given(store, home, proposals(images, model="another"))
    assert "4 images already had a proposal. Existing proposals do not change." in words(again)
    assert again.button(key="drafting.give").disabled
    for name in ("drafting", "pipelines"):
        seen = words(drawn(store, home, name, "ann", project="p"))
        assert "This page is for leads of" in seen
        assert MODEL not in seen


def test_what_is_no_file_of_proposals_is_refused_and_nothing_is_kept(store: Store, home: Path) -> None:
    make_project(store)
    make_person(store, "lea", role=Role.LEAD)
    file = proposals(make_pool(store, 1))
    for data, made, said in (
        (b"", None, "the text ends too early"),
        (b"[]", None, "is not a file from"),
        (file[:-40], None, "the text ends too early"),
        (file.decode().encode("utf-16"), None, "instead of UTF-8"),
        (file.replace(b'"project": "p"', b'"project": "q"'), None, "belongs to the project"),
        (file.replace(b'"dimension"', b'"dimensions"'), None, "`dimension` is missing"),
        (file, file, "is not a settings file"),
        (file, made_of(file, project="q"), "for the project 'q', but"),
        (file, made_of(file, counts={"images": -1}), "a value is not a count"),
        (file, made_of(file, counts={"images": 10**400}), "a value is not a count"),
        (file, made_of(file, counts={str(n): n for n in range(99)}), "99 different entries"),
        (file, made_of(file, files=None), "was changed after"),
    ):
        page = given(store, home, data, made)
        assert said in words(page).replace("&#x27;", "'").replace("&#39;", "'"), (said, words(page)[-800:])
        assert 'data-part="look"' not in words(page)
    assert kept(store) == 0


def test_both_arms_next_to_each_other(store: Store, home: Path) -> None:
    study(store)
    make_person(store, "lea", role=Role.LEAD)
    page = drawn(store, home, "drafting", "lea", project="p")
    assert [tuple(each.values())[1:] for each in rows(page, "The proposal is")] == [("6", "6", "6")] * 2
    assert part(page, "said").startswith("The data do not show whether proposals change how often items are kept")
    compared = {each["Of each item"].partition(":")[0]: each for each in rows(page, "Difference")}
    # the numbers of the study that test_arm_report works out by hand
    kept_ = next(each for name, each in compared.items() if name.startswith("kept"))
    assert [kept_[head] for head in ("Shown", "Not shown", "Difference", "95 % limits, by source", "Items shown")] == [
        "50.0 %", "100.0 %", "-50.0 %", "-96.9 % to -3.1 %", "6",
    ]  # fmt: skip
    seconds = next(each for name, each in compared.items() if name.startswith("seconds"))
    assert (seconds["Shown"], seconds["Not shown"], seconds["Difference"]) == ("10.0", "30.0", "-20.0")
    assert 0.08 < float(kept_["p-value"]) < 0.102  # 40 of 220 ways to give the images away, by half
    assert part(page, "chart-drafting").startswith("kept: 50.0 % if authors saw the proposal, 100.0 % otherwise.")
    question = next(each for each in rows(page, "Field") if each["Field"] == "question")
    assert list(question.values()) == ["question", "25 %", "50 %", "4.0", "50 %", "0 %", "12.0"]


def test_without_the_arm_the_page_says_so_and_compares_nothing(store: Store, home: Path) -> None:
    study(store, share=1)
    make_person(store, "lea", role=Role.LEAD)
    page = drawn(store, home, "drafting", "lea", project="p")
    assert "no item was written without a proposal, and the arm has no images." in part(page, "refusal")
    assert "chart-drafting" not in words(page)
    assert 'data-part="compared"' not in words(page)


def test_a_job_that_asks_a_model_is_shown_and_canceled(store: Store, home: Path) -> None:
    make_project(store)
    make_person(store, "lea", role=Role.LEAD)
    job = desk.begin(store, kind=PROPOSALS.name, slot="proposals/d.json", by=None, project="p")
    page = drawn(store, home, "drafting", "lea", project="p")
    assert page.get("progress")[0].proto.text == "Asking a model to draft items for p: waits to start"
    next(each for each in page.button if each.label == "Cancel").click().run()
    assert desk.job(store, id=job.id).state is JobState.CANCELED
