"""Pipelines: how the items of the project come to be, step by step: counts, what was dropped and why, what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from annotation_schemas.source_media import has_segments
from annotation_schemas.state_words import state_called
from app import frame_steps, frame_work, markup, proposal_steps, shell
from app.screens import Group, Screen
from app.services import Services
from construction.questions import RULES
from domain.records import ProjectView
from domain.roles import Role
from workflow.lead import pipelines
from workflow.lead.pipelines import Came, Making, Pipelines, Pooled

SCREEN = Screen("Pipelines", place=203, role=Role.LEAD, group=Group.SOURCES)


def render(services: Services) -> None:
    """Frames; narrations, goals and questions; proposals of a model; the items that came of it all."""
    view = shell.lead_of(services)
    shell.heading(
        "Pipelines",
        "How items come to be, step by step, with what each step dropped and why. Each step is run again on its page.",
        made_up=view.made_up,
    )
    known = pipelines.of_project(services.store, by=services.person, project=view.name)
    _frames(services, view, known.pooled)
    if has_segments(view.schema.schema_):
        shell.section("Narrations, goals and questions")
        shell.show(markup.tag("div", _questions(view, known), data_part="questions"))
    if known.proposals.came:
        shell.section("Proposals of a model")
        again = _link("Give others, or see what they do", "drafting", view)
        shell.show(markup.tag("div", proposal_steps.table(known.proposals, again), data_part="proposals"))
        shell.show(markup.tag("div", proposal_steps.arms(known.proposals), data_part="arms"))
    shell.section("Items")
    if not known.came:
        shell.show(markup.notice("There is no item yet. They come in on Import, or people write them."))
        return
    shell.show(markup.tag("div", _items(view, known.came), data_part="items"))


def _frames(services: Services, view: ProjectView, pooled: Sequence[Pooled]) -> None:
    shell.section("Frames")
    found = frame_work.sets(services, view.name)
    if not found:
        shell.show(markup.tag("p", _link("Take frames out of videos", "frames", view), style="ts"))
    for name, about in found:
        folder = frame_work.folder_of_set(
            services.store, services.settings.home, by=services.person, project=view.name, name=name
        )
        said = f"{about.called}, {markup.moment(frame_work.at(about.began))} · "
        way = _link("look through, or run again", "frames", view, set=name)
        shell.show(markup.tag("p", markup.text(said), way, style="ts"))
        there = frame_work.index(folder)
        if there is not None:
            shell.show(markup.tag("div", frame_steps.table(view, folder, about, there), data_part="frames"))
        else:
            shell.show(markup.notice("Its frames are not there yet."))
    if pooled:
        n = sum(each.n for each in pooled)
        words = f"{markup.count(n, 'frame')} came into the pool in all, the last on {markup.moment(pooled[-1].at)}."
        shell.show(markup.paragraph(words, style="ts ts-quiet"))


def _link(words: str, page: str, view: ProjectView, **more: str) -> markup.Markup:
    to = f"/{page}?" + urlencode({"project": view.name, **more})
    return markup.tag("a", markup.text(words), href=to, target="_self")


# ---- narrations, goals, questions -----------------------------------------------------------------------------------


def _questions(view: ProjectView, known: Pipelines) -> markup.Markup:
    """A line for the narrations of each file, one for the goals, one for each time that questions were made."""
    goals, n = known.goals, sum(each.rows for each in known.narrations)
    rows = [
        [
            *frame_steps.row(
                "Narrations", f"{each.file}: {markup.count(each.videos, 'video')}", each.rows, each.rows,
                markup.quiet("said when the file was given"), "",
            ),
            _link("Give a file again", "goals", view),
        ]
        for each in known.narrations
    ]  # fmt: skip
    faults = [("with a fault", f"{goals.faulty:,}")] * bool(goals.faulty) + list(goals.faults)
    how = f"{markup.count(goals.videos, 'video')}, {markup.count(goals.versions, 'version')} saved"
    rows.append(
        [
            *frame_steps.row("Goals", how, n, goals.goals, frame_steps.named(faults), ""),
            _link("Mend goals", "goals", view),
        ]
    )
    rows += [[*_making(each), _link("Make questions again", "goals", view)] for each in known.makings]
    return markup.table([*frame_steps.HEADS, ("Run again", "")], rows)


def _making(each: Making) -> list[markup.Markup]:
    told = each.settings
    rate = "a rate for each video" if told.get("rates") else f"{told.get('rate')} frames a second"
    rule = RULES[told["observed"]].meaning if told.get("observed") in RULES else str(told.get("observed"))
    how = f"{markup.moment(each.at)}, by {each.by or 'the command line'}; {rate}; seed {told.get('seed')}; {rule}"
    left = [
        (f"{out['reason']}: {out['n']:,}", f"such as {out['examples'][0]}" if out["examples"] else "")
        for out in each.left_out
    ]
    n = each.counts.get("actions of kept goals", 0)
    return frame_steps.row("Questions", how, n, each.counts.get("questions", 0), frame_steps.named(left), "")


# ---- items ----------------------------------------------------------------------------------------------------------


def _items(view: ProjectView, came: Sequence[Came]) -> markup.Markup:
    """A line for each file, with what has become of its items."""
    stages = view.schema.schema_.stages
    rows = [
        [
            markup.text(each.file or "written by people"),
            markup.quiet(each.format),
            markup.text(markup.moment(each.at) if each.at is not None else ""),
            markup.number(each.n),
            markup.text(", ".join(f"{state_called(stages, state)} {n:,}" for state, n in sorted(each.states.items()))),
            _link("Import more", "import", view) if each.file else markup.text(""),
        ]
        for each in came
    ]
    heads = [("File", ""), ("Format", ""), ("When", "line"), ("Items", "number"), ("What became of them", "wide")]
    return markup.table([*heads, ("Run again", "")], rows)
