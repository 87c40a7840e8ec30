"""A Label Studio server, asked through its SDK: what ``domain.bridge.FrontEnd`` wants of one.

The SDK renews the short-lived tokens that a personal access token is exchanged for, and knows the addresses; it neither
repeats a request here nor follows a redirect. What a server answered is read from the reply itself, not from the SDK's
models, so nothing of it is lost on the way. Requests that may be repeated are, after pauses; an import or a new project
is repeated only where it is certain that nothing arrived.
"""

from __future__ import annotations

import gc
import json
import logging
import math
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, Self

from domain.bridge import OutgoingTask, OutsideAnnotation, OutsideTask, OutsideUser
from domain.errors import OutsideRefused, OutsideUnreachable
from domain.settings import LABEL_STUDIO_URL, Settings
from labelstudio import tokens
from labelstudio.tokens import Token
from net import httpx_client
from net.addresses import AddressRefused, NameNotFound, Resolve, Rules
from net.guard import Bounds, Guard, NotAnswered, NotConnected, NotReadable, Redirected, TooSlow, Traffic

if TYPE_CHECKING:
    from net.httpx_client import Response

SECONDS = 60.0
"""For one request and its whole reply."""
SECONDS_PER_TASK = 0.05
"""More than that for each task that is imported with it."""
PAUSES = (0.5, 2.0)
"""Before a request is made again, in seconds."""
LONGEST_PAUSE = 30.0
"""However long a server asks to be left alone."""
LARGEST_REPLY = 64 * 2**20
"""Bytes."""
PAGE = 200
"""Tasks that are asked for at once."""
FIELDS = (
    *("id", "data", "annotations", "result", "completed_by", "created_at", "updated_at", "updated_by"),
    *("draft_created_at", "lead_time", "was_cancelled", "ground_truth", "last_action"),
)
"""What is asked about tasks and, under the same names, about their annotations: all fields cost the server three times
as much."""
LONGEST_TITLE = 50
"""Characters that Label Studio lets the title of a project have."""
AT_ONCE = 5
"""Tasks that are removed with one request; fewer go one by one, since removing the last one in this way also removes
the tabs that people have open there."""
LOT = 500
"""Tasks that are removed with one request at most."""
KEY = "touchstone"
"""Where a task's data hold its key."""

_KEY_OF_PROJECT = re.compile(r"\[touchstone (.+)\]\s*\Z")
_REFRESH = "/api/token/refresh/"

Send = Callable[[Any], object]
_log = logging.getLogger(__name__)


class _Down(OutsideUnreachable):
    """It does not answer. ``arrived``: the request may have been carried out; ``pause``: what it asks for itself."""

    def __init__(self, sentence: str, *, arrived: bool, pause: float = 0.0) -> None:
        super().__init__(sentence)
        self.arrived, self.pause = arrived, pause


class _Unknown(OutsideRefused):
    """It does not take the token."""


class _Gone(OutsideRefused):
    """There is nothing under that address."""


@dataclass(frozen=True)
class About:
    """What server this is, and whose token is used."""

    version: str
    account: OutsideUser


@dataclass(frozen=True)
class Hook:
    """What a server calls when someone has answered."""

    url: str
    headers: Mapping[str, str]


def connect(address: str, settings: Settings, *, hook: Hook | None = None) -> Client:
    """A client of the server at this address, with the token that the operator has for it. Projects that it makes there
    get the webhook.

    Raises
    ------
    OutsideRefused
        There is no token for it, the address may not be asked, or the SDK is not installed.
    OutsideUnreachable
        No one knows its name just now.
    """
    return Client(address, tokens.token_for(address, settings), listed=settings.endpoints, hook=hook)


class Client:
    """One server and one account there; may be used from several threads, and in a ``with``.

    Raises
    ------
    OutsideRefused
        The address may not be asked, or the SDK is not installed.
    OutsideUnreachable
        No one knows its name just now.
    """

    def __init__(
        self,
        address: str,
        token: Token,
        *,
        listed: Sequence[str] = (),
        hook: Hook | None = None,
        seconds: float = SECONDS,
        pauses: Sequence[float] = PAUSES,
        largest: int = LARGEST_REPLY,
        resolve: Resolve | None = None,
    ) -> None:
        self._address = tokens.normal(address)
        self._place = tokens.place(self._address)
        self._token, self._seconds, self._pauses = token, seconds, tuple(pauses)
        self.hook = hook
        try:
            guard = Guard(self._place, Rules(listed), resolve)
        except AddressRefused as error:
            self._not_found(error)
        if guard.unencrypted:
            raise OutsideRefused(
                f"The token would go to {self._place.host} unencrypted over a public network; use https://."
            )
        try:
            import label_studio_sdk  # noqa: F401
        except ImportError as error:
            raise OutsideRefused(
                "Label Studio is reached through its SDK, which is not installed here: "
                "pip install 'touchstone[labelstudio]'."
            ) from error
        traffic = Traffic(lambda method, path: Bounds(largest), sent=("accept", "authorization"))
        self._http = httpx_client.client(guard, traffic, seconds=seconds)
        self._http.event_hooks = {"response": [self._keep]}
        self._last: Response | None = None
        self._lock = threading.RLock()
        self._sdk: Any = None

    def __repr__(self) -> str:
        return f"Client({self._address!r}, {self._token!r})"

    @property
    def address(self) -> str:
        """Where the server answers, without a slash at the end."""
        return self._address

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; ``with connect(...) as front:`` does it at the end."""
        self._http.close()

    # ---- people ----------------------------------------------------------------------------------------------------

    def about(self) -> About:
        """Ask what server this is and whose token we have."""
        told = self._ask(lambda sdk: sdk.versions.get())
        version = told.get("release") if isinstance(told, dict) else None
        if not isinstance(version, str):
            self._odd("its version")
        return About(version, self._user(self._ask(lambda sdk: sdk.users.whoami())))

    def users(self) -> Sequence[OutsideUser]:
        """Everyone with an account there."""
        return [self._user(each) for each in self._list(self._ask(lambda sdk: sdk.users.list()), "its users")]

    def make_user(self, email: str) -> OutsideUser:
        """Make an account, for whom no one knows a password yet; ``invitation`` is for people who choose their own."""
        made = self._ask(lambda sdk: sdk.users.create(username=email, email=email), again=False)
        return self._user(made)

    def invitation(self) -> str:
        """The link by which someone makes an account there. Anyone who has it can."""
        told = self._ask(lambda sdk: sdk.organizations.invites.get_invite_link())
        link = told.get("invite_url") if isinstance(told, dict) else None
        if not isinstance(link, str) or not link.startswith("/") or link.startswith("//"):
            self._odd("its invitation")
        return self._address + link

    # ---- projects --------------------------------------------------------------------------------------------------

    def project_of(self, key: str) -> int | None:
        """The project that was made with this key, or None; of several the one that was made first."""
        found, seen, page = [], 0, 1
        while True:
            told = self._ask(partial(self._projects, page=page))
            rows = self._list(told.get("results") if isinstance(told, dict) else None, "its projects")
            for row in rows:
                marked = _KEY_OF_PROJECT.search(str(row.get("description") or ""))
                if marked and marked[1] == key:
                    found.append(self._number(row.get("id"), "its projects"))
            seen, page = seen + len(rows), page + 1
            if not rows or seen >= self._number(told.get("count"), "its projects"):
                return min(found, default=None)

    @staticmethod
    def _projects(sdk: Any, *, page: int) -> object:
        return sdk.projects.list(include="id,description", ordering="id", page=page, page_size=500)

    def make_project(self, key: str, *, title: str, labeling: str) -> int:
        """Make a project that ``project_of`` finds again by its key."""
        short = title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1] + "…"
        description = f"Touchstone puts work here and takes the answers away again. [touchstone {key}]"
        try:
            made = self._ask(
                lambda sdk: sdk.projects.create(
                    title=short if len(short) > 2 else f"{short} (Touchstone)",
                    description=description,
                    label_config=labeling,
                    maximum_annotations=1,
                    show_skip_button=True,
                    show_collab_predictions=True,
                ),
                again=False,
            )
        except OutsideUnreachable:
            found = self.project_of(key)  # it may have been made, and only the reply was lost
            if found is None:
                raise
            return found
        project = self._number(made.get("id") if isinstance(made, dict) else None, "the new project")
        self._call_us(project)
        return project

    def _call_us(self, project: int) -> None:
        """Have the server call the hook after each answer in a project. It may refuse an address in a private network;
        then answers are found when someone looks for them."""
        if self.hook is None:
            return
        told: dict[str, Any] = {"url": self.hook.url, "headers": dict(self.hook.headers), "project": project}
        told |= {"actions": ["ANNOTATION_CREATED", "ANNOTATION_UPDATED"], "send_for_all_actions": False}
        try:
            self._ask(lambda sdk: sdk.webhooks.create(**told, send_payload=False), again=False)
        except OutsideRefused as error:
            _log.warning("Project %s gets no webhook: %s", project, error)

    def remove_project(self, project: int) -> None:
        """Remove a project; nothing if it is gone already."""
        self._ask(lambda sdk: sdk.projects.delete(project), gone=True)

    # ---- tasks -----------------------------------------------------------------------------------------------------

    def send(self, project: int, tasks: Sequence[OutgoingTask]) -> None:
        """Put tasks into a project, all of them or none.

        After ``OutsideUnreachable`` they may stand there or not, or be there a moment later: anyone who sends them
        again looks for their keys first, and treats a second task with the same key as a copy of the first.
        """
        if not tasks:
            return
        sent = [{"data": dict(task.data) | {KEY: task.key}, "predictions": list(task.predictions)} for task in tasks]
        options = {"timeout_in_seconds": self._seconds + SECONDS_PER_TASK * len(sent)}
        told = self._ask(
            lambda sdk: sdk.projects.import_tasks(project, request=sent, request_options=options), again=False
        )
        taken = told.get("task_count") if isinstance(told, dict) else None
        if taken != len(sent):
            raise OutsideRefused(
                f"Label Studio at {self._address} was sent {len(sent)} tasks for its project {project} and says that "
                f"it took {taken if isinstance(taken, int) else 'something else'}; look at the project there."
            )

    def tasks(self, project: int) -> Iterator[OutsideTask]:
        """All tasks of a project with their annotations in the order of their ids, read page by page.

        Each page begins after the last id of the one before: what is removed or added meanwhile moves nothing.
        """
        last = 0
        while True:
            told = self._ask(partial(self._page, project=project, last=last))
            rows = self._list(told.get("tasks") if isinstance(told, dict) else None, "its tasks")
            total = self._number(told.get("total"), "its tasks")
            for row in rows:
                task = self._task(row)
                if task.id <= last:
                    self._odd("its tasks, which do not come in the order that was asked for")
                last = task.id
                yield task
            if len(rows) >= total or not rows:
                return

    @staticmethod
    def _page(sdk: Any, *, project: int, last: int) -> object:
        later = {"filter": "filter:tasks:id", "operator": "greater", "type": "Number", "value": last}
        query = {"filters": {"conjunction": "and", "items": [later]}, "ordering": ["tasks:id"]}
        return sdk.tasks.list(
            project=project,
            page_size=PAGE,
            query=json.dumps(query),
            fields="all",
            include=",".join(FIELDS),
            resolve_uri=False,
        )

    def task(self, task: int) -> OutsideTask | None:
        """One task; None if it is gone."""
        told = self._ask(lambda sdk: sdk.tasks.get(str(task)), gone=True)
        return None if told is None else self._task(told)

    def remove(self, tasks: Sequence[int], *, project: int | None = None) -> None:
        """Remove tasks; those that are gone already are no error. Many of one project go at once if it is named."""
        if project is not None and len(tasks) >= AT_ONCE:
            for begin in range(0, len(tasks), LOT):
                self._ask(
                    partial(self._remove_many, project=project, tasks=list(tasks[begin : begin + LOT])), gone=True
                )
            return
        for task in tasks:
            self._ask(partial(self._remove, task=task), gone=True)

    @staticmethod
    def _remove(sdk: Any, *, task: int) -> object:
        return sdk.tasks.delete(str(task))

    @staticmethod
    def _remove_many(sdk: Any, *, project: int, tasks: list[int]) -> object:
        chosen = {"all": False, "included": tasks}
        return sdk.actions.create(id="delete_tasks", project=project, selected_items=chosen)

    # ---- what came back --------------------------------------------------------------------------------------------

    def _task(self, row: object) -> OutsideTask:
        if not isinstance(row, dict):
            self._odd("a task")
        data, what = row.get("data"), f"task {row.get('id')}"
        key = data.get(KEY) if isinstance(data, dict) else None
        annotations = self._list(row.get("annotations"), f"the annotations of {what}")
        return OutsideTask(
            self._number(row.get("id"), "a task"),
            key if isinstance(key, str) else "",
            tuple(self._annotation(each, what) for each in annotations),
        )

    def _annotation(self, row: Mapping[str, Any], what: str) -> OutsideAnnotation:
        by, lead, result = row.get("completed_by"), row.get("lead_time"), row.get("result")
        if isinstance(by, dict):
            by = by.get("id")
        updated = row.get("updated_at")
        if not isinstance(updated, str):
            self._odd(f"an annotation of {what}")
        seconds = float(lead) if isinstance(lead, (int, float)) and not isinstance(lead, bool) else None
        return OutsideAnnotation(
            id=self._number(row.get("id"), f"an annotation of {what}"),
            by=by if isinstance(by, int) and not isinstance(by, bool) else None,
            # What is no part of a result stays in it under no name, so that anyone who reads it refuses it.
            result=tuple(
                part if isinstance(part, dict) else {"from_name": "", "to_name": "", "type": "", "value": part}
                for part in (result if isinstance(result, list) else [result])
            ),
            updated=updated,
            lead_seconds=seconds if seconds is not None and math.isfinite(seconds) and seconds >= 0 else None,
            cancelled=row.get("was_cancelled") is True,
            raw=row,
        )

    def _user(self, row: object) -> OutsideUser:
        if not isinstance(row, dict):
            self._odd("a user")
        email = row.get("email")
        return OutsideUser(self._number(row.get("id"), "a user"), email if isinstance(email, str) else "")

    def _list(self, value: object, what: str) -> list[dict[str, Any]]:
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            self._odd(what)
        return value

    def _number(self, value: object, what: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            self._odd(what)
        return value

    def _odd(self, what: str) -> NoReturn:
        raise OutsideRefused(
            f"What {self._address} says about {what} is nothing that Label Studio 1.x says; check the address and its "
            "version."
        )

    # ---- asking ----------------------------------------------------------------------------------------------------

    def _ask(self, send: Send, *, again: bool = True, gone: bool = False) -> Any:
        """The JSON of one request's reply, or None if there is none.

        ``again``: it may be repeated even if it may have arrived; ``gone``: where nothing is there, the answer is None.
        """
        pauses, renewed = iter(self._pauses), False
        while True:
            try:
                with self._lock:
                    return self._once(send)
            except _Gone:
                if gone:
                    return None
                raise
            except _Unknown:
                if renewed or not self._token.personal:
                    raise
                renewed, self._sdk = True, None  # it may be only the short-lived token that is not taken any more
            except _Down as down:
                pause = next(pauses, None)
                if pause is None or (down.arrived and not again):
                    raise
                time.sleep(max(pause, min(down.pause, LONGEST_PAUSE)))

    def _once(self, send: Send) -> Any:
        self._last = None
        try:
            if self._sdk is None:
                self._sdk = _sdk_class()(
                    base_url=self._address + "/", api_key=self._token.value(), max_retries=0, httpx_client=self._http
                )
            send(self._sdk)
        except Exception as error:
            self._not_answered(error)
        reply = self._last
        if reply is None:
            raise OutsideRefused(f"Label Studio at {self._address} could not be asked.")
        self._refused(reply)
        if reply.request.url.path.endswith(_REFRESH):
            self._odd("the token")  # it was taken, but what came back for it was of no use
        if not reply.content:
            return None
        try:
            return json.loads(reply.content)
        except (ValueError, RecursionError):
            self._odd("what it was asked: it is no JSON, so it")

    def _keep(self, reply: Response) -> None:
        self._last = reply

    def _not_answered(self, error: Exception) -> None:
        """Raise what an exception means, unless it only says what the reply says."""
        where = f"Label Studio at {self._address}"
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, AddressRefused):
                self._not_found(cause)
            if isinstance(cause, Redirected):
                raise OutsideRefused(
                    f"{where} sends on to another address; name the one it sends to, mostly with https://, instead."
                ) from None
            if isinstance(cause, NotReadable):
                raise OutsideRefused(f"{where} cannot be read: {cause}.") from None
            if isinstance(cause, NotAnswered):
                arrived = not isinstance(cause, NotConnected)
                if isinstance(cause, TooSlow):
                    why = "did not answer in time"
                elif arrived:
                    why = "closed the connection before it had answered"
                else:
                    why = "does not answer"
                raise _Down(
                    f"{where} {why}. Nothing is lost: see that it runs, and do the same again.", arrived=arrived
                ) from None
            cause = cause.__cause__ or cause.__context__
        if self._last is None:
            raise OutsideRefused(f"{where} could not be asked ({type(error).__name__}).") from None

    def _not_found(self, error: AddressRefused) -> NoReturn:
        if isinstance(error, NameNotFound):
            raise _Down(str(error), arrived=False) from None
        raise OutsideRefused(str(error)) from None

    def _refused(self, reply: Response) -> None:
        """Raise what a status means; nothing for those of success."""
        status, where = reply.status_code, f"Label Studio at {self._address}"
        if 200 <= status < 300:
            return
        if status == 401:
            kind = (
                "it was revoked or has expired"
                if self._token.personal
                else "it was replaced, or legacy tokens are switched off there"
            )
            raise _Unknown(
                f"{where} does not take the token in {self._token.whence}: {kind}. Make a personal access token there "
                "under Account & Settings and put it there."
            )
        said = self._said(reply)
        if status == 403:
            raise OutsideRefused(f"{where} does not let the account of our token do this{said}.")
        if status == 404:
            raise _Gone(f"{where} knows nothing under {reply.request.url.path}{said}; check {LABEL_STUDIO_URL}.")
        if status in (408, 425, 429) or status >= 500:
            # 408, 425 and 429 refuse before anything is done; of the others no one knows.
            wait = reply.headers.get("retry-after", "")
            raise _Down(
                f"{where} is not able to answer just now (status {status}){said}. Nothing is lost: do the same again "
                "later.",
                arrived=status >= 500,
                pause=float(wait) if wait.isdigit() and len(wait) < 6 else 0.0,
            )
        raise OutsideRefused(f"{where} refused (status {status}){said}.")

    def _said(self, reply: Response) -> str:
        """What the server says about a refusal, shortened, as the rest of a sentence; nothing if that is a page."""
        try:
            told = json.loads(reply.content)
        except (ValueError, RecursionError):
            return ""
        if not isinstance(told, dict):
            return ""
        parts = [told.get("detail"), told.get("validation_errors")]
        text = "; ".join(dict.fromkeys(_flat(parts)))
        text = " ".join(self._token.hidden(text).split()).rstrip(".")
        return f": {text[:300]}" if text else ""


def _sdk_class() -> Any:
    """The SDK's client: two seconds and a hundred thousand objects on first use.

    The web process has put what it had loaded out of the collector's sight, since every collection costs in proportion
    to what is in it; the same is done with these.
    """
    loaded = "label_studio_sdk.client" in sys.modules
    from label_studio_sdk import LabelStudio

    if not loaded and gc.get_freeze_count():
        gc.collect()
        gc.freeze()
    return LabelStudio


def _flat(value: object) -> Iterator[str]:
    """All text in a reply that is nested somehow."""
    if isinstance(value, str):
        yield "".join(letter for letter in value if letter.isprintable() or letter.isspace())
    elif isinstance(value, dict):
        for name, each in value.items():
            for text in _flat(each):
                yield text if name in ("detail", "non_field_errors") else f"{name}: {text}"
    elif isinstance(value, list):
        for each in value:
            yield from _flat(each)
