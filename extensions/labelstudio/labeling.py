"""Pages of Label Studio: the labeling configuration of a stage, and the data of its tasks.

The configuration is the same for all items with the same questions, so everything specific to an item is data: texts,
the item's own options, pictures and clips. Texts of the schema are escaped so that Label Studio takes no part of them
for a variable (``$word``). Texts of items are data, which the page shows as plain text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from annotation_schemas import kinds
from annotation_schemas.kinds import options_of
from annotation_schemas.model import PREDICTION, AssetSlot, Choice, Criterion, ItemField, Schema, as_words
from annotation_schemas.shown import PREDICTION_TITLE, shown_fields, title_in_stage
from domain.comparison import same
from domain.errors import NotAvailableError
from domain.records import AssetView, TaskView, VoteView
from domain.states import Stage
from extensions.labelstudio.codes import ABOUT, NONE, NOTE, OTHER, SKIP, codes, image_of, rank_codes
from extensions.labelstudio.form import add_choices, coded, key_of, plain, special_choices, typed, without_variables
from extensions.labelstudio.page import parts
from extensions.labelstudio.parts import FormPart
from extensions.labelstudio.ways import way_of

FRAME_RATE = 30.0
"""Frame rate for clips of unknown rate. Without one, Label Studio's player uses 24."""

_WIDE = "flex: 3 1 0; min-width: 0; position: sticky; top: 0"
_NARROW = "flex: 2 1 0; min-width: 22em"
_SMALL = "font-size: 0.85em; line-height: 1.3; margin: 0.2em 0"


def labeling(schema: Schema, stage: Stage, dimension: str | None) -> str:
    """Return the labeling configuration of a stage for items of a dimension, as XML. Equal questions give equal XML.

    Raises
    ------
    NotAvailableError
        Label Studio cannot show the stage. The sentence names the criterion.
    """
    page = parts(schema, stage.value, dimension)
    root = Element("View", style="display: flex; gap: 1.5em; align-items: flex-start")
    media = SubElement(root, "View", style=_WIDE)
    form = SubElement(root, "View", style=_NARROW)
    SubElement(form, "Header", value="$says", size="4")
    SubElement(form, "Text", name=ABOUT, value="$about", selectionEnabled="false")
    for slot in schema.item.assets:
        _media(media, slot, [part for part in page if part.to == image_of(slot.role)])
    marked = {part.to: part for part in page if part.row.is_about == "text"}
    repeater = SubElement(form, "Repeater", on="$shown")
    inside = SubElement(repeater, "View")
    SubElement(inside, "Header", value="$shown[{{idx}}].title", size="5")
    SubElement(inside, "Text", name="shown-{{idx}}", value="$shown[{{idx}}].text", selectionEnabled="false")
    for name, part in marked.items():
        of = part.criterion.of or PREDICTION
        SubElement(form, "Header", value=plain(_title_of_text(schema, stage, of)), size="5")
        SubElement(form, "Text", name=name, value=f"${key_of('text', of)}", granularity="symbol")
    for part in page:
        _ask(form, part)
    SubElement(form, "Header", value="Note", size="5")
    typed(form, NOTE, rows=2, hint="Anything else (optional)")
    indent(root)
    return tostring(root, encoding="unicode")


def data(
    schema: Schema,
    stage: Stage,
    task: TaskView,
    media: Callable[[AssetView], str],
    *,
    key: str = "",
    says: str = "",
    rate: Callable[[AssetView], float | None] = lambda asset: None,
) -> dict[str, Any]:
    """Return the data of a task, with nothing that its ``TaskView`` does not have.

    Parameters
    ----------
    media
        Returns the address of a picture or clip. Pictures with fixed boxes and marks have them drawn in
        (``labelstudio.results.drawn_on``).
    key
        Our key of the task, by which the task is found again.
    says
        A sentence above everything else.
    rate
        Returns the frames a second of a clip, or None if unknown.
    """
    page = parts(schema, stage.value, task.dimension)
    task_data: dict[str, Any] = {"touchstone": key, "says": says, "about": _about(schema, task)}
    shown = _shown(schema, stage, task, page)
    for slot in schema.item.assets:
        here = [asset for asset in task.assets if asset.role == slot.role]
        there = [asset for asset in here if not asset.missing]
        if len(there) < len(here):
            shown.insert(0, _line(as_words(slot.role), "This file has not been imported yet."))
        task_data |= _media_data(slot, there, page, media, rate)
    task_data["shown"] = shown
    texts = {**task.fields, PREDICTION: task.answer}
    for part in page:
        if part.row.is_about == "text":
            of = part.criterion.of or PREDICTION
            task_data[key_of("text", of)] = str(texts.get(of) or "")
        if part.type == "ranker":
            task_data[key_of("list", part.name)] = _ranked(part, task.fields)
        elif part.criterion.field is not None:
            task_data[key_of("options", part.name)] = _offered(part, task.fields)
    return task_data


# ---- pictures and clips ---------------------------------------------------------------------------------------------


def _media(parent: Element, slot: AssetSlot, drawn: Sequence[FormPart]) -> None:
    name = image_of(slot.role)
    if drawn:
        shown = SubElement(parent, "Image", name=name, zoomControl="true", rotateControl="false")
        if slot.max == 1:
            shown.set("value", f"${key_of('image', slot.role)}")
        else:
            shown.set("valueList", f"${key_of('images', slot.role)}")
        return
    repeater = SubElement(parent, "Repeater", on=f"${key_of('media', slot.role)}")
    inside = SubElement(repeater, "View")
    entry = f"${key_of('media', slot.role)}[{{{{idx}}}}]"
    SubElement(inside, "Header", value=f"{entry}.title", size="5")
    if slot.kind == "clip":
        SubElement(
            inside, "Video", name=f"clip-{slot.role}-{{{{idx}}}}", value=f"{entry}.url", frameRate=f"{entry}.fps"
        )
    else:
        SubElement(inside, "Image", name=f"{name}-{{{{idx}}}}", value=f"{entry}.url", zoomControl="true")


def _media_data(
    slot: AssetSlot,
    there: Sequence[AssetView],
    page: Sequence[FormPart],
    media: Callable[[AssetView], str],
    rate: Callable[[AssetView], float | None],
) -> dict[str, Any]:
    drawn = next((part for part in page if part.to == image_of(slot.role)), None)
    if drawn is None:
        rows = []
        for at, asset in enumerate(there, 1):
            title = as_words(slot.role) if len(there) == 1 else f"{as_words(slot.role)} {at}"
            row: dict[str, Any] = {"title": title, "url": media(asset)}
            rows.append(row | ({"fps": rate(asset) or FRAME_RATE} if slot.kind == "clip" else {}))
        return {key_of("media", slot.role): rows}
    if not there:
        raise NotAvailableError(
            f"Label Studio cannot show the task because the file of `{slot.role}` is missing. Raters draw `"
            f"{drawn.name}` on this file. Import the file."
        )
    if slot.max == 1:
        return {key_of("image", slot.role): media(there[0])}
    return {key_of("images", slot.role): [media(asset) for asset in there]}


# ---- questions -------------------------------------------------------------------------------------------------------


def _ask(form: Element, part: FormPart) -> None:
    criterion = part.criterion
    inside = form
    for control, chosen in part.shown_when:
        inside = _when(inside, control, chosen)
    optional = "" if criterion.required or part.told else " (optional)"
    SubElement(inside, "Header", value=plain(criterion.prompt + optional), size="4")
    for text in (*part.told, *([criterion.help] if criterion.help else ()), *way_of(part).limits(part)):
        SubElement(inside, "Header", value=plain(text), size="5", style=_SMALL)
    for aspect in criterion.aspects:
        SubElement(inside, "Header", value=plain(f"{aspect.title}: {aspect.definition}"), size="5", style=_SMALL)
    way_of(part).ask(inside, part)
    if part.may_be_none and part.type != "choices":
        add_choices(inside, part.side("none"), [("Nothing to mark", NONE, None)], required=False)
    if criterion.skip:
        _skip(inside, part)
    for place, option in part.own_reasons():
        code = codes(criterion.options, own=True)[place - 1]
        why = _when(inside, part.name, [code])
        SubElement(why, "Header", value="Why?", size="5")
        _reasons(why, option.reasons, part.side("reason", place), part.side("words", place))


def _when(parent: Element, control: str, chosen: Sequence[str]) -> Element:
    return SubElement(
        parent, "View", visibleWhen="choice-selected", whenTagName=control, whenChoiceValue=",".join(chosen)
    )


def _skip(parent: Element, part: FormPart) -> None:
    skip = part.criterion.skip
    if skip is None:
        return
    control, words = part.side("skip"), part.side("skip-words")
    if part.type == "choices":  # skip is one of its choices
        why = _when(parent, part.name, [SKIP])
        SubElement(why, "Header", value=plain(f"{skip.label}: why?"), size="5")
        if skip.reasons:
            add_choices(why, control, coded(skip.reasons), required=True)
        else:
            typed(why, words, required=True)
        return
    SubElement(parent, "Header", value=plain(f"{skip.label}, because"), size="5")
    if skip.reasons:
        add_choices(parent, control, coded(skip.reasons), required=False, single="single")
    else:
        add_choices(parent, control, [(skip.label, SKIP, None)], required=False, single="single")
        typed(_when(parent, control, [SKIP]), words, required=True)


def _reasons(parent: Element, reasons: Sequence[Choice], control: str, words: str) -> None:
    other = ("Another reason", OTHER, None)
    add_choices(parent, control, [*coded(reasons), other], required=True)
    typed(_when(parent, control, [OTHER]), words, required=True)


# ---- data ------------------------------------------------------------------------------------------------------------


def _line(title: str, text: str) -> dict[str, Any]:
    return {"title": title, "text": text or " "}


def _about(schema: Schema, task: TaskView) -> str:
    known = next((dimension for dimension in schema.dimensions if dimension.id == task.dimension), None)
    if known is None:
        return task.dimension or " "
    return f"{known.title}: {known.definition}" if known.definition else known.title


def _shown(schema: Schema, stage: Stage, task: TaskView, page: Sequence[FormPart]) -> list[dict[str, Any]]:
    """Return the texts on the page, in the order of our own pages."""
    if stage is Stage.AUTHORING:
        return []
    offered = {part.criterion.field for part in page if part.criterion.field is not None}
    marked = {part.criterion.of or PREDICTION for part in page if part.row.is_about == "text"}
    lines = [
        _line(title_in_stage(field, stage), _in_words(field, task.fields[field.name]))
        for field in shown_fields(schema, stage)
        if field.name in task.fields
        and field.name not in offered | marked
        and not kinds.of_field(field).drawn
        and task.fields[field.name] not in (None, "", [])
    ]
    if task.answer is not None and PREDICTION not in marked:
        title = PREDICTION_TITLE
        if task.place is not None and task.place[1] > 1:
            title = f"{title} ({task.place[0]} of {task.place[1]})"
        lines.append(_line(title, task.answer))
    lines += [_line(vote.label, _vote(schema, task, vote)) for vote in task.votes]
    if task.history:
        lines.append(_line("History so far", "\n".join(task.history)))
    return lines


def _title_of_text(schema: Schema, stage: Stage, of: str) -> str:
    field = next((field for field in schema.item.fields if field.name == of), None)
    return title_in_stage(field, stage) if field is not None else PREDICTION_TITLE


def _in_words(field: ItemField, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return "\n".join(f"{at}. {entry}" for at, entry in enumerate(value, 1))
    option = next((option for option in field.options if same(option.value, value)), None)
    return option.label if option is not None else json.dumps(value, ensure_ascii=False)


def _vote(schema: Schema, task: TaskView, vote: VoteView) -> str:
    lines = []
    for criterion in (criterion for stage in schema.stages.verifications.values() for criterion in stage.criteria):
        if criterion.name not in vote.values:
            continue
        value, reason = vote.values[criterion.name], vote.reasons.get(criterion.name)
        options = options_of(criterion, task.fields)
        chosen = next((option for option in options if same(option.value, value)), None)
        if value is None:
            label, reasons = criterion.skip.label if criterion.skip else "Skipped", _skip_reasons(criterion)
        else:
            label = chosen.label if chosen is not None else _spelled(value)
            reasons = chosen.reasons if chosen is not None else ()
        because = next((option.label for option in reasons if same(option.value, reason)), reason)
        lines.append(f"{criterion.prompt} {label}" + (f" ({because})" if because is not None else ""))
    return "\n".join([*lines, *([vote.note] if vote.note else ())])


def _skip_reasons(criterion: Criterion) -> Sequence[Choice]:
    return criterion.skip.reasons if criterion.skip else ()


def _spelled(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return ", ".join(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _offered(part: FormPart, fields: Mapping[str, Any]) -> list[dict[str, str]]:
    options = part.options(fields)
    rows = list(zip((option.label for option in options), codes(options, own=False), strict=True))
    rows += [(label, text) for label, text, _ in special_choices(part)]
    return [{"value": without_variables(label) or " ", "alias": text} for label, text in rows]


def _ranked(part: FormPart, fields: Mapping[str, Any]) -> list[dict[str, str]]:
    options = part.options(fields)
    option_codes = rank_codes(options, own=part.own)
    return [
        {"id": text} if text == option.label else {"id": text, "title": option.label}
        for option, text in zip(options, option_codes, strict=True)
    ]
