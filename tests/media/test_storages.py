"""Every storage keeps, names, returns and deletes files alike; a bucket may be away and come back."""

from __future__ import annotations

import errno
import hashlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from domain.errors import InvalidMediaError, MediaUnavailableError, NotFoundError, SettingsError
from domain.settings import Settings
from media import cache as caches
from media.bucket import BucketStorage
from media.cache import MediaCache
from media.copying import copy_media
from media.opening import open_media
from media.storage import FolderStorage, Storage
from media.store import MediaStore
from testkit.buckets import KEYS, Bucket
from testkit.pictures import encoded, photo, quarters

URL = "s3://media/a/b"


@pytest.fixture
def bucket(tmp_path: Path) -> Iterator[Bucket]:
    made = Bucket(tmp_path / "s3")
    yield made
    made.stop()


@pytest.fixture(params=["folder", "bucket"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    if request.param == "folder":
        return FolderStorage(tmp_path / "media")
    return BucketStorage(URL, request.getfixturevalue("bucket").env)


def files(folder: Path, content: bytes = b"12345") -> tuple[str, list[Path]]:
    folder.mkdir(exist_ok=True)
    for name, data in (("original", content), ("about.json", b"{}")):
        (folder / name).write_bytes(data)
    return hashlib.sha256(content).hexdigest(), [folder / "about.json", folder / "original"]


def through(bucket: Bucket, root: Path, *, room: int = 10**9) -> MediaStore:
    return MediaStore(root, cache=MediaCache(root, BucketStorage(URL, bucket.env), room=room))


def test_the_five_operations(storage: Storage, tmp_path: Path) -> None:
    sha256, paths = files(tmp_path / "x")
    assert (storage.stat(sha256), list(storage.list())) == (None, [])
    assert storage.put(sha256, paths) is True
    assert storage.stat(sha256) == {"original": 5, "about.json": 2}
    assert b"".join(storage.open(sha256, "original")) == b"12345"
    other, more = files(tmp_path / "y", b"other")
    storage.put(other, more)
    assert sorted(storage.list()) == sorted([sha256, other])
    paths[1].write_bytes(b"54321")
    assert storage.put(sha256, paths) is False, "what is there stays"
    assert b"".join(storage.open(sha256, "original")) == b"12345"
    storage.delete(sha256)
    storage.delete(sha256)
    assert (storage.stat(sha256), list(storage.list())) == (None, [other])
    with pytest.raises(NotFoundError):
        b"".join(storage.open(sha256, "original"))
    for operation in (storage.stat, storage.delete):
        with pytest.raises(NotFoundError):
            operation("../../etc/passwd")


def test_of_many_puts_at_once_one_is_kept(storage: Storage, tmp_path: Path) -> None:
    sha256, paths = files(tmp_path / "x", os.urandom(9 << 20))  # large enough for parts
    new: list[bool] = []
    threads = [threading.Thread(target=lambda: new.append(storage.put(sha256, paths))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(new) == [False, False, False, True]
    assert hashlib.sha256(b"".join(storage.open(sha256, "original"))).hexdigest() == sha256


def test_a_half_upload_is_not_there(bucket: Bucket, tmp_path: Path) -> None:
    """The original came, then the service went away: no one sees it, and the next upload completes it."""
    sha256, paths = files(tmp_path / "x")
    storage = BucketStorage(URL, bucket.env)
    place = bucket.folder / "media/a/b" / sha256[:2] / sha256
    place.mkdir(parents=True)
    (place / "original").write_bytes(b"12345")
    assert (storage.stat(sha256), list(storage.list())) == (None, [])
    assert storage.put(sha256, paths) is True
    assert storage.stat(sha256) == {"original": 5, "about.json": 2}


def test_a_store_in_a_bucket_serves_what_another_server_added(bucket: Bucket, tmp_path: Path) -> None:
    content = encoded(photo(2400, 1800), "JPEG")
    one, two = through(bucket, tmp_path / "one"), through(bucket, tmp_path / "two")
    stored = one.add(content, name="a.jpg")
    assert two.about(stored.sha256) == stored
    assert stored.sha256 in two
    folder = two.root / stored.sha256[:2] / stored.sha256
    before = len(bucket.requests)
    for size in ("display", "thumb"):
        assert two.path(stored.sha256, size).read_bytes() == one.path(stored.sha256, size).read_bytes()
    assert len(bucket.requests) == before, "copies come with the facts"
    assert not (folder / "original").exists(), "nothing needed it yet"
    assert two.bare(stored.sha256)[0].read_bytes() == one.bare(stored.sha256)[0].read_bytes()
    assert two.path(stored.sha256).read_bytes() == content
    assert two.files_to_keep(stored.sha256)[0].name == "original"
    two.verify(stored.sha256, n_bytes=len(content), content=True)
    two.must_show(stored.sha256, content=True)
    two.remove(stored.sha256)
    assert (bucket.objects(), folder.exists()) == ([], False)
    assert one.add(content, name="again.jpg") == stored, "its cache still has the file, but the bucket does not"
    assert two.path(stored.sha256).read_bytes() == content


def test_a_changed_original_never_comes_into_the_cache(bucket: Bucket, tmp_path: Path) -> None:
    content = encoded(quarters(), "PNG")
    sha256 = through(bucket, tmp_path / "one").add(content, name="a.png").sha256
    place = bucket.folder / "media/a/b" / sha256[:2] / sha256 / "original"
    place.write_bytes(content[:-1] + b"x")
    two = through(bucket, tmp_path / "two")
    for reading in (two.path, two.bare, lambda which: two.verify(which, n_bytes=len(content), content=True)):
        with pytest.raises(InvalidMediaError, match=r"in s3://media/a/b differs from the imported file"):
            reading(sha256)
    assert not list(two.root.glob("??/*/original"))
    place.write_bytes(content)
    path = two.path(sha256)
    path.write_bytes(b"rotten")  # this disk's own fault: the file is fetched again
    assert two.bare(sha256)[0].read_bytes() == content


@pytest.mark.parametrize("how", ["stops", "hangs", 503, 403])
def test_an_outage_is_one_sentence_and_quick_and_over_when_it_is_over(
    bucket: Bucket, tmp_path: Path, how: str | int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from media import bucket as module

    monkeypatch.setattr(module, "SILENT_SECONDS", 1)
    now = 100.0
    storage = BucketStorage(URL, bucket.env, clock=lambda: now)
    store = MediaStore(tmp_path / "one", cache=MediaCache(tmp_path / "one", storage, room=10**9))
    kept = store.add(encoded(quarters(), "PNG"), name="a.png")
    other = through(bucket, tmp_path / "two").add(encoded(photo(), "PNG"), name="b.png").sha256
    before = bucket.objects()
    if how == "stops":
        bucket.stop()
    else:
        bucket.behaviour = how
    begun = time.monotonic()
    with pytest.raises(MediaUnavailableError) as told:
        store.path(other, "display")
    assert time.monotonic() - begun < 4
    words = {"stops": "does not answer", "hangs": "does not answer", 503: "reports the error", 403: "refuses"}[how]
    assert f"s3://media/a/b {words}" in str(told.value)
    assert not any(key in str(told.value) for key in KEYS.values())
    assert store.path(kept.sha256, "display").is_file(), "what is in the cache is shown"
    begun, asked = time.monotonic(), len(bucket.requests)
    for refused in (lambda: store.add(encoded(photo(90, 90)), name="c.png"), lambda: store.remove(kept.sha256)):
        with pytest.raises(MediaUnavailableError):
            refused()
    assert time.monotonic() - begun < 0.9, "no one waits for a storage that is known to be away"
    assert len(bucket.requests) == asked
    assert store.trouble() == str(told.value)
    assert not list((tmp_path / "one/incoming").iterdir()), "nothing is left of the refused upload"
    assert store.about(kept.sha256) == kept
    bucket.behaviour = "answers"
    if how == "stops":
        bucket.start()
    assert bucket.objects() == before
    now += 60
    found: list[bool] = []
    threads = [threading.Thread(target=lambda: found.append(other in through_again)) for _ in range(6)]
    through_again = MediaStore(tmp_path / "three", cache=MediaCache(tmp_path / "three", storage, room=10**9))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 6, "the others wait for the answer to the first"
    assert (store.trouble(), store.path(other, "display").is_file()) == (None, True)


def test_the_cache_stays_small_and_keeps_what_is_used_and_open(
    bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = through(bucket, tmp_path / "one")
    hashes = [source.add(encoded(photo(400 + n, 400)), name="x.png").sha256 for n in range(5)]
    root = tmp_path / "two"
    cache = MediaCache(root, BucketStorage(URL, bucket.env), room=10**9)
    store = MediaStore(root, cache=cache)

    def there() -> list[str]:
        return [sha256 for sha256 in hashes if (root / sha256[:2] / sha256).exists()]

    def size() -> int:
        return sum(path.stat().st_size for path in root.glob("??/*/*"))

    for sha256, ago in zip(hashes, (500, 300, 400, 200, 5), strict=True):
        store.path(sha256)
        used = time.time() - ago
        os.utime(root / sha256[:2] / sha256 / "about.json", (used, used))
    assert cache.tidy() == 0
    cache.room = size() * 9 // 10
    with store.path(hashes[0]).open("rb"):
        os.utime(root / hashes[0][:2] / hashes[0] / "about.json", (0, 0))
        assert cache.tidy() == 2, "down to 80 percent of the limit"
        assert there() == [hashes[0], hashes[3], hashes[4]], "the oldest is open, so the next two left"
        cache.room = 1
        cache.tidy()
        assert there() == [hashes[0], hashes[4]], "open, and used a moment ago"
    cache.room = size() - 1
    cache.tidy()
    assert there() == [hashes[4]]
    assert all(store.path(sha256).is_file() for sha256 in hashes), "what left comes back"


def test_an_addition_tidies_the_cache(bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "_IN_USE_SECONDS", (-1.0, -1.0))
    store = through(bucket, tmp_path / "one", room=100_000)
    for n in range(8):
        store.add(encoded(photo(300 + n, 300)), name="x.png")
    assert sum(path.stat().st_size for path in store.root.glob("??/*/*")) < 200_000
    assert len(list(store.cache.storage.list())) == 8  # type: ignore[union-attr]


def test_processes_share_a_cache(bucket: Bucket, tmp_path: Path) -> None:
    stored = [through(bucket, tmp_path / "one").add(encoded(photo(300 + n, 300)), name="x").sha256 for n in range(6)]
    script = (
        "import sys; from pathlib import Path; from media.store import MediaStore; from media.cache import MediaCache\n"
        "from media.bucket import BucketStorage; import os\n"
        "root = Path(sys.argv[1]); cache = MediaCache(root, BucketStorage(sys.argv[2], os.environ), room=10**9)\n"
        "store = MediaStore(root, cache=cache)\n"
        "print(sum(store.path(sha256).stat().st_size for sha256 in sys.argv[3:]))"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "two"), URL, *stored]
    running = [
        subprocess.Popen(command, env={**os.environ, **bucket.env}, stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    told = {process.communicate(timeout=60)[0] for process in running}
    wanted = sum(path.stat().st_size for path in (tmp_path / "one").glob("??/*/original"))
    assert told == {f"{wanted}\n"}
    assert not list((tmp_path / "two/incoming").iterdir())


def test_a_full_disk_is_told(bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sha256 = through(bucket, tmp_path / "one").add(encoded(photo()), name="x").sha256
    two = through(bucket, tmp_path / "two")

    def full(self: MediaCache, *_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(MediaCache, "_write", full)
    with pytest.raises(MediaUnavailableError, match=r"The disk of the folder .*two is full"):
        two.path(sha256)


# ---- copying --------------------------------------------------------------------------------------------------------


def test_a_copy_resumes_compares_and_counts(bucket: Bucket, tmp_path: Path) -> None:
    folder = MediaStore(tmp_path / "media")
    hashes = [folder.add(encoded(photo(300 + n, 300)), name="x").sha256 for n in range(4)]
    source, target = FolderStorage(folder.root), BucketStorage(URL, bucket.env)
    target.put(hashes[0], folder.files_to_keep(hashes[0]))
    bad = folder.path(hashes[1])
    good = bad.read_bytes()
    bad.write_bytes(good[:-1] + b"x")
    done = copy_media(source, target)
    assert (done.copied, done.there, list(done.failed)) == (2, 1, [hashes[1]])
    assert target.stat(hashes[1]) is None
    bad.write_bytes(good)
    done = copy_media(source, target)
    assert (done.copied, done.there, done.failed) == (1, 3, {})
    back = MediaStore(tmp_path / "back")
    assert copy_media(target, FolderStorage(back.root)).copied == 4
    for sha256 in hashes:
        assert back.about(sha256) == folder.about(sha256)
        assert back.path(sha256).read_bytes() == folder.path(sha256).read_bytes()
        back.must_show(sha256, content=True)


# ---- settings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "change", "words"),
    [
        ("s3://x", {}, "not the address of a bucket"),
        ("gs://media", {}, "not the address of a bucket"),
        ("s3://media/../etc", {}, "The prefix of s3://media is invalid"),
        ("s3://media", {"AWS_SECRET_ACCESS_KEY": ""}, "The keys for s3://media are missing"),
        ("s3://media", {"AWS_ENDPOINT_URL": "http://storage.example.org"}, "uses http"),
        ("s3://media", {"AWS_ENDPOINT_URL": "ftp://storage"}, "AWS_ENDPOINT_URL is not an address"),
        ("s3://media", {"AWS_ENDPOINT_URL": "https://me:secret@storage"}, "AWS_ENDPOINT_URL is not an address"),
    ],
)
def test_a_wrong_address_is_refused_without_its_keys(
    bucket: Bucket, url: str, change: dict[str, str], words: str
) -> None:
    with pytest.raises(SettingsError, match=words) as told:
        BucketStorage(url, {**bucket.env, **change})
    assert "secret@" not in str(told.value)
    assert not any(key in str(told.value) for key in KEYS.values())


def test_http_to_another_machine_needs_a_word(bucket: Bucket) -> None:
    BucketStorage(URL, {**bucket.env, "AWS_ENDPOINT_URL": "http://s3.internal", "AWS_ALLOW_HTTP": "true"})


def test_the_setting_chooses(bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_media(Settings(tmp_path, "")).cache is None
    for name, value in bucket.env.items():
        monkeypatch.setenv(name, value)
    store = open_media(Settings(tmp_path, "", media=URL, media_cache_gib=0.5))
    assert store.cache is not None
    assert (store.cache.storage.address, store.cache.room) == (URL, 2**29)
    assert store.root.parent == tmp_path / "media_cache", "never the folder of a store without a bucket"
    assert not any(key in repr(vars(store.cache.storage)) for key in KEYS.values())
