"""Pack files into a zip."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping


def pack(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of files by path. The bytes of the zip depend only on the files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, files[name])
    return buffer.getvalue()
