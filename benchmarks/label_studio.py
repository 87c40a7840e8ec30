"""Label Studio (community edition) as a peer: its stock server, a project of pictures and one choice, and its queue.

It is installed into an environment of its own and only ever spoken to over its own addresses.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.serving import free_port
from tools.label_studio import VERSION as VERSION
from tools.label_studio import LabelStudio as Running

LABELING = """<View><Image name="picture" value="$picture"/><Header value="$question"/>
<Choices name="verdict" toName="picture" choice="single" required="true">
<Choice value="yes"/><Choice value="no"/></Choices></View>"""

LOT = 1000
"""How many tasks are imported with one request."""


class LabelStudio:
    """A server on a project made for the occasion."""

    def __init__(self, folder: Path, questions: Sequence[str], *, overlap: int) -> None:
        self.questions, self.overlap = questions, overlap
        self.server = Running(folder, free_port())
        self.project = 0

    @property
    def url(self) -> str:
        """Where it answers."""
        return self.server.url

    @property
    def process(self) -> subprocess.Popen[bytes] | None:
        """The server, while it runs."""
        return self.server.process

    def start(self) -> LabelStudio:
        """Start the stock server, wait until it is healthy, and make the project."""
        self.server.start()
        self._make_project()
        return self

    def stop(self) -> None:
        """End the server."""
        self.server.kill()

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """One request to its API, as its admin."""
        return self.server.admin.call(method, path, body)

    def people(self, count: int) -> list[str]:
        """Let so many people sign up over the invitation; their tokens."""
        return [self.server.sign_up(f"person{number}@localhost.test").token for number in range(count)]

    def stored(self) -> int:
        """How many answers the project holds."""
        return int(self.call("GET", f"/api/projects/{self.project}")["total_annotations_number"])

    def _make_project(self) -> None:
        made = {"title": "queue", "label_config": LABELING, "maximum_annotations": self.overlap}
        self.project = self.call("POST", "/api/projects", made)["id"]
        for begin in range(0, len(self.questions), LOT):
            lot = [
                {"data": {"picture": f"/static/icons/none-{begin + number}.png", "question": question}}
                for number, question in enumerate(self.questions[begin : begin + LOT])
            ]
            self.call("POST", f"/api/projects/{self.project}/import", lot)
