"""Other people's loaders, each in an environment of its own, to read what Touchstone writes for them.

    python tools/loaders.py hub            makes the environment, and prints its Python
    python tools/loaders.py hub --lock     compiles its pins and hashes anew

To add an environment, add a line to ``WANTED`` and write its lock with ``--lock``. Loaders that resolve together belong
into one: each environment takes half a gigabyte and half a minute of a core.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.environments import environment  # noqa: E402

WANTED: Mapping[str, tuple[str, ...]] = {
    "hub": ("datasets==5.2.0", "mlcroissant[image,parquet]==1.1.1", "inspect-ai==0.3.285"),
}
"""What each environment is for; everything that this needs is pinned with hashes in ``tools/loaders_<name>.txt``."""
_NEVER_IMPORTED = """
agent-client-protocol aiobotocore aiohappyeyeballs aiohttp aioitertools aiosignal annotated-doc beautifulsoup4 boto3
debugpy decorator fastapi frozenlist hf-xet jmespath jsonpath-ng jsonref jsonschema jsonschema-specifications
linkify-it-py mdit-py-plugins multidict opentelemetry-api pandas-stubs pathlib-abc propcache referencing regex rpds-py
s3fs s3transfer soupsieve tiktoken universal-pathlib uvicorn wrapt yarl zipp
"""
LEFT_OUT: Mapping[str, frozenset[str]] = {"hub": frozenset(_NEVER_IMPORTED.split())}
"""What the loaders name as needed, and no one imports who reads files: clouds, servers, debuggers, tokenizers, stubs.
It is not installed. A loader that imports one of them after all says so, and it goes from this list."""
FOLDER = Path(os.environ.get("LOADERS") or ROOT / ".cache" / "loaders")
"""Where they are made; several checkouts may share one."""
KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR")
QUIET = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "DO_NOT_TRACK": "1",
    # No loader asks anything outside: whoever tries meets a proxy that is not there.
    **{name: "http://127.0.0.1:9" for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")},
}


_begun: list[subprocess.Popen[bytes]] = []


def lock_of(name: str) -> Path:
    """The pins of an environment."""
    return ROOT / "tools" / f"loaders_{name}.txt"


def python(name: str) -> Path:
    """The Python of an environment; the environment is made on first use."""
    return environment(FOLDER / name, lock=lock_of(name)) / "python"


def begin(name: str) -> None:
    """Have an environment made in the background, if it is not there yet; whoever needs it then waits for its end.

    It goes on if we end: what was made is found by the next one. What keeps it from being made is told by ``python``,
    which tries again.
    """
    void = subprocess.DEVNULL
    command = [sys.executable, str(Path(__file__).resolve()), name]
    _begun.append(subprocess.Popen(command, stdin=void, stdout=void, stderr=void, start_new_session=True))


def run(name: str, script: str, *arguments: str | Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a script there, without the network and with a home of its own (caches lie below it).

    It sees nothing of Touchstone. What it printed and how it ended is the caller's to look at.
    """
    home.mkdir(parents=True, exist_ok=True)
    kept = {key: value for key, value in os.environ.items() if key in KEPT}
    return subprocess.run(
        [str(python(name)), "-I", "-c", script, *map(str, arguments)],
        cwd=home,
        env={**kept, **QUIET, "HOME": str(home), "HF_HOME": str(home / "hf"), "XDG_CACHE_HOME": str(home / "cache")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def compile_lock(name: str) -> None:
    """Write the pins of an environment, with the hashes of every file of theirs."""
    from piptools.repositories import PyPIRepository

    from tools.lock import clean, with_hashes

    with tempfile.TemporaryDirectory() as folder:
        wanted, out = Path(folder, "wanted.in"), Path(folder, "lock.txt")
        wanted.write_text("\n".join(WANTED[name]) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "piptools", "compile", str(wanted), f"--output-file={out}"]
        command += ["--strip-extras", "--allow-unsafe", "--quiet", "--annotation-style=line", "--no-header"]
        command += ["--no-emit-index-url", "--no-emit-find-links", "--no-emit-trusted-host", "--no-emit-options"]
        subprocess.run(command, cwd=ROOT, check=True)
        lock = clean(out.read_text(encoding="utf-8")).replace(f"-r {wanted}", "wanted")
        lines = [line for line in lock.splitlines() if not line.startswith("#")]
        pins = "\n".join(line for line in lines if line.partition("==")[0] not in LEFT_OUT[name])
        head = (
            f"# What the loaders of the environment {name} need: `python tools/loaders.py {name} --lock` writes this.\n"
        )
        text = with_hashes(pins, PyPIRepository([], cache_dir=folder))
        lock_of(name).write_text(head + text, encoding="utf-8")


def main() -> int:
    """Make an environment, or compile its lock."""
    parser = argparse.ArgumentParser(description="Environments with other people's loaders.")
    parser.add_argument("name", choices=sorted(WANTED))
    parser.add_argument("--lock", action="store_true", help="compile the pins and hashes anew")
    chosen = parser.parse_args()
    if chosen.lock:
        compile_lock(chosen.name)
    print(python(chosen.name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
