"""Published prompts as templates of judges."""

from __future__ import annotations

import json
from pathlib import Path

from annotation_schemas import shipped
from annotation_schemas.judge_templates import parse_template
from annotation_schemas.loader import load_schema
from db.engine import Store
from extensions.own_templates.published_prompts import published_texts
from testkit.factories import make_project
from workflow.runs import judge_plans


def test_a_published_prompt_is_filled_like_ours(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    record = {"name": "single-x", "prompt_template": "{question}|{ref_answer_1}|{answer}", "system_prompt": "Be fair."}
    path.write_text(json.dumps(record) + "\n")
    (text,) = published_texts(path, parser="double_brackets", values=[0, 0.5, 1]).values()
    template = parse_template(text, name="t")
    assert (template.head.id, template.prompt.system) == ("single_x", "Be fair.")
    make_project(store, loaded=load_schema(shipped()["egothink"]))
    found = judge_plans.plan_of_project(store, by=None, project="p", template=template)
    assert dict(found.fills) == {"ref_answer_1": "answer", "answer": "prediction"}
    assert (dict(found.criteria), found.values) == ({"score": "score"}, (0, 0.5, 1))
    assert judge_plans.of_answers(found)
