"""A browser of few words: cookies, forms, and the header that a page sends. Redirects are not followed."""

from __future__ import annotations

import http.client
import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def data(self) -> Any:
        return json.loads(self.body)


@dataclass
class Client:
    url: str
    csrf: str = ""
    cookies: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Reply:
        """Send one request and take the cookies of its reply."""
        parts = urlsplit(self.url)
        sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
        try:
            connection.request(method, path, body=body, headers={**sent, **(headers or {})})
            got = connection.getresponse()
            reply = Reply(got.status, {name.lower(): value for name, value in got.getheaders()}, got.read())
            for name, value in got.getheaders():
                if name.lower() == "set-cookie":
                    self._take(value)
            return reply
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Reply:
        return self.ask("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def send_form(self, path: str, **fields: str) -> Reply:
        """Post a form as a page of ours does."""
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": self.url}
        return self.ask("POST", path, urlencode(fields).encode(), headers)

    def post(self, path: str, data: Any = None, *, raw: bytes | None = None, **headers: str | None) -> Reply:
        """Post JSON as a working page does; a header given as None is left out."""
        usual: dict[str, str | None] = {
            "Content-Type": "application/json",
            "Origin": self.url,
            "X-Touchstone-CSRF": self.csrf,
        }
        given = {**usual, **{name.replace("_", "-"): value for name, value in headers.items()}}
        body = raw if raw is not None else json.dumps(data if data is not None else {}).encode()
        return self.ask("POST", path, body, {name: value for name, value in given.items() if value is not None})

    def sign_in(self, login: str, password: str) -> Client:
        reply = self.send_form("/login", login=login, password=password)
        assert reply.status == 303, reply.text
        self.csrf = self.read_csrf()
        return self

    def read_csrf(self) -> str:
        """The token that pages send back: the sign-out form shows it."""
        found = re.search(r'name="csrf" value="([^"]+)"', self.get("/logout").text)
        assert found
        return found[1]

    def _take(self, cookie: str) -> None:
        name, _, rest = cookie.partition("=")
        value = rest.split(";")[0].strip('"')
        if value and "max-age=0" not in cookie.lower():
            self.cookies[name] = value
        else:
            self.cookies.pop(name, None)
