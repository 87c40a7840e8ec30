"""A reader of VLMEvalKit's tables, written after what its documentation and the source of its loader say that it does.

VLMEvalKit is not on the package index. This does what ``ImageBaseDataset.__init__``, ``toliststr`` and the prompts of
custom sets do, but for one thing: a cell in brackets, which is run as Python there, has to be nothing but a list of
plain texts here.
"""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pandas as pd

_LIST = re.compile(r"\['[A-Za-z0-9+/=.]+'(, '[A-Za-z0-9+/=.]+')*\]")


def _entries(cell: str) -> list[str]:
    if len(cell) > 1 and cell[0] == "[" and cell[-1] == "]":
        assert _LIST.fullmatch(cell), f"this would be run: {cell[:80]}"
        return cell[2:-2].split("', '")
    return [cell]


def read(path: Path) -> list[dict[str, Any]]:
    """The rows that VLMEvalKit has of a table: index, id, images and their names, prompt, answer."""
    data = pd.read_csv(path, sep="\t")
    choice = "A" in data and "B" in data
    if "image" in data:
        data = data[~pd.isna(data["image"])]
    found = []
    by_index = {str(row["index"]): row for row in data.to_dict("records")}
    for row in by_index.values():
        images, names = [], []
        if "image" in row:
            cell = str(row["image"])
            if len(cell) <= 64:
                cell = str(by_index[cell]["image"])
                assert len(cell) > 64
            images = [base64.b64decode(each, validate=True) for each in _entries(cell)]
            names = _entries(str(row["image_path"]))
            assert len(images) == len(names)
        options = {letter: str(row[letter]) for letter in ascii_uppercase if letter in row and not pd.isna(row[letter])}
        prompt = str(row["question"])
        if choice:
            prompt = f"Question: {prompt}\nOptions:\n" + "".join(f"{each}. {text}\n" for each, text in options.items())
        answer = row.get("answer")
        found.append(
            {
                "index": row["index"],
                "id": str(row["id"]),
                "images": images,
                "names": names,
                "prompt": prompt,
                "options": options,
                "answer": None if answer is None or pd.isna(answer) else str(answer),
                "category": row["category"],
                "choice": choice,
            }
        )
    assert all(isinstance(each["index"], int) for each in found)
    return found


def cells(texts: list[str]) -> list[str]:
    """What a column of these texts is, next to one that is a number."""
    table = "index\tcell\n" + "".join(f"{number}\t{text}\n" for number, text in enumerate(texts))
    return [str(each) for each in pd.read_csv(io.StringIO(table), sep="\t")["cell"]]
