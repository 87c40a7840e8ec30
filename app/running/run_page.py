"""A page of runs: the list, the form for a new run, and each run.

Each page is a row that its kinds of runs refer to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from app import addresses, markup, shell
from app.markup import Markup
from app.running import begin, run_lists, shown, watch
from app.running.begin import Beginning
from app.running.run_lists import Listing
from app.services import Services
from domain import extensions
from domain.errors import NotFoundError
from domain.records import ProjectView
from domain.run_kinds import RunKind
from domain.runs import OPEN, RESUMABLE, RunState
from workflow.runs import run_views
from workflow.runs.run_views import RunView

RUNS, NEW = "Runs", "New run"
MOST_NAMED = 5
"""The number of imported judges that the first sentence names."""


@dataclass(frozen=True)
class RunSection:
    """A part of a run's page."""

    name: str
    draw: Callable[[Services, ProjectView, RunView], None]
    place: int = 50
    """The order of the parts. The part at 10 is the first and the default."""
    opened_by: str = ""
    """The address parameter that opens the part. Empty: none."""
    one: str = ""
    """The address parameter that opens one result of a run. Empty: none."""
    draw_one: Callable[[Services, ProjectView, RunView, str], None] | None = None
    """Draws that result."""


@dataclass(frozen=True)
class BesideRuns:
    """What a page of runs says about ratings that came from files, and about the next steps."""

    imported: Sequence[tuple[str, str]] = ()
    """The name of each judge whose ratings were imported, and the address of its figures."""
    links: Sequence[tuple[str, str]] = ()
    """Links to the next steps: words and address of each."""


@dataclass(frozen=True)
class RunPage:
    """A page of runs that ask a model. Imported answers have their own list below."""

    title: str
    purpose: str
    """Sentences below the title."""
    asked: str
    """The word for the model or judge of a run."""
    beginning: Beginning
    listing: Listing
    parts: Sequence[RunSection]
    """Core's parts of a run's page. Extensions add more."""
    frozen: str
    """The parts of a run that its hash covers."""
    opened: Mapping[str, str]
    """The parts to which core's pages link, also if an extension adds them, by their address parameters."""
    links: Callable[[RunView], Sequence[tuple[str, str]]] = lambda run: ()
    """Returns further links of a run: words and address of each."""
    beside: Callable[[Services, ProjectView], BesideRuns] = lambda services, view: BesideRuns()
    """Returns imported judges and links to the next steps."""
    refused: Callable[[Services, ProjectView], str] = lambda services, view: ""
    """Returns why no run can begin, with the next step. Empty if one can."""
    style: str = ""
    """Styles in addition to those of all pages of runs."""

    @property
    def path(self) -> str:
        """Return the page's path in the address. The keys of its widgets start with it."""
        return self.listing.kind.page

    @property
    def listings(self) -> list[Listing]:
        """Return the page's lists. The list of runs that ask a model comes first."""
        others = [kind for kind in RunKind if kind.page == self.path and kind is not self.listing.kind]
        return [self.listing, *(run_lists.from_files(kind) for kind in others)]

    @property
    def sections(self) -> list[RunSection]:
        """Return the parts of a run's page in order, also those of extensions."""
        added = (section for path, section in extensions.rows("run_sections") if path == self.path)
        return sorted([*self.parts, *added], key=lambda section: section.place)


def draw(services: Services, page: RunPage) -> None:
    """Draw the run in the address, else the list and the form for a new run."""
    view = shell.lead_of(services)
    st.html(f"<style>{shown.STYLE}{page.style}</style>")
    run = st.query_params.get("run")
    if run:
        _run(services, view, page, run)
        return
    shell.heading(page.title, page.purpose, made_up=view.made_up)
    runs = [
        run
        for listing in page.listings
        for run in run_views.runs_of(services.store, by=services.person, project=view.name, kind=listing.kind)
    ]
    beside = page.beside(services, view)
    shell.show(_standing(page, runs, beside.imported))
    if beside.links:
        steps = markup.joined([markup.link(words, href) for words, href in beside.links], " · ")
        shell.show(markup.tag("p", markup.text("Next: "), steps, style="ts ts-small", data_part="next"))
    part = st.segmented_control(
        "Part", [RUNS, NEW], default=RUNS if runs else NEW, key=f"{page.path}.part", label_visibility="collapsed"
    )
    if part == NEW:
        if why := page.refused(services, view):
            shell.show(markup.notice(why))
        else:
            begin.form(services, view, page.beginning)
    else:
        for listing in page.listings:
            run_lists.draw_runs(services, view.name, listing if not runs else replace(listing, nothing=""))


def _standing(page: RunPage, runs: Sequence[RunView], from_files: Sequence[tuple[str, str]]) -> Markup:
    """Return in a sentence how the runs stand. Imported answers and people's answers are no runs of a model.

    ``from_files`` has the judges of ``BesideRuns.imported``.
    """
    noun, states = page.asked.split()[-1], [run.state for run in runs if run.kind is page.listing.kind]
    others = [run for run in runs if run.kind is not page.listing.kind and not run.kind.people and not run.withdrawn]
    imported = len({run.name for run in others})
    going = [run for run in runs if run.state in OPEN]
    ended = sum(state in (RunState.DONE, RunState.CANCELLED) for state in states)
    halted = sum(state in RESUMABLE for state in states)
    words = f"{markup.count(ended, noun)} {'has' if ended == 1 else 'have'} finished." if ended else ""
    if going:
        done, wanted = sum(run.done for run in going), sum(run.wanted for run in going)
        words += (
            f" {len(going):,} {'is' if len(going) == 1 else 'are'} running: {done:,} of {wanted:,} requests are done."
        )
    if halted:
        words += f" {halted:,} stopped early. To resume a run, open the run."
    if imported:
        words += f" Answers of {markup.count(imported, noun)} are imported."
    none = f"No {noun} has finished yet." if states else f"No {noun} has run on this server yet."
    parts = [markup.tag("b", markup.text(words.strip() or none))]
    if from_files:
        named = [markup.link(name, href) for name, href in from_files[:MOST_NAMED]]
        named += [markup.text(f"{more:,} more")] if (more := len(from_files) - MOST_NAMED) > 0 else []
        count = markup.count(len(from_files), noun)
        parts += [markup.text(f" Ratings of {count} are imported: "), markup.joined(named, ", "), markup.text(".")]
    return markup.finding(*parts, part="standing")


def _run(services: Services, view: ProjectView, page: RunPage, run: str) -> None:
    run_view = run_views.view(services.store, by=services.person, run=run)
    if run_view.project != view.name or run_view.kind.page != page.path:
        raise NotFoundError(
            f"No run of {page.asked} in project {view.title} has the ID {shown.opening(run, 40)}. Choose "
            "a run from the list."
        )
    shell.heading(shown.opening(run_view.name, 120), made_up=view.made_up, detail=True)
    shell.show(_where(page, run_view), *shown.told_apart(run_view))
    shell.tell_refused()
    if run_view.kind.plan is None:
        watch.imported_answers(services, run_view)
        return
    parts = {section.name: section for section in page.sections}
    for part in parts.values():
        one = st.query_params.get(part.one) if part.one else None
        if one and part.draw_one is not None:
            part.draw_one(services, view, run_view, one)
            return
    for parameter, name in page.opened.items():
        if st.query_params.get(parameter) and name not in parts and (why := extensions.missing("run_sections", name)):
            shell.show(markup.notice(why))
    led_to = (part.name for part in parts.values() if part.opened_by and st.query_params.get(part.opened_by))
    first = next(iter(parts))
    chosen = st.segmented_control(
        "Part",
        list(parts),
        default=next(led_to, first),
        key=f"{page.path}.part.{run_view.id}",
        label_visibility="collapsed",
    )
    parts[chosen or first].draw(services, view, run_view)


def _where(page: RunPage, run: RunView) -> Markup:
    places = [("All runs", addresses.page(page.path, run.project))]
    if any(part.one and st.query_params.get(part.one) for part in page.sections):
        places.append(("This run", addresses.page(page.path, run.project, run=run.id)))
    links = [
        markup.tag("a", markup.text(words), href=href, target="_self") for words, href in (*places, *page.links(run))
    ]
    by = f"{run.kind.began} {markup.moment(run.created_at)} by {run.by or 'the command line'}"
    facts = [markup.quiet(f" · {by}")]
    if run.kind.plan is not None:
        facts = [markup.quiet(f" · {by} · {page.frozen} "), shown.mono(run.hash[:10])]
    return markup.tag("div", markup.joined(links, " · "), *facts, style="ts ts-small")
