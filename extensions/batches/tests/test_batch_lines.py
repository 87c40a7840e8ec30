"""A line of a batch file has what a request would have."""

from __future__ import annotations

import json

from extensions.batches.batch_endpoint import line_of
from inference.spec import Generation
from tests.inference.test_endpoint import questions
from tests.inference.test_endpoint import spec_of as endpoint_spec
from tests.inference.test_request_settings import BODY


def test_a_line_of_a_batch_file_has_the_extra_fields() -> None:
    spec = endpoint_spec("http://a/v1", generation=Generation(extra_body=BODY))
    body = json.loads(line_of(spec, questions(1)[0], "1"))["body"]
    assert {name: body[name] for name in BODY} == BODY
