"""A provider on this machine whose answers a test writes. Its tokens are signed with a real key."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

from joserfc import jwt
from joserfc.jwk import RSAKey

KEY = RSAKey.generate_key(2048, parameters={"kid": "one", "use": "sig"})
OTHER_KEY = RSAKey.generate_key(2048, parameters={"kid": "one", "use": "sig"})
SECRET = "the-client-secret"


class ScriptedProvider:
    """Answers discovery, keys and tokens. ``answers`` replaces the body of a path, with bytes or a callable."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.claims: dict[str, Any] = {"sub": "248289761001", "preferred_username": "anna", "name": "Anna"}
        self.nonce = ""
        self.key = KEY
        self.alg = "RS256"
        self.answers: dict[str, Any] = {}
        self.metadata: dict[str, Any] = {}
        self.asked: list[tuple[str, dict[str, str], str]] = []
        """Requests for tokens: path, form, and the Authorization header."""
        self.requests = 0

    def reply(self, path: str, body: str, authorization: str) -> tuple[int, bytes]:
        self.requests += 1
        if path in self.answers:
            answer = self.answers[path]
            return answer() if callable(answer) else (200, answer)
        if path == "/.well-known/openid-configuration":
            return 200, json.dumps(self._discovery()).encode()
        if path == "/jwks":
            return 200, json.dumps({"keys": [KEY.as_dict(private=False)]}).encode()
        if path == "/token":
            form = {name: values[0] for name, values in parse_qs(body).items()}
            self.asked.append((path, form, authorization))
            return 200, json.dumps({"access_token": "x", "token_type": "Bearer", "id_token": self.token()}).encode()
        return 404, b"nothing here"

    def _discovery(self) -> dict[str, Any]:
        usual = {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/jwks",
        }
        return usual | self.metadata

    def token(self) -> str:
        """The ID token: the usual claims, replaced by those of the test."""
        now = int(time.time())
        usual = {"iss": self.url, "aud": "touchstone", "nonce": self.nonce, "iat": now, "exp": now + 300}
        claims = {name: value for name, value in (usual | self.claims).items() if value is not None}
        if self.alg == "none":
            parts = [json.dumps(part).encode() for part in ({"alg": "none"}, claims)]
            return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts) + "."
        return jwt.encode({"alg": self.alg, "kid": "one"}, claims, self.key)


@contextmanager
def running() -> Iterator[ScriptedProvider]:
    """A provider that answers until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer("")

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers.get("content-length", 0))).decode())

        def _answer(self, body: str) -> None:
            status, sent = provider.reply(self.path.partition("?")[0], body, self.headers.get("authorization", ""))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(sent)))
            if 300 <= status < 400:
                self.send_header("Location", "http://127.0.0.1:1/")
            self.end_headers()
            with suppress(BrokenPipeError):  # a client that waits no longer
                self.wfile.write(sent)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    provider = ScriptedProvider(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
