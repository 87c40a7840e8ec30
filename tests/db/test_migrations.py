"""Models and migrations say the same, and the database itself keeps what was submitted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from db.append_only import APPEND_ONLY
from db.engine import Store, open_store
from db.tables import metadata
from domain.errors import SettingsError

pytestmark = [pytest.mark.both_databases, pytest.mark.essential]

WHEN = "2026-01-01 00:00:00"


@pytest.mark.thorough
def test_models_and_migrations_agree(store: Store) -> None:
    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "target_metadata": metadata})
        assert compare_metadata(context, metadata) == []


def test_upgrade_may_run_again_and_from_several_threads(tmp_path: Path) -> None:
    store = open_store(None, tmp_path)
    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(store.upgrade) for _ in range(4)]:
            done.result()
    with store.read() as session:
        assert session.connection().execute(text("SELECT count(*) FROM alembic_version")).scalar() == 1
    store.close()


def test_a_database_of_a_newer_version_is_refused_with_a_sentence(store: Store) -> None:
    with store.write() as session:
        session.connection().execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(SettingsError, match="newer"):
        store.upgrade()


@pytest.mark.parametrize("table", APPEND_ONLY)
@pytest.mark.parametrize("statement", ["UPDATE {} SET created_at = created_at", "DELETE FROM {}"])
def test_what_was_submitted_cannot_be_changed(store: Store, table: str, statement: str) -> None:
    with store.write() as session:
        run = session.connection().execute
        run(text(f"INSERT INTO person VALUES (1, 'ann', 'Ann', NULL, false, true, '{WHEN}')"))
        run(text(f"INSERT INTO schema_version VALUES (1, 's', 1, 'h', 'g', '', '', '{WHEN}')"))
        run(text(f"INSERT INTO project VALUES (1, 'p', 'P', false, 1, 0, '{WHEN}', 1, NULL, NULL, 'k')"))
        run(text(f"INSERT INTO guideline_version VALUES (1, 1, 1, 'g', '', '', NULL, '{WHEN}', false)"))
        run(text(f"INSERT INTO schedule VALUES (1, 1, 1, '{{}}', '[]', NULL, '{WHEN}')"))
        run(text(f"INSERT INTO entry_budget VALUES (1, 1, 1, 3, 7, NULL, '{WHEN}')"))
        run(
            text(
                "INSERT INTO item (id, public_id, project_id, dimension, external_id, state, current_revision,"
                " created_at)"
                f" VALUES (1, 'i', 1, 'd', 'x', 'in_verification', 1, '{WHEN}')"
            )
        )
        run(
            text(
                "INSERT INTO revision (item_id, number, content, schema_version_id, created_at)"
                f" VALUES (1, 1, '{{}}', 1, '{WHEN}')"
            )
        )
        run(
            text(
                "INSERT INTO task (id, public_id, project_id, stage, unit, slot, dimension, state, correcting,"
                f" shuffle, created_at) VALUES (1, 't', 1, 'verification', 'v1.1', 0, 'd', 'done', false, 0, '{WHEN}')"
            )
        )
        run(
            text(
                "INSERT INTO annotation (public_id, project_id, task_id, person_id, stage, dimension, item_id,"
                " revision, submit_key, answers, reasons, note, schema_version_id, schema_hash, guideline_hash,"
                " created_at) VALUES"
                f" ('a', 1, 1, 1, 'verification', 'd', 1, 1, 'k', '{{}}', '{{}}', '', 1, 'h', 'g', '{WHEN}')"
            )
        )
        run(text(f"INSERT INTO cause_answer VALUES (1, 1, '', NULL, '{WHEN}')"))
        run(
            text(
                f"INSERT INTO qualification_set VALUES (1, 1, 'verification', 1, '[1]', false, 'g', 0, NULL,"
                f" '{WHEN}', NULL, NULL)"
            )
        )
        run(text(f"INSERT INTO qualification VALUES (1, 'q', 1, 'verification', 1, 1, 1, NULL, '', '{WHEN}')"))
        run(text(f"INSERT INTO qualification_review VALUES (1, 1, 1, true, '{{}}', 'passed', 1, '{WHEN}', NULL)"))
        run(text(f"INSERT INTO gold_pardon VALUES (1, 1, 'verification', 1, NULL, 'why', '{WHEN}')"))
        run(text(f"INSERT INTO event (id, at, kind, data) VALUES (1, '{WHEN}', 'x.y', '{{}}')"))
        run(text(f"INSERT INTO comment VALUES (1, 'c', 1, 1, 1, NULL, 'k', 'text', false, '{WHEN}')"))
        run(
            text(
                "INSERT INTO asset (id, public_id, project_id, name, kind, in_pool, created_at)"
                f" VALUES (1, 'a', 1, 'n', 'image', false, '{WHEN}')"
            )
        )
        run(
            text(
                "INSERT INTO run (id, public_id, project_id, name, params, created_at)"
                f" VALUES (1, 'r', 1, 'm', '{{}}', '{WHEN}')"
            )
        )
        run(text(f"INSERT INTO run_worker VALUES (1, 1, 'w', '{{}}', '{WHEN}', '{WHEN}', NULL)"))
        run(
            text(
                "INSERT INTO attempt (id, run_id, worker_id, unit_id, item_id, number, final, text, waited, error,"
                f" prompt_hash, image_hashes, detail, created_at) VALUES (1, 1, 1, 1, 1, 1, true, '', 0, '', '', '[]',"
                f" '{{}}', '{WHEN}')"
            )
        )
        run(
            text(
                "INSERT INTO prediction (id, public_id, project_id, item_id, run_id, model, text, created_at)"
                f" VALUES (1, 'p', 1, 1, 1, 'm', '', '{WHEN}')"
            )
        )
        run(
            text(
                "INSERT INTO reading (prediction_id, reader, version, revision, asked, places, spans, rule, why,"
                f" detail, created_at) VALUES (1, 'rules', 1, 1, 'h', '[]', '[]', '', '', '{{}}', '{WHEN}')"
            )
        )
        run(text(f"INSERT INTO judge_template VALUES (1, 1, 't', 1, 'h', '', '', NULL, '{WHEN}')"))
        run(text("INSERT INTO judge_unit (id, run_id, item_id, prediction_id) VALUES (1, 1, 1, 1)"))
        run(
            text(
                "INSERT INTO judgement (id, run_id, unit_id, attempt_id, criterion, why, parser, parser_version,"
                f" created_at) VALUES (1, 1, 1, 1, 'score', '', 'p', 1, '{WHEN}')"
            )
        )
        run(text(f"INSERT INTO sift_decision VALUES (1, 1, 1, 1, 'k', 'kept', '', false, 1, 'g', '{WHEN}')"))
        run(
            text(
                "INSERT INTO bridge (id, project_id, address, stages, said, created_at)"
                f" VALUES (1, 1, 'http://there', '[]', '', '{WHEN}')"
            )
        )
        run(
            text(
                "INSERT INTO bridge_project (id, bridge_id, person_id, stage, labeling_hash, key, outside_user,"
                f" created_at) VALUES (1, 1, 1, 'verification', 'h', 'k', 1, '{WHEN}')"
            )
        )
        run(
            text(
                "INSERT INTO bridge_task (id, bridge_project_id, task_id, person_id, key, number, says, guideline,"
                f" why, created_at) VALUES (1, 1, 1, 1, 'k', 1, '', '', '', '{WHEN}')"
            )
        )
        run(
            text(
                "INSERT INTO bridge_answer (id, bridge_id, bridge_task_id, person_id, outside_annotation, updated, why,"
                f" raw, created_at) VALUES (1, 1, 1, 1, 1, '', '', '{{}}', '{WHEN}')"
            )
        )
        run(text(f"INSERT INTO release VALUES (1, 1, 1, 0, '{{}}', '{{}}', 'h', NULL, '{WHEN}')"))
        run(text("INSERT INTO release_item VALUES (1, 1, 1, 'test', 0)"))
        run(text(f"INSERT INTO withdrawal VALUES (1, 1, 1, 1, 'why', NULL, '{WHEN}')"))
        run(text(f"INSERT INTO release_about VALUES (1, 1, 1, '{{}}', NULL, '{WHEN}')"))
        run(text("INSERT INTO exposure_shape VALUES (1, 1, 'h', 1, '{}')"))
        run(
            text(
                "INSERT INTO exposure (id, project_id, item_id, person_id, shape_id, route, stage, sha256, bytes, at)"
                f" VALUES (1, 1, 1, 1, 1, 'page', 'verification', 'h', 1, '{WHEN}')"
            )
        )
    column = {"event": "at", "exposure": "at", "exposure_shape": "hash", "release_item": "place"}.get(
        table, "created_at"
    )
    known = statement.replace("created_at", column)
    with pytest.raises(DBAPIError, match="append-only"), store.write() as session:
        session.connection().execute(text(known.format(table)))


def test_times_come_back_in_utc(store: Store) -> None:
    from db.tables import PersonRow

    moment = datetime(2026, 3, 29, 1, 30, 0, 123456, tzinfo=UTC)
    with store.write() as session:
        row = PersonRow(login="ann", name="Ann", created_at=moment)
        session.add(row)
    with store.read() as session:
        again = session.get(PersonRow, row.id)
    assert again is not None
    assert again.created_at == moment
    assert again.created_at.tzinfo is UTC


def test_an_unknown_enum_value_is_refused_by_the_database(store: Store) -> None:
    with pytest.raises(DBAPIError), store.write() as session:
        session.connection().execute(
            text(
                "INSERT INTO task (public_id, project_id, stage, unit, slot, dimension, state, correcting, shuffle,"
                f" created_at) VALUES ('t', 1, 'coffee', 'u', 0, 'd', 'open', false, 0, '{WHEN}')"
            )
        )


def test_one_more_stage_needs_no_change_of_the_tables_and_every_other_check_holds(store: Store) -> None:
    def task(n: int, stage: str, state: str) -> None:
        with store.write() as session:
            session.connection().execute(
                text(
                    "INSERT INTO task (public_id, project_id, stage, unit, slot, dimension, state, correcting, shuffle,"
                    f" created_at) VALUES ('t{n}', 1, '{stage}', 'u{n}', 0, 'd', '{state}', false, 0, '{WHEN}')"
                )
            )

    with store.write() as session:
        run = session.connection().execute
        run(text(f"INSERT INTO schema_version VALUES (1, 's', 1, 'h', 'g', '', '', '{WHEN}')"))
        run(text(f"INSERT INTO project VALUES (1, 'p', 'P', false, 1, 0, '{WHEN}', 1, NULL, NULL, 'k')"))
    task(1, "coding", "open")
    task(2, "a stage of later", "open")
    with pytest.raises(DBAPIError):
        task(3, "coding", "lost")
    with pytest.raises(DBAPIError):
        task(1, "coding", "open")
    assert store.damage() is None
