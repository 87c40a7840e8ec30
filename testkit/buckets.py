"""A real S3 server on this machine, LocalBucket, in this process. It can go away and come back."""

from __future__ import annotations

import threading
import time
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

from localbucket import S3Handler

KEYS = {"AWS_ACCESS_KEY_ID": "AKIATESTKEY", "AWS_SECRET_ACCESS_KEY": "not-to-be-seen-anywhere"}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False


class Bucket:
    """A bucket ``media`` in a folder. ``behaviour`` is what the server does with requests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "media").mkdir(parents=True, exist_ok=True)
        self.behaviour: str | int = "answers"
        """``answers``, ``hangs``, or a status that every request gets."""
        self.requests: list[tuple[str, str]] = []
        """Method and path of each request, in order."""
        self.port = 0
        self._server: _Server | None = None
        self.start()

    @property
    def env(self) -> dict[str, str]:
        """The variables that name the server."""
        return {**KEYS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}", "AWS_REGION": "us-east-1"}

    def start(self) -> None:
        """Answer, on the same port as before."""
        bucket = self

        class Handler(S3Handler):
            data_root = bucket.folder
            disable_nagle_algorithm = True

            def log_message(self, format: str, *args: Any) -> None:
                pass

            def _dispatch(self, action: Any) -> None:
                if bucket._server is None:
                    self.close_connection = True
                    return
                bucket.requests.append((self.command, self.path))
                while bucket.behaviour == "hangs" and bucket._server is not None:
                    time.sleep(0.02)
                if isinstance(bucket.behaviour, int):
                    words = b"<Error><Code>SlowDown</Code><AWSAccessKeyId>AKIATESTKEY</AWSAccessKeyId></Error>"
                    self.send_response(bucket.behaviour)
                    self.send_header("Content-Length", str(len(words)))
                    self.send_header("Connection", "close")
                    self.end_headers()
                    self.wfile.write(words)
                    self.close_connection = True
                    return
                super()._dispatch(action)

        self._server = _Server(("127.0.0.1", self.port), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Refuse every connection, including those that are open."""
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            server.server_close()

    def objects(self) -> list[str]:
        """The keys of all objects."""
        return sorted(
            str(path.relative_to(self.folder / "media")) for path in self.folder.glob("media/**/*") if path.is_file()
        )
