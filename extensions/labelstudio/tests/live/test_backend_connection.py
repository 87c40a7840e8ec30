"""Test that a real Label Studio gets predictions from our backend, as on its page "Model" and in its list of tasks."""

from __future__ import annotations

import urllib.error

import pytest

from extensions.labelstudio.tests.live.server import project, put, tasks
from extensions.labelstudio.tests.test_label_studio_backend import CONFIG, GOOD, SECRET, asked, by_question
from testkit.scripted import error
from tools.label_studio import Account, LabelStudio

TEXT = CONFIG.replace('<Image name="picture" value="$image"/>', "").replace('"picture"', '"asked"')
TEXT = TEXT[: TEXT.index("<RectangleLabels")] + "</View>"


def connect(admin: Account, number: int, url: str, secret: str) -> int:
    made = {
        "project": number,
        "url": url,
        "title": "ours",
        "auth_method": "BASIC_AUTH",
        "basic_auth_user": "label-studio",
        "basic_auth_pass": secret,
    }
    return int(admin.call("POST", "/api/ml/", made)["id"])


def predict(admin: Account, number: int) -> None:
    """Request predictions for every task, as from the list of tasks."""
    admin.call(
        "POST",
        f"/api/dm/actions?id=retrieve_tasks_predictions&project={number}",
        {"selectedItems": {"all": True, "excluded": []}},
    )


def test_predictions_of_our_model_stand_next_to_the_tasks_there(open_label_studio: LabelStudio) -> None:
    admin = open_label_studio.admin
    number = project(admin, "predicted", TEXT)
    put(admin, number, [{"data": {"question": "What is in the sink?"}} for _ in range(3)])
    with asked(by_question(GOOD), secret=SECRET) as (asking, _):
        with pytest.raises(urllib.error.HTTPError) as refused:
            connect(admin, number, asking.url, "wrong")
        assert "authentication parameters" in refused.value.read().decode()
        connection = connect(admin, number, asking.url, SECRET)
        assert admin.call("GET", f"/api/ml/{connection}")["model_version"] == "scripted 1"
        predict(admin, number)
    found = [admin.call("GET", f"/api/tasks/{task['id']}")["predictions"] for task in tasks(admin, number)]
    assert [len(each) for each in found] == [1, 1, 1]
    for [prediction] in found:
        assert prediction["model_version"] == "scripted 1"
        values = {part["from_name"]: part["value"] for part in prediction["result"]}
        assert values["words"] == {"text": ["A cup."]}
        assert values["fits"] == {"choices": ["yes"]}
        assert values["clear"] == {"rating": 3}


def test_a_model_that_fails_leaves_tasks_without_a_prediction_and_the_connection_standing(
    open_label_studio: LabelStudio,
) -> None:
    admin = open_label_studio.admin
    number = project(admin, "failing", TEXT)
    put(admin, number, [{"data": {"question": "What is in the sink?"}}])
    with asked([error(500)], secret=SECRET) as (asking, model):
        connection = connect(admin, number, asking.url, SECRET)
        predict(admin, number)
        assert model.asked
        assert admin.call("GET", f"/api/ml/{connection}")["state"] == "CO"
    [task] = tasks(admin, number)
    assert admin.call("GET", f"/api/tasks/{task['id']}")["predictions"] == []
