"""Label Studio's protocol for predictions, served by one of our models in a separate process.

Every request gets an answer, whatever the model does: a task without a prediction has an empty list, and ``errors`` has
the reason.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.gate import is_loopback
from domain.errors import (
    BadRequestError,
    InvalidMediaError,
    NotAllowedError,
    RequestTooLargeError,
    RunStoppedError,
    TouchstoneError,
)
from domain.runs import ANSWERS, Attempt, Picture, Question
from domain.states import Stage
from extensions.labelstudio.controls import Configuration, Control, configuration, names_of
from extensions.labelstudio.exchange.draft_models import SentOut

if TYPE_CHECKING:
    from domain.runs import Answerer

MOST_BYTES = 20_000_000
"""Largest request in bytes."""
MOST_TASKS = 1000
"""Most tasks in a request."""
MOST_QUESTIONS = 10_000
"""Most questions in a request: one for each control of each task."""
MOST_PICTURES = 20
"""Most pictures of a task."""
PAUSE = 60.0
"""Pause in seconds after an error that makes further requests useless, such as a wrong key or a spent budget."""
KEY = "touchstone"
"""The key of a task's data by which we recognize the tasks that we sent."""


Find = Callable[[str], SentOut | None]
"""Returns the task that we sent under a key, or None."""
Fetch = Callable[[str], Picture]
"""Returns the picture that a task names. Raises ``InvalidMediaError`` without one."""


@dataclass
class Backend:
    """One model, which handles one request at a time."""

    answerer: Answerer
    version: str
    """The model version of its predictions."""
    find: Find
    fetch: Fetch
    seconds: float = 90.0
    """Seconds for a whole request. A server gives up after 100."""
    ranks: bool = False
    """Whether options are ranked by likelihood, so that only single choices are predicted."""
    clock: Callable[[], float] = time.monotonic
    _asking: threading.Lock = field(default_factory=threading.Lock)
    _resting: tuple[float, str] = (-math.inf, "")

    def predict(self, body: Any) -> dict[str, Any]:
        """Return the answer to a request: a list of predictions for each task, and the errors."""
        tasks, config = _tasks(body)
        end = self.clock() + self.seconds
        asked: dict[int, tuple[int, Control, Mapping[str, Any]]] = {}
        questions: list[Question] = []
        errors: list[str] = []
        if len(tasks) * len(config.controls) > MOST_QUESTIONS:
            raise RequestTooLargeError(
                f"The request has too many tasks and controls: {len(tasks)} tasks with {len(config.controls)} "
                "controls. Send fewer tasks."
            )
        for place, task in enumerate(tasks):
            if self.clock() > end:
                errors.append(
                    f"Task {_id(task)} and all later tasks were not answered before the time limit. Send fewer tasks "
                    "at once."
                )
                break
            try:
                for control, question in self._questions(task, config, first=len(questions) + 1):
                    asked[question.unit_id] = (place, control, task["data"])
                    questions.append(question)
            except (BadRequestError, InvalidMediaError, NotAllowedError) as error:
                errors.append(f"Task {_id(task)}: {error}")
        attempts, failed = self._answers(questions, end)
        errors += failed
        results: list[list[dict[str, Any]]] = [[] for _ in tasks]
        scores: list[list[float]] = [[] for _ in tasks]
        for unit, (place, control, data) in asked.items():
            attempt = attempts.get(unit)
            where = f"Task {_id(tasks[place])}, {control.name}"
            if attempt is None or attempt.outcome not in ANSWERS:
                if attempt is not None:
                    errors.append(f"{where}: {attempt.error or attempt.outcome.value}")
                continue
            result = control.result(attempt.text, data)
            if result is None:
                errors.append(f"{where}: the reply does not fit this control: {attempt.text[:80]!r}.")
                continue
            results[place].append({"id": f"touchstone-{len(results[place]) + 1}", **result})
            score = _score(attempt)
            if score is not None:
                scores[place].append(score)
        suggestions: list[list[dict[str, Any]]] = [
            [{"result": result, "model_version": self.version, "score": min(score) if score else None}]
            if result
            else []
            for result, score in zip(results, scores, strict=True)
        ]
        return {"results": suggestions, "model_version": self.version, **({"errors": errors} if errors else {})}

    def _questions(
        self, task: Mapping[str, Any], config: Configuration, *, first: int
    ) -> list[tuple[Control, Question]]:
        """Return the questions about a task, one for each control."""
        data = task["data"]
        key = data.get(KEY)
        pictures: Sequence[Picture] = ()
        if isinstance(key, str) and key:
            ours = self.find(key)
            if ours is None:
                raise BadRequestError(
                    "the task's Touchstone key is not a key of this project. Use tasks of this project."
                )
            if ours.stage is not Stage.AUTHORING:
                raise NotAllowedError(
                    f"predictions are not available in the stage {ours.stage.value}, because people must answer "
                    "without seeing a model's answer."
                )
            pictures = ours.pictures
        else:
            named = [
                value
                for image in config.images
                for value in (data.get(image) if isinstance(data.get(image), list) else [data.get(image)])
                if isinstance(value, str) and value
            ]
            if len(named) > MOST_PICTURES:
                raise BadRequestError(
                    f"the task names {len(named)} images, but a model can receive at most {MOST_PICTURES}. Use "
                    "fewer images in each task."
                )
            pictures = [self.fetch(value) for value in named]
        controls = [
            control
            for control in config.controls
            if not self.ranks or (control.kind == "Choices" and not control.several)
        ]
        if data.get(KEY):  # controls next to one of ours have a hyphen in their names
            controls = [control for control in controls if "-" not in control.name]
        if not controls:
            raise BadRequestError(
                f"this model cannot answer the controls of the labeling configuration ({names_of(config.controls)}). "
                "Use " + ("Choices with a single choice." if self.ranks else "TextArea, Choices, Rating or Number.")
            )
        shown = config.text_of(data)
        questions = []
        for number, control in enumerate(controls, first):
            options = tuple(text for text, _ in control.offered(data)) if control.kind == "Choices" else ()
            if control.kind == "Choices" and not options:
                raise BadRequestError(f"{control.name} has no choices in this task. Add choices to the task.")
            wording = (control.prompt or shown) if self.ranks else control.asked(data)
            text = "\n".join(part for part in dict.fromkeys((shown, wording)) if part)
            question = Question(
                number, f"task {_id(task)}", "", (*pictures, text), options=options if self.ranks else ()
            )
            questions.append((control, question))
        return questions

    def _answers(self, questions: Sequence[Question], end: float) -> tuple[dict[int, Attempt], list[str]]:
        """Return the last attempt for each question, and why others have none."""
        if not questions:
            return {}, []
        until, why = self._resting
        if self.clock() < until:
            return {}, [why]
        if not self._asking.acquire(timeout=max(0.0, end - self.clock())):
            return {}, ["The model is busy with an earlier request. Try again in a minute."]
        attempts: dict[int, Attempt] = {}

        def tell(attempt: Attempt) -> None:
            attempts[attempt.unit_id] = attempt

        failed: list[str] = []
        try:
            self.answerer.answer(questions, tell=tell, stop=lambda: self.clock() > end)
        except RunStoppedError as error:
            self._resting = (self.clock() + PAUSE, str(error))
            failed.append(str(error))
        except TouchstoneError as error:
            failed.append(str(error))
        except Exception as error:  # the asking server gets an answer, whatever the model raises
            failed.append(f"The model failed: {type(error).__name__}: {str(error)[:300]}")
        finally:
            self._asking.release()
        if not failed and len(attempts) < len(questions):
            failed.append(
                f"{len(questions) - len(attempts)} of {len(questions)} questions were not answered within "
                f"{self.seconds:g} seconds. Send fewer tasks at once."
            )
        return attempts, failed


def _id(task: Mapping[str, Any]) -> str:
    return str(task.get("id", "?"))[:60]


def _score(attempt: Attempt) -> float | None:
    """Return the winner's share of the options' likelihoods, by the score that counts. None if unknown."""
    scores = attempt.detail.get("scores", {}).get(attempt.detail.get("score"))
    if not scores:
        return None
    top = max(scores)
    return round(1 / sum(math.exp(score - top) for score in scores), 6)


def _tasks(body: Any) -> tuple[list[Mapping[str, Any]], Configuration]:
    if not isinstance(body, Mapping):
        raise BadRequestError(
            'A request for predictions must have this form: {"tasks": [...], "label_config": "<View>..."}.'
        )
    tasks, config = body.get("tasks"), body.get("label_config")
    if not isinstance(tasks, list) or not all(
        isinstance(task, Mapping) and isinstance(task.get("data"), Mapping) for task in tasks
    ):
        raise BadRequestError("`tasks` must be a list of tasks, each with its `data`.")
    if len(tasks) > MOST_TASKS:
        raise RequestTooLargeError(
            f"The request has {len(tasks)} tasks, but can have at most {MOST_TASKS}. Send fewer tasks at once."
        )
    if not isinstance(config, str):
        raise BadRequestError("`label_config` must be the project's labeling configuration.")
    return tasks, configuration(config)


# ---- the server -----------------------------------------------------------------------------------------------------


def application(backend: Backend, *, secret: str | None) -> Starlette:
    """Return the routes.

    With ``secret``, each request needs it as the password (basic authentication, any user name).
    """

    def guarded(
        answer: Callable[[Request], Any],
    ) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            if secret is None and not _from_here(request):
                return JSONResponse(
                    {
                        "error": (
                            "Without a password, the model accepts only requests to a local host "
                            "name, such as localhost. Use localhost, or set a password."
                        )
                    },
                    403,
                )
            if secret is not None and not _knows(request, secret):
                refusal = {
                    "error": "The password is missing or wrong. In Label Studio, enter the password in the model's "
                    "connection settings (Basic Auth)."
                }
                return JSONResponse(refusal, 401, {"WWW-Authenticate": "Basic"})
            try:
                return JSONResponse(await answer(request))
            except RequestTooLargeError as error:
                return JSONResponse({"error": str(error)}, 413)
            except BadRequestError as error:
                return JSONResponse({"error": str(error)}, 400)

        return endpoint

    async def health(request: Request) -> dict[str, Any]:
        return {"status": "UP", "model_class": "Touchstone", "model_version": backend.version}

    async def setup(request: Request) -> dict[str, Any]:
        await _body(request)  # it has a token of the server, which is neither needed nor stored here
        return {"model_version": backend.version}

    async def predict(request: Request) -> dict[str, Any]:
        body = await _body(request)
        return await run_in_threadpool(backend.predict, body)

    async def webhook(request: Request) -> dict[str, Any]:
        await _body(request)
        return {"status": "ok", "result": "This model does not learn from annotations."}

    async def versions(request: Request) -> dict[str, Any]:
        return {"versions": [backend.version]}

    return Starlette(
        routes=[
            Route("/", guarded(health), methods=["GET"]),
            Route("/health", guarded(health), methods=["GET"]),
            Route("/versions", guarded(versions), methods=["GET"]),
            Route("/setup", guarded(setup), methods=["POST"]),
            Route("/predict", guarded(predict), methods=["POST"]),
            Route("/webhook", guarded(webhook), methods=["POST"]),
            Route("/train", guarded(webhook), methods=["POST"]),
        ]
    )


def _from_here(request: Request) -> bool:
    """Tell whether the request used a name of this machine, and not a name that a foreign page points at it."""
    return is_loopback(request.url.hostname or "")


def _knows(request: Request, secret: str) -> bool:
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "basic":
        return False
    try:
        credentials = base64.b64decode(given, validate=True).decode()
    except (binascii.Error, ValueError):
        return False
    return hmac.compare_digest(credentials.partition(":")[2].encode(), secret.encode())


async def _body(request: Request) -> Any:
    """Return the request's JSON. Its content type must be JSON, which a foreign page in a browser cannot send."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise BadRequestError("Send the request as JSON, with the content type application/json.")
    read, size = bytearray(), 0
    async for piece in request.stream():
        size += len(piece)
        if size > 10 * MOST_BYTES:
            break
        if size <= MOST_BYTES:
            read += piece
    if size > MOST_BYTES:  # read to its end, so that the sender gets the reason of the refusal
        raise RequestTooLargeError(f"A request can have at most {MOST_BYTES // 1000000} MB. Send fewer tasks.")
    try:
        return json.loads(bytes(read))
    except (ValueError, RecursionError):
        raise BadRequestError("The request is not valid JSON. Check its syntax.") from None
