"""A prompt to a model or judge, with placeholders such as ``{question}``. Other braces are text."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_PART = re.compile(r"^=== (system|user) ===\n", re.MULTILINE)


@dataclass(frozen=True)
class Prompt:
    """A prompt to a model or judge, with placeholders."""

    name: str
    user: str
    system: str | None = None

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The placeholders in the order in which they first appear."""
        return tuple(dict.fromkeys(_PLACEHOLDER.findall(f"{self.system or ''}{self.user}")))

    @property
    def hash(self) -> str:
        """SHA-256 of its texts, before anything is filled in."""
        texts = json.dumps([self.system, self.user], ensure_ascii=False)
        return hashlib.sha256(texts.encode("utf-8", "surrogatepass")).hexdigest()

    def fill(self, values: Mapping[str, str]) -> Prompt:
        """Return the prompt with every placeholder replaced. Inserted values are never searched for placeholders.

        Raises
        ------
        ValueError
            A placeholder has no value.
        """
        missing = [name for name in self.placeholders if name not in values]
        if missing:
            raise ValueError(f"the prompt {self.name!r} needs a value for {', '.join(missing)}")

        def fill(text: str) -> str:
            return _PLACEHOLDER.sub(lambda match: values[match.group(1)], text)

        return Prompt(self.name, fill(self.user), fill(self.system) if self.system is not None else None)


def parse_prompt(name: str, text: str) -> Prompt:
    """A text with ``=== system ===`` and ``=== user ===`` lines; without them all of it is for the user."""
    pieces = _PART.split(text)
    parts = dict(zip(pieces[1::2], pieces[2::2], strict=True)) or {"user": text}
    return Prompt(name, parts.get("user", "").strip(), parts["system"].strip() if "system" in parts else None)
