"""A file of the store as a reply."""

from __future__ import annotations

import os

from starlette.responses import FileResponse


class StoredFile(FileResponse):
    """Says what a file holds by the hash in ``ETag``, and not when it was written.

    The copy of an original is written when someone first opens it, so ``Last-Modified`` would tell when that was.
    """

    def set_stat_headers(self, stat_result: os.stat_result) -> None:
        """Add the length alone."""
        self.headers.setdefault("content-length", str(stat_result.st_size))

    def _should_use_range(self, http_if_range: str) -> bool:
        return http_if_range == self.headers.get("etag")
