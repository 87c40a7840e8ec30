"""The page Notices without a browser: what is new, the way there, and what one press does."""

from __future__ import annotations

from pathlib import Path

from db.engine import Store
from domain.notices import Notice, NoticeKind
from domain.roles import Role
from testkit.factories import make_person, make_project
from tests.app.screens import drawn, rows, words
from workflow.access import project_care
from workflow.access.memberships import set_member


def test_new_notices_stand_out_until_they_are_read(store: Store, home: Path) -> None:
    lea = make_person(store, "lea", project=None)
    make_project(store)
    set_member(store, by=None, project="p", login="lea", role=Role.LEAD)
    make_person(store, "ana")
    make_person(store, "stranger", project=None)
    project_care.rename(store, by=lea, project="p", title="Marks <b>& more</b> 🧭")
    page = drawn(store, home, "notices", "ana")
    (line,) = rows(page, "What")
    assert (line["What"], line["Project"], line[""]) == (
        "You now take part as an annotator.",
        "Marks <b>& more</b> 🧭",
        "new",
    )
    assert '<a href="/?project=p"' in words(page)
    assert page.button(key="notices.seen").label == "Mark 1 notice as read"
    set_member(store, by=None, project="p", login="ana", role=Role.SENIOR)  # meanwhile
    page.button(key="notices.seen").click().run()
    assert page.button(key="notices.seen").label == "Mark 1 notice as read", "what came since is new"
    page.button(key="notices.seen").click().run()
    assert "new" not in rows(page, "What")[0][""]
    assert [each.key for each in page.button] == []
    assert "You have no notices." in words(drawn(store, home, "notices", "stranger"))


def test_each_kind_leads_to_its_page(store: Store) -> None:
    found = {kind.value: Notice(kind, "p & q", "", "", store.now(), ()).path for kind in NoticeKind}
    assert found == {
        "part": "/?project=p+%26+q",
        "given": "/?project=p+%26+q",
        "work": "/?project=p+%26+q",
        "deadline": "/?project=p+%26+q",
        "comment": "/comments?project=p+%26+q",
        "qualified": "/qualify?project=p+%26+q",
        "sent_back": "/qualify?project=p+%26+q",
    }
