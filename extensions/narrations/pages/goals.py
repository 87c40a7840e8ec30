"""The page Goals: leads edit the goals of videos on three levels, and the log keeps every version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotation_schemas.source_media import has_segments
from app import markup, shell
from app.reruns import messages
from app.screens import Room, Screen
from app.services import Services
from app.widgets import text_difference
from domain.records import ProjectView
from domain.roles import Role
from extensions.narrations import goal_draft, question_section, upload_section, video_goals
from extensions.narrations.files.narration_rows import LONGEST_TEXT
from extensions.narrations.goal_draft import Draft
from extensions.narrations.rules.goal_check import Mend
from extensions.narrations.rules.goal_edits import ends
from extensions.narrations.rules.goals import LEVELS, Goal, Step, Video
from extensions.narrations.rules.narration import Narration
from extensions.narrations.upload_section import DONE, ROWS
from extensions.narrations.video_goals import GoalVersion, VideoGoals
from workflow.access import guidelines

SCREEN = Screen(
    "Goals",
    place=115,
    room=Room.ITEMS,
    role=Role.LEAD,
    words="narrations actions steps next action video",
    fits=has_segments,
)

_DRAFTS = "goals.drafts"


def render(services: Services) -> None:
    """Draw the files, the choice of a video, its goals next to the selected goal, its faults and versions."""
    view = shell.lead_of(services)
    shell.heading(
        "Goals",
        (
            "Video goals on three levels, with their actions. Touchstone uses the goals to make questions "
            "about the next action."
        ),
        made_up=view.made_up,
    )
    st.html(f"<style>{text_difference.STYLE}</style>")
    shell.tell_refused()
    if refused := messages.kept_message(ROWS):
        shell.show_error(refused)
    if done := messages.kept_message(DONE):
        shell.show(markup.notice(done, style="good"))
    if not has_segments(view.schema.schema_):
        shell.show(
            markup.notice(
                "This project's items have no action times, so you cannot make questions from goals. Add a field of "
                "kind `segments` to the schema."
            )
        )
        return
    known = _known(services, view)
    with st.expander("Narration and goal files", expanded=not known.versions, key="goals.files"):
        upload_section.draw(services, view, narrated=bool(known.narrations))
    if not known.narrations:
        return
    video = _choose(services, view, known)
    draft = _draft(view, known, video)
    rows = known.narrations[video]
    faults = draft.faults(rows)
    _bar(services, view, known, draft, len(faults))
    now = known.now(video)
    if draft.based_on != now.number:
        _meanwhile(services, view, draft, now)
    left, right = st.columns([5, 6], gap="large")
    with left:
        _list(services, view, draft, faults)
        _faults(faults)
    with right:
        if draft.entries:
            _one(services, view, draft, Video(rows))
    _versions(services, view, draft, known.versions.get(video, ()))
    if known.versions:
        with st.expander("Questions from saved goals", key="goals.questions"):
            question_section.draw(services, view, known)


_KEPT: dict[tuple[str, str], VideoGoals] = {}
"""Goals by database and project, until they change; they are large, and the same for all leads."""
_MOST = 4


def _known(services: Services, view: ProjectView) -> VideoGoals:
    newest = video_goals.newest(services.store, by=services.person, project=view.name)  # asks who may see it
    of = (str(services.store.engine.url), view.name)
    known = _KEPT.get(of)
    if known is None or known.newest != newest:
        known = video_goals.of_project(services.store, by=services.person, project=view.name)
        while len(_KEPT) >= _MOST:
            _KEPT.pop(next(iter(_KEPT)), None)
        _KEPT[of] = known
    return known


# ---- a video --------------------------------------------------------------------------------------------------------


def _drafts() -> dict[tuple[str, str], Draft]:
    drafts: dict[tuple[str, str], Draft] = st.session_state.setdefault(_DRAFTS, {})
    return drafts


def _draft(view: ProjectView, known: VideoGoals, video: str) -> Draft:
    """Return the draft of a video's goals; an unchanged draft is replaced by the newest version."""
    now, drafts = known.now(video), _drafts()
    there = drafts.get((view.name, video))
    if there is None or (there.based_on != now.number and not there.changed):
        there = drafts[view.name, video] = goal_draft.begun(video, now)
    return there


def _choose(services: Services, view: ProjectView, known: VideoGoals) -> str:
    """Draw the choice of a video, with its number of goals and faults, and return the chosen video."""
    unsaved = {video for (project, video), draft in _drafts().items() if project == view.name and draft.changed}
    videos = list(known.narrations)
    faulty = [video for video in videos if known.counts[video][1]]
    n, bad = (sum(count[at] for count in known.counts.values()) for at in (0, 1))
    words = (
        f"{markup.count(n, 'goal')} of {markup.count(len(videos), 'video')}, saved with {markup.count(bad, 'fault')}."
    )
    if unsaved:
        words += f" Not saved: {', '.join(sorted(unsaved)[:5])}{', ...' if len(unsaved) > 5 else ''}."
    shell.show(markup.tag("p", markup.text(words), style="ts", data_part="all"))
    key = f"goals.video.{view.name}"

    def said(video: str) -> str:
        goals, faults = known.counts[video]
        counts = [markup.count(goals, "goal")] + ([markup.count(faults, "fault")] if faults else [])
        return f"{video}: {', '.join(counts + ['not saved'] * (video in unsaved))}"

    def turn() -> None:
        here = videos.index(st.session_state[key])
        st.session_state[key] = next(
            (faulty_video for faulty_video in faulty if videos.index(faulty_video) > here), faulty[0]
        )

    box, button, file = st.columns([4, 2, 2], vertical_alignment="bottom")
    video = box.selectbox("Video", videos, format_func=said, key=key)
    button.button("Next video with faults", key="goals.next", disabled=not faulty, on_click=turn, width="stretch")
    file.download_button(
        "Download all saved goals",
        partial(_file, known),
        f"{view.name}-goals.json",
        "application/json",
        key="goals.download",
        on_click="ignore",
        width="stretch",
    )
    return str(video)


def _file(goals: VideoGoals) -> bytes:
    return goal_draft.as_file(goal for video in goals.narrations for goal in goals.now(video).goals)


def _bar(services: Services, view: ProjectView, known: VideoGoals, draft: Draft, n_faults: int) -> None:
    """Draw the buttons for all goals of the video."""
    save, back, add, about = st.columns([2, 2, 2, 6], vertical_alignment="center")
    save.button(
        "Save this video",
        type="primary",
        key="goals.save",
        on_click=_save,
        args=(services, view, draft.video),
        width="stretch",
    )
    button = partial(_button, services, view, draft)
    button(back, "Undo", "undo", Draft.back, off=not draft.past)
    button(add, "Add a goal", "add", lambda made: made.added(known.narrations[draft.video]))
    of = f"version {draft.based_on}" if draft.based_on else "no version yet"
    state = f"{'Changed, not saved' if draft.changed else 'As saved'}: {of}, {markup.count(n_faults, 'fault')}."
    about.html(str(markup.tag("p", markup.text(state), style="ts", data_part="state")))


def _button(
    services: Services,
    view: ProjectView,
    draft: Draft,
    where: DeltaGenerator,
    label: str,
    name: str,
    change: Callable[[Draft], Draft],
    *,
    off: bool = False,
    of: int | None = None,
) -> None:
    """Draw a button that changes the draft; ``of`` is the number of the goal that it changes."""
    where.button(
        label,
        key=f"goals.{name}",
        disabled=off,
        on_click=_change,
        args=(services, view, draft.video, of, change),
        width="stretch",
    )


def _change(
    services: Services, view: ProjectView, video: str, number: int | None, change: Callable[[Draft], Draft]
) -> None:
    """Change the current draft, because a press may arrive together with text that was typed before it."""
    with shell.pressed(services):
        drafts = _drafts()
        drafts[view.name, video] = drafts[view.name, video].changing(number, change)


def _save(services: Services, view: ProjectView, video: str) -> None:
    with shell.pressed(services):
        draft = _drafts()[view.name, video]
        if not draft.changed:
            messages.keep(DONE, f"Nothing has changed since version {draft.based_on}.")
            return
        version = video_goals.save(
            services.store,
            by=services.person,
            project=view.name,
            video=video,
            goals=draft.goals,
            based_on=draft.based_on,
        )
        _drafts()[view.name, video] = draft.onto(version)
        messages.keep(DONE, f"Version {version.number} of the goals of {video} is saved.")


def _meanwhile(services: Services, view: ProjectView, draft: Draft, now: GoalVersion) -> None:
    """Show what another person saved meanwhile, and offer to go on with either version."""
    who = now.by or "A command on the server"
    words = (
        f"{who} saved version {now.number} of the goals of {draft.video} while you edited version "
        f"{draft.based_on}. Your version would make the changes below."
    )
    shell.show(markup.notice(words, style="bad"))
    theirs = goal_draft.begun(draft.video, now).goals
    changes = guidelines.changes(goal_draft.in_lines(theirs), goal_draft.in_lines(draft.goals), around=1)
    shell.show(markup.tag("div", text_difference.lines_of(changes), data_part="meanwhile"))
    mine, take, _ = st.columns([2, 2, 4])
    button = partial(_button, services, view, draft)
    button(mine, "Continue with my version", "mine", lambda made: made.onto(now))
    button(take, f"Take version {now.number}", "take", lambda made: made.taking(now).onto(now))


# ---- a goal ---------------------------------------------------------------------------------------------------------


def _list(services: Services, view: ProjectView, draft: Draft, faults: Sequence[Mend]) -> None:
    """Draw the list of goals, in which one is selected."""
    if not draft.entries:
        shell.show(markup.notice("This video has no goals."))
        return
    goals = dict(draft.entries)
    key = f"goals.chosen.{draft.video}"
    st.session_state[key] = draft.entries[draft.at][0]

    def choose() -> None:
        _change(services, view, draft.video, None, lambda made: made.choose(st.session_state[key]))

    st.radio(
        "Goals, by time",
        list(goals),
        key=key,
        format_func=lambda number: _called(goals[number]),
        captions=[markup.label(_reach(goal, faults)) for goal in goals.values()],
        on_change=choose,
    )


INDENT = "\u2003"


def _called(goal: Goal) -> str:
    lead = INDENT * max(LEVELS.index(goal.level) - 1, 0)
    return f"{lead}{goal.where.removeprefix('Goal ')} · {goal.level} · **{markup.label(goal.text)}**"


def _reach(goal: Goal, faults: Sequence[Mend]) -> str:
    first, last = ends(goal)
    n = sum(fault.where.startswith(f"{goal.where}:") for fault in faults)
    reach = f"{INDENT * max(LEVELS.index(goal.level) - 1, 0)}{markup.count(len(goal.steps or ()), 'action')}"
    reach += f", {first.start:f} to {last.stop:f} s"
    return reach + (f", {markup.count(n, 'fault')}" if n else "")


def _one(services: Services, view: ProjectView, draft: Draft, here: Video) -> None:
    """Draw the selected goal: its words, level, first and last action, and the buttons that change it."""
    number, goal = draft.entries[draft.at]
    steps = goal.steps or ()
    key = f"goals.{draft.video}.{number}"
    keep = partial(_change, services, view, draft.video, number)
    st.session_state[f"{key}.words"] = goal.text
    st.text_input(
        f"Words of goal {draft.at + 1}",
        key=f"{key}.words",
        max_chars=LONGEST_TEXT,
        on_change=keep,
        args=(lambda made: made.renamed(st.session_state[f"{key}.words"]),),
    )
    st.session_state[f"{key}.level"] = goal.level
    st.selectbox(
        "Level",
        LEVELS if goal.level == LEVELS[0] else LEVELS[1:],
        key=f"{key}.level",
        on_change=keep,
        args=(lambda made: made.levelled(st.session_state[f"{key}.level"]),),
    )
    for name, label, step in (("first", "First action", steps[0]), ("last", "Last action", steps[-1])):
        at = st.session_state[f"{key}.{name}"] = here.ids.get(step.id)
        st.selectbox(
            label,
            range(len(here.rows)),
            index=None if at is None else 0,
            key=f"{key}.{name}",
            format_func=lambda at: _action(at, here.rows[at]),
            placeholder=f"{step.id} (not a narration of this video)",
            on_change=keep,
            args=(partial(_reaching, here, key),),
        )
    button = partial(_button, services, view, draft, of=number)
    cut, split = st.columns([4, 2], vertical_alignment="bottom")
    place = f"{key}.cut.{len(steps)}"
    cut.selectbox(
        "Split before",
        range(1, len(steps)),
        key=place,
        format_func=lambda at: f"{at + 1}. {steps[at].text}",
        disabled=len(steps) < 2,
    )
    button(split, "Split", "split", lambda made: made.split(st.session_state[place]), off=len(steps) < 2)
    merge, delete = st.columns(2)
    after = draft.following
    words = "Merge with next goal" if after is None else f"Merge with {after + 1}"
    button(merge, words, "merge", Draft.merged, off=after is None)
    button(delete, "Delete", "delete", Draft.deleted)
    if any(step.id not in here.ids or step.unlike(here.rows[here.ids[step.id]]) for step in steps):
        words = "Match actions to narrations"
        button(
            st.container(),
            words,
            "renew",
            lambda made: made.renewed(here),
            off=not any(s.id in here.ids for s in steps),
        )
    with st.container(height=280, border=False):
        shell.show(_actions(steps, here))


def _reaching(here: Video, key: str, draft: Draft) -> Draft:
    first, last = (st.session_state[f"{key}.{name}"] for name in ("first", "last"))
    if first is None and last is None:
        return draft
    return draft.reaching(here, last if first is None else first, first if last is None else last)


def _action(at: int, row: Narration) -> str:
    return f"{at + 1}. {row.text} ({row.start:f} to {row.stop:f} s)"


def _actions(steps: Sequence[Step], here: Video) -> markup.Markup:
    heads = [("", "number"), ("Action", ""), ("From", "number"), ("To", "number"), ("Narration", "")]
    rows = []
    for step in steps:
        at = here.ids.get(step.id)
        cells = ["?" if at is None else f"{at + 1}", step.text, f"{step.start:f}", f"{step.stop:f}"]
        rows.append([*map(markup.text, cells), markup.mono(step.id)])
    return markup.tag("div", markup.table(heads, rows), data_part="actions")


# ---- what is wrong, and what was ------------------------------------------------------------------------------------


def _faults(faults: Sequence[Mend]) -> None:
    shell.section("What is wrong")
    if not faults:
        shell.show(markup.tag("p", markup.text("Nothing."), style="ts", data_part="faults"))
        return
    rows = [
        [markup.text(fault.where), markup.text(f"{fault.what}."), markup.text(f"{fault.todo}.")] for fault in faults
    ]
    table = markup.table([("Where", ""), ("What is wrong", ""), ("What to do", "")], rows)
    shell.show(markup.tag("div", table, data_part="faults"))


def _versions(services: Services, view: ProjectView, draft: Draft, versions: Sequence[GoalVersion]) -> None:
    if not versions:
        return
    with st.expander(f"Versions of {markup.label(draft.video)}: {len(versions)}", key="goals.versions"):
        person = shell.named(services, [version.by for version in versions])
        rows = [
            [
                markup.number(version.number),
                markup.text(markup.moment(version.at)),
                person(version.by or "on the machine"),
                markup.number(len(version.goals)),
                markup.text(version.file or "mended here"),
            ]
            for version in reversed(versions)
        ]
        heads = [("Version", "number"), ("When", "line"), ("Who", ""), ("Goals", "number"), ("From", "")]
        shell.show(markup.tag("div", markup.table(heads, rows), data_part="versions"))
        of = {version.number: version for version in reversed(versions)}
        box, put, _ = st.columns([2, 2, 4], vertical_alignment="bottom")
        key = f"goals.version.{draft.video}.{len(versions)}"
        box.selectbox("Version", list(of), key=key)
        button = partial(_button, services, view, draft)
        button(put, "Restore this version", "bring", lambda made: made.taking(of[st.session_state[key]]))
