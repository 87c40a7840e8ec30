"""Items by state at the end of each day, against days made by hand; and the chart that shows them."""

from __future__ import annotations

import csv
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from app.charts import page_chart
from db.engine import Store
from domain.errors import NotAllowedError
from domain.roles import Role
from domain.states import ItemState, Stage
from extensions.schedule import forecast, progress_over_time
from extensions.schedule.progress_chart import progress_chart
from testkit.factories import Clock, make_items, make_people, make_person, make_project, make_schema, vote

pytestmark = pytest.mark.both_databases


def test_each_day_has_the_states_at_its_end_in_utc_wherever_the_clock_stands(store: Store) -> None:
    make_project(store)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann, ben = make_people(store, "ann", "ben")
    store.clock = clock = Clock()  # Monday, 4 May 2026
    assert progress_over_time.by_day(store, by=lea, project="p") == []
    make_items(store, 1)
    first = progress_over_time.mark(store, by=lea, project="p")
    clock.now = datetime(2026, 5, 4, 22, 0, tzinfo=timezone(timedelta(hours=-5)))  # Tuesday, 3:00 in UTC
    for who in (ann, ben):
        vote(store, who)
    assert progress_over_time.mark(store, by=lea, project="p") != first
    clock.now = datetime(2026, 5, 7, 3, 0, tzinfo=timezone(timedelta(hours=5)))  # Wednesday, 22:00 in UTC
    make_items(store, 1)
    for who, said in ((ann, "red"), (ben, "blue")):
        vote(store, who, said)
    clock.now = datetime(2026, 5, 8, 9, 0, tzinfo=UTC)
    make_items(store, 1)
    days = progress_over_time.by_day(store, by=lea, project="p")
    columns = (ItemState.IN_VERIFICATION, ItemState.KEPT, ItemState.IN_ADJUDICATION)
    assert [(str(each.day), *(each.counts[state] for state in columns)) for each in days] == [
        ("2026-05-03", 0, 0, 0),
        ("2026-05-04", 1, 0, 0),
        ("2026-05-05", 0, 1, 0),
        ("2026-05-06", 0, 1, 1),
        ("2026-05-07", 0, 1, 1),
        ("2026-05-08", 1, 1, 1),
    ]
    with pytest.raises(NotAllowedError):
        progress_over_time.by_day(store, by=ann, project="p")
    found = forecast.forecasts(store, by=lea, project="p")
    chart = progress_chart(days, found, make_schema().schema_.stages)
    assert chart.title == "1 of 3 items (33 %) are settled, 1 more than 5 days ago."
    head, newest, *_, oldest = csv.reader(page_chart.as_csv(chart).decode().splitlines())
    assert head == ["Day", "Kept", "In adjudication", "In verification", "All"]
    assert (newest, oldest) == (["2026-05-08", "1", "1", "1", "3"], ["2026-05-04", "0", "0", "1", "1"])
    assert len(chart.layers) == 1  # two days with work are too few for a forecast
    ends = (date(2026, 5, 9), date(2026, 5, 12))
    settling = [forecast.Forecast(Stage.VERIFICATION, 2, (1, 1, 1), finish=ends)]
    *_, early, late = progress_chart(days, settling, make_schema().schema_.stages).layers
    assert [line["data"]["values"] for line in (early, late)] == [
        [{"day": "2026-05-08T00:00:00Z", "items": 1}, {"day": f"{end}T00:00:00Z", "items": 3}] for end in ends
    ]
    open_end = [*settling, forecast.Forecast(Stage.ADJUDICATION, 1, ())]  # no one knows when the last is settled
    assert len(progress_chart(days, open_end, make_schema().schema_.stages).layers) == 2
