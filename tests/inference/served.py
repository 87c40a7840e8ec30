"""A `transformers serve` on loopback, which sees nothing of the network."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from testkit.serving import free_port

START = """
from transformers.cli.serving import model_manager

begun = model_manager.ModelManager.__init__

def on_the_processor(self, *arguments, **more):
    begun(self, *arguments, **more)
    self.device = None  # a device of any name would ask for the package accelerate

model_manager.ModelManager.__init__ = on_the_processor
from transformers.cli.transformers import main
main()
"""
"""`transformers`, for a machine without accelerate."""


@contextmanager
def transformers_serve(home: Path) -> Iterator[str]:
    """Its base URL, while it runs; ``home`` is an empty folder."""
    cache = home / "cache"
    cache.mkdir()  # without the folder, the list of models ends in an error
    port = free_port()
    log = home / "serve.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-c", START, "serve", "--host", "127.0.0.1", "--port", str(port)],
            env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(cache)},
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        end = time.monotonic() + 90
        while True:
            try:
                direct.open(f"http://127.0.0.1:{port}/health", timeout=2).close()
                break
            except OSError:
                assert process.poll() is None, log.read_text()[-3000:]
                assert time.monotonic() < end, log.read_text()[-3000:]
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(20)
