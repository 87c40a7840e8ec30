from __future__ import annotations

import io
import zipfile

from exporters.zip_file import pack


def test_files_are_packed_the_same_way_every_time() -> None:
    one, other = {"a.txt": b"a", "sub/b.txt": b"b"}, {"sub/b.txt": b"b", "a.txt": b"a"}
    assert pack(one) == pack(other)
    with zipfile.ZipFile(io.BytesIO(pack(one))) as packed:
        assert packed.namelist() == ["a.txt", "sub/b.txt"]
        assert packed.read("sub/b.txt") == b"b"
