"""Models' answers in the logs of lmms-eval and lm-eval: ``*_samples_*.jsonl``, one line for each question.

Versions differ. ``doc``, the record of the data set, exists up to lmms-eval 0.3.5, and in lm-eval. Later versions keep
only ``doc_id``, its place in the data set. ``resps`` has the model's texts, in a list for each request and each repeat,
which is flat from 0.7 on. From 0.4 on, ``resps`` is left out if ``filtered_resps`` is equal. Versions before 0.2 write
one JSON file for each task, with the same records under ``logs``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from annotation_schemas.formats import Format, Misfit, Takes, name_of_rater
from domain import json_text
from domain.errors import InvalidFileError
from domain.json_text import NotJson
from domain.records import PredictionRecord
from extensions.harnesses.harness import Harness, ids_in, name_unread
from extensions.harnesses.shown_options import counted_columns, listed_options, prompt_text
from importers.answer_files import AnswerFile, Rows

_FIRST_KEY = re.compile(r'\{\s*"doc_id"\s*:')
_SCORES = re.compile(r'\{\s*"results"\s*:\s*\{')
_OLD = re.compile(r'\{\s*"args"\s*:\s*\{')
_DATE = re.compile(r"\d{8}_\d{6}|\d{4}-?\d{2}-?\d{2}T\d{2}-\d{2}-\d{2}(\.\d+)?")
_LARGEST_SCORES = 64 * 1024 * 1024
_BOOKKEEPING = (
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "input", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash", "token_counts"),
)
"""Keys of a sample that are used, or are irrelevant for the answer."""
_NAMED = ("pretrained", "model_version", "model_name", "model", "model_id", "path", "engine")
"""The keys of ``model_args`` that may name the model, as lmms-eval searches them."""


def recognises(file: AnswerFile) -> bool:
    """Return whether the file has samples, or is the file of scores next to one."""
    head = file.head
    if _FIRST_KEY.match(head) or (head.startswith("{") and '"doc_id"' in head and 'resps"' in head):
        return True
    return _is_old(file) or _is_scores(file)


def _is_old(file: AnswerFile) -> bool:
    return bool(_OLD.match(file.head)) and '"model_configs"' in file.head


def _is_scores(file: AnswerFile) -> bool:
    return bool(_SCORES.match(file.head)) and file.path.suffix.lower() == ".json"


def rows(file: AnswerFile) -> Rows:
    """Yield the answers of a file. A file of scores in a folder gives no answers."""
    if _is_scores(file):
        if file.single:
            raise InvalidFileError(
                f"{file.place} has scores from lmms-eval or lm-eval, but no answers. Nothing was "
                "imported. Give the folder, or the sample file in the folder. lmms-eval writes this file "
                "if log_samples is on."
            )
        return
    if _is_old(file):
        yield from _old_rows(file)
        return
    model = file.model or _model_next_to(file)
    for number, line in enumerate(file.text().split("\n"), 1):
        raw = line.strip()
        if not raw:
            continue
        try:
            record = _record(raw)
            for answer in _answers(record, file, model):
                yield answer, file.here(number, raw)
        except (Misfit, NotJson) as error:
            yield None, file.here(number, raw, str(error))


def _old_rows(file: AnswerFile) -> Rows:
    whole = file.value()
    args, logs = whole.get("args"), whole.get("logs")
    if not isinstance(logs, list):
        raise InvalidFileError(f"{file.place} has no logs. Nothing was imported. Run the task again with log_samples.")
    model = file.model or (_of_args(args.get("model_args"), args.get("model")) if isinstance(args, Mapping) else None)
    for number, record in enumerate(logs, 1):
        raw = json.dumps(record, ensure_ascii=False)[:2000] if isinstance(record, Mapping) else str(record)[:2000]
        try:
            if not isinstance(record, Mapping):
                raise Misfit("the line is not an object {...}")
            for answer in _answers(record, file, model):
                yield answer, file.here(number, raw)
        except (Misfit, NotJson) as error:
            yield None, file.here(number, raw, str(error))


def _record(raw: str) -> Mapping[str, Any]:
    if json_text.has_broken_bytes(raw):
        raise Misfit("the line is not UTF-8")
    record = json_text.loaded(raw)
    if not isinstance(record, Mapping):
        raise Misfit("the line is not an object {...}")
    return record


def _answers(record: Mapping[str, Any], file: AnswerFile, model: str | None) -> Iterator[PredictionRecord]:
    """Yield an answer for each time that the model was asked. The import decides which of several counts."""
    if model is None:
        raise Misfit(
            "the model is unknown, because the scores and the folder do not name a model. Name the model with --model"
        )
    doc = record.get("doc")
    name_unread(file, record, _BOOKKEEPING)
    name_unread(file, doc)
    ids = ids_in(file.schema, doc, record, *(value for value in record.values() if isinstance(value, Mapping)))
    question, prompt = _asked(doc, record)
    options = listed_options(doc, record)
    replies = record["resps"] if "resps" in record else record.get("filtered_resps")
    for text in _texts(replies):
        yield PredictionRecord(
            name_of_rater(model, "model"),
            text,
            dimension=file.dimension,
            question=question,
            ids=ids,
            options=options,
            columns=counted_columns(doc),
            prompt=prompt,
        )


def _asked(doc: Any, record: Mapping[str, Any]) -> tuple[str | None, str]:
    """Return the question of a record, and the whole prompt; the question alone if only the data set has it."""
    given = record.get("input")
    if not isinstance(given, str):  # lm-eval has no input, and arguments by request: {"gen_args_0": {"arg_0": ...}}
        given = record.get("arguments")
        while isinstance(given, Mapping | list) and given and not (isinstance(given, list) and prompt_text(given)):
            given = next(iter(given.values())) if isinstance(given, Mapping) else given[0]
    prompt = str(json_text.showable(prompt_text(given)))
    asked = doc.get("question") if isinstance(doc, Mapping) else None
    if isinstance(asked, str) and asked.strip():
        return json_text.showable(asked), prompt or json_text.showable(asked)
    return prompt or None, prompt


def _texts(said: Any) -> list[str]:
    """Return the answered texts, one for each request and each repeat."""
    texts = list(_leaves(said, 2))
    if not texts:
        raise Misfit("the line has no response (resps or filtered_resps)")
    return texts


def _leaves(said: Any, depth: int) -> Iterator[str]:
    if isinstance(said, str):
        yield json_text.showable(said)
    elif isinstance(said, list):
        if _is_log_likelihood(said):
            raise Misfit(
                "the responses are log-likelihoods instead of text, because the task scores options. Run a task "
                "that generates text (output_type generate_until)"
            )
        if depth == 0:
            raise Misfit("the responses have several turns, but an answer must be one text")
        for leaf in said:
            yield from _leaves(leaf, depth - 1)
    elif said is not None:
        raise Misfit("the responses are not text")


def _is_log_likelihood(said: list[Any]) -> bool:
    """Return whether a list is a log-likelihood with a flag for the likeliest option, as values or as text."""
    if len(said) != 2 or str(said[1]) not in {"True", "False"} or isinstance(said[0], bool | list | Mapping):
        return False
    try:
        float(said[0])
    except (TypeError, ValueError):
        return False
    return True


# ---- who answered ---------------------------------------------------------------------------------------------------


def _model_next_to(file: AnswerFile) -> str | None:
    """Return the model from the scores of the same run, or from all scores next to the file, or from the folder's
    name.
    """
    date = _DATE.search(file.path.name)
    scores = sorted(path for path in file.path.parent.glob("*results*.json") if path != file.path and path.is_file())
    same = [path for path in scores if date and date[0] in path.name]
    models = {name for path in same or scores if (name := _of_scores(path))}
    if len(models) == 1:
        return models.pop()
    folder = file.path.parent.name
    if "__" in folder or (not file.single and "/" in file.place):
        return folder.replace("__", "/", 1)
    return None


def _of_scores(path: Path) -> str | None:
    try:
        if path.stat().st_size > _LARGEST_SCORES:
            return None
        whole = json_text.loaded(path.read_bytes().decode("utf-8"))
    except (OSError, UnicodeDecodeError, NotJson):
        return None  # the import of scores reports the fault; here the name is found in another way
    if not isinstance(whole, Mapping):
        return None
    config = whole.get("config")
    config = config if isinstance(config, Mapping) else {}
    named = whole.get("model_name")
    if isinstance(named, str) and named.strip():
        return _name(named)
    return _of_args(config.get("model_args"), config.get("model"))


def _of_args(args: Any, model: Any) -> str | None:
    """Return the model from its loading arguments, or the class of the model."""
    if isinstance(args, str):
        args = dict(part.partition("=")[::2] for part in args.split(","))
    if isinstance(args, Mapping):
        for key in _NAMED:
            if isinstance(args.get(key), str) and args[key].strip():
                return _name(args[key])
    return _name(model) if isinstance(model, str) and model.strip() else None


def _name(text: str) -> str:
    """Return a model's name. Of a local folder, only the last part is returned."""
    text = json_text.showable(text.strip())
    return text.rstrip("/").rpartition("/")[2] if text.startswith(("/", "~", ".")) else text


ROWS = (
    Format(
        "lmms_eval_samples",
        "models' answers in lmms-eval or lm-eval logs, `*_samples_*.jsonl`",
        Takes.ANSWERS,
        place=41,
        reads=Harness("sample log of lmms-eval or lm-eval", recognises, rows),
    ),
)
