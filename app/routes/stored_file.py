"""A file of the store as a reply."""

from __future__ import annotations

import os

from starlette.responses import FileResponse


class StoredFile(FileResponse):
    """A reply whose ``ETag`` is the hash of the file's content, and that has no modification time.

    The copy of an original is written when someone first opens it, so ``Last-Modified`` would reveal that time.
    """

    def set_stat_headers(self, stat_result: os.stat_result) -> None:
        """Set only the length."""
        self.headers.setdefault("content-length", str(stat_result.st_size))

    def _should_use_range(self, http_if_range: str) -> bool:
        return http_if_range == self.headers.get("etag")
