"""Fixtures for everyone: a store on each database, the real server, and a real browser."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from testkit import browser, lanes, loaded, postgres
from testkit.serving import Server, touchstone
from tools import loaders

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from db.engine import Store
    from testkit.tiny import Shelf

# One thread for arithmetic in each process, before anything loads it: the workers take all cores, and torch's threads
# wait for each other by spinning. Set against a worker next door, tiny models take three times as long with two.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A busy machine is no failure, and every run tries the same examples; `--hypothesis-profile=search` looks for others.
hypothesis.settings.register_profile("touchstone", deadline=None, derandomize=True)
hypothesis.settings.register_profile("search", deadline=None, max_examples=1000)
hypothesis.settings.load_profile("touchstone")

# A thirtieth of what the suite takes is spent looking for circles that are few: look after 50,000 objects, not 700.
gc.set_threshold(50_000, 20, 50)

NewUrl = Callable[[str], str]


@pytest.fixture(scope="session")
def postgres_cluster() -> Iterator[postgres.Cluster]:
    """A PostgreSQL server for this session; a machine without it fails, it does not skip."""
    with postgres.cluster() as server:
        yield server


@contextmanager
def _upgraded(url: str | None, home: Path) -> Iterator[Store]:
    from db.engine import open_store

    store = open_store(url, home)
    try:
        store.upgrade()
        yield store
    finally:
        store.close()


@pytest.fixture(scope="session", autouse=True)
def _no_power_cuts() -> Iterator[None]:
    """SQLite does not wait for the disk in this process, which halves what a vote takes; no test cuts the power."""
    from db import engine

    prepare = engine._prepare_sqlite

    def unsafe(connection: Any, record: Any) -> None:
        prepare(connection, record)
        connection.execute("PRAGMA synchronous = OFF")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "_prepare_sqlite", unsafe)
        yield


@pytest.fixture(scope="session", autouse=True)
def _one_memory_of_statements() -> Iterator[None]:
    """What SQLAlchemy has made of a statement holds for every store of this process, not for one test's alone.

    An engine compiles each statement once; a test has an engine of its own, and would compile hundreds of them again.
    """
    from sqlalchemy.util import LRUCache

    from db import engine

    make = engine.create_engine
    known: dict[str, Any] = {}

    def create(address: Any, **options: Any) -> Any:
        made = make(address, **options)
        # Compiled statements are known by their dialect, too: the first engine's that has connected serves all.
        dialect, cache = known.setdefault(made.dialect.name, (made.dialect, LRUCache(10_000)))
        made.dialect = made.pool._dialect = dialect
        made._compiled_cache = cache
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "create_engine", create)
        yield


@pytest.fixture(scope="session", autouse=True)
def _quick_passwords() -> None:
    """Making a password and signing in takes no time here; ``testkit.preloaded`` does the same for what we start."""
    from testkit import passwords

    passwords.quicken()


@pytest.fixture(scope="session", autouse=True)
def _command_made_once() -> Iterator[None]:
    """Typer makes all our commands anew for each call of one, which takes three times as long as most calls."""
    cli, testing = (sys.modules.get(name) for name in ("app.cli", "typer.testing"))
    if cli is None or testing is None:
        yield
        return
    make = testing._get_command
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(testing, "_get_command", lambda app: cli.command() if app is cli.cli else make(app))
        yield


@pytest.fixture(scope="session", autouse=True)
def _job_processes_in_a_hurry() -> None:
    """Job processes have the priority of tests; ``testkit.preloaded`` does the same for what we start."""
    if "app.jobs.processes" in sys.modules:
        from testkit import job_processes

        job_processes.hurry()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with all migrations applied, to be copied for each test."""
    path = tmp_path_factory.mktemp("template") / "template.db"
    with _upgraded(f"sqlite:///{path}", path.parent):
        pass
    return path


@pytest.fixture(scope="session")
def postgres_template(postgres_cluster: postgres.Cluster, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of a PostgreSQL database with all migrations applied, to be copied for each test."""
    name = postgres_cluster.create()
    with _upgraded(postgres_cluster.url(name), tmp_path_factory.mktemp("template")):
        pass
    return name


TAKES = {"label_studio": 10_000, "browser": 40, "slow": 20, "postgres": 4}
"""How much longer tests of a mark take than others, about. All that need Label Studio go to one worker, and first."""

MEANWHILE = 20
"""Files whose tests need the environment of official loaders come after those that take longer than so: it is installed
meanwhile."""

SCRIPTED = {"ScriptedServer", "BatchServer", "ThreadingHTTPServer"}
"""Servers of the tests that answer by a script."""


def pytest_configure(config: pytest.Config) -> None:
    """``--lane`` chooses the tests before any module is imported."""
    if lane := config.getoption("--lane"):
        lanes.choose(config, lane)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of a module that starts our command or a scripted endpoint are slow ones; files with such tests come first.

    Tests that a planted fault names are essential. Files are handed out in this order, the longest first by what such
    tests take, so that no core is left alone with a long one at the end.
    """
    takes: Counter[Path] = Counter()
    for item in items:
        names = vars(getattr(item, "module", object))
        if names.get("Server") is Server or names.get("touchstone") is touchstone or SCRIPTED & names.keys():
            item.add_marker(pytest.mark.slow)
        if lanes.is_named_by_fault(item):
            item.add_marker(pytest.mark.essential)
        takes[item.path] += 1 + sum(TAKES[name] for name in TAKES if item.get_closest_marker(name))
    for path in {item.path for item in items if _needs_loaders(item)}:
        takes[path] = min(takes[path], MEANWHILE)
    items.sort(key=lambda item: -takes[item.path])


def _needs_loaders(item: pytest.Item) -> bool:
    """Whether a test has official loaders read something."""
    names = vars(getattr(item, "module", object))
    there = names.get("loaders") is loaders or names.get("loaded") is loaded
    return there and item.get_closest_marker("slow") is not None


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Of several workers one collects first: it rewrites the assertions of modules that have changed, and the others
    read what it has written. On a fresh clone that is half of what collecting takes."""
    if "PYTEST_XDIST_WORKER" not in os.environ or sys.dont_write_bytecode:
        return (yield)
    with (session.config.rootpath / "pyproject.toml").open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(lock, fcntl.LOCK_SH)
        return (yield)


def pytest_collection_finish(session: pytest.Session) -> None:
    """The thousands of collected tests stay to the end: the collector need not look at them again and again.

    Where a chosen test needs them, official loaders are installed from now on, once and in the background.
    """
    gc.freeze()
    first = os.environ.get("PYTEST_XDIST_WORKER", "gw0") == "gw0" and not session.config.option.collectonly
    if first and any(map(_needs_loaders, session.items)):
        loaders.begin("hub")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Workers get whole files, as ``--dist=loadfile`` has it, and one of them all that needs Label Studio."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Together(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return (
                "extensions/labelstudio/tests/live"
                if nodeid.startswith("extensions/labelstudio/tests/live/")
                else super()._split_scope(nodeid)
            )

    return Together(config, log)


DATABASES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test of a store runs on SQLite; one that is marked ``both_databases`` on PostgreSQL, too, but for those of a
    marked module that are ``one_database``."""
    if "store_url" in metafunc.fixturenames:
        marks = {mark.name for mark in metafunc.definition.iter_markers()}
        both = "both_databases" in marks and "one_database" not in marks
        metafunc.parametrize("store_url", DATABASES if both else DATABASES[:1], indirect=True)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty TOUCHSTONE_HOME."""
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture(scope="session")
def demo_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which ``touchstone demo`` has been run, to be copied. All workers have the same one."""
    base = tmp_path_factory.getbasetemp()
    path = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "demo-template"
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            part = path.with_suffix(".part")
            done = touchstone("demo", "--no-serve", home=part)
            assert done.returncode == 0, done.stderr
            part.rename(path)
    return path


@pytest.fixture
def demo(home: Path, demo_template: Path) -> Path:
    """A TOUCHSTONE_HOME with the demo project."""
    shutil.copytree(demo_template, home, dirs_exist_ok=True)
    return home


@pytest.fixture
def store_url(request: pytest.FixtureRequest, home: Path) -> Iterator[str]:
    """The address of a fresh, migrated database: of SQLite, or by ``both_databases`` once of each kind."""
    if request.param == "sqlite":
        shutil.copyfile(request.getfixturevalue("sqlite_template"), home / "touchstone.db")
        yield f"sqlite:///{home / 'touchstone.db'}"
        return
    server: postgres.Cluster = request.getfixturevalue("postgres_cluster")
    template = request.getfixturevalue("postgres_template")
    name = server.lend(template)
    yield server.url(name)
    server.give_back(name, template)


@pytest.fixture
def store(store_url: str, home: Path) -> Iterator[Store]:
    """A fresh store in the database of ``store_url``."""
    from db.engine import open_store

    store = open_store(store_url, home)
    yield store
    store.close()


@pytest.fixture(scope="module")
def sqlite_store_for_module(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One SQLite store for all tests of a module that only look at it."""
    from db.engine import open_store

    home = tmp_path_factory.mktemp("home")
    shutil.copyfile(sqlite_template, home / "touchstone.db")
    store = open_store(f"sqlite:///{home / 'touchstone.db'}", home)
    yield store
    store.close()


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """Tiny checkpoints of every family: ``tiny_models.folder("llava")`` builds that one when it is first asked for."""
    from testkit.tiny import Shelf

    return Shelf(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="session")
def kept_chromium() -> Iterator[Callable[[], AbstractContextManager[Browser]]]:
    """A browser that is started once."""
    with browser.kept() as used:
        yield used


@pytest.fixture(scope="module")
def chromium(kept_chromium: Callable[[], AbstractContextManager[Browser]]) -> Iterator[Browser]:
    """The system's Chromium, headless; it reaches nothing but this machine.

    As long as a module uses it, this thread has a running event loop, and nothing else can run one in it.
    """
    with kept_chromium() as running:
        yield running


@pytest.fixture
def browser_page(chromium: Browser) -> Iterator[Page]:
    """A page of its own, without cookies, 1280 x 800. Errors thrown on the page fail the test."""
    with browser.window(chromium) as page:
        yield page


@pytest.fixture
def server(home: Path) -> Iterator[Server]:
    """The real ``touchstone serve`` on a free port with a home of its own; ``start()`` it once the home is ready."""
    running = Server(home)
    yield running
    running.stop()


@pytest.fixture(scope="session", autouse=True)
def _no_settings() -> Iterator[None]:
    """No test sees the settings of the person who runs it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("TOUCHSTONE_")]:
            patch.delenv(name)
        yield


@pytest.fixture(autouse=True)
def _by_itself(request: pytest.FixtureRequest) -> Iterator[None]:
    """What one test leaves does not reach the next one. A test's projects have the same seeds in every run
    (``testkit.preloaded`` does the same for what we start); and a page drawn in this process makes itself the main
    module, which the next process started would then run."""
    from testkit import seeds

    seeds.settle(request.node.nodeid)
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture
def pictures(request: pytest.FixtureRequest) -> Path | None:
    """Where screenshots go, if ``--pictures`` says so."""
    folder = request.config.getoption("--pictures")
    return Path(folder) if folder else None


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--lane`` runs the tests of one make target; ``--pictures docs/img`` takes the screenshots of the documentation
    anew."""
    parser.addoption("--lane", choices=list(lanes.LANES), help="the tests that this make target runs (default: all)")
    parser.addoption("--pictures", default=None, help="folder for the screenshots that the documentation shows")
