"""The section of the page Goals that makes questions from saved goals, previews them, and imports them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from annotation_schemas.formats import offered
from app import jobs, markup, shell
from app.importing import file_inputs, import_jobs, import_preview
from app.importing.result_sentence import imported_sentence
from app.jobs import page as job_page
from app.jobs.imports import ImportOrder, ImportOutcome
from app.services import Services
from domain import typed_json
from domain.errors import InvalidInputError, InvalidRowsError, Problem
from domain.jobs import Job
from domain.records import ProjectView
from extensions.narrations import goal_draft, project_steps
from extensions.narrations.files import question_files
from extensions.narrations.files.narration_rows import ReadNarrations
from extensions.narrations.files.published_questions import FORMAT
from extensions.narrations.files.video_rates import Videos, read_videos
from extensions.narrations.question_generation import QuestionRequest
from extensions.narrations.question_job import QUESTIONS, REQUEST, TOLD
from extensions.narrations.rules.frame_rates import rate
from extensions.narrations.rules.goals import FEWEST, MOST, SLACK
from extensions.narrations.rules.questions import RULES
from extensions.narrations.video_goals import VideoGoals
from workflow.files import uploads
from workflow.files.one_import import ImportSummary
from workflow.jobs import desk

HERE = 2_000
"""Up to this number of narrations, the server makes the questions at once, in about a second."""
GAP = Decimal("0.5")
SHOWN = 50
_MAKING, _LAST = "goals.making", "goals.last"


@dataclass
class _QuestionSet:
    """The questions that a person had made from one state of the goals."""

    of: int
    folder: Path
    job: Job
    source: uploads.Source | None = None


def draw(services: Services, view: ProjectView, goals: VideoGoals) -> None:
    """Draw the settings, the result, and the preview of an import with its button."""
    if FORMAT not in {row.name for row in offered(view.schema.schema_, writes=False)}:
        words = f"This project cannot import items as `{FORMAT}`. Download the goals, and make questions "
        shell.show(markup.paragraph(f"{words}with touchstone question create.", style="ts ts-quiet"))
        return
    running = import_preview.last_import(services, view, _came)
    last = _last(services, view)
    rates, seed, first, rule = st.columns([3, 2, 2, 4], vertical_alignment="bottom")
    rates.text_input("Frames per second", value=last["rate"] or "", key="goals.ask.rate", placeholder="30, 59.94")
    seed.number_input("Seed", value=last["seed"], step=1, key="goals.ask.seed")
    first.number_input("First question number", value=last["first"], min_value=0, step=1, key="goals.ask.first")
    rule.selectbox(
        "Observed",
        list(RULES),
        index=list(RULES).index(last["observed"]) if last["observed"] in RULES else 0,
        format_func=lambda name: RULES[name].meaning,
        key="goals.ask.rule",
    )
    file = st.file_uploader("Or frame rates as CSV (columns video_id and fps)", type=["csv"], key="goals.ask.videos")
    st.button("Make questions", key="goals.make", on_click=_begin, args=(services, view, goals, file))
    made: _QuestionSet | None = st.session_state.get(_MAKING, {}).get(view.name)
    if made is None:
        return
    made.job = desk.job(services.store, id=made.job.id) if made.job.is_open else made.job
    if made.job.is_open:
        job_page.watch(services, made.job)
        return
    if made.job.refused:
        shell.show(markup.notice(shell.on_page(made.job.refused), style="bad"))
        return
    if made.of != goals.newest:
        shell.show(
            markup.notice("These questions are from older goals. Make the questions again from the current goals.")
        )
    _show(view, made)
    if made.source is not None and not running:
        videos = file_inputs.media_of_extensions(services, view, "goals.ask")
        _preview(services, view, replace(made.source, media_path=videos))


def _last(services: Services, view: ProjectView) -> Mapping[str, Any]:
    """Return the settings of the last run in this project."""
    known: dict[str, Mapping[str, Any]] = st.session_state.setdefault(_LAST, {})
    if view.name not in known:
        made = project_steps.newest_making(services.store, by=services.person, project=view.name)
        usual = {"rate": None, "seed": 0, "first": 0, "observed": ""}
        known[view.name] = {**usual, **(made.settings if made is not None else {})}
    return known[view.name]


def _begin(services: Services, view: ProjectView, goals: VideoGoals, file: Any) -> None:
    with shell.pressed(services):
        folder = uploads.staged(services.settings.home, (), None).folder
        asked = _asked(goals, folder, file)
        (folder / REQUEST).write_text(json.dumps(typed_json.encode(asked)), encoding="utf-8")
        job = jobs.begin(
            services,
            QUESTIONS.name,
            slot=f"questions/{folder.name}",
            project=view.name,
            input={"folder": folder, "project": view.name},
            here=len(asked.read.rows) <= HERE,
        )
        st.session_state.setdefault(_MAKING, {})[view.name] = _QuestionSet(goals.newest, folder, job)


def _asked(goals: VideoGoals, folder: Path, file: Any) -> QuestionRequest:
    state = st.session_state
    (folder / "goals.json").write_bytes(
        goal_draft.as_file(goal for video in goals.narrations for goal in goals.now(video).goals)
    )
    return QuestionRequest(
        read=_read(goals),
        goals=folder / "goals.json",
        videos=_videos(file, folder) if file is not None else None,
        rate=_rate(str(state["goals.ask.rate"]).strip()),
        goal_times="seconds",
        limits=(FEWEST, MOST, SLACK),
        gap=GAP,
        observe=state["goals.ask.rule"],
        classes=(None, None),
        question=None,
        collection=None,
        seed=int(state["goals.ask.seed"]),
        first_id=int(state["goals.ask.first"]),
        tuning=False,
        apart=False,
    )


def _read(goals: VideoGoals) -> ReadNarrations:
    """Return all narrations as if they came from one file."""
    sources = sorted({source for source in goals.sources.values()})
    names = ", ".join(dict.fromkeys(source.file for source in sources))
    lines = "".join(f"{source.sha256}  {source.file}\n" for source in sources)
    sha256 = sources[0].sha256 if len(sources) == 1 else hashlib.sha256(lines.encode()).hexdigest()
    forms = {source.form for source in sources}
    read = ReadNarrations(names, sha256, forms.pop() if len(forms) == 1 else "csv")
    read.rows = [row for rows in goals.narrations.values() for row in rows]
    return read


def _videos(file: Any, folder: Path) -> Videos:
    videos = read_videos(uploads.copied(file, folder))
    if videos.bad:
        rows = [f"{row.path}, line {row.row}: {row.reason}." for row in videos.bad[:SHOWN]]
        raise InvalidRowsError(rows, n=len(videos.bad), end="Nothing was made.")
    return videos


def _rate(text: str) -> Fraction | None:
    known = rate(text) if text else None
    if text and known is None:
        raise InvalidInputError(
            [Problem("rate", f"Write a number from 1 to 1000, such as 59.94 or 60000/1001, not {text!r}.")]
        )
    return known


def _show(view: ProjectView, made: _QuestionSet) -> None:
    """Show the counts of each step, the reasons, and the files to download."""
    counts = json.loads((made.folder / TOLD).read_text(encoding="utf-8"))
    out = made.folder / "made"
    if made.source is None and counts["n"]:
        (made.folder / "raw" / "0").write_bytes((out / question_files.ITEMS).read_bytes())
        made.source = uploads.Source(made.folder, (question_files.ITEMS,))
    style = "good" if counts["n"] else "bad"
    shell.show(markup.notice(f"{markup.count(counts['n'], 'question')} made.", style=style))
    rows = [[markup.text(name), markup.number(n), markup.text("")] for name, n in counts["counts"].items()]
    rows += [
        [markup.text(f"left out: {reason['reason']}"), markup.number(reason["n"]), markup.quiet(reason["examples"][0])]
        for reason in counts["left_out"]
    ]
    heads = [("Step", ""), ("Number", "number"), ("Such as", "wide")]
    shell.show(markup.tag("div", markup.table(heads, rows), data_part="made"))
    boxes: Sequence[Any] = st.columns(4)
    for box, name in zip(boxes, (question_files.ITEMS, question_files.TIMES, question_files.MANIFEST), strict=False):
        box.download_button(
            f"Download {name}",
            (out / name).read_bytes,
            f"{view.name}-{name}",
            key=f"goals.made.{name}",
            on_click="ignore",
            width="stretch",
        )


def _preview(services: Services, view: ProjectView, source: uploads.Source) -> None:
    """Show what an import of the questions would do, with the button that does it."""
    about = {"format": FORMAT, "dimension": None, "said": None}
    seen = import_preview.look(services, ImportOrder(view.name, source, about))
    if seen is None:
        return
    import_preview.show(seen, skip_bad=False, new_only=False)
    order = ImportOrder(view.name, source, {**about, "skip_bad": False, "new_only": False})
    shell.does(
        st,
        "Import these questions",
        services,
        partial(_import, services, order),
        key="goals.import",
        type="primary",
        disabled=not import_preview.comes(seen, skip_bad=False, new_only=False) or not seen.counts["new"],
    )
    import_preview.show_rows(view.schema.schema_, seen, source)


def _import(services: Services, order: ImportOrder) -> None:
    import_jobs.begin(services, order)
    st.session_state.get(_MAKING, {}).pop(order.project, None)


def _came(came: ImportOutcome) -> None:
    done = came.done or ImportSummary()
    shell.show(markup.notice(imported_sentence(done), style="good" if not done.bad else ""))
