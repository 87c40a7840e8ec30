"""The frame around every screen: the person, the project, the navigation, and the handling of errors."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import streamlit as st

from app import addresses, markup, rooms, sidebar
from app.controls import on_page as on_page
from app.reruns import button_presses, collector, dialogs, messages, session_values
from app.screens import SCREENS, Screen
from app.services import Resources, Services, resources
from app.serving import demo_people
from app.serving.open_files import CROWDED, none_left
from app.serving.precedence import precedence
from app.serving.request_records import HEADER, new_id
from app.session import token_of
from app.workbench import lead_mode
from domain import extensions
from domain.display_names import distinct_names
from domain.errors import (
    DatabaseUnavailableError,
    InvalidRowsError,
    NotAllowedError,
    NotFoundError,
    SignInRequiredError,
    TouchstoneError,
)
from domain.language import COOKIE as LANGUAGE
from domain.language import _, marked, speaking
from domain.log_facts import logged_with
from domain.origin import acting_from
from domain.records import ProjectView, SignedIn
from domain.roles import Role, at_least, role_name
from workflow.access import accounts, projects

log = logging.getLogger("touchstone")

LOOPBACK = "127.0.0.1"
"""The address of a browser on this machine, for which Streamlit reports no address."""

SESSION_OVER = marked("Your session has ended. Sign in again. Your text is kept.")


WORKING_STYLE = """
header[data-testid="stHeader"], [data-testid="stToolbar"], [data-testid="stDecoration"],
[data-testid="stStatusWidget"], [data-testid="stSidebar"], [data-testid="stSidebarCollapsedControl"],
[data-testid="stExpandSidebarButton"] { display: none !important; }
[data-testid="stMainBlockContainer"] { padding: 0 !important; max-width: none !important; }
[data-testid="stMain"] { overflow: hidden; }
[data-testid="stMainBlockContainer"] [data-testid="stVerticalBlock"] { gap: 0 !important; }
"""
LEAD_STYLE = """
[data-testid="stMainBlockContainer"] { padding: 1.15rem 2rem 4rem !important; max-width: 1240px !important; }
header[data-testid="stHeader"] { background: transparent; }
[data-testid="stMain"] button[kind="tertiary"] { min-height: 0; padding: 0; }
[class*="st-key-my_work-dimensions"] { row-gap: .1rem !important; margin-top: -.4rem; }
[data-testid="stMain"] button[kind="tertiary"] p { font-size: .85rem; }
[data-testid="stSidebar"] a:focus-visible, [data-testid="stMain"] a:focus-visible {
  outline: 2px solid currentColor !important; outline-offset: 1px; border-radius: 4px; }
:is([data-testid="stMain"], [role="dialog"]) button:is([kind="primary"], [kind="primaryFormSubmit"]):not(:disabled) {
  background: #0f6e84; border-color: #0f6e84; color: #ffffff; }
:is([data-testid="stMain"], [role="dialog"])
  button:is([kind="primary"], [kind="primaryFormSubmit"]):not(:disabled):hover {
  background: #0b5769; border-color: #0b5769; }
[data-testid="stMultiSelectTagsContainer"] [data-tag] { background: #0f6e84 !important; color: #ffffff; }
[data-testid="stCaptionContainer"], [data-testid="stCaptionContainer"] * {
  color: inherit !important; opacity: 1 !important; }
[data-testid="stCaptionContainer"] p { color: color-mix(in srgb, currentColor 78%, transparent) !important; }
[data-testid="stMain"] .ts a, [data-testid="stSidebar"] .ts a { color: inherit; }
"""


# ---- the script -----------------------------------------------------------------------------------------------------


def run() -> None:
    """Run the script once: find out who is signed in, and draw the page in the address."""
    st.set_page_config(page_title="Touchstone", page_icon="/assets/mark.svg", layout="wide")
    st.html(f"<style>{markup.STYLE}</style>")
    with guard():
        _run()


def _run() -> None:
    shared = resources()
    session = _session(shared)
    pages = {screen.name: _page(screen, shared, session) for screen in SCREENS.values()}
    st.session_state["touchstone.pages"] = pages
    current = st.navigation([_home_page(shared, session), *pages.values(), *_away()], position="hidden")
    if session is None:
        _session_over()
        return
    try:
        current.run()
    finally:
        collector.freeze_collector()


def _page(screen: Screen, shared: Resources, session: SignedIn | None) -> Any:
    def draw() -> None:
        if session is not None:
            _draw(screen, _services(shared, session))

    return st.Page(draw, title=screen.title, url_path=screen.path)


def _home_page(shared: Resources, session: SignedIn | None) -> Any:
    """Return the page of the address without a path: Overview for leads, My work for others."""

    def draw() -> None:
        if session is not None:
            services = _services(shared, session)
            with guard(services):
                mine = projects.projects_of(services.store, person=services.person)
                _draw(rooms.home(project(services)) if mine else SCREENS["my_work"], services)

    return st.Page(draw, title="Touchstone", default=True)


def _away() -> list[Any]:
    """Return stand-in pages for extensions that are not installed. Their addresses say so, and no menu offers them."""

    def draw(sentence: str) -> Callable[[], None]:
        return lambda: show(markup.notice(sentence))

    return [
        st.Page(draw(sentence), title="Not installed", url_path=path)
        for path, sentence in extensions.all_missing("pages").items()
    ]


_BARE = "touchstone.bare"
"""Whether the drawn page is a working page, which has no menu next to it."""


_HEAD = "touchstone.head"
"""The head of the drawn page, if the page is in a room."""


def _draw(screen: Screen, services: Services) -> None:
    st.set_page_config(page_title=screen.window_title)
    st.session_state.pop(_HEAD, None)
    with guard(services):
        st.session_state[_BARE] = screen.stage is not None
        if screen.stage is None:
            lead_mode.end()
        elif lead_mode.is_at_work(services, project(services), screen.stage):
            working_page()
            draw_view(screen.name, services)
            return
        st.session_state[_BARE] = False
        with precedence.looking():
            with guard(services), st.sidebar:
                st.session_state[_HEAD] = sidebar.draw(services, screen)
            st.html(f"<style>{LEAD_STYLE}{sidebar.STYLE}{rooms.STYLE}</style>")
            draw_view(screen.name, services)


def draw_view(name: str, services: Services) -> None:
    """Draw a screen and its open dialog."""
    dialogs.enter(name)
    render = SCREENS[name].render
    assert render is not None, "app.views must set the function that draws the page"
    with button_presses.on(name):
        render(services)
        dialogs.draw()


def _session(shared: Resources) -> SignedIn | None:
    token = token_of(st.context.cookies)
    session = demo_people.signed_in(shared.store, token=token) if token else None
    before = st.session_state.get("touchstone.person")
    now = session.person.id if session else None
    if before is not None and before != now:
        st.session_state.clear()
    if now is not None:
        st.session_state["touchstone.person"] = now
    return session


def _services(shared: Resources, session: SignedIn) -> Services:
    token = token_of(st.context.cookies)

    def alive() -> bool:
        now = demo_people.signed_in(shared.store, token=token) if token else None
        return now is not None and now.person.id == session.person.id

    return Services(shared.store, shared.media, shared.settings, session.person, session.csrf, alive)


# ---- errors ---------------------------------------------------------------------------------------------------------


@contextmanager
def guard(
    services: Services | None = None, *, away: Callable[[DatabaseUnavailableError], None] | None = None
) -> Iterator[None]:
    """Turn errors inside of the ``with`` block into messages on the page. The only place that does so.

    Fragments use this guard too, because they run without the page around them. With ``services``, the guard also
    checks the person's session and ends the run if the session is over. ``away`` draws its own message while the
    database is away.
    """
    with speaking(st.context.cookies.get(LANGUAGE)), _logged(services), _guarded(services, away):
        yield


@contextmanager
def _guarded(services: Services | None, away: Callable[[DatabaseUnavailableError], None] | None) -> Iterator[None]:
    entered = False
    try:
        if services is not None and not services.alive():
            raise SignInRequiredError(_(SESSION_OVER))
        with acting_from(_address()):
            entered = True
            yield
    except SignInRequiredError:
        _session_over()
    except DatabaseUnavailableError as error:
        (away or _tell_away)(error)
    except TouchstoneError as error:
        show_error(error)
    except Exception as error:  # the frame of the screens: a general message, and the full error in the log
        if none_left(error):
            (away or _tell_away)(DatabaseUnavailableError(CROWDED))
        else:
            show(markup.notice(_unforeseen(error), style="bad"))
    if not entered:
        st.stop()  # the guarded code must not run, and a context manager cannot skip it


def _logged(services: Services | None) -> AbstractContextManager[object]:
    """Give the log lines of a page the id of its websocket's request, and the person."""
    facts = {"person": services.person.id} if services is not None else {}
    return logged_with(request=st.context.headers.get(HEADER.decode()), page=True, **facts)


def _address() -> str:
    address = st.context.ip_address
    return address if isinstance(address, str) else LOOPBACK  # a stand-in without a server


LOOK_AGAIN_SECONDS = 3.0


def _tell_away(error: DatabaseUnavailableError) -> None:
    """Show that the database is away, and draw the page again as soon as the database answers.

    The page is not drawn again at once. Otherwise a page that cannot be drawn would be drawn without end.
    """
    show_error(error)
    begun = time.monotonic()

    @st.fragment(run_every=LOOK_AGAIN_SECONDS)
    def look() -> None:
        if time.monotonic() - begun > LOOK_AGAIN_SECONDS / 2 and resources().store.answers():
            st.rerun()

    look()


def _unforeseen(error: Exception) -> str:
    number = new_id()
    with logged_with(error_number=number):
        log.error("Error %s on a page", number, exc_info=error)
    return _(
        "An internal error occurred. You did not cause this error, and your submissions are not lost. Reload the "
        "page. If the error happens again, report the number {number} to the people who run this server."
    ).format(number=number)


_REFUSED = "touchstone.refused"


@contextmanager
def pressed(services: Services) -> Iterator[None]:
    """Guard the work of a widget's callback. ``tell_refused`` shows an error on the next drawing of the page.

    Work in a callback is always done, because Streamlit calls it before it draws. A press that the page handles while
    it is drawn is lost if another press comes first.
    """
    with session_values.at_hand(), speaking(st.context.cookies.get(LANGUAGE)), _logged(services):
        session_values.place().pop(_REFUSED, None)
        try:
            if not services.alive():
                raise SignInRequiredError(_(SESSION_OVER))
            with acting_from(_address()):
                yield
        except TouchstoneError as error:
            messages.keep(_REFUSED, on_page(str(error)))
        except Exception as error:
            messages.keep(_REFUSED, _unforeseen(error))


def does(where: Any, label: str, services: Services, act: Callable[[], None], *, key: str, **how: Any) -> None:
    """Draw a button in ``where`` that calls ``act`` with the page's current input, and draw the page again.

    ``tell_refused`` shows an error there.
    """
    if button_presses.pressed(where, label, key=key, **how):
        with pressed(services):
            act()
        st.rerun()


def was_refused() -> bool:
    """Tell whether the press that led to this run was refused, and the refusal is not shown yet."""
    return messages.is_new(_REFUSED)


def tell_refused() -> None:
    """Show why the last press was refused, if so."""
    refused = messages.kept_message(_REFUSED)
    if refused:
        show(markup.notice(refused, style="bad"))


FEW = 5
"""Number of bad rows of a file that are shown unfolded."""


def show_error(error: TouchstoneError) -> None:
    """Show an error that a user can fix, in its own words. Each bad row of a file is on its own line."""
    if isinstance(error, InvalidRowsError) and error.n > 1:
        show(markup.notice(on_page(f"Invalid rows: {error.n:,}. {error.end}"), style="bad"))
        first = f"The first {len(error.rows)} of {error.n:,} rows" if error.n > len(error.rows) else "The rows"
        with st.expander(f"{first} with errors", expanded=error.n <= FEW):
            show(*(markup.tag("div", markup.text(on_page(row)), style="ts") for row in error.rows))
        return
    show(markup.notice(on_page(str(error)), style="bad"))
    if st.session_state.get(_BARE):
        _way_back()


def _way_back() -> None:
    """Show a link back on a working page that cannot be drawn, because that page has no menu."""
    named = st.session_state.get("touchstone.project")
    href = addresses.page("my_work", named) if named else "/"
    link = markup.tag("a", markup.text(_("My work")), href=href, target="_self")
    show(markup.tag("p", link, style="ts", data_part="back"))


def _session_over() -> None:
    link = markup.tag("a", markup.text(_("Sign in")), href="/login", target="_self")
    show(markup.tag("div", markup.text(_(SESSION_OVER) + " "), link, style="ts ts-notice bad"))


# ---- helpers for screens --------------------------------------------------------------------------------------------


def show(*parts: markup.Markup) -> None:
    """Put pieces of markup on the page."""
    st.html(markup.joined(parts))


def project(services: Services) -> ProjectView:
    """Return the page's project: the project in the address, the last seen project, or the person's first project."""
    mine = projects.projects_of(services.store, person=services.person)
    named = st.query_params.get("project") or st.session_state.get("touchstone.project")
    chosen = next((view for view in mine if view.name == named), None)
    if chosen is None and (asked := st.query_params.get("project")):
        projects.project(services.store, person=services.person, project=asked)  # raises with the reason
    if not mine:
        raise NotFoundError(_(NO_PROJECT))
    if chosen is None:
        if asked:
            raise NotFoundError(
                _(
                    "You are not a member of a project named “{project}”. Check the name, or ask the project's lead "
                    "for an invitation."
                ).format(project=asked)
            )
        chosen = sidebar.in_use(mine)[0]
    sidebar.remember(chosen.name, mine)
    return chosen


NO_PROJECT = marked("You are not a member of any project yet. Ask a project's lead for an invitation.")


def called(services: Services, logins: Iterable[str]) -> Callable[[str], str]:
    """Return a function that writes a person for a menu: name and login, because two people may share a name."""
    names = accounts.names(services.store, logins=logins)
    return lambda login: f"{names[login]} ({login})" if names.get(login, login) != login else login


def lead_of(services: Services) -> ProjectView:
    """Return the project, for a page that only leads may use. Raise ``NotAllowedError`` for other roles."""
    view = project(services)
    if not at_least(view.role, Role.LEAD):
        words = _("This page is for leads of {project}. Your role is {role}. To see your tasks, open My work.")
        raise NotAllowedError(words.format(project=view.title, role=role_name(view.role)))
    if view.archived:
        show(markup.notice(f"{view.title} is archived. You can read and export the project, but you cannot change it."))
    return view


def go(screen: str, *, project: str | None = None, **asked: str | None) -> None:
    """Go to another screen, from a page or a fragment, with these parameters in its address. This run ends."""
    wanted = {"project": project or st.session_state.get("touchstone.project"), **asked}
    page = st.session_state["touchstone.pages"][screen]
    st.switch_page(page, query_params={name: value for name, value in wanted.items() if value})


def working_page() -> None:
    """Hide Streamlit's own header, paddings and sidebar, so that the working page uses the whole window."""
    st.html(f"<style>{WORKING_STYLE}</style>")


def heading(
    title: str,
    about: str = "",
    *,
    made_up: bool = False,
    detail: bool = False,
    beside: markup.Markup | None = None,
) -> None:
    """Draw the head of a page: the title of its room, the row of tabs, and a sentence about its purpose.

    Parameters
    ----------
    title
        The page's title, shown where the page is in no room.
    detail
        Show the title below the tabs too, on a page about one item of a list.
    beside
        Shown at the right end of the title's line, such as a link to the main action.
    """
    head: rooms.RoomHead | None = st.session_state.get(_HEAD)
    show(*rooms.draw_head(head, title, about, made_up=made_up, detail=detail, beside=beside))


def named(services: Services, logins: Iterable[str | None]) -> Callable[[str | None], markup.Markup]:
    """Return a function that writes a person: the name, with the login as a tooltip.

    The login follows the name in brackets where another person has the same name. Other texts stay unchanged.
    """
    names = distinct_names(accounts.names(services.store, logins=[login for login in logins if login]))

    def person(login: str | None) -> markup.Markup:
        name = names.get(login or "")
        return markup.text(login or "") if name is None else markup.tag("span", markup.text(name), title=login or "")

    return person


def pager(
    n: int, *, size: int, of: object, key: str, noun: str = "item", words: Callable[[int], str] | None = None
) -> int:
    """Draw the pager above a list of ``n``, and return the offset of the current page.

    ``of`` identifies the list's content. With other filters, the list starts at its first page again.
    """
    last = max((n - 1) // size, 0)

    def turn(to: int) -> None:
        st.session_state[f"{key}.at"] = (repr(of), to)

    at = page_begin(size=size, of=of, key=key) // size
    if at > last:
        at = last
        turn(at)
    first = at * size
    begin, end = f"{first + 1:,}", f"{min(first + size, n):,}"
    counted = words(n) if words else markup.count(n, noun)
    shown = _("{begin} to {end} of {counted}").format(begin=begin, end=end, counted=counted) if n > size else counted
    line = markup.tag("p", markup.text(shown), style="ts", data_part="count")
    if last == 0:
        show(line)
        return 0
    with st.container(horizontal=True, vertical_alignment="center", key=key):
        show(line)
        for label, to, off in (
            (marked("First"), 0, at == 0),
            (marked("Previous"), at - 1, at == 0),
            (marked("Next"), at + 1, at == last),
            (marked("Last"), last, at == last),
        ):
            st.button(_(label), key=f"{key}.{label.lower()}", disabled=off, on_click=turn, args=(to,))
    return first


def page_begin(*, size: int, of: object, key: str) -> int:
    """Return the offset of the page that ``pager`` was last turned to."""
    of_what, at = st.session_state.get(f"{key}.at", (None, 0))
    return int(at) * size if of_what == repr(of) else 0


def section(title: str) -> None:
    """Draw a heading within a page."""
    show(markup.section(title))


@contextmanager
def progress_bar(words: str) -> Iterator[Callable[[str, int, int], None]]:
    """Show a progress bar during long work. Call the yielded function with (name of the step, number done, total)."""
    bar = st.progress(0.0, text=words)

    def show_progress(what: str, done: int, total: int) -> None:
        bar.progress(min(done / total, 1.0) if total else 0.0, text=f"{what.capitalize()}: {done} of {total}")

    try:
        yield show_progress
    finally:
        bar.empty()
