"""A small drawing of a schema's form: media on the left, fields and the first question on the right."""

from __future__ import annotations

from annotation_schemas.made_up import media
from annotation_schemas.model import Schema
from annotation_schemas.shown import shown_fields
from app import markup
from app.workbench import preview
from domain.states import Stage

STYLE = """
.ts-thumb { display: grid; grid-template: 100% / 3fr 2fr; gap: 6px; height: 92px; padding: 6px; border-radius: 6px;
  overflow: hidden; border: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
.ts-thumb > div { display: flex; flex-direction: column; gap: 4px; min-width: 0; overflow: hidden; }
.ts-thumb .media { display: grid; grid-auto-flow: column; grid-auto-columns: 1fr; gap: 4px; }
.ts-thumb .media i { border-radius: 3px; display: grid; place-items: center;
  background: linear-gradient(to top, #1f8a6455 34%, #2f7fb84d 34%); }
.ts-thumb .media i.clip::after { content: ""; border: solid transparent; border-width: 7px 0 7px 12px;
  border-left-color: currentColor; opacity: .6; }
.ts-thumb .field { height: 4px; flex: none; border-radius: 2px; background: currentColor; opacity: .34; }
.ts-thumb .field.list { width: 62%; opacity: .2; }
.ts-thumb .asked { height: 5px; flex: none; border-radius: 2px; background: currentColor; opacity: .75;
  margin-top: 5px; }
.ts-thumb .choices { display: flex; flex-wrap: wrap; gap: 3px; }
.ts-thumb .choices i { flex: 1 0 26%; height: 11px; border-radius: 3px;
  border: 1px solid color-mix(in srgb, currentColor 45%, transparent); }
"""
MOST_MEDIA, MOST_FIELDS, MOST_CRITERIA, MOST_OPTIONS = 3, 4, 3, 6
STAGES = (Stage.VERIFICATION, Stage.GRADING)
"""The form of the first of these stages is drawn, if the schema has one of them."""


def thumbnail(schema: Schema) -> markup.Markup:
    """Return the drawing of a schema's form."""
    stages = preview.stages_of(schema)
    stage = next((stage for stage in STAGES if stage in stages), stages[0] if stages else Stage.VERIFICATION)
    pictures = [slot.kind for slot, n in media(schema) for _ in range(n)][:MOST_MEDIA]
    shown = "".join(f'<i class="{"clip" if kind == "clip" else "image"}"></i>' for kind in pictures)
    fields = []
    for field in shown_fields(schema, stage)[:MOST_FIELDS]:
        is_list = field.kind.endswith("_list")
        fields.append('<span class="field list"></span>' * 3 if is_list else '<span class="field"></span>')
    part = getattr(schema.stages, stage, None)
    criteria = [_criterion(schema, criterion) for criterion in (getattr(part, "criteria", ()) or ())[:MOST_CRITERIA]]
    body = f'<div class="media">{shown}</div><div>{"".join(fields)}{"".join(criteria)}</div>'
    return markup.tag("div", markup.Markup(body), style="ts-thumb", aria_hidden="true")


def _criterion(schema: Schema, criterion: object) -> str:
    """Return a line for the question and a box for each option. A text has one box."""
    options = getattr(criterion, "options", None) or getattr(criterion, "values", None) or ()
    field = next((one for one in schema.item.fields if one.name == getattr(criterion, "field", None)), None)
    n = len(options) or (getattr(field, "length", None) or 4 if field is not None else 1)
    return f'<span class="asked"></span><span class="choices">{"<i></i>" * min(int(n), MOST_OPTIONS)}</span>'
