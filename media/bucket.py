"""The storage in a bucket of an S3-compatible service, through obstore (the extra ``s3``).

The operator names the bucket, as the database: its address is not one of those that ``net/`` guards. No error or log
contains a key, a signature or the text of the service's reply.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from domain.errors import MediaUnavailableError, NotAvailableError, SettingsError
from domain.installation import install_hint
from media.limits import MIB
from media.storage import ABOUT, CHUNK, KEPT, ORIGINAL, missing, require_hash

if TYPE_CHECKING:
    from obstore.store import S3Store

SCHEME = "s3://"
CONNECT_SECONDS = 2
SILENT_SECONDS = 5
"""Longest silence of the service within a reply."""
REST_SECONDS = 3.0
"""Seconds after a failure during which the service is not asked again. Then one request is the probe."""
PROBE_SECONDS = 1.0
"""Longest wait of other requests for the answer of a probe."""
_WHOLE = 8 * MIB
"""Size above which a file is uploaded in parts."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_YES = ("1", "true", "yes")
_LAYOUT = re.compile(r"([0-9a-f]{2})/(\1[0-9a-f]{62})/(.+)")
_STATUS = re.compile(r"status code: (\d{3})")
_CODE = re.compile(r"<Code>(\w{1,60})</Code>")

T = TypeVar("T")


class BucketStorage:
    """The storage in a bucket, below a prefix. Safe to share between threads.

    Parameters
    ----------
    url
        ``s3://BUCKET`` or ``s3://BUCKET/PREFIX``.
    env
        The environment with the variables of S3 tools: ``AWS_ENDPOINT_URL_S3`` or ``AWS_ENDPOINT_URL`` (by default,
        Amazon's), ``AWS_REGION`` or ``AWS_DEFAULT_REGION``, ``AWS_ACCESS_KEY_ID``, ``AWS_SECRET_ACCESS_KEY``,
        ``AWS_SESSION_TOKEN``, and ``AWS_ALLOW_HTTP`` for an endpoint without encryption on another machine.

    Raises
    ------
    SettingsError
        The address, the endpoint or a key is missing or invalid.
    NotAvailableError
        The extra ``s3`` is not installed.
    """

    def __init__(self, url: str, env: Mapping[str, str], *, clock: Callable[[], float] = time.monotonic) -> None:
        bucket, prefix = _parts(url)
        if find_spec("obstore") is None:
            raise NotAvailableError(f"Media in a bucket need the extra `s3`. {install_hint('s3')}")
        self.bucket, self.clock = bucket, clock
        self._address = f"{SCHEME}{bucket}/{prefix}".rstrip("/")
        self._store, endpoint = _opened(bucket, prefix, env)
        self.identity = f"{endpoint} {self._address}"
        """A text that differs for different buckets. It contains no key."""
        self._lock = threading.Lock()
        self._trouble: str | None = None
        self._probe_at = 0.0
        self._probe: threading.Event | None = None

    @property
    def address(self) -> str:
        """Return ``s3://BUCKET/PREFIX``."""
        return self._address

    def put(self, sha256: str, files: Sequence[Path]) -> bool:
        """Store files: see ``media.storage.Storage``. The service compares a checksum of each upload."""
        there = self.stat(sha256)
        if there is not None and ORIGINAL in there:
            return False
        for path in sorted(files, key=lambda each: KEPT.index(each.name)):  # about.json is the last of them
            new = self._ask(partial(self._upload, f"{sha256[:2]}/{sha256}/{path.name}", path))
        return new

    def _upload(self, key: str, path: Path) -> bool:
        """Upload a file. Return False if the key exists. A file in parts is never visible before its last part."""
        import obstore
        from obstore.exceptions import AlreadyExistsError

        if path.stat().st_size > _WHOLE:
            obstore.put(self._store, key, path, use_multipart=True, max_concurrency=4)
            return True
        try:
            obstore.put(self._store, key, path.read_bytes(), mode="create", use_multipart=False)
        except AlreadyExistsError:
            return False
        return True

    def open(self, sha256: str, name: str) -> Iterator[bytes]:
        """Yield the content of a file: see ``media.storage.Storage``."""
        import obstore

        key = f"{require_hash(sha256)[:2]}/{sha256}/{name}"
        try:
            chunks = iter(self._ask(lambda: obstore.get(self._store, key)).stream(min_chunk_size=CHUNK))
        except FileNotFoundError:
            raise missing(sha256) from None
        while (chunk := self._ask(lambda: next(chunks, None))) is not None:
            yield bytes(chunk)

    def stat(self, sha256: str) -> Mapping[str, int] | None:
        """Return the names and sizes of files: see ``media.storage.Storage``."""
        import obstore

        below = f"{require_hash(sha256)[:2]}/{sha256}"
        found = self._ask(lambda: [each for lot in obstore.list(self._store, prefix=below) for each in lot])
        sizes = {each["path"].rpartition("/")[2]: each["size"] for each in found}
        return {name: sizes[name] for name in KEPT if name in sizes} if ABOUT in sizes else None

    def list(self) -> Iterator[str]:
        """Yield every stored original: see ``media.storage.Storage``."""
        import obstore

        lots = iter(self._ask(lambda: obstore.list(self._store)))
        while (lot := self._ask(lambda: next(lots, None))) is not None:
            for each in lot:
                key = _LAYOUT.fullmatch(each["path"])
                if key and key[3] == ABOUT:
                    yield key[2]

    def delete(self, sha256: str) -> None:
        """Delete an original: see ``media.storage.Storage``."""
        import obstore

        below = f"{require_hash(sha256)[:2]}/{sha256}"
        found = self._ask(lambda: [each["path"] for lot in obstore.list(self._store, prefix=below) for each in lot])
        for path in sorted(found, key=lambda each: not each.endswith(f"/{ABOUT}")):
            self._ask(partial(obstore.delete, self._store, path))

    def trouble(self) -> str | None:
        """Ask the service for a file, and return a sentence about a failure; None if it answers."""
        import obstore

        try:
            self._ask(lambda: next(iter(obstore.list(self._store, chunk_size=1)), None))
        except MediaUnavailableError as error:
            return str(error)
        return None

    def _ask(self, request: Callable[[], T]) -> T:
        """Send a request. After a failure, further requests fail at once until one of them gets through.

        ``FileNotFoundError`` for a missing object is passed on.
        """
        from obstore.exceptions import AlreadyExistsError, BaseError

        self._enter()
        told: str | None = None
        try:
            return request()
        except AlreadyExistsError:
            raise
        except (BaseError, FileNotFoundError) as error:
            code = _CODE.search(str(error))
            if isinstance(error, FileNotFoundError) and not (code and code[1] == "NoSuchBucket"):
                raise
            status = _STATUS.search(str(error))
            told = self._told(code[1] if code else None, status[1] if status else None)
            raise MediaUnavailableError(told) from None
        finally:
            with self._lock:
                self._trouble, self._probe_at = told, self.clock() + REST_SECONDS
                if self._probe is not None:
                    self._probe.set()
                    self._probe = None

    def _enter(self) -> None:
        """Let a request through, unless the service is known to be away. After a rest, one request is the probe."""
        with self._lock:
            told, probe = self._trouble, self._probe
            if told is None:
                return
            if probe is None and self.clock() >= self._probe_at:
                self._probe = threading.Event()
                return
        if probe is None or not probe.wait(PROBE_SECONDS) or self._trouble is not None:
            raise MediaUnavailableError(told)

    def _told(self, code: str | None, status: str | None) -> str:
        why, do = _explained(code, status)
        return (
            f"The media storage {self.address} {why}, so images and clips are unavailable. Votes are not affected. {do}"
        )


def _explained(code: str | None, status: str | None) -> tuple[str, str]:
    """Return what failed, and what to do, without the text of the service."""
    if code == "NoSuchBucket":
        return "does not exist", "Create the bucket, or correct TOUCHSTONE_MEDIA."
    if status in ("400", "401", "403"):
        return f"refuses this server ({code or status})", "Check AWS_ACCESS_KEY_ID, its permissions, and AWS_REGION."
    if status is not None:
        return f"reports the error {code or status}", "Try again in a moment, or check the storage service."
    return "does not answer", "Try again in a moment, or check the storage service and the network."


def _parts(url: str) -> tuple[str, str]:
    """Return the bucket and the prefix of an address."""
    bucket, _, prefix = url.removeprefix(SCHEME).partition("/")
    if not url.startswith(SCHEME) or not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", bucket):
        raise SettingsError(
            f"{url.partition('@')[2] or url!r} is not the address of a bucket. Use s3://BUCKET or s3://BUCKET/PREFIX."
        )
    prefix = prefix.strip("/")
    if not re.fullmatch(r"[A-Za-z0-9._/-]*", prefix) or {"", ".", ".."} & set(prefix.split("/") if prefix else ()):
        raise SettingsError(
            f"The prefix of {SCHEME}{bucket} is invalid. Use letters, digits, dots, hyphens, underscores and slashes."
        )
    return bucket, prefix


def _opened(bucket: str, prefix: str, env: Mapping[str, str]) -> tuple[S3Store, str]:
    from obstore.store import S3Store

    def of(*names: str) -> str:
        return next((value for name in names if (value := env.get(name, "").strip())), "")

    key, secret = of("AWS_ACCESS_KEY_ID"), of("AWS_SECRET_ACCESS_KEY")
    if not key or not secret:
        raise SettingsError(
            f"The keys for {SCHEME}{bucket} are missing. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
        )
    endpoint = of("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
    parts = urlsplit(endpoint)
    plain = parts.scheme == "http"
    if endpoint and (parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query):
        raise SettingsError("AWS_ENDPOINT_URL is not an address. Use an address such as https://s3.example.org.")
    if plain and parts.hostname not in _LOOPBACK and of("AWS_ALLOW_HTTP").lower() not in _YES:
        raise SettingsError(
            "AWS_ENDPOINT_URL uses http, which does not encrypt media. Use https, or set AWS_ALLOW_HTTP=true."
        )
    more: dict[str, Any] = {"endpoint": endpoint} if endpoint else {}
    if token := of("AWS_SESSION_TOKEN"):
        more["session_token"] = token
    store = S3Store(
        bucket,
        prefix=prefix or None,
        access_key_id=key,
        secret_access_key=secret,
        region=of("AWS_REGION", "AWS_DEFAULT_REGION") or "us-east-1",
        virtual_hosted_style_request=False,
        checksum_algorithm="SHA256",
        disable_bulk_delete=True,  # not every service has it
        client_options={
            "allow_http": plain,
            "connect_timeout": timedelta(seconds=CONNECT_SECONDS),
            "read_timeout": timedelta(seconds=SILENT_SECONDS),
            "timeout": timedelta(minutes=10),  # a whole clip; silence ends a request earlier
        },
        retry_config={
            "max_retries": 1,
            "retry_timeout": timedelta(seconds=SILENT_SECONDS - 1),
            "backoff": {
                "init_backoff": timedelta(milliseconds=100),
                "max_backoff": timedelta(milliseconds=500),
                "base": 2,
            },
        },
        **more,
    )
    return store, endpoint
