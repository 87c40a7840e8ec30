"""The operator's settings: the place of stored data, and permissions.

Settings are environment variables, and each has a default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from domain import extensions
from domain.errors import SettingsError
from domain.installation import DISTRIBUTION

HOME = "TOUCHSTONE_HOME"
DATABASE_URL = "TOUCHSTONE_DATABASE_URL"
MODELS = "TOUCHSTONE_MODELS"
ENDPOINTS = "TOUCHSTONE_ENDPOINTS"
REMOTE_CODE = "TOUCHSTONE_REMOTE_CODE"
PUBLIC_URL = "TOUCHSTONE_PUBLIC_URL"
MEDIA = "TOUCHSTONE_MEDIA"
MEDIA_CACHE_GIB = "TOUCHSTONE_MEDIA_CACHE_GIB"
DATABASE_CONNECTIONS = "TOUCHSTONE_DATABASE_CONNECTIONS"
LEAST_CONNECTIONS = 8
"""The smallest value of ``TOUCHSTONE_DATABASE_CONNECTIONS``. With fewer, people wait for each other."""
LOG = "TOUCHSTONE_LOG"
METRICS_TOKEN = "TOUCHSTONE_METRICS_TOKEN"
UPLOAD_MB = "TOUCHSTONE_UPLOAD_MB"
UPLOADS_MB = "TOUCHSTONE_UPLOADS_MB"
PERSON_UPLOADS_MB = "TOUCHSTONE_PERSON_UPLOADS_MB"
FREE_DISK_MB = "TOUCHSTONE_FREE_DISK_MB"

TEXT_LOG = "text"
JSON_LOG = "json"
LEAST_TOKEN = 16
"""The fewest characters of a token."""

STORED_IN = "Touchstone stores all data in"
"""The first line of a command, before the path of the home folder."""


Own = TypeVar("Own")
"""A class of settings of an extension."""


@dataclass(frozen=True)
class Settings:
    """All settings of an installation."""

    home: Path
    """The folder of all state: database (unless elsewhere), media, logs."""
    database_url: str
    """`postgresql://USER@HOST/DATABASE` or `sqlite:///FILE`; without it, a SQLite file below `TOUCHSTONE_HOME`."""

    models: Path | None = None
    """The folder of models that can be picked in the browser; without it, `models` below `TOUCHSTONE_HOME`."""
    endpoints: tuple[str, ...] = ()
    """Hosts of private networks where models and other programs may be reached, by name, address or range, separated
    by commas. This machine itself and public hosts are always allowed.
    """
    remote_code: tuple[str, ...] = ()
    """Models (folders or repositories, separated by commas) whose own code may run here."""
    public_url: str | None = None
    """The address under which browsers reach this server, such as `https://annotate.example.org`. Links to media that
    another tool shows start with it, and the server answers under its host name.
    """
    media: str | None = None
    """The bucket for images and clips, such as `s3://BUCKET/PREFIX`; without it, the folder `media` below
    `TOUCHSTONE_HOME`. The endpoint and the keys come from `AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_ACCESS_KEY_ID` and
    `AWS_SECRET_ACCESS_KEY`.
    """
    media_cache_gib: float = 20.0
    """The largest size of the local cache of a bucket, in GiB; by default 20."""
    database_connections: int | None = None
    """The most PostgreSQL connections of each web process, at least 8. Without it, `touchstone serve` chooses a number
    that fits PostgreSQL's `max_connections`. Set it if other servers use the same PostgreSQL.
    """
    log: str = TEXT_LOG
    """The format of the log: `text`, or `json` with one object a line and a line for each request."""
    metrics_token: str = field(default="", repr=False)
    """The token of the scraper that reads `/metrics`, at least 16 characters. Without it, only this machine can read
    the address.
    """
    upload_mb: int = 1024
    """The largest file that people can upload, in megabytes (2^20 bytes). Default: 1024."""
    uploads_mb: int = 2048
    """The most megabytes of all uploads in memory, of a server process. Default: 2048."""
    person_uploads_mb: int = 1536
    """The most megabytes of one person's uploads in memory. Default: 1536."""
    free_disk_mb: int = 512
    """The megabytes that an upload leaves free on the disk of the home folder. Default: 512."""
    of_extensions: Mapping[type, Any] = field(default_factory=dict, compare=False)
    """Settings of extensions, by their class; ``of`` returns one."""

    def of(self, settings: type[Own]) -> Own:
        """Return the settings of an extension, or their defaults if no environment was read."""
        own: Own = self.of_extensions[settings] if settings in self.of_extensions else settings()
        return own

    @property
    def model_folder(self) -> Path:
        """Return the folder of models that can be picked in the browser."""
        return self.models or self.home / "models"

    @property
    def media_folder(self) -> Path:
        """Return the folder of the media store, if the store is not in a bucket."""
        return self.home / "media"


def settings_from(env: Mapping[str, str], cwd: Path) -> Settings:
    """Return the settings of an environment.

    Without ``TOUCHSTONE_HOME``, the home is ``data`` next to the checkout's ``pyproject.toml`` (searched from ``cwd``
    upwards), or else the user's data folder. Without ``TOUCHSTONE_DATABASE_URL``, the database is an SQLite file in
    that folder. An empty variable counts as absent; a relative home starts at ``cwd``.
    """
    given = env.get(HOME, "").strip()
    home = (cwd / Path(given).expanduser()) if given else _default_home(env, cwd)
    if home.exists() and not home.is_dir():
        raise SettingsError(f"{HOME} is {home}, which is a file. Set {HOME} to a folder.")
    url = env.get(DATABASE_URL, "").strip()
    models = env.get(MODELS, "").strip()
    return Settings(
        home=home,
        database_url=normal_url(url) if url else f"sqlite:///{home / 'touchstone.db'}",
        models=cwd / Path(models).expanduser() if models else None,
        endpoints=_listed(env.get(ENDPOINTS, "")),
        remote_code=_listed(env.get(REMOTE_CODE, "")),
        public_url=public_url(env.get(PUBLIC_URL, "").strip(), PUBLIC_URL),
        media=env.get(MEDIA, "").strip() or None,
        media_cache_gib=_gib(env.get(MEDIA_CACHE_GIB, "").strip()),
        database_connections=_connections(env.get(DATABASE_CONNECTIONS, "").strip()),
        log=_log(env.get(LOG, "").strip()),
        metrics_token=_token(env.get(METRICS_TOKEN, "").strip()),
        upload_mb=whole_number(env, UPLOAD_MB, Settings.upload_mb),
        uploads_mb=whole_number(env, UPLOADS_MB, Settings.uploads_mb),
        person_uploads_mb=whole_number(env, PERSON_UPLOADS_MB, Settings.person_uploads_mb),
        free_disk_mb=whole_number(env, FREE_DISK_MB, Settings.free_disk_mb, least=0),
        of_extensions={row: row.read(env, cwd) for row in extensions.rows("settings")},
    )


def public_url(text: str, told: str) -> str | None:
    """Return the address under which browsers reach this server, without a final slash; None for an empty text.

    ``told`` is the name in messages: a variable or an option.
    """
    if not text:
        return None
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018  (raises for an invalid port)
    except ValueError:
        parts = urlsplit("")
    more = parts.username or parts.password or parts.query
    plain = parts.scheme in ("http", "https") and parts.hostname and not more
    if not plain or parts.path not in ("", "/") or parts.fragment or not parts.netloc.isascii():
        raise SettingsError(f"{told} is {text!r}. Set {told} to an address such as https://annotate.example.org.")
    return f"{parts.scheme}://{parts.netloc}"


def _gib(text: str) -> float:
    try:
        size = float(text or Settings.media_cache_gib)
    except ValueError:
        size = 0.0
    if not 0 < size < float("inf"):
        raise SettingsError(f"{MEDIA_CACHE_GIB} is {text!r}. Set {MEDIA_CACHE_GIB} to a number of GiB, such as 20.")
    return size


def _connections(text: str) -> int | None:
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or int(text) < LEAST_CONNECTIONS:
        raise SettingsError(
            f"{DATABASE_CONNECTIONS} is {text!r}. Set {DATABASE_CONNECTIONS} to a whole number of at least "
            f"{LEAST_CONNECTIONS}."
        )
    return int(text)


def whole_number(env: Mapping[str, str], name: str, default: int, *, least: int = 1) -> int:
    """Return a whole number from the environment, at least ``least``. Raise ``SettingsError`` for any other text."""
    text = env.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) >= least):
        raise SettingsError(f"{name} is {text!r}. Set {name} to a whole number, at least {least}.")
    return int(text)


def _log(text: str) -> str:
    if text not in ("", TEXT_LOG, JSON_LOG):
        raise SettingsError(f"{LOG} is {text!r}. Set {LOG} to {TEXT_LOG} or {JSON_LOG}.")
    return text or TEXT_LOG


def _token(text: str) -> str:
    if text and (len(text) < LEAST_TOKEN or not text.isascii() or not text.isprintable() or " " in text):
        raise SettingsError(
            f"{METRICS_TOKEN} is shorter than {LEAST_TOKEN} characters, or has other characters than letters, digits "
            "and signs. Set it to the output of: openssl rand -hex 16"
        )
    return text


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def normal_url(url: str) -> str:
    """Return a database URL in the form that Touchstone uses. Raise ``SettingsError`` for an unknown database."""
    scheme, separator, rest = url.partition("://")
    if separator and scheme in ("postgres", "postgresql", "postgresql+psycopg"):
        return f"postgresql+psycopg://{rest}"
    if separator and scheme == "sqlite" and rest.startswith("/") and len(rest) > 1:
        return url
    raise SettingsError(
        f"{DATABASE_URL} starts with {scheme!r}, which Touchstone does not support. Use sqlite:///FILE or "
        "postgresql://USER@HOST/DATABASE."
    )


def _default_home(env: Mapping[str, str], cwd: Path) -> Path:
    for folder in (cwd, *cwd.parents):
        project = folder / "pyproject.toml"
        if project.is_file() and f'name = "{DISTRIBUTION}"' in project.read_text(encoding="utf-8"):
            return folder / "data"
    shared = env.get("XDG_DATA_HOME", "").strip()
    user = Path(env.get("HOME", "").strip() or Path.home())
    return (Path(shared) if shared else user / ".local" / "share") / "touchstone"
