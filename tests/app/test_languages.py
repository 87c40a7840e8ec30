"""Languages of annotators' pages: one per person, all texts in it, room for longer texts, and right-to-left."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from babel.messages.mofile import write_mo
from playwright.sync_api import Browser, Page, expect

from annotation_schemas.loader import load_text
from db.engine import open_store
from db.tables import MailChoiceRow
from domain.language import CATALOGS, of_scripts, wanted_by
from domain.mail import MailTime
from domain.qualification import Standing
from domain.records import Person
from domain.roles import Role
from domain.states import Stage
from examples.scenes import scenes
from media.store import MediaStore
from testkit.comments import write_comment
from testkit.factories import claimed, make_items, make_pool, make_predictions
from testkit.missing_extensions import needs_every
from testkit.qualification import begin_try, make_set, review_try
from testkit.serving import Server, environment
from tests.app.test_deadlines import set_deadlines
from tests.app.test_workbench import Place, next_question, until
from tools import catalogs
from workflow.access import accounts
from workflow.annotate import claims, image_pool, stage_kinds, submissions

pytestmark = pytest.mark.browser

HOLES = re.compile(r"\{\w+\}")


@pytest.fixture(scope="module")
def place(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    home = tmp_path_factory.mktemp("languages") / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store = open_store(f"sqlite:///{home / 'touchstone.db'}", home)
    server = Server(home).start()
    yield Place(server, store, MediaStore(home / "media"))
    server.stop()
    store.close()


SCHEMA = """
name: data
version: 1
title: DATA title
dimensions: [{id: colour, title: DATA colour, definition: "DATA definition."}]
item:
  assets: [{role: image, kind: image}]
  fields:
    - {name: question, title: DATA question, kind: text}
stages:
  authoring: {}
  verification:
    raters: 1
    show_others: settled
    criteria:
      - {name: fits, kind: choice, prompt: "DATA prompt?", help: "Written in English",
         options: [{value: "yes", label: "DATA yes"},
                   {value: "no", label: "DATA no", reasons: [{value: r, label: DATA reason}]}],
         skip: {label: DATA skip, reasons: [{value: unclear, label: DATA unclear}]}}
    keep: {rule: unanimous, criterion: fits, value: "yes"}
  grading:
    raters: 2
    criteria: [{name: score, kind: scale, prompt: "DATA score?", values: [0, 1]}]
translations:
  zh_CN: {"Written in English": "⟦Written otherwise⟧"}
"""
"""A schema whose own texts say that they are data, and one that it translates."""

ACCENTS = str.maketrans("aeiouycnsAEIOUYCNS", "áéíóúýčňšÁÉÍÓÚÝČŇŠ")


def pseudo(text: str) -> str:
    """A text as in a language that takes 40 % more room; what is in braces stays."""
    parts = re.split(r"(\{\w+\})", text)
    told = "".join(part if part.startswith("{") else part.translate(ACCENTS) for part in parts)
    return f"⟦{told}{' ~' * max(1, len(text) // 5)}⟧"


@pytest.fixture(scope="module")
def elsewhere(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A server whose second language is made up: each text has accents, brackets and more letters."""
    folder = tmp_path_factory.mktemp("pseudo")
    catalog = catalogs.read("zh_CN")
    for each in catalog:
        if each.id:
            several = isinstance(each.id, tuple | list)
            each.string = (pseudo(each.id[1]),) if several else pseudo(str(each.id))
    (folder / "catalogs").mkdir()
    with (folder / "catalogs" / "zh_CN.mo").open("wb") as file:
        write_mo(file, catalog)
    (folder / "catalogs" / "zh_CN.json").write_text(json.dumps(catalogs.of_scripts(catalog)), encoding="utf-8")
    home = folder / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store = open_store(f"sqlite:///{home / 'touchstone.db'}", home)
    server = Server(home)  # its port; a process that was forked would have read the real catalogs before
    begin = (
        "import sys; from pathlib import Path; from domain import language; language.CATALOGS = Path(sys.argv.pop(1)); "
        "from app.cli import main; main()"
    )
    command = [sys.executable, "-c", begin, str(folder / "catalogs"), "serve", "--port", str(server.port)]
    mail = {"SMTP": "smtp+plain://127.0.0.1", "SMTP_FROM": "t@example.org", "PUBLIC_URL": server.url}
    env = environment(home) | {f"TOUCHSTONE_{name}": value for name, value in mail.items()}
    with subprocess.Popen([*command, "--no-worker"], env=env) as process:
        until(lambda: _answers(server), seconds=120)
        yield Place(server, store, MediaStore(home / "media"))
        process.terminate()
    store.close()


def _answers(server: Server) -> bool:
    try:
        with urllib.request.urlopen(f"{server.url}/healthz", timeout=5) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


def test_the_catalogs_are_those_of_the_code_and_keep_every_field() -> None:
    stored = catalogs.read("zh_CN")
    assert {str(each.id) for each in catalogs.texts() if each.id} == {str(each.id) for each in stored if each.id}
    for each in stored:
        texts = each.id if isinstance(each.id, tuple | list) else (each.id,)
        told = each.string if isinstance(each.string, tuple | list) else (each.string or "",)
        assert all(told) or not each.id, each.id
        for text in told:
            assert set(HOLES.findall(text)) <= {hole for one in texts for hole in HOLES.findall(one)}, each.id
            assert set(HOLES.findall(texts[-1])) == set(HOLES.findall(text)) or not each.id or _may_drop(each.id)
    assert json.loads((CATALOGS / "zh_CN.json").read_text(encoding="utf-8")) == catalogs.of_scripts(stored)
    assert of_scripts("en") == {}


DROPPED = re.compile(r"\{(noun|nouns|what|begin)\}")
"""Names of marks and of media, which are part of the sentence in Chinese."""


def _may_drop(text: object) -> bool:
    return bool(DROPPED.search(str(text)))


@pytest.mark.parametrize(
    ("header", "code"),
    [("zh-CN,zh;q=0.9,en;q=0.8", "zh_CN"), ("de,en;q=0.5,zh;q=0.4", "en"), ("zh-TW", "en"), ("", "en")],
)
def test_the_browser_says_which_language_a_new_person_gets(header: str, code: str) -> None:
    assert wanted_by(header) == code


def test_a_person_chooses_chinese_and_finds_it_on_another_computer(
    place: Place, chromium: Browser, browser_page: Page, pictures: Path | None
) -> None:
    project = place.project()
    made = make_items(place.store, 3, project=project)
    make_predictions(place.store, made, models=["m"], project=project)
    person = place.person(project)
    place.open(browser_page, "verify", project=project, person=person)
    expect(browser_page.locator(".numbers").first).to_have_text("0 done, 3 left")
    browser_page.goto(f"{place.server.url}/language?next=/verify?project={project}")
    browser_page.get_by_role("button", name="简体中文").click()
    expect(browser_page.locator(".submit")).to_contain_text("提交")
    expect(browser_page.locator(".numbers").first).to_have_text("已完成 0, 剩余 3")
    if pictures is not None:
        browser_page.screenshot(path=pictures / "chinese-verify.png")
    browser_page.keyboard.press("?")
    expect(browser_page.locator(".sheet h2")).to_have_text("快捷键")
    browser_page.keyboard.press("Escape")
    first = str(browser_page.locator(".ts .shown[data-field=question] .value").inner_text())
    browser_page.keyboard.press("1")
    next_question(browser_page, first)
    other = chromium.new_context(locale="en-US")
    try:
        away = other.new_page()
        place.sign_in(away, person)
        away.goto(f"{place.server.url}/?project={project}")
        expect(away.get_by_text(re.compile("^下一步")).first).to_be_visible()
        if pictures is not None:
            away.screenshot(path=pictures / "chinese-my-work.png")
        away.goto(f"{place.server.url}/my_submissions?project={project}")
        expect(away.get_by_role("button", name="修改我的答案")).to_be_visible()
        away.goto(f"{place.server.url}/adjudicate?project={project}")
        expect(away.locator(".nothing h2")).to_have_text("不归您负责")
    finally:
        other.close()


FOUND = """wanted => {
    const hosts = [...document.querySelectorAll('*')].map(node => node.shadowRoot).filter(Boolean);
    const roots = hosts.map(root => root.querySelector('.ts')).filter(Boolean);
    const main = document.querySelector('[data-testid=stMain]');
    const all = roots.length ? roots : [main];
    const plain = [], clipped = [];
    for (const root of all) {
        const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const text = node.textContent.trim(), box = node.parentElement;
            const outside = box.closest('kbd, style, script, .guidetext, [data-testid=stIconMaterial]');
            if (!text || outside || !box.checkVisibility({visibilityProperty: true})) continue;
            let rest = text;
            while (/⟦[^⟦⟧]*⟧/.test(rest)) rest = rest.replace(/⟦[^⟦⟧]*⟧/g, '');
            const known = /DATA[^·⟦]*|Answer \\d of \\d|Enter|UTC|yyyy|mm|dd/g;
            if (/[A-Za-z]{2,}/.test(rest.replace(known, ''))) plain.push(text);
            const style = getComputedStyle(box);
            if (style.overflowX !== 'visible' && box.scrollWidth > box.clientWidth + 1) clipped.push(text);
        }
    }
    return { plain, clipped, wide: document.documentElement.scrollWidth - innerWidth };
}"""
"""Texts of the page that are in no catalog, texts that are cut off, and how far the page scrolls sideways."""


def test_no_text_is_left_in_english_and_none_is_cut_off(
    elsewhere: Place, chromium: Browser, pictures: Path | None
) -> None:
    project = elsewhere.project(load_text(SCHEMA, "DATA guideline", "data"))
    made = make_items(elsewhere.store, 4, project=project, fields={"question": "DATA question?"})
    make_predictions(elsewhere.store, made, models=["m"], project=project)
    person = elsewhere.person(project)
    wrong: dict[str, object] = {}
    for width in (1280, 390):
        context = chromium.new_context(
            viewport={"width": width, "height": 800}, locale="zh-CN", reduced_motion="reduce"
        )
        page = context.new_page()
        page.set_default_timeout(30_000)
        elsewhere.sign_in(page, person)

        def look(name: str, page: Page = page, width: int = width) -> None:
            found = page.evaluate(FOUND, None)
            if pictures is not None:
                page.screenshot(path=pictures / f"pseudo-{name}-{width}.png")
            if found != {"plain": [], "clipped": [], "wide": 0}:
                wrong[f"{name} {width}"] = found

        page.goto(f"{elsewhere.server.url}/verify?project={project}")
        expect(page.locator(".submit")).to_contain_text("⟦", timeout=20_000)
        expect(page.locator(".help").first).to_have_text("⟦Written otherwise⟧")
        look("verify")
        page.keyboard.press("2")
        look("reasons")
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        look("note")
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        look("guideline")
        page.keyboard.press("g")
        page.keyboard.press("?")
        look("keys")
        page.locator(".sheet .small").first.click()
        look("change-keys")
        page.keyboard.press("Escape")
        numbers = page.locator(".numbers").first
        before = numbers.inner_text()
        page.keyboard.press("1")
        expect(numbers).not_to_have_text(before)
        look("saved")
        page.keyboard.press("u")
        expect(page.locator(".keep")).to_be_visible()
        look("edit")
        page.keyboard.press("n")
        page.keyboard.type("DATA")
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        expect(page.locator(".sheet h2")).to_contain_text("⟦")
        look("drop")
        page.locator(".sheet .small").first.click()
        page.goto(f"{elsewhere.server.url}/grade?project={project}")
        expect(page.locator(".submit")).to_contain_text("⟦")
        look("grade")
        if width == 1280:
            page.locator(".ts[data-view]").evaluate("ts => { ts.dir = 'rtl'; }")
            found = page.evaluate(FOUND, None)
            assert (found["clipped"], found["wide"]) == ([], 0), "from right to left"
            if pictures is not None:
                page.screenshot(path=pictures / "right-to-left.png")
        page.goto(f"{elsewhere.server.url}/adjudicate?project={project}")
        expect(page.locator(".nothing h2")).to_be_visible()
        look("nothing")
        page.goto(f"{elsewhere.server.url}/my_submissions?project={project}")
        expect(page.get_by_role("button", name="⟦").first).to_be_visible()
        look("my-submissions")
        page.goto(f"{elsewhere.server.url}/?project={project}")
        expect(page.get_by_role("button", name="⟦").first).to_be_visible()
        look("my-work")
        context.close()
    assert wrong == {}, json.dumps(wrong, ensure_ascii=False, indent=1)


WHOLE = """
name: whole
version: 1
title: DATA whole
dimensions: [{id: colour, title: DATA colour, definition: "DATA definition."}]
item:
  assets: [{role: image, kind: image}]
  fields:
    - {name: question, title: DATA question, kind: text, wording: {ends_with: "?"}}
    - {name: answer, title: DATA key, kind: text, secret_in: [answering]}
stages:
  triage: {per_source: 2, reasons: [{value: unclear, label: DATA unclear}]}
  authoring: {}
  refinement:
    criteria: [{name: other, kind: choice, prompt: "DATA other?",
                options: [{value: "no", label: DATA no}, {value: "yes", label: DATA yes}]}]
    done: {other: "no"}
  answering:
    people: 1
    items: all
    criteria: [{name: said, kind: text, prompt: "DATA said?"}]
  grading:
    raters: 2
    qualification: {items: 1, reviewers: 1, pass_mark: 0.5, attempts: 2, retry_after_hours: 24}
    criteria: [{name: score, kind: scale, prompt: "DATA score?", values: [0, 1]}]
  comparison:
    raters: 2
    shows: [question]
    criteria: [{name: better, kind: preference, prompt: "DATA better?", options: [{value: tie, label: DATA tie}]}]
  coding:
    raters: 2
    of: {items: [colour/0, colour/1, colour/2]}
    criteria: [{name: failure, kind: multi_choice, prompt: "DATA why?", min: 1,
                options: [{value: a, label: DATA a}, {value: b, label: DATA b}]}]
"""
"""A schema with every other stage, and a qualification."""

WRITTEN = """known => {
    const hosts = [...document.querySelectorAll('*')].map(node => node.shadowRoot).filter(Boolean);
    const ours = new RegExp(known, 'g'), plain = [], clipped = [];
    const look = text => {
        let rest = text;
        while (/⟦[^⟦⟧]*⟧/.test(rest)) rest = rest.replace(/⟦[^⟦⟧]*⟧/g, '');
        if (/[A-Za-z]{2,}/.test(rest.replace(ours, ''))) plain.push(text);
    };
    for (const root of [document.body, ...hosts]) {
        const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const text = node.textContent.trim(), box = node.parentElement;
            const outside = box.closest('kbd, style, script, noscript, .guidetext, [data-testid=stIconMaterial]');
            if (!text || outside || !box.checkVisibility({visibilityProperty: true})) continue;
            look(text);
            const cut = getComputedStyle(box).overflowX !== 'visible' && box.scrollWidth > box.clientWidth + 1;
            const place = box.getBoundingClientRect(), off = place.right <= 0 || place.left >= innerWidth;
            if (cut && !off && text !== 'Skip to main content') clipped.push(text);
        }
        for (const box of root.querySelectorAll('[aria-label], [title], [placeholder], [alt]'))
            for (const name of ['aria-label', 'title', 'placeholder', 'alt']) look(box.getAttribute(name) ?? '');
    }
    return { plain, clipped, wide: document.documentElement.scrollWidth - innerWidth };
}"""
"""Like ``FOUND``, but of the whole page with the menu, other roots, and the labels for screen readers."""
KNOWN = "|".join(
    (
        r"DATA[^·⟦]*", r"Answer \d+ of \d+", "Touchstone", "UTC", r"[Ss]omeone\d+", r"\bp\d+", "yyyy|mm|dd",
        r"a@example.org|colour/\d+|English",
        "Skip to main content|Sidebar|(Collapse|Expand) sidebar|Choose (date|an option)|Open|Shortcut.*|Loading.*",
        "year, |month, |day, ",
    )
)  # fmt: skip
"""Data, and texts of Streamlit's own."""


@needs_every("pages")
@needs_every("stages")
def test_every_other_page_of_annotators_is_translated(
    elsewhere: Place, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    store = elsewhere.store
    project, person = _whole(elsewhere, tmp_path)
    invitation = accounts.invite(store, by=None, project=project, role=Role.ANNOTATOR)
    with store.write() as session:
        session.add(
            MailChoiceRow(
                person_id=person.id, address="a@example.org", time=MailTime.DAILY, off_token="off", told_at=store.now()
            )
        )
    wrong: dict[str, object] = {}
    for width in (1280, 390):
        context = chromium.new_context(
            viewport={"width": width, "height": 800}, locale="zh-CN", reduced_motion="reduce"
        )
        page = context.new_page()
        page.set_default_timeout(30_000)

        def look(name: str, waits: str, page: Page = page, width: int = width) -> None:
            expect(page.locator(waits).first).to_contain_text("⟦", timeout=20_000)
            found = _settled(page)
            if pictures is not None:
                page.screenshot(path=pictures / f"pseudo-{name}-{width}.png")
            if found != {"plain": [], "clipped": [], "wide": 0}:
                wrong[f"{name} {width}"] = found

        def go(path: str, page: Page = page) -> None:
            page.goto(f"{elsewhere.server.url}/{path}")

        for name, path in {
            "invitation": f"invite/{invitation}",
            "no-invitation": "invite/none",
            "sign-in": "login",
            "no-mails": "mail-off/off",
            "no-link": "mail-off/none",
            "language": "language",
        }.items():
            go(path)
            look(name, "body")
        go("login")
        page.locator("[name=login]").fill("nobody")
        page.locator("[name=password]").fill("no password")
        page.keyboard.press("Enter")
        look("wrong-password", ".bad")
        elsewhere.sign_in(page, person)
        for name, path, part in (
            ("my-work", "my_work", "[data-testid=stMain] [data-stage]"),
            ("submissions", "my_submissions", "[data-part=submission]"),
            ("notices", "notices", "[data-testid=stForm]"),
            ("comments", "comments", ".thread"),
            ("qualification", "qualify", "[data-part=result]"),
            ("projects", "projects", "[data-testid=stMain] th"),
            ("for-leads", "overview", ".ts-notice"),
            ("for-seniors", "items", ".ts-notice"),
            ("triage", "triage", "[data-view=triage]"),
            ("authoring", "author", ".line"),
            ("refinement", "refine", ".submit"),
            ("answering", "answer", ".submit"),
            ("comparison", "compare", ".submit"),
            ("coding", "code", ".submit"),
            ("grading", "grade", ".nothing h2"),
        ):
            go(f"{path}?project={project}")
            look(name, part)
            if name == "authoring":
                if width == 1280:  # later, the item is begun
                    page.locator(".cell").first.click()
                    page.keyboard.press("Enter")
                page.get_by_role("textbox", name="DATA question").fill("DATA")
                page.keyboard.press("Tab")
                look("wording", ".stops, [data-said]")
            if width == 1280 and name in ("notices", "triage"):
                page.evaluate("() => { document.documentElement.dir = 'rtl'; }")
                found = _settled(page)
                assert (found["clipped"], found["wide"]) == ([], 0), f"{name} from right to left"
                if pictures is not None:
                    page.screenshot(path=pictures / f"right-to-left-{name}.png")
        go(f"my_work?project={project}")
        look("my-work-again", "[data-stage]")
        page.keyboard.press("m")
        look("finder", "[role=option]")
        context.close()
    assert wrong == {}, json.dumps(wrong, ensure_ascii=False, indent=1)


def _settled(page: Page) -> Any:
    """What is written on a page that has stopped changing."""
    text = ""
    while (now := page.locator("body").inner_text()) != text:
        text = now
        page.wait_for_timeout(400)
    return page.evaluate(WRITTEN, KNOWN)


def _whole(place: Place, folder: Path) -> tuple[str, Person]:
    """A project with work in every stage, and someone whom notices of all kinds concern."""
    store = place.store
    project = place.project(load_text(WHOLE, "DATA guideline", "whole"))
    made = make_items(store, 4, project=project, fields={"question": "DATA question?", "answer": "DATA key"})
    make_predictions(store, made, models=["m", "n"], project=project)
    senior, person = place.person(project, Role.SENIOR), place.person(project)
    for stage in (Stage.REFINEMENT, Stage.COMPARISON, Stage.CODING):
        for models in (["m"], ["n"]) if stage is Stage.REFINEMENT else (None,):
            stage_kinds.of(stage).open_work(store, by=None, project=project, models=models)
    files = []
    for number in range(4):
        path = folder / f"{number}.png"
        scenes()[number // 2].picture((320, 240)).save(path)
        files.append((path.name, path))
    image_pool.add_to_pool(store, place.media, by=None, project=project, files=files, source_of=lambda _: "DATA")
    make_pool(store, 2, project=project, source="DATA")
    make_set(store, project=project, stage=Stage.GRADING)
    attempt = begin_try(store, person, project=project, stage=Stage.GRADING)
    task = claimed(store, person, Stage.GRADING, project=project)
    submissions.submit(store, person=person, task=task.id, key="graded", values={"score": 1})
    review_try(store, attempt, by=senior, state=Standing.SENT_BACK)
    task = claimed(store, person, Stage.ANSWERING, project=project)
    asked = write_comment(store, person=person, item=task.item, text="DATA asked", to=[senior], project=project)
    write_comment(store, person=senior, item=task.item, text="DATA told", to=[person], reply_to=asked, project=project)
    submissions.submit(store, person=person, task=task.id, key="answered", values={"said": "DATA said"})
    task = claimed(store, person, Stage.ANSWERING, project=project)
    claims.postpone(store, person=person, task=task.id)
    today = store.now().date()
    days = {Stage.REFINEMENT: today - timedelta(days=1), Stage.CODING: today + timedelta(days=2)}
    set_deadlines(store, days, project=project)
    return project, person
