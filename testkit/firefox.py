"""The system's Firefox, for seeing what people see who do not use Chromium.

It is driven over WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi/), which it speaks by itself.
"""

from __future__ import annotations

import base64
import itertools
import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from testkit.browser import WAIT_MS
from testkit.serving import free_port

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

NAMES = ("firefox-esr", "firefox")
PACKAGE = NAMES[0]
"""The system's package, where there is one."""

_FONT_LEFT_BEHIND = re.compile(r"downloadable font: download failed .*status=2152398850 ")
"""The status is ``NS_BINDING_ABORTED``: the page was left before its font had come."""

EVERYWHERE = """
    const all = (root) => [...root.querySelectorAll("*")].flatMap(
        (one) => one.shadowRoot ? [one, ...all(one.shadowRoot)] : [one]);
    const seen = (one) => one.checkVisibility({visibilityProperty: true, opacityProperty: false});
    const words = (one) => one.getAttribute("aria-label") || one.innerText || one.placeholder || "";
"""
"""Elements of the page and of what is closed off in it; whether one is seen; and what it is called."""
WHOLE = """
    if (!document.getElementById("root")) return true;
    return !!document.querySelector("[data-test-script-state=notRunning]")
        && !document.querySelector("[data-stale=true], [data-testid=stSkeleton]");
"""
FIND = """
    const found = all(document).find((one) => one.matches(given[0]) && seen(one)
        && (!given[1] || words(one).trim() === given[1]));
"""
WAY = (
    FIND
    + """
    if (!found) return "on";
    let at = document.activeElement;
    while (at && at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement;
    if (!at || at === document.body) return "on";
    if (found.contains(at)) return "here";
    const outermost = (one) => one.getRootNode().host ? outermost(one.getRootNode().host) : one;
    const behind = outermost(found).compareDocumentPosition(outermost(at)) & Node.DOCUMENT_POSITION_FOLLOWING;
    return behind ? "back" : "on";
"""
)
"""Whether the focus is on what is looked for, or which way it has to go."""
PRESSED = "button, a, label, summary, [role=tab], [role=option]"
"""What people press."""
MOST = 200
"""So many presses of Tab reach anything on a page."""
KEYS = {
    "ArrowDown": "\ue015",
    "ArrowRight": "\ue014",
    "Control": "\ue009",
    "Enter": "\ue007",
    "Escape": "\ue00c",
    "Shift": "\ue008",
    "Tab": "\ue004",
}
"""What the protocol calls keys that write nothing."""


def program() -> str | None:
    """The path of a Firefox that is on the path, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Firefox:
    """One window, of which whoever is signed in changes."""

    def __init__(self, line: ClientConnection, downloads: Path) -> None:
        self.downloads = downloads
        self._line, self._numbers = line, itertools.count(1)
        self._thrown: list[str] = []
        self._send("session.new", capabilities={"alwaysMatch": {"acceptInsecureCerts": False}})
        self._send("session.subscribe", events=["log.entryAdded"])
        self._page = self._send("browsingContext.create", type="tab")["context"]
        self._send("browsingContext.setViewport", context=self._page, viewport={"width": 1280, "height": 800})

    def leave(self) -> None:
        """No one is signed in any more."""
        self._send("storage.deleteCookies")

    def sign_in(self, link: str) -> None:
        """Someone sits down: the page of their one-time link sends itself."""
        self.leave()
        self.open(link)
        self.waits(lambda: self.asks("return !location.pathname.startsWith('/link/')"), "signed in")
        self.settled()

    def open(self, url: str) -> None:
        """Go to a page and wait until it is whole."""
        self._send("browsingContext.navigate", context=self._page, url=url, wait="interactive")
        self.settled()

    def settled(self, *, held_s: float = 0.15) -> None:
        """Wait until the page is drawn to its end and has stayed so for a moment."""
        since: list[float] = []

        def whole() -> bool:
            if not self.asks(WHOLE):
                since.clear()
            elif not since:
                since.append(time.monotonic())
            return bool(since) and time.monotonic() - since[0] >= held_s

        self.waits(whole, "whole page")

    def asks(self, script: str, *given: str) -> Any:
        """What a script of the page returns, as JSON has it; ``given`` are its arguments."""
        said = self._send(
            "script.callFunction",
            functionDeclaration=f"(...given) => JSON.stringify((() => {{ {EVERYWHERE} {script} }})() ?? null)",
            arguments=[{"type": "string", "value": each} for each in given],
            target={"context": self._page},
            awaitPromise=True,
            userActivation=True,
        )
        if said["type"] == "exception":
            raise AssertionError(said["exceptionDetails"]["text"])
        return json.loads(said["result"]["value"])

    def waits(self, until: Callable[[], object], what: str) -> None:
        """Wait for a condition; AssertionError with what is on the page if it does not come."""
        end = time.monotonic() + 3 * WAIT_MS / 1000
        while not until():
            assert time.monotonic() < end, f"no {what}: {self.text()}"
            time.sleep(0.05)

    def text(self) -> str:
        """Every word that is on the page."""
        return str(
            self.asks(
                """const closed = all(document).filter((one) => one.shadowRoot).flatMap(
                    (one) => [...one.shadowRoot.children].map((child) => child.innerText));
                return [location.pathname, document.body?.innerText ?? "", ...closed].join("\\n");"""
            )
        )

    def shows(self, *words: str) -> None:
        """Wait until all these words are on the page."""
        self.waits(lambda: all(word in self.text() for word in words), " and ".join(words))

    def count(self, selector: str) -> int:
        """So many elements fit and are seen."""
        return int(
            self.asks("return all(document).filter((one) => one.matches(given[0]) && seen(one)).length", selector)
        )

    def press(self, words: str, *, selector: str = PRESSED) -> None:
        """Press, with the mouse, the first that is called so."""
        self.waits(lambda: self.asks(FIND + "return !!found", selector, words), f"{words or selector} to press")
        x, y = self.asks(
            FIND
            + """found.scrollIntoView({block: "center", behavior: "instant"});
            const box = found.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2].map(Math.round);""",
            selector,
            words,
        )
        moves = [
            {"type": "pointerMove", "x": x, "y": y},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self._act("pointer", moves)

    def keys(self, *keys: str) -> None:
        """Keys, one after the other, as a keyboard sends them; ``Control+Enter`` is two of them held together."""
        for key in keys:
            held = [KEYS.get(one, one) for one in key.split("+")] if len(key) > 1 else [key]
            downs = [{"type": "keyDown", "value": one} for one in held]
            self._act("key", [*downs, *({"type": "keyUp", "value": one} for one in reversed(held))])

    def reaches(self, words: str, *, selector: str = PRESSED) -> None:
        """Tab, in the direction in which it lies, until the first that is called so has the focus."""
        self.waits(lambda: self.asks(FIND + "return !!found", selector, words), f"{words or selector} to reach")
        for _ in range(MOST):
            way = self.asks(WAY, selector, words)
            if way == "here":
                return
            self.keys("Shift+Tab" if way == "back" else "Tab")
        raise AssertionError(f"{MOST} presses of Tab do not reach {words or selector}")

    def enters(self, words: str, *, selector: str = PRESSED, times: int = 1) -> None:
        """Reach something without a mouse, and press Enter there."""
        self.reaches(words, selector=selector)
        self.keys(*["Enter"] * times)

    def types(self, selector: str, text: str) -> None:
        """Text into the first field that fits, letter by letter."""
        self.press("", selector=selector)
        typed = [{"type": kind, "value": letter} for letter in text for kind in ("keyDown", "keyUp")]
        self._act("key", typed)

    def gives(self, path: Path, *, selector: str = "input[type=file]") -> None:
        """A file into a field for files."""
        self.waits(
            lambda: self.asks("return !!all(document).find((one) => one.matches(given[0]))", selector),
            "field for files",
        )
        node = self._send(
            "browsingContext.locateNodes", context=self._page, locator={"type": "css", "value": selector}
        )["nodes"][0]
        self._send("input.setFiles", context=self._page, element={"sharedId": node["sharedId"]}, files=[str(path)])

    def downloaded(self, like: str) -> Path:
        """The one file with such a name, when it is there as a whole."""

        def there() -> list[Path]:
            return [] if [*self.downloads.glob("*.part")] else [*self.downloads.glob(like)]

        self.waits(lambda: [path for path in there() if path.stat().st_size], f"download of {like}")
        (path,) = there()
        return path

    def picture(self, path: Path) -> None:
        """A screenshot of the window."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self._send("browsingContext.captureScreenshot", context=self._page)["data"]))

    def thrown(self) -> list[str]:
        """Errors that scripts have thrown since this was asked last."""
        self.asks("return 0")
        said, self._thrown = self._thrown, []
        return said

    def _note(self, entry: dict[str, Any]) -> None:
        if entry["type"] != "javascript" or entry["level"] != "error":
            return
        # Streamlit asks whether it may compile WebAssembly; our policy says no, and it does without.
        if "WebAssembly" not in entry["text"] and _FONT_LEFT_BEHIND.search(entry["text"]) is None:
            self._thrown.append(entry["text"])

    def _act(self, kind: str, actions: list[dict[str, Any]]) -> None:
        doing = [{"type": kind, "id": kind, "actions": actions}]
        self._send("input.performActions", context=self._page, actions=doing)

    def _send(self, method: str, **given: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self._line.send(json.dumps({"id": number, "method": method, "params": given}))
        while True:
            said = json.loads(self._line.recv(timeout=3 * WAIT_MS / 1000))
            if said.get("method") == "log.entryAdded":
                self._note(said["params"])
            if said.get("id") == number:
                if said["type"] == "error":
                    raise AssertionError(f"{method}: {said['message']}")
                return dict(said["result"])


@contextmanager
def launched(folder: Path) -> Iterator[Firefox]:
    """A headless Firefox with a window of 1280 x 800; profile, log and downloads lie in ``folder``.

    Raises:
        RuntimeError: no Firefox is installed, or it does not begin.
    """
    from websockets.sync.client import connect

    path = program()
    if path is None:
        raise RuntimeError(f"Firefox is not installed: install the package {PACKAGE} (make test does it as root).")
    profile, log, port = folder / "profile", folder / "firefox.log", free_port()
    profile.mkdir(parents=True)
    downloads = folder / "downloads"
    # Files go into that folder without a question, and no panel about them takes the keys that are meant for the page.
    said = {"folderList": 2, "dir": str(downloads), "useDownloadDir": True, "alwaysOpenPanel": False}
    lines = [f'user_pref("browser.download.{name}", {json.dumps(value)});\n' for name, value in said.items()]
    (profile / "user.js").write_text("".join(lines))
    command = [path, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", str(port)]
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT) as process:
        try:
            end = time.monotonic() + 3 * WAIT_MS / 1000
            while b"WebDriver BiDi listening" not in log.read_bytes():
                if process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"Firefox did not begin: {log.read_text(errors='replace')}")
                time.sleep(0.05)
            with connect(f"ws://127.0.0.1:{port}/session", max_size=None, proxy=None) as line:
                yield Firefox(line, downloads)
        finally:
            process.terminate()
