"""What does it cost to show an image whose file is in a bucket?

    .venv/bin/python benchmarks/media.py [--quick]

The same images are in a folder, and in a bucket of an S3 server on this machine (LocalBucket, in a process of its own).
Each is opened as the server does for a page: the copy is found, compared with its hash, and read. *First*: the cache
has nothing of it. *Again*: it was opened before. The three ways take turns, image by image.

The last line of the output is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from media import file_hashes
from media.bucket import BucketStorage
from media.cache import MediaCache
from media.store import MediaStore
from testkit.buckets import KEYS
from testkit.pictures import encoded, photo
from testkit.serving import free_port


def opened(store: MediaStore, sha256: str) -> tuple[float, str]:
    """Milliseconds until the bytes are at hand, and their hash."""
    begun = time.perf_counter()
    path, _ = store.shown(sha256, "display")
    digest, _ = file_hashes.of(path)
    path.read_bytes()
    return 1000 * (time.perf_counter() - begun), digest


def measure(folder: Path, port: int, images: int) -> dict[str, Any]:
    """Medians of each way over all images."""
    env = {**KEYS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}"}
    storage = BucketStorage("s3://media/bench", env)
    while storage.trouble() is not None:
        time.sleep(0.1)
    here = MediaStore(folder / "media")
    fill = MediaStore(folder / "fill", cache=MediaCache(folder / "fill", storage, room=10**12))
    hashes = []
    for n in range(images):
        content = encoded(photo(2400 + n, 1800), "JPEG", quality=90)
        hashes.append(here.add(content).sha256)
        fill.add(content)
    here = MediaStore(here.root)
    far = MediaStore(folder / "cache", cache=MediaCache(folder / "cache", storage, room=10**12))
    took: dict[str, list[float]] = {}
    for sha256 in hashes:
        digests = set()
        for name, store in (("folder, first", here), ("bucket, first", far)):
            ms, digest = opened(store, sha256)
            took.setdefault(name, []).append(ms)
            digests.add(digest)
        for name, store in (("folder, again", here), ("bucket, again", far)):
            ms, digest = opened(store, sha256)
            took.setdefault(name, []).append(ms)
            digests.add(digest)
        assert len(digests) == 1, "both give the same bytes"
    return {name: round(statistics.median(all_of), 2) for name, all_of in took.items()}


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="20 images instead of 200")
    images = 20 if parser.parse_args().quick else 200
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        (folder / "s3" / "media").mkdir(parents=True)
        command = [sys.executable, "-m", "localbucket", str(folder / "s3"), "--port", str(port)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
            try:
                ms = measure(folder, port, images)
            finally:
                server.kill()
    ratios = {when: round(ms[f"bucket, {when}"] / ms[f"folder, {when}"], 2) for when in ("first", "again")}
    for what, value in ms.items():
        print(f"{what}: {value} ms")
    print(f"bucket / folder: {ratios['first']} at first, {ratios['again']} again")
    print(json.dumps({"images": images, "ms": ms, "bucket_to_folder": ratios}))


if __name__ == "__main__":
    main()
