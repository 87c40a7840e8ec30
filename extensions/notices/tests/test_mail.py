"""Notices by email, as a worker sends them to a mail server: each once, to those who want it, saying nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from app.cli import cli
from app.services import Resources
from db.engine import Store
from domain.errors import InvalidInputError, SettingsError
from domain.mail import MailState, MailTime
from domain.notices import Notice
from domain.records import Person
from domain.roles import Role
from domain.settings import Settings, settings_from
from domain.states import Stage
from extensions.notices import mail_off_route, notice_list, notice_mails
from extensions.notices.notice_job import look
from extensions.notices.sending import Letter, MailFailure, send
from extensions.notices.settings import MailServer, MailSettings, mail_server
from extensions.notices.tests.smtp import Inbox, inbox
from media.store import MediaStore
from testkit.comments import write_comment
from testkit.factories import Clock, claimed, make_items, make_person, make_project, make_schema, vote
from testkit.missing_extensions import needs
from tests.app.screens import drawn, text, words
from workflow.access import accounts, own_settings, project_care
from workflow.access.memberships import remove_member, set_member

URL = "https://annotate.example.org"
SENDER = "Touchstone <touchstone@example.org>"


@pytest.fixture
def server() -> Iterator[Inbox]:
    with inbox() as found:
        yield found


@pytest.fixture
def clock(store: Store) -> Clock:
    store.clock = Clock()  # 4 May 2026, 09:00 UTC
    return store.clock


@dataclass(frozen=True)
class Mailer:
    """A worker that looks for mails."""

    store: Store
    server: MailServer

    def look(self) -> int:
        return look(self.store, self.server, URL)


@pytest.fixture
def mailer(store: Store, server: Inbox, clock: Clock) -> Mailer:
    return Mailer(store, mail_server(server.url, "", SENDER))


def with_mail(home: Path, server: Inbox) -> Settings:
    own = MailSettings(server.url, smtp_from=SENDER)
    return Settings(home, "", public_url=URL, of_extensions={MailSettings: own})


def wants(store: Store, login: str, time: MailTime = MailTime.DAILY, **part: object) -> Person:
    person = make_person(store, login, **part)  # type: ignore[arg-type]
    notice_mails.choose(store, person=person, address=f"{login}@example.org", time=time)
    return person


def text_to(server: Inbox, login: str) -> str:
    """The only mail to someone; the inbox is empty then."""
    (found,) = (each for each in server.mails if each["To"] == f"{login}@example.org")
    server.mails.clear()
    return found.get_content().replace("\r\n", "\n")


def test_a_mail_is_in_the_language_that_its_reader_chose(store: Store, server: Inbox, mailer: Mailer) -> None:
    make_project(store, loaded=make_schema())
    make_items(store, 2)
    ann = wants(store, "ann", MailTime.AT_ONCE)
    wants(store, "ben", MailTime.AT_ONCE)
    own_settings.set_language(store, person=ann, language="zh_CN")
    set_member(store, by=None, project="p", login="ann", role=Role.SENIOR)
    set_member(store, by=None, project="p", login="ben", role=Role.SENIOR)
    assert mailer.look() == 2
    subjects = {mail["To"]: mail["Subject"] for mail in server.mails}
    assert subjects == {
        "ann@example.org": "Touchstone: 您现在是资深标注员。",
        "ben@example.org": "Touchstone: You now take part as a senior annotator.",
    }
    (mail,) = (each for each in server.mails if each["To"] == "ann@example.org")
    first, *_rest, last = mail.get_content().strip().splitlines()
    assert (first.startswith("Ann"), "您好" in first) == (True, True)
    assert last.startswith("不再接收邮件")


@pytest.mark.thorough
@pytest.mark.both_databases
def test_one_mail_a_day_with_what_is_new_and_what_waits(store: Store, server: Inbox, mailer: Mailer) -> None:
    clock = store.clock
    assert isinstance(clock, Clock)
    make_project(store, loaded=make_schema())
    make_items(store, 2)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann, off = wants(store, "ann"), wants(store, "off", MailTime.OFF)
    make_person(store, "nan")  # has said nothing
    gone = wants(store, "gone")
    assert mailer.look() == 0, "it is nine; the mail of the day went out at six"
    clock.advance(hours=20)
    assert mailer.look() == 0
    clock.advance(hours=1, minutes=1)
    accounts.set_active(store, login="gone", active=False)
    project_care.rename(store, by=lea, project="p", title="A <b>title</b> 🧭 " + 180 * "x")
    assert mailer.look() == 1
    (mail,) = server.mails
    assert (mail["From"], mail["Subject"]) == (SENDER, "Touchstone: 2 notices")
    assert mail.get_content_type() == "text/plain"
    assert mail["Message-ID"].endswith("@example.org>")
    link = mail["List-Unsubscribe"]
    assert link.startswith(f"<{URL}/mail-off/")
    assert text_to(server, "ann") == (
        f"Hello Ann,\n\nIn A <b>title</b> 🧭 {82 * 'x'}…:\n- You now take part as an annotator.\n  {URL}"
        f"/?project=p\n- 2 tasks are waiting for you in the verification.\n  {URL}/?project=p\n\nTouchstone sends you "
        f"this email once a day. To change this setting: {URL}/notices\nNo more emails: {link.strip('<>')}\n"
    )
    # nothing is told twice; what was seen in the app is not mailed; who works knows what waits
    clock.advance(days=1)
    assert mailer.look() == 0
    vote(store, ann)
    clock.advance(hours=12)
    set_member(store, by=lea, project="p", login="ann", role=Role.SENIOR)
    notice_list.see_all(
        store, person=ann, keys=[key for each in notice_list.of_person(store, person=ann) for key in each.keys]
    )
    clock.advance(hours=7)
    assert mailer.look() == 0
    clock.advance(days=1)
    assert mailer.look() == 1, "a task waits, and she has not worked for a day"
    assert "- 1 task is waiting for you in the verification.\n" in text_to(server, "ann")
    vote(store, ann)
    clock.advance(days=2)
    assert mailer.look() == 0, "nothing waits"
    make_items(store, 1)
    clock.advance(days=1)
    project_care.archive(store, by=lea, project="p")
    assert mailer.look() == 0, "archived"
    project_care.unarchive(store, by=lea, project="p")
    clock.advance(days=1)
    remove_member(store, by=lea, project="p", login="ann")
    assert mailer.look() == 0, "she left"
    set_member(store, by=lea, project="p", login="ann", role=Role.ANNOTATOR)
    clock.advance(days=1)
    assert mailer.look() == 1
    assert "1 task is waiting" in text_to(server, "ann")
    assert {off.login, gone.login} == {"off", "gone"}
    with store.read() as session:
        from sqlmodel import select

        from db.tables import MailRow

        assert {row.text for row in session.exec(select(MailRow))} == {""}, "what has left is not kept"


@needs("pages", "comments")
@pytest.mark.both_databases
def test_at_once_to_those_who_want_it_until_they_say_no_more(store: Store, server: Inbox, mailer: Mailer) -> None:
    make_project(store, loaded=make_schema())
    make_items(store, 1)
    ann = make_person(store, "ann")
    sam = wants(store, "sam", MailTime.AT_ONCE, role=Role.SENIOR, stages=[Stage.ADJUDICATION])
    mailer.look()
    server.mails.clear()
    write_comment(store, person=ann, item=claimed(store, ann).item, text="@sam Is it red?", to=[sam])
    assert mailer.look() == 1
    assert mailer.look() == 0
    (mail,) = server.mails
    assert mail["Subject"] == "Touchstone: You have a new comment."
    text = text_to(server, "sam")
    assert f"- You have a new comment.\n  {URL}/comments?project=p\n" in text
    assert not re.findall(r"\b(?:ann|red|question|colour)\b", text, re.IGNORECASE), "who wrote what, and on which item"
    with TestClient(
        Starlette(routes=mail_off_route.routes(Resources(store, MediaStore(Path("m")), Settings(Path(), ""))))
    ) as c:
        link = f"/mail-off/{text.rpartition('/mail-off/')[2].strip()}"
        assert "Turn off emails" in c.get(link).text
        assert notice_mails.choice(store, person=sam)[1] is MailTime.AT_ONCE, "looking at the link does nothing"
        assert c.post(link, content="List-Unsubscribe=One-Click").status_code == 200
        assert notice_mails.choice(store, person=sam) == ("sam@example.org", MailTime.OFF)
        assert c.get("/mail-off/x").status_code == c.post("/mail-off/x").status_code == 404
    set_member(store, by=None, project="p", login="sam", role=Role.LEAD)
    assert mailer.look() == 0


@pytest.mark.thorough
def test_a_mail_that_the_server_did_not_take_waits_and_one_that_it_may_have_does_not(
    store: Store, server: Inbox, mailer: Mailer, caplog: pytest.LogCaptureFixture
) -> None:
    clock = store.clock
    assert isinstance(clock, Clock)
    make_project(store, loaded=make_schema())

    def standing() -> tuple[dict[str, int], list[str]]:
        counts, troubled = notice_mails.standing(store)
        return {state.value: n for state, n in counts.items()}, [row.said for _, row in troubled]

    wants(store, "ann", MailTime.AT_ONCE)
    server.replies["RCPT"] = "451 not now\x07, please"
    assert mailer.look() == 0
    assert standing() == (
        {"waiting": 1},
        [
            "The mail server refused the address ann@example.org: 451 not now , please. Check the address, or ask "
            "the operator of the mail server."
        ],
    )
    server.replies.clear()
    assert mailer.look() == 0, "not before its time"
    clock.advance(minutes=2)
    assert mailer.look() == 1
    assert standing() == ({"sent": 1}, [])
    server.replies["END"] = None  # the server takes it, and the connection breaks
    wants(store, "ben", MailTime.AT_ONCE)
    server.mails.clear()
    assert mailer.look() == 0
    clock.advance(days=1)
    server.replies.clear()
    assert mailer.look() == 0, "the mail may have arrived, as it has here"
    assert [each["To"] for each in server.mails] == ["ben@example.org"]
    assert standing()[0] == {"sent": 1, "failed": 1}
    assert "The email may have arrived" in standing()[1][0]

    def dies(_: Letter) -> None:
        raise KeyboardInterrupt

    wants(store, "cy", MailTime.AT_ONCE)
    notice_mails.write(store, public_url=URL)
    with pytest.raises(KeyboardInterrupt):
        notice_mails.hand_over(store, send=dies, public_url=URL)
    clock.advance(days=1)
    assert mailer.look() == 0, "no one knows whether it arrived"
    assert standing()[0] == {"sent": 1, "failed": 1, "sending": 1}
    server.shutdown()
    server.server_close()
    wants(store, "dee", MailTime.AT_ONCE)
    assert mailer.look() == 0
    clock.advance(days=1)
    mailer.look()
    assert standing()[0] == {"sent": 1, "failed": 1, "sending": 1, "waiting": 1}, "tried again as often as it takes"
    notice_mails.choose(store, person=accounts.find_person(store, login="dee"), address="", time=MailTime.OFF)
    clock.advance(days=1)
    mailer.look()
    assert notice_mails.standing(store)[0][MailState.DROPPED] == 1


def test_no_password_goes_out_without_encryption(server: Inbox) -> None:
    plain = mail_server(server.url, "", SENDER)
    asked = mail_server(server.url.replace("smtp+plain://", "smtp://ann@"), "secret", SENDER)
    with pytest.raises(MailFailure, match="STARTTLS"):
        send(asked, Letter("x", "bob@example.org", "s", "t"))
    assert not [line for line in server.said if "AUTH" in line]
    assert "secret" not in repr(asked)
    send(plain, Letter("x", "bob@example.org", "s", ".a line that begins with a point\n"))
    assert server.mails[0].get_content().startswith(".a line")
    for url, password, sender, said in (
        ("mail.example.org", "", SENDER, "Use an address such as"),
        ("smtps://ann:secret@mail", "", SENDER, "TOUCHSTONE_SMTP_PASSWORD instead"),
        ("smtp+plain://ann@mail", "secret", SENDER, "would send a password unencrypted"),
        ("smtps://ann@mail", "", SENDER, "or remove both"),
        ("smtps://mail:x", "", SENDER, "Use an address such as"),
        ("smtps://mail", "", "", "TOUCHSTONE_SMTP_FROM has the invalid value"),
        ("smtps://mail", "", "a@b\nBcc: c@d", "TOUCHSTONE_SMTP_FROM has the invalid value"),
    ):
        with pytest.raises(SettingsError, match=said) as refused:
            settings_from(
                {
                    "TOUCHSTONE_SMTP": url,
                    "TOUCHSTONE_SMTP_PASSWORD": password,
                    "TOUCHSTONE_SMTP_FROM": sender,
                    "TOUCHSTONE_PUBLIC_URL": URL,
                },
                Path(),
            )
        assert "ann:secret" not in str(refused.value)
    with pytest.raises(SettingsError, match="Set this address in TOUCHSTONE_PUBLIC_URL"):
        settings_from({"TOUCHSTONE_SMTP": "smtps://mail", "TOUCHSTONE_SMTP_FROM": SENDER}, Path())


@pytest.mark.thorough
def test_the_operator_tries_it_and_people_choose(
    store: Store, home: Path, server: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project(store)
    ann = make_person(store, "ann")
    for address in ("ann", "a b@c", "ann@example.org\nBcc: x@y", "a@b@c", ""):
        with pytest.raises(InvalidInputError, match="one email address"):
            notice_mails.choose(store, person=ann, address=address, time=MailTime.DAILY)
    assert "By email" not in words(drawn(store, home, "notices", "ann")), "this server sends none"
    settings = with_mail(home, server)
    shared = Resources(store, MediaStore(home / "media"), settings)
    monkeypatch.setattr("app.services.resources", lambda: shared)
    runner = CliRunner()
    said = runner.invoke(cli, ["mail", "check", "ops@example.org"])
    assert said.exit_code == 0, said.output
    assert server.mails[0]["To"] == "ops@example.org"
    server.replies["RCPT"] = "550 no such box"
    with pytest.raises(SettingsError, match=r"refused the address ops@example.org: 550 no such box\."):
        runner.invoke(cli, ["mail", "check", "ops@example.org"], catch_exceptions=False)
    with pytest.raises(SettingsError, match="Send the link yourself"):
        runner.invoke(cli, ["person", "invite", "p", "--mail", "new@example.org"], catch_exceptions=False)
    server.replies.clear()
    server.mails.clear()
    said = runner.invoke(cli, ["person", "invite", "p", "--mail", "new@example.org,old@example.org"])
    links = re.findall(rf"^{URL}/invite/(\S+)$", said.output, re.MULTILINE)
    assert [each["To"] for each in server.mails] == ["new@example.org", "old@example.org"]
    assert len(set(links)) == 2, "each has a link of their own"
    for link, mail in zip(links, server.mails, strict=True):
        assert f"{URL}/invite/{link}\n" in mail.get_content().replace("\r\n", "\n")
        found = accounts.invitation(store, token=link)
        assert found is not None
        assert found.project == "p"
    with pytest.raises(InvalidInputError, match="new is not an email address"):
        runner.invoke(cli, ["person", "invite", "p", "--mail", "new"], catch_exceptions=False)
    assert runner.invoke(cli, ["mail", "edit", "ann", "ann@example.org", "--when", "at_once"]).exit_code == 0
    assert notice_mails.choice(store, person=ann) == ("ann@example.org", MailTime.AT_ONCE)
    assert "0 waiting" in runner.invoke(cli, ["mail", "show"]).output
    page = drawn(store, home, "notices", "ann", settings=settings)
    assert page.text_input(key="notices.address").value == "ann@example.org"
    page.radio(key="notices.time").set_value(MailTime.OFF)
    page.button[-1].click().run()
    assert "You get no emails." in words(page)
    assert notice_mails.choice(store, person=ann)[1] is MailTime.OFF
    page.text_input(key="notices.address").set_value("no address")
    page.radio(key="notices.time").set_value(MailTime.DAILY)
    page.button[-1].click().run()
    assert "Give one email address" in words(page)


def invitations_in(store: Store) -> int:
    from sqlmodel import func, select

    from db.tables import InvitationRow

    with store.read() as session:
        return session.exec(select(func.count()).select_from(InvitationRow)).one()


def invite(page: AppTest, whom: str) -> AppTest:
    page.button(key="people.invite").click().run()
    page.text_area[0].set_value(whom)
    return next(button for button in page.button if str(button.key).endswith(".do")).click().run()


@pytest.mark.thorough
def test_a_lead_invites_several_people_by_e_mail_and_no_link_is_lost(store: Store, home: Path, server: Inbox) -> None:
    make_project(store)
    make_person(store, "lea", role=Role.LEAD)
    accounts.create_person(store, login="boss", name="Boss", is_admin=True)
    settings = with_mail(home, server)
    page = drawn(store, home, "people", "lea", settings=settings, project="p")
    invite(page, "new@example.org, b ob@example.org\nno address; <b>x</b>")
    assert "b ob@example.org, no address, &lt;b&gt;x&lt;/b&gt; are not email addresses" in words(page)
    assert (invitations_in(store), server.mails) == (0, [])
    page.text_area[0].set_value("new@example.org,\nbob@example.org; NEW@example.org")
    next(button for button in page.button if str(button.key).endswith(".do")).click().run()
    assert "accepted an invitation for new@example.org, bob@example.org" in words(page)
    assert not page.code, "they have their links"
    texts = {mail["To"]: mail.get_content().replace("\r\n", "\n") for mail in server.mails}
    assert set(texts) == {"new@example.org", "bob@example.org"}
    assert "Lea invites you to take part in" in texts["bob@example.org"]
    links = {re.findall(rf"{URL}/invite/(\S+)\n", each)[0] for each in texts.values()}
    assert (len(links), invitations_in(store)) == (2, 2)
    server.replies["RCPT"] = "550 no such box"
    invite(page, "cy@example.org,dee@example.org")
    assert "Annotator for cy@example.org · all dimensions · all stages · once, until " in text(words(page))
    assert "The mail server refused the address" in words(page)
    shown = [each.value.rpartition("/invite/")[2] for each in page.code]
    assert len(shown) == 2
    assert all(accounts.invitation(store, token=token) is not None for token in shown)
    server.shutdown()
    server.server_close()
    page = invite(
        drawn(store, home, "people", "lea", settings=settings, project="p"), "cy@example.org\ndee@example.org"
    )
    assert "cannot be reached" in words(page)
    assert "did not send this email" in words(page)
    assert len(page.code) == 2
    for login, said in (("lea", False), ("boss", True)):
        page = drawn(store, home, "people", login, project="p")
        page.button(key="people.invite").click().run()
        assert not page.text_area, "this server sends no mail"
        assert ("TOUCHSTONE_SMTP" in words(page)) is said


@pytest.mark.both_databases
def test_of_two_workers_that_look_at_once_one_writes(
    store: Store, server: Inbox, mailer: Mailer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one has looked before the first one stored what it wrote, and stores afterwards."""
    make_project(store)
    wants(store, "ann", MailTime.AT_ONCE)
    looked = notice_list.notices_in

    def first_comes_another(session: object, **of: object) -> list[Notice]:
        found = looked(session, **of)  # type: ignore[arg-type]
        monkeypatch.setattr(notice_mails, "notices_in", looked)
        notice_mails.write(store, public_url=URL)
        return found

    monkeypatch.setattr(notice_mails, "notices_in", first_comes_another)
    notice_mails.write(store, public_url=URL)
    assert mailer.look() == 1
    assert [each["To"] for each in server.mails] == ["ann@example.org"]
