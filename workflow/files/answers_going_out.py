"""The models' answers that an export writes."""

from __future__ import annotations

from dataclasses import dataclass

from annotation_schemas.formats import Format, ModelAnswer, Takes
from db import files, runs
from db.engine import Session
from db.records import StoredRun
from domain.errors import InvalidFileError, NotFoundError
from domain.records import RULES, PredictionRecord
from workflow.access.projects import Access
from workflow.annotate import answer_readings


@dataclass(frozen=True)
class AnswerSelection:
    """The selected run of answers, and the value for a missing answer."""

    run: str | None
    unanswered: str | None
    reader: str = RULES

    def found(self, session: Session, access: Access, format: Format) -> StoredRun | None:
        """Return the selected run, if any. Raises ``InvalidFileError`` if the format and the run do not fit."""
        known = answer_readings.readers(session, project_id=access.project_id)
        if self.reader not in known:
            raise InvalidFileError(f"There is no reader {self.reader!r}. Readers of answers: {', '.join(known)}.")
        if format.takes is not Takes.ANSWERS and (self.run or self.unanswered is not None):
            raise InvalidFileError(
                f"--run and --unanswered are only for answers. Export {format.name} without these options."
            )
        if format.needs_run and self.run is None:
            raise InvalidFileError("A submission contains the answers of one run. Choose the run with --run.")
        if not format.needs_run and self.unanswered is not None:
            raise InvalidFileError(f"--unanswered is only for submissions. Export {format.name} without this option.")
        if self.run is None:
            return None
        row = runs.by_public_id(session, public_id=self.run)
        if row is None or row.project_id != access.project_id:
            raise NotFoundError(f"{access.title} has no run {self.run!r}. Check the run's ID.")
        if row.withdrawn_at is not None:
            raise InvalidFileError(
                f"The run {self.run} was withdrawn ({row.withdrawn_why}) and does not count. To export the run, undo "
                f"the withdrawal with `touchstone run withdraw {self.run} --back`."
            )
        return row


def selected_answers(session: Session, access: Access, run: StoredRun | None, reader: str) -> list[ModelAnswer]:
    """Return models' answers, sorted by model and then by item."""
    run_id = run.id if run else None
    places = files.item_ids(session, project_id=access.project_id)
    order = {id: (place, name) for place, (id, name, _) in enumerate(places)}
    rows = sorted(
        files.predictions(session, project_id=access.project_id, run_id=run_id),
        key=lambda row: (row.model, order[row.item_id][0], row.id),
    )
    read = answer_readings.counting(session, project_id=access.project_id, reader=reader, run_id=run_id)
    shown = answer_readings.options_shown(session, access=access, ids=[row.id for row in rows])
    about = [(row, order[row.item_id][1], shown.get(row.id, ())) for row in rows]
    return [
        ModelAnswer(PredictionRecord(row.model, row.text, item=name, options=options), read.get(row.id))
        for row, name, options in about
    ]
