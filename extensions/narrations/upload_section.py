"""The section of the page Goals that reads narrations and goals from files, and shows invalid rows."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from app import markup, shell
from app.reruns import messages
from app.services import Services
from domain.errors import InvalidFileError, InvalidRowsError
from domain.records import ProjectView
from extensions.narrations import video_goals
from extensions.narrations.files.goal_files import read_goals
from extensions.narrations.files.narration_files import read_narrations
from extensions.narrations.rules.goal_edits import goals_with_actions
from extensions.narrations.rules.narration import by_video
from extensions.narrations.video_goals import FileChanges, Source
from workflow.files import uploads

DONE, ROWS = "goals.done", "goals.rows"
"""Keys of the message after a press: a sentence, or the invalid rows."""
MEND = "Nothing was saved. Correct the file, or select “Skip invalid rows”."
TYPES = ["csv", "json", "jsonl"]
SHOWN = 50
"""Number of invalid rows that are named."""


def draw(services: Services, view: ProjectView, *, narrated: bool) -> None:
    """Draw an upload for narrations, and one for goals if the project is ``narrated``; a button keeps each file."""
    skip = st.checkbox("Skip invalid rows", key="goals.skip_bad")
    left, right = st.columns(2, gap="large")
    with left:
        words = "Narrations: EPIC-KITCHENS' CSV, Ego4D's JSON, or a CSV with video, start, stop, text"
        _box(services, view, "narrations", words, skip, ready=True)
    with right:
        words = "Goals: the output of touchstone goal create, or another JSON, JSON lines or CSV file"
        _box(services, view, "goals", words, skip, ready=narrated)
        if not narrated:
            shell.show(
                markup.paragraph(
                    "Import narrations first, because Touchstone checks goals against narrations.", style="ts ts-quiet"
                )
            )
    shell.show(
        markup.paragraph(
            "A file replaces the narrations or goals of its videos. Touchstone keeps earlier versions of goals. "
            "Other videos do not change.",
            style="ts ts-quiet",
        )
    )


def _box(services: Services, view: ProjectView, what: str, label: str, skip: bool, *, ready: bool) -> None:
    key = f"goals.file.{what}.{st.session_state.get(f'goals.round.{what}', 0)}"
    upload = st.file_uploader(label, type=TYPES, key=key, disabled=not ready)
    st.button(
        f"Keep these {what}",
        key=f"goals.keep.{what}",
        disabled=upload is None,
        on_click=_keep,
        args=(services, view, what, upload, skip),
    )


def _keep(services: Services, view: ProjectView, what: str, upload: Any, skip: bool) -> None:
    with shell.pressed(services), tempfile.TemporaryDirectory(prefix="touchstone-goals-") as folder:
        file = uploads.copied(upload, Path(folder))
        try:
            message = (_narrations if what == "narrations" else _goals)(services, view, file, skip)
        except InvalidRowsError as error:
            messages.keep(ROWS, error)  # a line for each, which the sentence of a press has no place for
            return
        messages.keep(DONE, message)
        st.session_state[f"goals.round.{what}"] = st.session_state.get(f"goals.round.{what}", 0) + 1


def _narrations(services: Services, view: ProjectView, file: Path, skip: bool) -> str:
    read = read_narrations(file)
    bad = [f"{row.path}, line {row.row}: {row.reason}." for row in read.bad]
    _refuse(bad, skip)
    put = video_goals.narrate(
        services.store,
        by=services.person,
        project=view.name,
        narrations=by_video(read.rows),
        source=Source(file.name, read.sha256, read.form),
    )
    return f"{markup.count(len(read.rows), 'narration')} of {file.name}: {_said(put)}{_left(bad, 'row')}"


def _goals(services: Services, view: ProjectView, file: Path, skip: bool) -> str:
    read = read_goals(file)
    here = video_goals.of_project(services.store, by=services.person, project=view.name)
    goals_by_video, unplaced = goals_with_actions(read.goals, here.narrations)
    bad = [f"{row.path}, line {row.row}: {row.reason}." for row in read.bad]
    bad += [f"{unplaced_goal.goal}: {unplaced_goal.why}." for unplaced_goal in unplaced]
    _refuse(bad, skip)
    if not goals_by_video:
        raise InvalidFileError(f"{file.name} has no valid goals. The first problem: {bad[0]} Nothing was saved.")
    put = video_goals.put_file(
        services.store, by=services.person, project=view.name, goals=goals_by_video, file=file.name
    )
    n = sum(map(len, goals_by_video.values()))
    return f"{markup.count(n, 'goal')} of {file.name}: {_said(put)}{_left(bad, 'goal')}"


def _refuse(bad: Sequence[str], skip: bool) -> None:
    if bad and not skip:
        raise InvalidRowsError(bad[:SHOWN], n=len(bad), end=MEND)


def _said(put: FileChanges) -> str:
    return f"{markup.count(put.new, 'video')} new, {put.changed:,} changed, {put.equal:,} unchanged."


def _left(bad: Sequence[str], noun: str) -> str:
    if not bad:
        return ""
    return f" Left out: {markup.count(len(bad), noun)}, such as {bad[0]}"
