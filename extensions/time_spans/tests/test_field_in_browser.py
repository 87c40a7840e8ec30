"""A field of spans on the page, made by its modules without a server."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.app.test_forms import CLIP, FIELD, HOST, modules, run

__all__ = ["modules"]  # a fixture

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("unit", "span", "said"),
    [
        ("seconds", {"start": 0.04, "end": 0.12}, None),  # the clip ends at 0.12 s
        ("seconds", {"start": 0.04, "end": 9}, "0.04 s to 9.00 s: the clip ends at 0.12 s."),
        ("frames", {"first": 2, "last": 3}, None),
        ("frames", {"first": 2, "last": 4}, "frames 2 to 4: the clip ends at frame 3."),
    ],
)
def test_a_span_that_ends_after_its_clip_is_named(
    modules: Page, unit: str, span: dict[str, float], said: str | None
) -> None:
    # Such a span comes from a file or an earlier clip: keys set none there.
    found = run(
        modules,
        HOST
        + """
        const { FieldForm } = await import('/forms/fields.js');
        const { ClipFrame } = await import('/media/clip.js');
        const clip = new ClipFrame({ ...given.clip, missing: false }, 0, 1, host.media);
        clip.times = [0, 0.04, 0.08];
        clip.duration = 0.12;
        host.media.frames = [clip];
        const form = new FieldForm(host);
        form.open({ fields: [given.field], values: { when: [given.span] } });
        document.body.append(form.root);
        return [form.check(), form.root.querySelector('.error').textContent || null];
        """,
        {
            "clip": CLIP,
            "span": span,
            "field": {
                **FIELD,
                "name": "when",
                "kind": "time_span",
                "unit": unit,
                "ends": list(span),
                "min": 1,
                "max": 1,
            },
        },
    )
    assert found == [said is None, said]
