"""Calls of tools in the forms in which models write them."""

from __future__ import annotations

from typing import Any

import pytest

from extensions.local_models.chat import read_calls

CAPTION = {"name": "image_caption", "arguments": "{}"}
HERE = {"name": "ocr", "arguments": '{"where": "left"}'}


@pytest.mark.parametrize(
    ("written", "words", "calls"),
    [
        ('<tool_call>\n{"name": "image_caption", "arguments": {}}\n</tool_call><|im_end|>', "", [CAPTION]),
        (
            'Let me look.\n<tool_call>\n{"name": "image_caption", "arguments": {}}\n</tool_call>\n'
            '<tool_call>\n{"name": "ocr", "arguments": {"where": "left"}}\n</tool_call>',
            "Let me look.",
            [CAPTION, HERE],
        ),
        ('<|python_tag|>{"name": "image_caption", "parameters": {}}<|eom_id|>', "", [CAPTION]),
        (
            '{"name": "image_caption", "parameters": {}}; {"name": "ocr", "parameters": {"where": "left"}}',
            "",
            [CAPTION, HERE],
        ),
        ('[TOOL_CALLS] [{"name": "ocr", "arguments": {"where": "left"}}]</s>', "", [HERE]),
        ('[TOOL_CALLS]ocr[ARGS]{"where": "left"}</s>', "", [HERE]),
        ("The light is red, so stop.</s>", "The light is red, so stop.", []),
        ('The answer is {"name": "ocr"}, as JSON.', 'The answer is {"name": "ocr"}, as JSON.', []),
        ('{"answer": "stop"}', '{"answer": "stop"}', []),
        ('<tool_call>{"name": "image_cap', "", [None]),
        ("<tool_call>look at it</tool_call>", "", [None]),
        ("[TOOL_CALLS] [look", "", [None]),
        ("<|python_tag|>look(image)", "", [None]),
    ],
)
def test_calls_are_read_in_the_forms_that_models_write(written: str, words: str, calls: list[Any]) -> None:
    assert read_calls(written) == (words, [{"type": "function", "function": call} for call in calls])
