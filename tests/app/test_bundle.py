"""One script of many modules: it does what they do, and refuses what it cannot take."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from app.workbench import assets
from app.workbench.bundle import bundle
from tools.web import node

MODULES = {
    "start.js": """// Every way in which the page's modules import and export.
import * as all from "./deep/all.js";
import { Counter, double as twice } from "./deep/all.js";
import {
  LATE,
  later,
} from "./late.js";
import { again } from "./deep/passed.js";

export default async function start() {
  const counter = new Counter();
  counter.count += twice(4);
  return [counter.count, Object.keys(all).sort(), LATE, await later(), again === twice, this === undefined];
}
""",
    "deep/all.js": """import { LATE } from "../late.js";

const word = "import { a } from nowhere; export const b;";
export class Counter {
  count = LATE + word.length;
}

function _double(number) {
  return 2 * number;
}

export { _double as double, word };
""",
    "deep/passed.js": 'export { double as again } from "./all.js";\n',
    "late.js": "export const LATE = 30;\n\nexport async function later() {\n  return LATE + 1;\n}\n",
}


def test_a_bundle_does_what_its_modules_do(tmp_path: Path) -> None:
    show = "console.log(JSON.stringify(await start()));\n"
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    for name, text in MODULES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "one.js").write_text(bundle("start.js", MODULES), encoding="utf-8")
    said = []
    for name in ("start", "one"):
        (tmp_path / "main.js").write_text(f'import start from "./{name}.js";\n{show}', encoding="utf-8")
        command = [node(), str(tmp_path / "main.js")]
        said.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    modules, bundled = said
    # 30, the 42 letters of the word, and twice 4.
    assert modules == [80, ["Counter", "double", "word"], 30, 31, True, True]
    assert bundled == modules


@pytest.mark.parametrize(
    ("planted", "refusal"),
    [
        ('import "./late.js";', "start.js has an import or export that .*: import"),
        ('import late from "./late.js";', "start.js has an import or export that .*: import late"),
        ('export * from "./late.js";', r"start.js has an import or export that .*: export \*"),
        ("export let changing = 1;", "start.js has an import or export that .*: export let"),
        ('const late = await import("./late.js");', "start.js has an import or export that .*: import"),
        ('new URL("./late.js", import.meta.url);', "start.js has an import or export that .*: import.meta"),
        ('import { a } from "./away.js";', "start.js imports away.js, which does not exist"),
        ('import { again } from "./circle.js";', "modules import each other: start.js > circle.js > start.js"),
    ],
)
def test_what_a_bundle_cannot_take_is_refused(planted: str, refusal: str) -> None:
    files = {
        "start.js": f"{planted}\nexport default function start() {{}}\n",
        "late.js": MODULES["late.js"],
        "circle.js": 'import { start } from "./start.js";\nexport const again = start;\n',
    }
    with pytest.raises(ValueError, match=refusal):
        bundle("start.js", files)


def test_every_module_and_sheet_is_served_in_one_of_the_scripts() -> None:
    served = "".join(bundle(f"{name}.js", assets.sources()) for name in assets.mounted())
    lost = [name for name in assets.sources() if f"// {name}\nconst $" not in served]
    assert not lost
    assert json.dumps((assets.WEB / "ticks.css").read_text(encoding="utf-8")) in served


def test_what_is_served_has_an_address_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def address() -> str:
        assets.served.cache_clear()
        assets.version.cache_clear()
        return assets.loader("report")

    before = address()
    with monkeypatch.context() as patched:
        sheet = assets.sources() | {"ticks.css": "p { color: red }"}
        patched.setattr(assets, "sources", lambda: sheet)
        assert address() != before
    assert address() == before
