"""``python -m tools.drawing``: write the pictures of the demo project and what is true of its scenes again."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

from tools.drawing.backdrops import HEIGHT, WIDTH
from tools.drawing.scenes import Scene, scenes
from tools.drawing.tables import SIZE, tables

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def line_of(scene: Scene) -> str:
    """What is asked about a scene and what is true of it, as a line of ``examples/scenes.jsonl``."""
    said = {key: getattr(scene, key) for key in ("name", "dimension", "question", "answer", "also", "wrong", "partly")}
    return json.dumps(said | {"things": [placed.words for placed in scene.things]}, ensure_ascii=False) + "\n"


def picture_of(scene: Scene, size: tuple[int, int] = (WIDTH, HEIGHT)) -> bytes:
    """The scene's picture as a file: WebP, a fifth of the size of a JPEG that looks like it."""
    out = io.BytesIO()
    scene.draw(size).save(out, "WEBP", quality=80, method=6)
    return out.getvalue()


def main(folder: Path = EXAMPLES) -> int:
    """Write everything into a folder; what is there by the same name is replaced."""
    everything = scenes()
    (folder / "scenes.jsonl").write_text("".join(map(line_of, everything)), encoding="utf-8")
    pictures = [("pictures", scene, (WIDTH, HEIGHT)) for scene in everything]
    pictures += [("tables", table, SIZE) for table in tables()]
    for number, (place, scene, size) in enumerate(pictures, 1):
        (folder / place).mkdir(parents=True, exist_ok=True)
        (folder / place / f"{scene.name}.webp").write_bytes(picture_of(scene, size))
        print(f"\r{number}/{len(pictures)} pictures", end="", file=sys.stderr)
    print(file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
