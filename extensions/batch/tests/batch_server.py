"""An OpenAI-compatible server on loopback that takes batch files, and answers their questions by a script."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from testkit.scripted import Asked, Reply, ScriptedServer, chat

Lines = Callable[[list[bytes], list[bytes]], tuple[list[bytes], list[bytes]]]
"""Changes the output and error lines before they are kept as files."""


class BatchServer(ScriptedServer):
    """Next to completions it has ``/v1/files`` and ``/v1/batches``.

    A batch stands still until ``work`` says so. Each question of a batch gets the reply of the script; one whose status
    is 400 and above goes to the error file. The results come in another order than the questions.
    """

    def __init__(self, script: Any = None, *, names: bool = True) -> None:
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.refuse: dict[str, Reply] = {}
        """What it replies instead, by method and path, such as ``POST /v1/batches``; the thing asked for is not done,
        unless the reply's kind is ``after``."""
        self.names = names
        """Whether it keeps what a batch is called in its metadata."""
        super().__init__(script or [chat("Rating: [[1]]")])

    def routes(self) -> list[Route]:
        return [
            *super().routes(),
            Route("/v1/files", self._take_file, methods=["POST"]),
            Route("/v1/files/{id}/content", self._give_file, methods=["GET"]),
            Route("/v1/batches", self._create, methods=["POST"]),
            Route("/v1/batches", self._list, methods=["GET"]),
            Route("/v1/batches/{id}", self._look, methods=["GET"]),
        ]

    # ---- what a test does ----

    def questions(self, id: str) -> list[dict[str, Any]]:
        """The lines of a batch's file."""
        return [json.loads(line) for line in self.files[self.batches[id]["input_file_id"]].splitlines()]

    def work(self, status: str = "completed", *, only: int | None = None, change: Lines | None = None) -> None:
        """Answer everything that waits, or ``only`` so many questions of each batch; the rest has expired."""
        for id, batch in self.batches.items():
            if batch["status"] != "validating":
                continue
            output, errors = [], []
            asked = self.questions(id)
            for number, question in enumerate(asked):
                name = question["custom_id"]
                if only is not None and number >= only:
                    error = {"code": "batch_expired", "message": "This request could not be executed in time."}
                    errors.append(line(name, None, error=error))
                    continue
                reply = self._script(Asked("/batch", {}, question["body"], 0.0), number)
                self.counts[reply.kind] += 1
                found = line(name, reply)
                (errors if reply.status >= 400 else output).append(found)
            output.reverse()
            if change is not None:
                output, errors = change(output, errors)
            batch["status"] = status
            batch["request_counts"] = {"total": len(asked), "completed": len(output), "failed": len(errors)}
            for kind, lines in (("output", output), ("error", errors)):
                if lines:
                    batch[f"{kind}_file_id"] = f"file-{kind}-{id}"
                    self.files[f"file-{kind}-{id}"] = b"\n".join(lines) + b"\n"

    # ---- the server ----

    async def _refused(self, request: Request) -> Response | None:
        reply = self.refuse.get(f"{request.method} {request.url.path}")
        if reply is None or reply.kind == "after":
            return None
        return await self._sent(reply)

    async def _take_file(self, request: Request) -> Response:
        if (refused := await self._refused(request)) is not None:
            return refused
        form = await request.form()
        assert form["purpose"] == "batch"
        upload = form["file"]
        assert not isinstance(upload, str)
        id = f"file-{len(self.files) + 1}"
        self.files[id] = await upload.read()
        return JSONResponse({"id": id, "object": "file", "purpose": "batch", "bytes": len(self.files[id])})

    async def _give_file(self, request: Request) -> Response:
        if (refused := await self._refused(request)) is not None:
            return refused
        content = self.files.get(request.path_params["id"])
        if content is None:
            return JSONResponse({"error": {"message": "no such file"}}, status_code=404)
        return Response(content, media_type="application/octet-stream")

    async def _create(self, request: Request) -> Response:
        if (refused := await self._refused(request)) is not None:
            return refused
        told = await request.json()
        assert (told["endpoint"], told["completion_window"]) == ("/v1/chat/completions", "24h")
        id = f"batch_{len(self.batches) + 1}"
        self.batches[id] = {
            "id": id,
            "object": "batch",
            "status": "validating",
            "input_file_id": told["input_file_id"],
            "metadata": told["metadata"] if self.names else None,
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
        }
        after = self.refuse.get("POST /v1/batches")
        return JSONResponse(self.batches[id]) if after is None else await self._sent(after)

    async def _list(self, request: Request) -> Response:
        if (refused := await self._refused(request)) is not None:
            return refused
        found = list(self.batches.values())[::-1]
        after = request.query_params.get("after")
        if after is not None:
            found = found[[each["id"] for each in found].index(after) + 1 :]
        return JSONResponse({"object": "list", "data": found[:2], "has_more": len(found) > 2})

    async def _look(self, request: Request) -> Response:
        if (refused := await self._refused(request)) is not None:
            return refused
        found = self.batches.get(request.path_params["id"])
        if found is None:
            return JSONResponse({"error": {"message": "no such batch"}}, status_code=404)
        return JSONResponse(found)


def line(custom_id: str, reply: Reply | None, *, error: Mapping[str, Any] | None = None) -> bytes:
    """A line of results as OpenAI's API writes it."""
    response = None
    if reply is not None:
        try:
            body = json.loads(reply.body)
        except ValueError:
            body = reply.body.decode()
        response = {"status_code": reply.status, "request_id": f"req-{custom_id[-4:]}", "body": body}
    return json.dumps({"id": "batch_req_1", "custom_id": custom_id, "response": response, "error": error}).encode()
