"""Read the replies of a Label Studio server: users, tasks and annotations.

The reply itself is read, and not the SDK's models, so that nothing is lost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from domain.errors import ServiceError
from extensions.labelstudio.front_end import OutsideAnnotation, OutsideTask, OutsideUser

KEY = "touchstone"
"""The key of a task's data with our key of the task."""


@dataclass(frozen=True)
class Objects:
    """Reads the replies of the server at an address.

    Raises ``ServiceError`` for replies that Label Studio never sends.

    ``what`` is the subject of a reply, as the last words of a sentence.
    """

    address: str

    def task(self, row: object) -> OutsideTask:
        """Return a task with its annotations."""
        if not isinstance(row, dict):
            self.odd("a task")
        data, what = row.get("data"), f"task {row.get('id')}"
        key = data.get(KEY) if isinstance(data, dict) else None
        annotations = self.list_of(row.get("annotations"), f"the annotations of {what}")
        return OutsideTask(
            self.number(row.get("id"), "a task"),
            key if isinstance(key, str) else "",
            tuple(self._annotation(annotation, what) for annotation in annotations),
        )

    def _annotation(self, row: Mapping[str, Any], what: str) -> OutsideAnnotation:
        by, lead, result = row.get("completed_by"), row.get("lead_time"), row.get("result")
        if isinstance(by, dict):
            by = by.get("id")
        updated = row.get("updated_at")
        if not isinstance(updated, str):
            self.odd(f"an annotation of {what}")
        seconds = float(lead) if isinstance(lead, (int, float)) and not isinstance(lead, bool) else None
        return OutsideAnnotation(
            id=self.number(row.get("id"), f"an annotation of {what}"),
            by=by if isinstance(by, int) and not isinstance(by, bool) else None,
            # Invalid parts of a result are kept without a name, so that every reader refuses them.
            result=tuple(
                part if isinstance(part, dict) else {"from_name": "", "to_name": "", "type": "", "value": part}
                for part in (result if isinstance(result, list) else [result])
            ),
            updated=updated,
            lead_seconds=seconds if seconds is not None and math.isfinite(seconds) and seconds >= 0 else None,
            cancelled=row.get("was_cancelled") is True,
            raw=row,
        )

    def user(self, row: object) -> OutsideUser:
        """Return an account."""
        if not isinstance(row, dict):
            self.odd("a user")
        email = row.get("email")
        return OutsideUser(self.number(row.get("id"), "a user"), email if isinstance(email, str) else "")

    def list_of(self, value: object, what: str) -> list[dict[str, Any]]:
        """Return a list of objects."""
        if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
            self.odd(what)
        return value

    def number(self, value: object, what: str) -> int:
        """Return an id or a count."""
        if not isinstance(value, int) or isinstance(value, bool):
            self.odd(what)
        return value

    def odd(self, what: str) -> NoReturn:
        """Raise ``ServiceError`` for an invalid reply."""
        raise ServiceError(
            f"Label Studio at {self.address} sent an invalid reply ({what}). Check the address and the server's "
            "version."
        )
