"""Potato (potato-annotation) as a peer: a project with a picture, a question and one choice, and its real page.

It is installed into an environment of its own and only ever spoken to through its pages, as a person would.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.machine import environment
from testkit.serving import free_port

if TYPE_CHECKING:
    from playwright.sync_api import Page

VERSION = "2.12.1"

CONFIG = """\
annotation_task_name: rerun
task_dir: .
output_annotation_dir: annotation_output
data_files: [items.jsonl]
media_directory: pictures
item_properties: {id_key: id, text_key: question}
instance_display:
  fields:
    - {key: picture, type: image}
    - {key: question, type: text}
annotation_schemes:
  - annotation_type: radio
    name: verdict
    description: Do picture and pair fit the dimension?
    labels: ["yes", "no"]
    sequential_key_binding: true
    label_requirement: {required: true}
num_annotators_per_item: {overlap}
max_annotations_per_user: -1
admin_api_key: not-used-by-this-measurement
user_config: {allow_all_users: true}
"""

ANOTHER = """
before => document.readyState === "complete"
  && ![undefined, "", before].includes(document.querySelector("#instance_id")?.value)
"""
PATIENCE = 15


class Potato:
    """A server on a project made for the occasion."""

    def __init__(self, folder: Path, pictures: Sequence[Path], questions: Sequence[str], *, overlap: int = 3) -> None:
        self.folder, self.port = folder, free_port()
        (folder / "pictures").mkdir(parents=True)
        for picture in set(pictures):
            (folder / "pictures" / picture.name).write_bytes(picture.read_bytes())
        with (folder / "items.jsonl").open("w", encoding="utf-8") as file:
            for number, question in enumerate(questions):
                picture = pictures[number % len(pictures)]
                row = {"id": f"q{number:05d}", "picture": f"/media/{picture.name}", "question": question}
                file.write(json.dumps(row) + "\n")
        (folder / "config.yaml").write_text(CONFIG.replace("{overlap}", str(overlap)), encoding="utf-8")
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> Potato:
        """Start the server and wait until it says that it is healthy."""
        program = environment(f"potato-{VERSION}", f"potato-annotation=={VERSION}") / "potato"
        with (self.folder / "server.log").open("wb") as log:
            self.process = subprocess.Popen(
                [str(program), "start", "config.yaml", "-p", str(self.port), "--host", "127.0.0.1"],
                cwd=self.folder,
                env={**os.environ, "HOME": str(self.folder)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        end = time.monotonic() + 60
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/health", timeout=5):
                    return self
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"Potato did not start:\n{(self.folder / 'server.log').read_text(errors='replace')[-2000:]}")

    def stop(self) -> None:
        """End the server."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)
        self.process = None

    def sign_in(self, page: Page, name: str) -> None:
        """Register someone and open their first item."""
        form = {"action": "signup", "email": name, "pass": "not-a-secret-1"}
        page.context.request.post(f"{self.url}/register", form=form)
        page.goto(f"{self.url}/")
        page.wait_for_selector("#instance_id", state="attached")

    @staticmethod
    def shown(page: Page) -> str:
        """Which item is on the page."""
        return page.evaluate("document.querySelector('#instance_id')?.value ?? ''")  # type: ignore[no-any-return]

    def answer(self, page: Page) -> None:
        """Choose by key, go on by key, and wait until another item is there.

        A key that is pressed before the page's scripts listen is lost, so a person presses it again after a while.
        """
        from playwright.sync_api import TimeoutError as NotYet

        before = self.shown(page)
        for _ in range(PATIENCE):
            page.keyboard.press("1")
            page.keyboard.press("ArrowRight")
            try:
                page.wait_for_function(ANOTHER, arg=before, timeout=2_000)
            except NotYet:
                continue
            return
        raise RuntimeError(f"Potato stays at the item {before}.")

    def stored(self) -> int:
        """How many answers are on disk, over all people."""
        count = 0
        for file in (self.folder / "annotation_output").glob("*/user_state.json"):
            answers = json.loads(file.read_text(encoding="utf-8")).get("instance_id_to_label_to_value") or {}
            count += sum(1 for pairs in answers.values() if pairs)
        return count
