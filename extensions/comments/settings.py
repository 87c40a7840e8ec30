"""The operator's limits of comments, from environment variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from domain.settings import whole_number

COMMENT_CHARACTERS = "TOUCHSTONE_COMMENT_CHARACTERS"
COMMENTS_PER_MINUTE = "TOUCHSTONE_COMMENTS_PER_MINUTE"


@dataclass(frozen=True)
class CommentSettings:
    """Limits of comments."""

    comment_characters: int = 5000
    """The most characters of a comment. Default: 5000."""
    comments_per_minute: int = 20
    """The most comments that a person can write in a minute, in all projects. Default: 20."""

    @classmethod
    def read(cls, env: Mapping[str, str], folder: Path) -> CommentSettings:
        """Return the limits of an environment. Raise ``SettingsError`` for a value that is no whole number."""
        return cls(
            whole_number(env, COMMENT_CHARACTERS, cls.comment_characters),
            whole_number(env, COMMENTS_PER_MINUTE, cls.comments_per_minute),
        )
