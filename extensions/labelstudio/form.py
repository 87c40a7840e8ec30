"""Build the XML of a labeling configuration for Label Studio.

Texts of the schema are escaped so that Label Studio takes no part of them for a variable (``$word``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement

from annotation_schemas.model import Choice, Criterion
from extensions.labelstudio.codes import ABOUT, NONE, SKIP, codes
from extensions.labelstudio.parts import FormPart

Listed = tuple[str, str, str | None]
"""A choice: its label, its code, and its hint."""

_VARIABLE = re.compile(r"\$(?=[\w\[\].{}])")
_JOINER = "\N{WORD JOINER}"
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold."""


def plain(text: str) -> str:
    """Return a text that Label Studio takes for no variable, boolean or end of the file. It looks the same."""
    text = without_variables(_FORBIDDEN.sub("", text))
    return text + _JOINER if text in ("true", "false") else text


def without_variables(text: str) -> str:
    """Return a text in which Label Studio finds no variable."""
    return _VARIABLE.sub(f"${_JOINER}", text)


def key_of(what: str, name: str) -> str:
    """Return a key of a task's data. Variables there consist of letters, digits and underscores."""
    return f"{what}_{name}"


def coded(options: Sequence[Choice]) -> list[Listed]:
    """Return the schema's own options as choices."""
    option_codes = codes(options, own=True)
    return [(option.label, text, option.help) for option, text in zip(options, option_codes, strict=True)]


def add_choices(
    parent: Element,
    control: str,
    choices: Sequence[Listed],
    *,
    required: bool,
    single: str = "single-radio",
    layout: str = "vertical",
) -> Element:
    """Add choices that the schema lists."""
    made = empty_choices(parent, control, single, required, layout)
    for label, text, hint in choices:
        shown = SubElement(made, "Choice", value=plain(label), alias=text)
        if hint:
            shown.set("hint", plain(hint))
    return made


def empty_choices(parent: Element, control: str, single: str, required: bool, layout: str = "vertical") -> Element:
    """Add an element for choices that has no choice yet."""
    made = SubElement(parent, "Choices", name=control, toName=ABOUT, choice=single, layout=layout)
    if required:
        made.set("required", "true")
        made.set("requiredMessage", "Choose an answer to every question that is not marked (optional).")
    return made


def typed(
    parent: Element, control: str, *, rows: int = 2, most: int | None = 1, required: bool = False, hint: str = ""
) -> None:
    """Add an input for text."""
    made = SubElement(parent, "TextArea", name=control, toName=ABOUT, editable="true")
    if most != 1:
        rows = 1
    made.set("rows", str(rows))
    if most is not None:
        made.set("maxSubmissions", str(most))
    if hint:
        made.set("placeholder", plain(hint))
    if required:
        made.set("required", "true")
        made.set("requiredMessage", "Fill in every text field that is not marked (optional).")


def require(made: Element, part: FormPart) -> None:
    """Make an element required, if its criterion is."""
    if part.criterion.required and not part.criterion.skip:
        made.set("required", "true")
        made.set("requiredMessage", plain(f"Answer the question “{part.criterion.prompt}”."))


def add_labels(made: Element, options: Sequence[Choice]) -> None:
    """Add the labels of regions."""
    for label, text, hint in coded(options):
        shown = SubElement(made, "Label", value=plain(label), alias=text)
        if hint:
            shown.set("hint", plain(hint))


def ask_choices(parent: Element, part: FormPart) -> None:
    """Add choices: those in the schema, or those of each item."""
    criterion = part.criterion
    single = "multiple" if part.row.picks_several else "single-radio"
    needed = criterion.required and (not criterion.skip or part.type == "choices")
    if criterion.field is not None:
        made = empty_choices(parent, part.name, single, needed)
        made.set("value", f"${key_of('options', part.name)}")
        return
    options = part.options({})
    own = [
        (_labelled(criterion, option), text, hint)
        for option, (_, text, hint) in zip(options, coded(options), strict=True)
    ]
    add_choices(parent, part.name, [*own, *special_choices(part)], required=needed, single=single)


def _labelled(criterion: Criterion, option: Choice) -> str:
    value = str(option.value)
    plain_words = not criterion.values or option.label == value
    return option.label if plain_words else f"{value} · {option.label}"


def special_choices(part: FormPart) -> list[Listed]:
    """Return the choices that are not options: nothing applies, and skip."""
    skip = part.criterion.skip
    choices: list[Listed] = []
    if part.may_be_none:
        choices.append((part.criterion.none or "None of them", NONE, None))
    if skip:
        choices.append((skip.label, SKIP, None))
    return choices
