"""``--shards`` as people use it, with the demo's pictures: the executor local, and a script of somebody else."""

from __future__ import annotations

import base64
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from testkit.scripted import Asked, Reply, ScriptedServer, chat, error
from testkit.serving import touchstone
from tests.paths import ROOT

pytestmark = pytest.mark.slow


def done(home: Path, *arguments: str, code: int = 0) -> str:
    found = touchstone(*arguments, home=home)
    assert found.returncode == code, found.stdout + found.stderr
    return found.stdout if code == 0 else found.stderr


def described(home: Path, url: str) -> str:
    spec = home / "model.yaml"
    endpoint = f"{{base_url: '{url}', probe: false, longest_wait_seconds: 0.1}}"
    spec.write_text(f"name: far\nadapter: endpoint\nmodel: far\nmodality: images\nendpoint: {endpoint}\n")
    return str(spec)


def pictures_of(asked: Asked) -> list[str]:
    """Return the hashes of the pictures in a request."""
    parts = [part for turn in asked.body["messages"] if isinstance(turn["content"], list) for part in turn["content"]]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return [sha256(base64.b64decode(url.partition(";base64,")[2])).hexdigest() for url in urls]


def test_shards_with_pictures(demo: Path, tmp_path: Path) -> None:
    def script(asked: Asked, number: int) -> Reply:
        return error(500) if number % 7 == 6 else chat(f"It is {pictures_of(asked)[0][:8]}.")

    folder, other = tmp_path / "local", tmp_path / "other"
    command = ["model", "run", "demo", "--limit", "12"]
    with ScriptedServer(script) as server:
        command += ["--spec", described(demo, server.url)]
        assert "--executor needs --shards" in done(demo, *command, "--executor", "vllm", code=1)
        assert "no executor 'cloud'" in done(demo, *command, "--shards", str(folder), "--executor", "cloud", code=1)
        assert "is not an empty folder" in done(demo, *command, "--shards", str(ROOT), code=1)
        ranked = done(demo, *command, "--strategy", "rank_options", "--shards", str(folder), code=1)
        assert "need an endpoint that generates" in ranked
        assert not folder.exists()
        assert "done: 12 of 12 items processed, 12 answered" in done(demo, *command, "--shards", str(folder))
        asked = len(server.asked)
        said = done(demo, *command, "--shards", str(other), "--executor", "none")
        assert "Open questions in" in said
        assert len(server.asked) == asked
        run = re.findall(r"touchstone batch import (\S+)", said)[0]
        script_of_others = [sys.executable, str(ROOT / "examples" / "answer_shards.py"), str(other)]
        assert len(Path(script_of_others[1]).read_text(encoding="utf-8").splitlines()) <= 45
        subprocess.run(script_of_others, check=True)
        assert {sha for each in server.asked[:asked] for sha in pictures_of(each)} == {
            sha for each in server.asked[asked:] for sha in pictures_of(each)
        }
    assert "12 new replies." in done(demo, "batch", "import", run, str(other))
    assert "0 new replies." in done(demo, "batch", "import", run, str(other))
    listed = [line for line in done(demo, "run", "list", "demo").splitlines() if line.endswith("far")]
    assert [line.split()[1] for line in listed] == ["done", "done"]
    assert all("12 of 12" in line for line in listed)
