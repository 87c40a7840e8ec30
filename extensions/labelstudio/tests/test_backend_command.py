"""Test the command that serves a model to Label Studio."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from pathlib import Path

from extensions.labelstudio.tests.test_label_studio_backend import SECRET, WORDS, BackendClient, spec, task
from inference.spec import spec_as_yaml
from testkit.forked import Forked
from testkit.missing_extensions import needs
from testkit.scripted import ScriptedServer, chat
from testkit.serving import environment, free_port, touchstone


def test_the_command_serves_a_model_in_a_process_of_its_own(home: Path, tmp_path: Path) -> None:
    touchstone("project", "create", "p", "--schema", "egothink", home=home)
    with ScriptedServer([chat("A cup.")]) as model:
        told = tmp_path / "scripted.yaml"
        told.write_text(spec_as_yaml(spec(model.url)), encoding="utf-8")
        port, log = free_port(), tmp_path / "log"
        process = Forked(
            ["labelstudio", "serve", "p", "--spec", told, "--port", str(port), "--secret-env", "CONNECTION"],
            env=environment(home, CONNECTION=SECRET),
            cwd=tmp_path,
            out=log,
            err=log,
        )
        asking = BackendClient(f"http://127.0.0.1:{port}")
        try:
            end = time.monotonic() + 60
            while True:
                try:
                    status, health = asking("/health", secret=SECRET)
                    break
                except urllib.error.URLError:
                    assert process.poll() is None, log.read_text(encoding="utf-8")
                    assert time.monotonic() < end
                    time.sleep(0.1)
            assert (status, health["status"]) == (200, "UP")
            assert asking("/predict", {"tasks": []})[0] == 401
            body = {"tasks": [task()], "label_config": WORDS}
            status, found = asking("/predict", body, secret=SECRET)
            assert found["results"][0][0]["result"][0]["value"] == {"text": ["A cup."]}
            assert found["model_version"] == f"scripted {spec(model.url).hash[:8]}"
        finally:
            process.kill()
    assert SECRET not in log.read_text(encoding="utf-8")


def test_what_the_command_refuses(home: Path, tmp_path: Path) -> None:
    touchstone("project", "create", "p", "--schema", "egothink", home=home)
    told = tmp_path / "scripted.yaml"
    told.write_text(spec_as_yaml(spec("http://127.0.0.1:9/v1")), encoding="utf-8")
    for arguments, sentence in [
        (("p", "--spec", told, "--host", "0.0.0.0"), "--secret-env"),
        (("p", "--spec", told, "--secret-env", "NOT_THERE_93"), "NOT_THERE_93 is not set"),
        (("nobody", "--spec", told), "There is no project 'nobody'"),
        (("p", "--spec", told, "--strategy", "dream"), "generate or rank_options"),
        (("p", "--spec", tmp_path / "none.yaml"), "none.yaml"),
        (("p", "--spec", told, "--media", tmp_path / "none"), f"The media folder {tmp_path / 'none'} does not exist"),
    ]:
        done = touchstone("labelstudio", "serve", *arguments, home=home)
        assert (done.returncode, sentence in done.stderr, "Traceback" in done.stderr) == (1, True, False), done.stderr


@needs("endpoint_strategies", "rank_options")
def test_ranking_needs_a_server_that_tells_likelihoods(home: Path, tmp_path: Path) -> None:
    touchstone("project", "create", "p", "--schema", "egothink", home=home)
    told = tmp_path / "scripted.yaml"
    told.write_text(spec_as_yaml(spec("http://127.0.0.1:9/v1")), encoding="utf-8")
    done = touchstone("labelstudio", "serve", "p", "--spec", told, "--strategy", "rank_options", home=home)
    assert done.returncode == 1
    assert "does not state how its server reports likelihoods" in done.stderr
    assert "Traceback" not in done.stderr
