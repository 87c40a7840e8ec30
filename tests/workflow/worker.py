"""One annotator at a machine of their own: claims and votes until nothing is left, and prints every receipt."""

from __future__ import annotations

import sys
from pathlib import Path

from db.engine import open_store
from domain.records import NoTask
from domain.states import Stage
from workflow.access.accounts import find_person
from workflow.annotate import claims, submissions


def main() -> None:
    """Work in the project ``p``: the arguments are the database's address, its home, and who works."""
    url, home, login = sys.argv[1:]
    store = open_store(url, Path(home))
    person = find_person(store, login=login)
    waited = False
    while True:
        view = claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION)
        if isinstance(view, NoTask):
            if view.code == "waiting_for_others" and not waited:
                waited = True
                continue
            break
        for _ in range(2):  # an impatient client sends everything twice
            done = submissions.submit(store, person=person, task=view.id, key=view.id, values={"choice": "red"})
        print(done.annotation, flush=True)
    store.close()
