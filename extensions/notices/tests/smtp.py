"""A mail server on loopback that keeps what it is given, or answers as a test wants."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage


class Inbox(socketserver.ThreadingTCPServer):
    """What arrived, and how the server answers: ``replies`` has a line for each command that is not answered as usual,
    None to end the connection instead."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.mails: list[EmailMessage] = []
        self.said: list[str] = []
        """Every line that clients sent, but for mails themselves."""
        self.replies: dict[str, str | None] = {}

    @property
    def url(self) -> str:
        """What ``TOUCHSTONE_SMTP`` is set to."""
        return f"smtp+plain://127.0.0.1:{self.server_address[1]}"


class _Session(socketserver.StreamRequestHandler):
    server: Inbox

    def handle(self) -> None:
        self._say("220 testkit")
        while line := self.rfile.readline().decode().strip():
            self.server.said.append(line)
            verb = line.partition(" ")[0].upper()
            usual = {"DATA": "354 go on", "QUIT": "221 bye", "EHLO": "250-testkit\r\n250 8BITMIME"}.get(verb, "250 ok")
            reply = self.server.replies.get(verb, usual)
            if reply is None:
                return
            self._say(reply)
            if verb == "QUIT":
                return
            if verb == "DATA" and reply.startswith("354") and not self._mail():
                return

    def _mail(self) -> bool:
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        reply = self.server.replies.get("END", "250 taken")
        if reply is None or reply.startswith("250"):
            found = message_from_bytes(b"".join(lines), policy=policy.default)
            assert isinstance(found, EmailMessage)
            self.server.mails.append(found)
        if reply is None:
            return False
        self._say(reply)
        return True

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def inbox() -> Iterator[Inbox]:
    """A running server."""
    with Inbox() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
