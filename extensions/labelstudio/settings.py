"""The operator's settings for Label Studio, from environment variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from domain.errors import SettingsError

LABEL_STUDIO_HOOK = "TOUCHSTONE_LABEL_STUDIO_HOOK"
LABEL_STUDIO_FILES = "TOUCHSTONE_LABEL_STUDIO_FILES"
SHORTEST_HOOK_SECRET = 16
LABEL_STUDIO_URL = "TOUCHSTONE_LABEL_STUDIO_URL"
LABEL_STUDIO_TOKEN = "TOUCHSTONE_LABEL_STUDIO_TOKEN"
LABEL_STUDIO_TOKEN_FILE = "TOUCHSTONE_LABEL_STUDIO_TOKEN_FILE"


@dataclass(frozen=True)
class LabelStudioSettings:
    """Where Label Studio is, and how this server may access it."""

    label_studio_hook: str | None = field(default=None, repr=False)
    """The secret that Label Studio's webhooks send in the header `X-Touchstone-Hook`, 16 characters or more; without
    it, none is answered."""
    label_studio_files: Path | None = None
    """The local-files document root of a Label Studio on this machine, as `--local-files`: it reads pictures and clips
    there instead of fetching them from this server."""
    label_studio_url: str = ""
    """Where Label Studio answers; the token goes there and nowhere else. Without it, only to a server on this
    machine."""
    label_studio_token: str = field(default="", repr=False)
    """A personal access token (or a legacy one) of the Label Studio account that Touchstone works with."""
    label_studio_token_file: Path | None = None
    """For several Label Studio servers: a file with one server a line, its address and, behind a blank, its token."""

    @classmethod
    def read(cls, env: Mapping[str, str], folder: Path) -> LabelStudioSettings:
        """Return the settings of an environment. Relative paths start at ``folder``."""
        files = env.get(LABEL_STUDIO_FILES, "").strip()
        tokens = env.get(LABEL_STUDIO_TOKEN_FILE, "").strip()
        return cls(
            label_studio_hook=_hook_secret(env.get(LABEL_STUDIO_HOOK, "").strip()),
            label_studio_files=folder / Path(files).expanduser() if files else None,
            label_studio_url=env.get(LABEL_STUDIO_URL, "").strip(),
            label_studio_token=env.get(LABEL_STUDIO_TOKEN, "").strip(),
            label_studio_token_file=folder / Path(tokens).expanduser() if tokens else None,
        )


def _hook_secret(text: str) -> str | None:
    if text and (len(text) < SHORTEST_HOOK_SECRET or not text.isascii() or not text.isprintable()):
        raise SettingsError(
            f"{LABEL_STUDIO_HOOK} is too short, or contains characters other than letters and digits. Use at least "
            f"{SHORTEST_HOOK_SECRET} letters and digits, such as the output of `openssl rand -hex 20`."
        )
    return text or None
