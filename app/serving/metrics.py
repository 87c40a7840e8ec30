"""The metrics of this server in the OpenMetrics format, for Prometheus and others.

Requests are counted in each web process. Several web processes share a folder of counters, which prometheus_client
names ``PROMETHEUS_MULTIPROC_DIR``, and each process answers for all. Labels have few values, and none of them is a
project, a person or a text.
"""

from __future__ import annotations

import logging
import os
import re
import resource
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, multiprocess
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest

from app.serving import open_files
from db.engine import Store
from domain.log_facts import Fact
from workflow.access.server_counts import ServerCounts, count_server

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""prometheus_client's variable: the folder of the counters of several web processes. It must be set at the import."""
CONTENT_TYPE = CONTENT_TYPE_LATEST
SUBMIT = "/api/submit"
MEASURE_SECONDS = 5.0
"""The shortest time between two looks at this process."""
COUNT_SECONDS = 5.0
COUNT_SHARE = 20
"""The database is counted at most once in ``COUNT_SECONDS``, and rests for this many times of what a count takes."""
PATIENCE_SECONDS = 2.0
"""Longest wait of a scrape for the counts of the database. The count goes on, and the next scrape gets it."""
BUCKETS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

log = logging.getLogger("touchstone.metrics")

disable_created_metrics()  # type: ignore[no-untyped-call]
REGISTRY = CollectorRegistry()
REQUESTS = Counter("touchstone_http_requests", "Requests, by route and status.", ["route", "status"], registry=REGISTRY)
SECONDS = Histogram(
    "touchstone_http_request_seconds",
    "Time from a request to the end of its reply, by route.",
    ["route"],
    buckets=BUCKETS,
    registry=REGISTRY,
)
SENT = Counter("touchstone_http_sent_bytes", "Bytes in the bodies of replies, by route.", ["route"], registry=REGISTRY)
SUBMISSIONS = Counter(
    "touchstone_submissions",
    "Submissions, by stage and outcome: acknowledged (on disk), repeated (sent again), refused, failed.",
    ["stage", "outcome"],
    registry=REGISTRY,
)


def _gauge(name: str, meaning: str, how: str = "livesum") -> Gauge:
    return Gauge(name, meaning, registry=REGISTRY, multiprocess_mode=how)  # type: ignore[arg-type]


WEBSOCKETS = _gauge("touchstone_websockets_open", "Open pages.")
CONNECTIONS = _gauge("touchstone_database_connections_in_use", "Database connections in use.")
MOST_CONNECTIONS = _gauge("touchstone_database_connections_limit", "Most database connections of the web processes.")
MEMORY = _gauge("process_resident_memory_bytes", "Resident memory of the web processes.")
FILES = _gauge("process_open_fds", "Open files of the web process that has most.", "livemax")
MOST_FILES = _gauge("process_max_fds", "Most open files of a web process.", "livemax")
PROCESSES = _gauge("touchstone_web_processes", "Web processes that run.")
FREE_DISK = _gauge("touchstone_disk_free_bytes", "Free bytes on the disk of the home folder.", "livemostrecent")
CPU = Counter("process_cpu_seconds", "Processor time of the web processes.", registry=REGISTRY)


class Metrics:
    """Counts requests, looks at this process, and writes everything for a scraper."""

    def __init__(self, store: Store, home: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.store, self.home, self.clock = store, home, clock
        self.counts = LatestCounts(store, clock=clock)
        self._measured = float("-inf")
        self._cpu = 0.0
        self._lock = threading.Lock()

    def opened(self) -> None:
        """Count a websocket that was accepted."""
        WEBSOCKETS.inc()

    def closed(self) -> None:
        """Count an accepted websocket that has ended."""
        WEBSOCKETS.dec()

    def ended(self, *, route: str, status: int, seconds: float, sent: int, facts: Mapping[str, Fact]) -> None:
        """Count a request, and a submission if it was one."""
        REQUESTS.labels(route, str(status)).inc()
        SECONDS.labels(route).observe(seconds)
        SENT.labels(route).inc(sent)
        if route == SUBMIT:
            done = "acknowledged" if status < 400 else "failed" if status >= 500 else "refused"
            SUBMISSIONS.labels(str(facts.get("stage", "unknown")), str(facts.get("submission", done))).inc()
        self.measure()

    def measure(self, *, now: bool = False) -> None:
        """Look at this process, at most every ``MEASURE_SECONDS``, or ``now``."""
        with self._lock:
            if not now and self.clock() - self._measured < MEASURE_SECONDS:
                return
            self._measured = self.clock()
            used = resource.getrusage(resource.RUSAGE_SELF)
            cpu = used.ru_utime + used.ru_stime
            CPU.inc(cpu - self._cpu)
            self._cpu = cpu
            MEMORY.set(int(Path("/proc/self/statm").read_text("ascii").split()[1]) * _PAGE_BYTES)
            FILES.set(open_files.count())
            MOST_FILES.set(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
            PROCESSES.set(1)
            in_use, most = self.store.connections()
            CONNECTIONS.set(in_use)
            MOST_CONNECTIONS.set(most)

    def text(self) -> bytes:
        """Return all metrics. Waits at most ``PATIENCE_SECONDS`` for the database."""
        self.measure(now=True)
        FREE_DISK.set(shutil.disk_usage(self.home).free)
        shared = os.environ.get(FOLDER)
        registry = REGISTRY
        if shared:
            forget_dead(Path(shared))
            registry = CollectorRegistry()
            multiprocess.MultiProcessCollector(registry, path=shared)  # type: ignore[no-untyped-call]
        counts, failed = self.counts.get()
        of_database = _Families(describe(counts, failed, self.store.now()))
        return _written(registry).removesuffix(b"# EOF\n") + _written(of_database)


def _written(registry: CollectorRegistry) -> bytes:
    text: bytes = generate_latest(registry)  # type: ignore[no-untyped-call]
    return text


class _Families(CollectorRegistry):
    """A registry of finished metrics."""

    def __init__(self, families: Iterable[Metric]) -> None:
        super().__init__()
        self.families = families

    def collect(self) -> Iterable[Metric]:
        """Return the metrics."""
        return self.families


def forget_dead(folder: Path) -> None:
    """Take the gauges of ended web processes out of the shared folder. Their counters stay."""
    for path in folder.glob("gauge_live*_*.db"):
        found = re.search(r"_(\d+)\.db$", path.name)
        if found and not Path("/proc", found[1]).exists():
            path.unlink(missing_ok=True)


class LatestCounts:
    """The counts of the database, at most a few seconds old on a small server.

    A count runs in a thread, one at a time. A slow one is repeated less often, so that it takes at most a twentieth of
    the time.
    """

    def __init__(self, store: Store, *, clock: Callable[[], float]) -> None:
        self.store, self.clock = store, clock
        self._counts: ServerCounts | None = None
        self._failed = False
        self._due = float("-inf")
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def get(self) -> tuple[ServerCounts | None, bool]:
        """Return the latest counts, and whether the last count failed. None: there are no counts yet."""
        with self._lock:
            thread = self._thread
            if (thread is None or not thread.is_alive()) and self.clock() >= self._due:
                thread = self._thread = threading.Thread(target=self._count, name="metrics", daemon=True)
                thread.start()
        if thread is not None:
            thread.join(PATIENCE_SECONDS)
        return self._counts, self._failed

    def _count(self) -> None:
        begun = self.clock()
        try:
            self._counts = count_server(self.store)
            self._failed = False
        except Exception as error:  # whatever the database has: the other metrics must still be readable
            self._failed = True
            log.warning("The counts of the database could not be updated", exc_info=error)
        took = self.clock() - begun
        self._due = self.clock() + max(COUNT_SECONDS, COUNT_SHARE * took)


def describe(counts: ServerCounts | None, failed: bool, now: datetime) -> Iterable[Metric]:
    """Return the metrics of the database's counts."""
    yield _value("touchstone_database_up", "1 if the last count of the database succeeded, else 0.", int(not failed))
    if counts is None:
        return
    oldest = (now - counts.oldest_due).total_seconds() if counts.oldest_due else 0.0
    yield _by("touchstone_claims_open", "Tasks that a person has now, by stage.", "stage", counts.claims)
    yield _by("touchstone_jobs", "Jobs in the list, by state.", "state", counts.jobs)
    yield _value("touchstone_job_oldest_waiting_seconds", "How long the oldest waiting job has been due.", oldest)
    attempts = CounterMetricFamily("touchstone_run_attempts", "Attempts of runs, by outcome.", labels=["outcome"])
    for outcome, n in counts.attempts.items():
        attempts.add_metric([outcome], n)
    yield attempts
    for name, meaning, value in (
        ("touchstone_run_cost", "Cost of all attempts, in the unit of the models' prices.", counts.cost),
        ("touchstone_exposures", "Rows of the exposure ledger.", counts.exposures),
        ("touchstone_exposed_bytes", "Bytes that the exposure ledger records as sent.", counts.exposure_bytes),
    ):
        yield CounterMetricFamily(name, meaning, value=value)
    yield _value("touchstone_media_stored_bytes", "Bytes of stored images and clips.", counts.media_bytes)
    if counts.backed_up_at is not None:
        age = (now - counts.backed_up_at).total_seconds()
        yield _value("touchstone_last_backup_age_seconds", "Time since the last backup.", age)


def _value(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(name, meaning, value=value)


def _by(name: str, meaning: str, label: str, values: Mapping[str, int]) -> Metric:
    family = GaugeMetricFamily(name, meaning, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family
