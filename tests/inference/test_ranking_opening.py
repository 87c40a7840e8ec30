"""Options are ranked by models on this machine only."""

from __future__ import annotations

import pytest

from domain.errors import ModelRefused
from inference.opening import open_answerer
from inference.spec import Endpoint, ModelSpec


def test_endpoints_rank_no_options() -> None:
    spec = ModelSpec(
        name="far", adapter="endpoint", model="some-model", endpoint=Endpoint(base_url="http://127.0.0.1:8000/v1")
    )
    with pytest.raises(ModelRefused, match=r"far is asked through a server.*rank options with a local model"):
        open_answerer(spec, strategy="rank_options")
