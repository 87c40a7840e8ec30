"""Kinds of criteria and of fields: one module for each, which says everything that there is to say about it.

A module ``NAME.py`` of this folder, or one that an extension adds, has a row ``CRITERION`` (``CriterionKind``), a row
``FIELD`` (``FieldKind``), or both.
Nothing outside of this folder asks what kind a criterion or field is called: it takes the row of it (``of_criterion``,
``of_field``) and asks that. Modules that begin with an underscore are what kinds have in common.
"""

from __future__ import annotations

from annotation_schemas.kinds._away import away_fields, away_kinds
from annotation_schemas.kinds._between import LIST, NUMBER, TEXT, sort_of
from annotation_schemas.kinds._extra_answers import CANNOT_TELL, NONE_OF_THESE
from annotation_schemas.kinds._form import (
    check_answers,
    check_fields,
    check_read,
    fields_in_order,
    form_of,
    in_order,
    is_drawn,
    is_shown,
    options_of,
    text_of_drawn,
    title_of,
)
from annotation_schemas.kinds._rows import (
    CRITERIA,
    FIELDS,
    CriterionKind,
    FieldKind,
    Kind,
    RatedVariable,
    refers_to_list,
)
from annotation_schemas.kinds._table import in_words, meanings, of_criterion, of_field
from annotation_schemas.kinds._wording import (
    Unheld,
    refused_wording,
    rule_in_words,
    says_english,
    unheld_wording,
    wording_in_numbers,
)

__all__ = [
    "CANNOT_TELL",
    "CRITERIA",
    "FIELDS",
    "LIST",
    "NONE_OF_THESE",
    "NUMBER",
    "TEXT",
    "CriterionKind",
    "FieldKind",
    "Kind",
    "RatedVariable",
    "Unheld",
    "away_fields",
    "away_kinds",
    "check_answers",
    "check_fields",
    "check_read",
    "fields_in_order",
    "form_of",
    "in_order",
    "in_words",
    "is_drawn",
    "is_shown",
    "meanings",
    "of_criterion",
    "of_field",
    "options_of",
    "refers_to_list",
    "refused_wording",
    "rule_in_words",
    "says_english",
    "sort_of",
    "text_of_drawn",
    "title_of",
    "unheld_wording",
    "wording_in_numbers",
]
