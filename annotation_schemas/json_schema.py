"""The JSON Schema of schema files, for editors; ``schema.json`` next to this module is its kept copy.

It is made from the models, with the short forms that YAML may use, and with the names that the registries know.
"""

from __future__ import annotations

import json
from typing import Any

from annotation_schemas import HOME, kinds, registry
from annotation_schemas.model import WORDING_RULES, Schema

KEPT = HOME / "schema.json"

_NAMED_ROWS = {
    ("ItemField", "kind"): "field_kind",
    ("Criterion", "kind"): "criterion_kind",
    ("Keep", "rule"): "keep_rule",
    ("CrossRule", "rule"): "cross_rule",
    ("Skips", "then"): "skip_act",
    ("Refinement", "until"): "refinement_end",
    ("Verification", "order"): "order",
    ("Answering", "order"): "order",
    ("Grading", "order"): "order",
    ("Source", "format"): "format",
    ("Judge", "template"): "template",
    ("Judge", "parser"): "parser",
    ("Models", "strategy"): "strategy",
    ("Models", "prompts"): "prompt_set",
    ("Models", "score"): "score",
    ("Report", "statistics"): "statistic",
    ("Export", "formats"): "format",
    ("Floor", "statistic"): "statistic",
}
"""The model keys that name a row, with the registry."""


def json_schema() -> dict[str, Any]:
    """The JSON Schema as a value."""
    whole = Schema.model_json_schema()
    parts = whole["$defs"]
    for part in (whole, *parts.values()):
        for key in part.get("properties", {}).values():
            key.pop("title", None)
    _short_forms(parts)
    for part, rows in (("ItemField", kinds.FIELDS), ("Criterion", kinds.CRITERIA)):
        for name, meaning in kinds.meanings(rows).items():
            parts[part]["properties"][name]["description"] = meaning
    for (part, key), name in _NAMED_ROWS.items():
        _allow_only(parts[part]["properties"][key], [row.name for row in registry.rows(name)])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **whole,
        "title": "Touchstone schema",
    }


def json_schema_text() -> str:
    """Return the JSON Schema as it is stored: indented, keys in order, a final newline."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def _short_forms(parts: dict[str, Any]) -> None:
    choice = parts["Choice"]
    parts["Choice"] = {
        "description": choice.pop("description"),
        "anyOf": [{"type": ["string", "number", "boolean"]}, choice],
    }
    stops = parts["Wording"]["properties"]["stops"]
    listed = {"type": stops.pop("type"), "items": {"enum": list(WORDING_RULES)}}
    stops.pop("items")
    stops["anyOf"] = [{"type": "boolean"}, listed]
    for stage in parts["Stages"]["properties"].values():
        stage["anyOf"] = [{"const": "none"}, *stage["anyOf"]]
    judge = parts["Judge"]
    judge["properties"]["criterion"] = {
        "type": "string",
        "description": "Short form of `criteria` with a single entry.",
    }
    judge["required"] = ["template"]
    judge["anyOf"] = [{"required": ["criterion"]}, {"required": ["criteria"]}]


def _allow_only(key: dict[str, Any], names: list[str]) -> None:
    target = key.get("items", key)
    for option in target.get("anyOf", [target]):
        if option.get("type") == "string":
            option["enum"] = names


def write_kept() -> None:
    """Bring ``schema.json`` up to date."""
    KEPT.write_text(json_schema_text(), encoding="utf-8")
