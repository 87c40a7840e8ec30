"""The files in ``deploy/``: what they name exists, and what this machine can run, runs."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from testkit.serving import free_port
from tests.paths import ROOT
from tools import diagrams, reference, wheels
from tools.floors import ROOMS

DEPLOY = ROOT / "deploy"
CONTAINERFILE = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
UNITS = sorted((DEPLOY / "systemd").iterdir())
SERVICES = [path for path in UNITS if path.suffix == ".service"]
INSTALLED = "/opt/touchstone"
STATE = "/var/lib/touchstone"


@cache
def compose() -> Mapping[str, Any]:
    found: Mapping[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return found


def values(unit: Path, key: str) -> list[str]:
    """The values of a key in a unit, in their order."""
    return re.findall(rf"^{key}=(.*)$", unit.read_text(encoding="utf-8"), re.MULTILINE)


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Containerfile, each on one line."""
    lines = re.sub(r"^#.*\n", "", CONTAINERFILE, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    return [(line.split()[0], line.partition(" ")[2].strip()) for line in lines if line.strip()]


def commands() -> Iterator[tuple[str, list[str]]]:
    """Each ``touchstone`` command line of the files, and where it is."""
    for unit in SERVICES:
        for line in values(unit, "ExecStart"):
            words = shlex.split(re.sub(r"\$\([^)]*\)", "now", line))
            words = shlex.split(words[-1]) if words[0].endswith("/sh") else words
            at = next(n for n, word in enumerate(words) if word.endswith("/touchstone"))
            yield unit.name, words[at + 1 :]
    for name, service in compose()["services"].items():
        if service["image"].startswith("touchstone:"):
            yield name, service["command"]
    yield "Containerfile", json.loads(dict(instructions())["CMD"])


@pytest.mark.parametrize(("where", "words"), [*commands()], ids=lambda value: value if isinstance(value, str) else None)
def test_each_command_is_one_of_the_command_line(where: str, words: list[str]) -> None:
    command: Any = reference.command_line()
    rest = list(words)
    while getattr(command, "commands", None):
        command = command.commands[rest.pop(0)]
    command.make_context(where, rest)  # raises for an unknown option, and for a value that is out of its range


def test_each_setting_is_read_by_touchstone() -> None:
    named = {
        name
        for path in DEPLOY.rglob("*")
        if path.is_file()
        for name in re.findall(r"\bTOUCHSTONE_[A-Z_]+\b", path.read_text(encoding="utf-8"))
    }
    assert named
    assert named - set(reference.variables()) == set()


def test_a_service_has_what_it_names_and_no_more_rights_than_it_needs() -> None:
    services = compose()["services"]
    for name, service in services.items():
        assert not re.search(r":latest$|^[^:]*$", service["image"]), f"{name}: pin the image"
        assert "privileged" not in service
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert set(service.get("networks", ())) <= set(compose()["networks"])
        assert set(service.get("depends_on", ())) <= set(services)
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert source in compose()["volumes"] or (DEPLOY / source).is_file(), f"{name}: {source}"
        for address in service.get("ports", ()):
            assert address.startswith("127.0.0.1:"), f"{name}: {address} is open to other machines"
        secret = {key: value for key, value in service.get("environment", {}).items() if "PASSWORD" in key}
        assert all(value.startswith("${") for value in secret.values()), f"{name}: {secret}"
    ours = [service for service in services.values() if service["image"].startswith("touchstone:")]
    assert len(ours) == 3
    assert all(service["read_only"] and service["cap_drop"] == ["ALL"] for service in ours)
    example = (DEPLOY / "compose.env.example").read_text(encoding="utf-8")
    wanted = set(re.findall(r"\$\{([A-Z_]+)", (DEPLOY / "compose.yaml").read_text(encoding="utf-8")))
    assert set(re.findall(r"^([A-Z_]+)=", example, re.MULTILINE)) == wanted


def test_the_front_server_names_the_web_processes_and_their_port() -> None:
    text = (DEPLOY / "haproxy.cfg").read_text(encoding="utf-8")
    servers = re.findall(r"^    server (\S+) (\S+):(\d+) cookie \1$", text, re.MULTILINE)
    services = compose()["services"]
    web = [name for name, service in services.items() if service.get("command", [""])[0] == "serve"]
    assert [(name, host) for name, host, _ in servers] == [(name, name) for name in web]
    assert {port for _, _, port in servers} == {dict(instructions())["EXPOSE"]} == {"8501"}
    (published,) = services["haproxy"]["ports"]
    assert published.split(":")[-1] == re.findall(r"bind :(\d+)", text)[0]
    for name in web:  # a scraper names the process, and the server answers under no other name
        assert services[name]["command"][services[name]["command"].index("--name") + 1] == name
    subnet = compose()["networks"]["inside"]["ipam"]["config"][0]["subnet"]
    assert {services[name]["environment"]["FORWARDED_ALLOW_IPS"] for name in web} == {subnet}


def test_the_image_has_no_root_no_secret_and_nothing_from_a_network() -> None:
    found = instructions()
    assert [name for name, _ in found if name == "ADD"] == []
    users = [value for name, value in found if name == "USER"]
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", users[-1])
    assert not re.search(r"(?i)password|token|secret|api_key", CONTAINERFILE)
    installs = re.findall(r"pip install ([^&]*)", " ".join(value for name, value in found if name == "RUN"))
    assert len(installs) == 2
    assert all("--no-index" in install for install in installs)
    assert "--require-hashes" in installs[0]
    assert not re.search(r"apt-get|curl|wget|https?://(?!127\.0\.0\.1)", CONTAINERFILE)
    for name, value in found:
        if name == "COPY" and not value.startswith("--from"):
            source = value.split()[0]
            assert f"!{source}" in (ROOT / ".containerignore").read_text(encoding="utf-8").split()
    assert (ROOT / ".containerignore").read_bytes() == (ROOT / ".dockerignore").read_bytes()


def test_the_pins_of_the_image_are_those_of_the_lock_and_hold_its_extras() -> None:
    pins = wheels.pins()
    named = set(re.findall(r"^([\w.-]+)==", pins, re.MULTILINE))
    assert {"streamlit", "psycopg", "psycopg-binary", "openai", "av", "prometheus-client"} <= named
    assert named.isdisjoint({"torch", "pytest", "label-studio-sdk"})
    lock = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert all(line in lock for line in pins.splitlines())


def test_each_message_in_the_table_of_problems_is_one_of_the_code() -> None:
    page = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")
    table = page.partition("## Fix problems")[2].partition("\n## ")[0]
    messages = re.findall(r"“(.*?)”", table)
    assert len(messages) > 10
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*.py") if "tests" not in path.parts]
    code = "\n".join(path.read_text(encoding="utf-8") for path in files)
    joined = re.sub(r'"\s*f?"', "", code)  # texts that go on in the next line
    assert [message for message in messages if message not in joined] == []


def test_the_pictures_are_those_that_the_program_draws() -> None:
    for name, diagram in diagrams.DIAGRAMS.items():
        kept = (ROOT / "docs" / "img" / f"{name}.svg").read_text(encoding="utf-8")
        assert kept == diagrams.svg(diagram), "run tools/diagrams.py"


@pytest.mark.slow
def test_systemd_accepts_each_unit_and_finds_it_hardened(tmp_path: Path) -> None:
    for unit in UNITS:  # the program of the units is not installed here
        text = unit.read_text(encoding="utf-8").replace(f"{INSTALLED}/bin/touchstone", "/bin/true")
        (tmp_path / unit.name).write_text(text, encoding="utf-8")
    names = [str(tmp_path / unit.name) for unit in UNITS]
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *names], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    for unit in SERVICES:
        command = ["systemd-analyze", "security", "--offline=true", "--threshold=20", str(unit)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout  # exposure of at most 2.0 of 10


@pytest.mark.slow
def test_haproxy_accepts_the_front_server(tmp_path: Path) -> None:
    program = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin")
    assert program, "install HAProxy: make test does so as root"
    done = subprocess.run([program, "-c", "-f", DEPLOY / "haproxy.cfg"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment made by the steps of the image, with other folders. pip has no index."""
    kept = ROOT / ".cache" / "wheels"
    wheels.fill(kept)
    folder = tmp_path_factory.mktemp("image") / "touchstone"
    steps = next(value for name, value in instructions() if name == "RUN")
    steps = (
        steps.replace(INSTALLED, str(folder)).replace("/wheels", str(kept)).replace("python -m venv", "PYTHON -m venv")
    )
    env = {"PATH": os.environ["PATH"], "PIP_CONFIG_FILE": os.devnull, "HOME": str(folder.parent)}
    steps = steps.replace("PYTHON", sys.executable)
    done = subprocess.run(["/bin/sh", "-euc", steps], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


class Unit:
    """A process of a unit's ExecStart and Environment, with other folders and another port."""

    def __init__(self, name: str, installed: Path, home: Path, port: int) -> None:
        unit = DEPLOY / "systemd" / f"touchstone-{name}.service"

        def here(text: str) -> str:
            text = text.replace(INSTALLED, str(installed)).replace(f"{STATE}-backups", f"{home}-backups")
            return text.replace(STATE, str(home)).replace("8501", str(port)).replace("%%", "%").replace("$$", "$")

        env = dict(word.split("=", 1) for line in values(unit, "Environment") for word in shlex.split(here(line)))
        (command,) = values(unit, "ExecStart")
        self.log = home.parent / f"{name}.log"
        with self.log.open("w") as out:
            path = {"PATH": "/usr/bin:/bin"}
            self.process = subprocess.Popen(
                shlex.split(here(command)), env={**path, **env}, cwd=home, stdout=out, stderr=subprocess.STDOUT
            )

    def end(self) -> int:
        """Tell the process to end, as systemd does; its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def output(self) -> str:
        """What the process has printed so far."""
        return self.log.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_units_run_what_was_installed_without_a_network(installed: Path, tmp_path: Path) -> None:
    assert not (installed / "bin" / "pip").exists()
    home, port = tmp_path / "state", free_port()
    home.mkdir()
    (tmp_path / "state-backups").mkdir()
    web = Unit("web", installed, home, port)
    worker = None
    try:
        _until(lambda: _healthy(port), web)
        assert "with this password" not in web.output(), "the journal keeps no password"
        assert _scraped(port).rstrip().endswith("# EOF")
        worker = Unit("worker", installed, home, port)
        _until(lambda: "The worker is waiting for runs" in worker.output(), worker)
        backup = Unit("backup", installed, home, port)
        assert backup.process.wait(120) == 0, backup.output()
        (kept,) = (tmp_path / "state-backups").glob("*.tar")
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d{6}\.tar", kept.name)
        with tarfile.open(kept) as archive:
            assert archive.getnames()
    finally:
        ended = [unit.end() for unit in (worker, web) if unit is not None]
    assert ended == [0, 0]


def _healthy(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


def _scraped(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as reply:
        return str(reply.read().decode())


def _until(is_so: Any, unit: Unit) -> None:
    end = time.monotonic() + 180
    while not is_so():
        assert unit.process.poll() is None, unit.output()
        assert time.monotonic() < end, unit.output()
        time.sleep(0.2)
