"""Goals as a file that people read and correct: one goal after the other, each action on its own line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from extensions.narrations.rules.goals import Task
from extensions.narrations.rules.narration import Narration


def goal_file(tasks: Sequence[Task]) -> bytes:
    """Return a JSON list, in the layout that ``touchstone question create --goals`` reads."""
    records = ",\n".join(_record(task) for task in tasks)
    return (f"[\n{records}\n]\n" if records else "[]\n").encode()


def _record(task: Task) -> str:
    goal = task.goal
    head = [
        f'"{name}": {_text(value)}'
        for name, value in (("video", goal.video), ("level", goal.level), ("goal", goal.text))
    ]
    actions = ",\n  ".join(map(_action, task.actions))
    return f' {{{", ".join(head)}, "actions": [\n  {actions}\n ]}}'


def _action(row: Narration) -> str:
    values: dict[str, Any] = {"id": row.id, "text": row.text, "start": row.start, "stop": row.stop}
    return f"{{{', '.join(f'{_text(name)}: {_text(value)}' for name, value in values.items())}}}"


def _text(value: str | Decimal) -> str:
    return f"{value:f}" if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False)
