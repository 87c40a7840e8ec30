"""A report as PDF: its HTML, printed by a browser on this machine.

The reports' style sheet has a part for print, so the menu of any browser gives the same pages. No library that converts
HTML to PDF is small enough to include in Touchstone: see ``docs/contributing.md``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from domain.errors import TouchstoneError

BROWSERS = (
    *("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "microsoft-edge", "msedge"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
"""Programs that print a page without a window, by name or by path."""
PATIENCE_SECONDS = 300
_FLAGS = ("--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--no-pdf-header-footer")
_DATES = re.compile(rb"/(CreationDate|ModDate) \(D:\d{14}")


def find_browser() -> str:
    """Return the path of a browser that can print.

    Raises
    ------
    TouchstoneError
        This machine has no such browser.
    """
    for name in BROWSERS:
        if path := shutil.which(name):
            return path
    raise TouchstoneError(
        "Touchstone found no browser that can print PDF files. Install Chromium, Chrome or Edge. Or write the "
        "report without PDF, and print report.html from your own browser."
    )


def printed(page: str) -> bytes:
    """Return a page of HTML as PDF. The file has no timestamp, but its bytes depend on the browser."""
    with tempfile.TemporaryDirectory(prefix="touchstone-pdf-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        source, target = folder / "page.html", folder / "page.pdf"
        source.write_text(page, encoding="utf-8")
        own = [f"--user-data-dir={folder / 'profile'}", f"--print-to-pdf={target}", source.as_uri()]
        sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []  # root has no sandbox
        command = [find_browser(), *_FLAGS, *sandbox, *own]
        try:
            done = subprocess.run(command, capture_output=True, timeout=PATIENCE_SECONDS, check=False)
            return _DATES.sub(rb"/\1 (D:20000101000000", target.read_bytes())
        except subprocess.TimeoutExpired:
            reason = f"printing took longer than {PATIENCE_SECONDS} seconds"
        except OSError:
            last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
            reason = last or f"exit status {done.returncode}"
    raise TouchstoneError(f"{command[0]} printed no PDF: {reason}. Print report.html from your browser instead.")
