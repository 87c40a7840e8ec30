"""The button *Withdraw item* asks for the item and the reason, and begins a long task."""

from __future__ import annotations

from pathlib import Path

import pytest

from db.engine import Store
from domain.roles import Role
from media.store import MediaStore
from testkit.factories import make_person
from tests.app.screens import drawn
from tests.workflow.releases.pictured import One, pictured
from workflow.jobs import desk
from workflow.releases.create import create
from workflow.releases.settings import ReleaseOptions

pytestmark = pytest.mark.thorough


def test_a_lead_withdraws_an_item_on_the_page(store: Store, home: Path) -> None:
    media = MediaStore(home / "media")
    pictured(store, media, [One("q1"), One("q2")])
    create(store, media, home, by=None, project="p", asked=ReleaseOptions(despite=("said", "items")))
    make_person(store, "lea", role=Role.LEAD)
    page = drawn(store, home, "past_releases", "lea", project="p")
    page.button(key="release.withdraw").click().run()
    page.selectbox(key="release.withdraw.1.item").select("q2")
    page.text_area(key="release.withdraw.1.reason").input("Two are right.")
    page.button(key="release.withdraw.1.yes").click().run()
    assert not page.exception
    (job,) = desk.list_jobs(store, project="p", kinds=("withdraw",))
    assert job.told == {"version": "1", "item": "q2", "reason": "Two are right."}
