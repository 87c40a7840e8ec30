"""The main job from end to end: 24 items written, verified, adjudicated, graded, exported.

Each page is worked by one person in a real browser; what others do in the same way is stored as the page has it stored.
"""

from __future__ import annotations

import io
import itertools
import json
import math
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from sklearn.metrics import cohen_kappa_score

from domain.records import TaskView
from domain.roles import Role
from domain.states import Stage
from examples.scenes import Scene, scenes
from testkit.browser import window
from testkit.kept_items import votes_on_kept
from testkit.missing_extensions import needs
from testkit.serving import Server, touchstone
from tests.e2e.people import Desk, at_desk, opened, sign_in_link
from workflow.access import accounts, memberships
from workflow.annotate import image_pool, submissions
from workflow.annotate.claims import next_task
from workflow.runs import run_grading

# The journey of each role in `make test`: author, verifier, senior, grader and lead.
pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.essential]

PROJECT = "tabletop"
AUTHORS = {
    "amy": ("existence", "attribute"),
    "ben": ("affordance", "activity"),
    "cleo": ("location", "spatial"),
    "dan": ("counting", "comparison"),
    "eve": ("situated", "forecasting"),
    "finn": ("navigation", "assistance"),
}
VERIFIERS = ("vera", "vic", "val")
SENIOR = "sam"
GRADERS = ("gail", "gus", "gina")
MODELS = ("amber", "basalt")
GIVING_UP = "I cannot tell from this image."
GRADES = (0.0, 0.5, 1.0)
"""The scale of the schema; its keys are 1, 2, 3."""

GRADED_OF = 3
"""One of so many kept items is answered by models and graded; one grade is like another."""

AT_THE_PAGE = {"dan", "vic", "gina"}
"""Who works in the browser: one author, the verifier who also refuses, the grader who gives every grade."""

Shot = Callable[[str], Path | None]
Votes = dict[str, list[str]]
"""By question, the votes in the order they were cast."""
Grades = dict[tuple[str, str], dict[str, float]]
"""By question and answer, what each grader gave."""

BAD = 2
"""So many items are plainly wrong: both verifiers refuse them."""
SPLIT = ("accept", "reject", "edit", "accept")
"""What the senior makes of the items about which the verifiers disagree."""


@dataclass
class Plan:
    """What the people will do, decided before anyone opens a browser."""

    scenes: list[Scene]
    bad: set[str] = field(default_factory=set)
    split: dict[str, str] = field(default_factory=dict)

    @classmethod
    def make(cls) -> Plan:
        plan = cls([scene for pair in AUTHORS.values() for dimension in pair for scene in scenes(dimension)[:2]])
        questions = [plan.question(scene) for scene in plan.scenes]
        assert len(set(questions)) == len(questions) == 24
        plan.bad = set(questions[:BAD])
        plan.split = dict(zip(questions[BAD:], SPLIT, strict=False))
        return plan

    def question(self, scene: Scene) -> str:
        """The scene's question; scenes of a dimension may share one, items may not."""
        second = scene.question in {other.question for other in self.scenes[: self.scenes.index(scene)]}
        return f"Look again: {scene.question[0].lower()}{scene.question[1:]}" if second else scene.question

    def edited(self, question: str) -> str:
        """What the senior makes of a question."""
        return question.replace("?", ", as I see it?")

    def kept(self) -> set[str]:
        """The questions that must come out."""
        out = set()
        for question in map(self.question, self.scenes):
            outcome = "reject" if question in self.bad else self.split.get(question, "accept")
            if outcome != "reject":
                out.add(self.edited(question) if outcome == "edit" else question)
        return out


@pytest.fixture
def running(server: Server) -> Server:
    """The server with a project and its people, made by the commands that a lead would type."""
    home = server.home

    def run(*arguments: str) -> None:
        done = touchstone(*arguments, home=home)
        assert done.returncode == 0, done.stderr

    run("project", "create", PROJECT, "--schema", "demo")
    run("person", "create", "lena", "--project", PROJECT, "--role", "lead")
    with opened(server) as store:

        def add(login: str, role: Role, stages: list[Stage], dimensions: Sequence[str] | None = None) -> None:
            accounts.create_person(store, login=login, name=login.capitalize())
            memberships.set_member(
                store, by=None, project=PROJECT, login=login, role=role, dimensions=dimensions, stages=stages
            )

        add(SENIOR, Role.SENIOR, [Stage.ADJUDICATION])
        for login, dimensions in AUTHORS.items():
            add(login, Role.ANNOTATOR, [Stage.AUTHORING], dimensions)
        for login in VERIFIERS:
            add(login, Role.ANNOTATOR, [Stage.VERIFICATION])
        for login in GRADERS:
            add(login, Role.ANNOTATOR, [Stage.GRADING])
    return server.start()


@needs("commands", "pool")
def test_the_main_job(running: Server, chromium: Browser, tmp_path: Path, pictures: Path | None) -> None:
    plan = Plan.make()
    assert len(plan.scenes) == 24

    def shot(name: str) -> Path | None:
        return pictures / f"{name}.png" if pictures else None

    with window(chromium) as page:
        page.goto(sign_in_link(running, "lena"))  # the page that follows the link by itself
        expect(page.get_by_role("heading", name="Overview")).to_be_visible()
        free = _bring_in_images(Desk(page, running), plan, tmp_path)
    for author, dimensions in AUTHORS.items():
        if author not in AT_THE_PAGE:
            _store_items(running, author, plan, dimensions, free)
            continue
        with at_desk(chromium, running, author) as desk:
            _write(desk, plan, dimensions, free, shot)
    votes: Votes = defaultdict(list)
    for verifier in VERIFIERS:
        if verifier in AT_THE_PAGE:
            with at_desk(chromium, running, verifier) as desk:
                _verify(desk, plan, votes, shot)
        else:
            _store_votes(running, verifier, plan, votes)
    with at_desk(chromium, running, SENIOR) as senior:
        _adjudicate(senior, plan, shot)
    again: Votes = defaultdict(list)
    for verifier in VERIFIERS:
        _store_votes(running, verifier, plan, again)
    assert set(again) == {plan.edited(question) for question, decision in plan.split.items() if decision == "edit"}
    assert all(len(cast) == 2 for cast in (*votes.values(), *again.values()))

    with at_desk(chromium, running, "lena") as lead:
        kept = _export(lead, tmp_path)
        _check_export(kept, plan)
        _bring_in_answers(lead, kept, tmp_path)
    with opened(running) as store:
        assert all(len(votes) == 2 for votes in votes_on_kept(store, PROJECT).values())
    _send_to_grading(running)
    grades: Grades = defaultdict(dict)
    for grader in GRADERS:
        if grader in AT_THE_PAGE:
            with at_desk(chromium, running, grader) as desk:
                _grade(desk, grader, grades, pictures)
        else:
            _store_grades(running, grader, grades)
    assert {len(given) for given in grades.values()} == {3}
    assert len(grades) == math.ceil(len(plan.kept()) / GRADED_OF) * len(MODELS)
    assert {grade for given in grades.values() for grade in given.values()} == set(GRADES)

    with at_desk(chromium, running, "lena") as lead:
        _read_agreement(lead, grades, shot)
        if pictures:
            lead.open(f"/overview?project={PROJECT}")
            lead.picture(shot("dashboard"))
    assert touchstone("check", PROJECT, home=running.home).returncode == 0


def named_in(text: str) -> set[str]:
    """The people who are named in a text."""
    return {
        login for login in (*AUTHORS, *VERIFIERS, SENIOR, "lena") if re.search(rf"\b{login}\b", text, re.IGNORECASE)
    }


def _bring_in_images(lead: Desk, plan: Plan, folder: Path) -> list[str]:
    """The lead uploads a zip of pictures, six more than will be used; their names in the order of the pool."""
    packed = folder / "pictures.zip"
    names = {scene.name for scene in plan.scenes}
    spare = [scene for scene in scenes() if scene.name not in names][:6]
    with zipfile.ZipFile(packed, "w") as archive:
        for scene in (*plan.scenes, *spare):
            raw = io.BytesIO()
            scene.picture().save(raw, "JPEG", quality=90)
            archive.writestr(f"{scene.name}/{scene.name}.jpg", raw.getvalue())
    lead.open(f"/import?project={PROJECT}")
    lead.page.get_by_text("Images for new items").click()
    lead.page.get_by_role("region", name="Images, clips, videos").locator("input[type=file]").set_input_files(packed)
    button = lead.page.get_by_role("button", name="Add to the pool")
    expect(button).to_be_enabled()
    lead.settled()
    button.click()
    expect(lead.page.get_by_text(f"{len(plan.scenes) + len(spare)} images added to the pool")).to_be_visible(
        timeout=60_000
    )
    return sorted(scene.name for scene in (*plan.scenes, *spare))


def _write(desk: Desk, plan: Plan, dimensions: tuple[str, str], free: list[str], shot: Shot) -> None:
    """An author picks the pictures of two dimensions out of the pool and writes their items, all with keys."""
    desk.open(f"/author?project={PROJECT}&dimension={dimensions[0]}")
    for place, dimension in enumerate(dimensions):
        for number, scene in enumerate(scene for scene in plan.scenes if scene.dimension == dimension):
            expect(desk.bench).to_have_attribute("data-view", "pool")
            desk.press(str(place + 1))
            expect(desk.page.locator(".dims [aria-selected=true] kbd")).to_have_text(str(place + 1))
            expect(desk.page.locator(".cell")).to_have_count(len(free))
            if (place, number) == (0, 0):
                desk.picture(shot("author-pool"))
            desk.press(*["ArrowRight"] * free.index(scene.name))
            free.remove(scene.name)  # it leaves everyone's pool
            desk.press("Enter")
            expect(desk.bench).to_have_attribute("data-view", "task")
            desk.fill("question", plan.question(scene))
            desk.press("Escape")
            desk.fill("answer", scene.answer)
            if (place, number) == (0, 1):
                desk.picture(shot("author"))
            desk.next_after("Control+Enter")


def _store_items(server: Server, author: str, plan: Plan, dimensions: tuple[str, str], free: list[str]) -> None:
    """Another author's items."""
    with opened(server) as store:
        person = accounts.find_person(store, login=author)
        for scene in [scene for scene in plan.scenes if scene.dimension in dimensions]:
            assets = image_pool.pool(store, person=person, project=PROJECT).assets
            assert len(assets) == len(free)
            image = assets[free.index(scene.name)].id
            free.remove(scene.name)
            view = image_pool.pick(store, person=person, project=PROJECT, dimension=scene.dimension, assets=[image])
            fields = {"question": plan.question(scene), "answer": scene.answer}
            submissions.submit(store, person=person, task=view.id, key=view.id, values=fields)


def _said_of(plan: Plan, question: str, votes: Votes) -> str:
    """Bad items are refused by both verifiers, split ones by the second."""
    refuse = question in plan.bad or (question in plan.split and len(votes[question]) == 1)
    votes[question].append("no" if refuse else "yes")
    return votes[question][-1]


def _verify(desk: Desk, plan: Plan, votes: Votes, shot: Shot) -> None:
    """A verifier votes until nothing is left."""
    desk.open(f"/verify?project={PROJECT}")
    expect(desk.bench).to_be_visible()
    done = 0
    while desk.view() == "task":
        if done == 5:
            desk.picture(shot("verify"))
        # The second choice asks why; its first reason is one more key.
        desk.next_after(*("21" if _said_of(plan, desk.shown("question"), votes) == "no" else "1"))
        done += 1


def _store_votes(server: Server, verifier: str, plan: Plan, votes: Votes) -> None:
    """Another verifier's votes."""
    with opened(server) as store:
        person = accounts.find_person(store, login=verifier)
        while isinstance(view := next_task(store, person=person, project=PROJECT, stage=Stage.VERIFICATION), TaskView):
            said = _said_of(plan, str(view.fields["question"]), votes)
            reasons = {"fits": "wrong_answer"} if said == "no" else {}
            values = {"fits": said}
            submissions.submit(store, person=person, task=view.id, key=view.id, values=values, reasons=reasons)


def _adjudicate(senior: Desk, plan: Plan, shot: Shot) -> None:
    """The senior settles every item on which the votes differ."""
    senior.open(f"/adjudicate?project={PROJECT}")
    expect(senior.bench).to_be_visible()
    settled: list[str] = []
    while senior.view() == "task":
        question = senior.shown("question")
        senior.a_second_passes()
        decision = plan.split[question]
        assert not named_in(senior.bench.inner_text()), "who voted or wrote is not to be seen"
        if decision == "accept":
            senior.next_after("1", "6")
        elif decision == "reject":
            senior.picture(shot("adjudicate"))
            senior.next_after("2", "1")
        else:
            senior.press("3", "4")
            senior.fill("question", plan.edited(question))
            senior.next_after("Control+Enter")
        settled.append(question)
    assert sorted(settled) == sorted(plan.split)


def _export(lead: Desk, folder: Path) -> Path:
    """The lead downloads the kept items."""
    lead.open(f"/items?project={PROJECT}&state=kept")
    lead.page.get_by_role("button", name="Change items").click()
    lead.page.get_by_role("combobox", name=re.compile("Action$")).click()
    lead.page.get_by_role("option", name="Export").click()
    lead.page.get_by_role("button", name="Prepare").click()
    expect(lead.page.get_by_role("heading", name="Manifest")).to_be_visible()
    lead.settled()
    with lead.page.expect_download() as waiting:
        lead.page.get_by_role("button", name="Download").first.click()
    path = folder / "kept.zip"
    waiting.value.save_as(path)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder / "kept")
    return folder / "kept"


def _check_export(kept: Path, plan: Plan) -> None:
    """Every kept item is there, once, in the folder of its dimension, with its answer; and nothing else."""
    answers = {plan.question(scene): scene.answer for scene in plan.scenes}
    answers |= {plan.edited(question): answers[question] for question in plan.split}
    written = {path: json.loads(path.read_text()) for path in kept.rglob("annotations.json")}
    rows = [row for rows in written.values() for row in rows]
    assert Counter(row["question"] for row in rows) == Counter(plan.kept())
    assert all(row["answer"] == answers[row["question"]] for row in rows)
    manifest = next(kept.rglob("manifest.json")).read_text()
    assert not named_in(manifest), "people are pseudonyms in files"
    assert len(json.loads(manifest)["items"]) == len(plan.kept())


def _bring_in_answers(lead: Desk, kept: Path, folder: Path) -> None:
    """The lead uploads two models' answers to the kept items: one repeats the reference, one gives up."""
    manifest = json.loads(next(kept.rglob("manifest.json")).read_text())
    lines = []
    for item in manifest["items"][::GRADED_OF]:
        row = json.loads(next(kept.rglob(item["file"])).read_text())[item["position"]]
        lines += [{"item": item["id"], "model": MODELS[0], "text": row["answer"]}]
        lines += [{"item": item["id"], "model": MODELS[1], "text": GIVING_UP}]
    file = folder / "answers.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    lead.open(f"/import?project={PROJECT}")
    lead.page.get_by_role("region", name="Drop a file here").locator("input[type=file]").set_input_files(file)
    button = lead.page.get_by_role("button", name=f"Import {len(lines)} answers", exact=True)
    expect(button).to_be_enabled()
    lead.settled()
    button.click()
    expect(lead.page.get_by_text(f"{len(lines)} answers imported")).to_be_visible()


def _send_to_grading(server: Server) -> None:
    """The lead has people grade both models: answers of several models wait for that."""
    with opened(server) as store:
        assert run_grading.send_imports(store, by=None, project=PROJECT) > 0


def grade_of(grader: str, question: str, answer: str) -> float:
    """What a grader thinks of an answer: two agree throughout, the third is stricter with some right answers."""
    if answer == GIVING_UP:
        return 0.0
    return 0.5 if grader == GRADERS[2] and len(question) % 2 == 0 else 1.0


def _grade(desk: Desk, grader: str, grades: Grades, pictures: Path | None) -> None:
    """A grader goes through all answers, in an order of their own, and never sees a model's name."""
    desk.open(f"/grade?project={PROJECT}")
    expect(desk.bench).to_be_visible()
    done = 0
    while desk.view() == "task":
        answer = desk.page.locator(".shown.answer .value").inner_text()
        words = desk.bench.inner_text()
        assert not any(model in words for model in MODELS), "which model answered is not to be seen"
        if done == 4 and pictures:
            for scheme in ("dark", "light"):
                desk.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
                desk.picture(pictures / f"grade-{scheme}.png")
        question = desk.shown("question")
        grade = grade_of(grader, question, answer)
        grades[question, answer][grader] = grade
        desk.next_after(str(GRADES.index(grade) + 1))
        done += 1


def _store_grades(server: Server, grader: str, grades: Grades) -> None:
    """Another grader's grades."""
    with opened(server) as store:
        person = accounts.find_person(store, login=grader)
        while isinstance(view := next_task(store, person=person, project=PROJECT, stage=Stage.GRADING), TaskView):
            question, answer = str(view.fields["question"]), str(view.answer)
            grade = grade_of(grader, question, answer)
            grades[question, answer][grader] = grade
            submissions.submit(store, person=person, task=view.id, key=view.id, values={"score": grade})


def called(login: str) -> str:
    """The name of someone whose account this test has made."""
    return login.capitalize()


def _read_agreement(lead: Desk, grades: Grades, shot: Shot) -> None:
    """The screen shows what scikit-learn computes from the grades that were given, pair by pair."""
    lead.open(f"/agreement?project={PROJECT}")
    lead.page.get_by_role("radio", name="Grading").click()
    lead.settled()
    expect(lead.page.locator("[data-part=finding]")).to_contain_text("Two graders agree on")
    lead.settled()
    lead.picture(shot("agreement"))
    lead.page.get_by_text("Every statistic").click()
    expect(lead.page.get_by_text(f"{called(GRADERS[0])} and {called(GRADERS[2])}").last).to_be_visible()
    lead.settled()
    page = lead.page.locator("[data-testid=stMain]").inner_text()
    for one, two in itertools.combinations(sorted(GRADERS), 2):
        columns = [[GRADES.index(given[grader]) for given in grades.values()] for grader in (one, two)]
        kappa = cohen_kappa_score(*columns)
        row = re.search(rf"Cohen's kappa\s+weights: none, {called(one)} and {called(two)}[^\n]*\s+([\d.]+)", page)
        assert row, page
        assert float(row.group(1)) == pytest.approx(kappa, abs=0.0006)
