"""Checks that rules between values can be met: their names exist, are comparable, and do not contradict each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from annotation_schemas import kinds
from annotation_schemas.grammar import suggestion, unique
from annotation_schemas.kinds import LIST, NUMBER, TEXT, sort_of
from annotation_schemas.model import Criterion, CrossRule, ItemField, Scalar, Schema
from annotation_schemas.yaml_text import Path
from domain.comparison import same
from domain.cross_rules import CROSS_RULES, Compares, CrossRuleRow
from domain.states import VERIFICATIONS

Found = Iterator[tuple[Path, str]]
Parts = Mapping[str, Criterion | ItemField]

STAGES = (*VERIFICATIONS, "refinement", "grading", "comparison", "coding")
"""Those in which a rater answers several criteria."""


def check(schema: Schema) -> Found:
    """Yield the problems of the rules between an item's fields, and between the answers of each stage."""
    fields: dict[str, Criterion | ItemField] = {field.name: field for field in schema.item.fields}
    yield from _of(schema.item.rules, fields, fields, ("item", "rules"))
    if schema.stages.authoring is not None:
        for index, rule in enumerate(schema.item.rules):
            written = {name for name in _named(rule) if name in fields and schema.item.field(name).authored}
            unwritten = sorted(set(_named(rule)) & set(fields) - written)
            if written and unwritten:
                yield (
                    ("item", "rules", index),
                    f"`{unwritten[0]}` comes only from files (`authored: false`), so authors cannot follow this "
                    "rule; let authors write the field, or remove the rule",
                )
    for stage in STAGES:
        part = getattr(schema.stages, stage)
        if part is not None:
            asked = {criterion.name: criterion for criterion in part.criteria}
            shown = getattr(part, "shows", None)
            seen = {
                name: field
                for name, field in fields.items()
                if stage not in schema.item.field(name).secret_in and (shown is None or name in shown)
            }
            yield from _of(part.rules, asked, {**seen, **asked}, ("stages", stage, "rules"))


def _named(rule: CrossRule) -> list[str]:
    return [*rule.of, *rule.when]


def _of(rules: Sequence[CrossRule], own: Parts, known: Parts, path: Path) -> Found:
    for index, rule in enumerate(rules):
        yield from _rule(rule, own, known, (*path, index))
    yield from _circles(rules, path)


def _rule(rule: CrossRule, own: Parts, known: Parts, path: Path) -> Found:
    row = CROSS_RULES.get(rule.rule)
    if row is None:
        return  # told where all rows are
    if not rule.say.strip():
        yield (*path, "say"), "`say` is empty; write the sentence that people see when they break the rule"
    if len(rule.of) < row.least or (row.most is not None and len(rule.of) > row.most):
        many = f"at least {row.least}" if row.most is None else f"{row.most}"
        yield (*path, "of"), f"`{rule.rule}` needs {many} names, not {len(rule.of)}"
    yield from unique([((*path, "of", at), name) for at, name in enumerate(rule.of)])
    if row.needs_when and not rule.when:
        yield path, f"`when` is missing; add the condition under which `{rule.rule}` requires an answer"
    there = True
    allowed = own if row.about_absence else known
    for at, name in enumerate(rule.of):
        if name not in allowed:
            there = False
            yield (
                (*path, "of", at),
                f"`{name}` is neither asked nor shown where this rule applies{suggestion(name, list(allowed))}",
            )
    if there and not any(name in own for name in rule.of):
        there = False
        yield (*path, "of"), "this stage asks none of these questions; move the rule to `item: rules`"
    for name, wanted in rule.when.items():
        yield from _condition(name, wanted, known, (*path, "when", name))
    if there:
        yield from _comparable(row, [known[name] for name in rule.of], (*path, "of"))
        yield from _possible(rule, row, [known[name] for name in rule.of], path)


def _condition(name: str, wanted: Sequence[Scalar], known: Parts, path: Path) -> Found:
    if name not in known:
        yield path, f"`{name}` is neither asked nor shown where this rule applies{suggestion(name, list(known))}"
        return
    part = known[name]
    if not wanted:
        yield path, "the condition names no value, so the condition is never true; name a value"
    for value in wanted:
        if isinstance(part, Criterion):
            fits = kinds.of_criterion(part).can_be(part, value)
        else:
            fits = not part.options or any(same(value, option.value) for option in part.options)
        if not fits:
            yield path, f"`{value}` is not a value of `{name}`; correct the value"


def _comparable(row: CrossRuleRow, parts: Sequence[Criterion | ItemField], path: Path) -> Found:
    sorts = [sort_of(part) for part in parts]
    if row.compares is Compares.ANYTHING:
        return
    if row.compares is Compares.LISTED:
        if len(parts) == 2 and (sorts[0] not in (TEXT, LIST) or sorts[1] != LIST):
            yield path, "name the chosen or typed value first, then the list that contains it"
        return
    for at, (part, sort) in enumerate(zip(parts, sorts, strict=True)):
        if row.compares is Compares.NUMBERS and sort != NUMBER:
            yield (*path, at), f"`{part.name}` (of kind `{part.kind}`) is not numeric; name a numeric field or question"
        elif sort is None or sort != sorts[0]:
            yield (
                (*path, at),
                (
                    f"`{part.name}` (of kind `{part.kind}`) cannot be compared with `{parts[0].name}`; name two "
                    "fields or questions of the same kind"
                ),
            )
        elif sort == NUMBER and part.unit != parts[0].unit:
            units = " and ".join(
                f"`{criterion.unit}`" if criterion.unit else "no unit" for criterion in (parts[0], part)
            )
            yield (
                (*path, at),
                f"`{parts[0].name}` and `{part.name}` have different units ({units}); give both the same `unit`",
            )


def _possible(rule: CrossRule, row: CrossRuleRow, parts: Sequence[Criterion | ItemField], path: Path) -> Found:
    """Whether there are values with which it holds, and some with which it does not."""
    if row.compares is Compares.NUMBERS:
        for one, other in pairwise(parts):
            low, high = _ends(one)[0], _ends(other)[1]
            if low is not None and high is not None and (low > high or (low == high and rule.rule == "less_than")):
                yield (
                    path,
                    (
                        f"the rule can never be met, because `{one.name}` is at least {low:g} and `{other.name}` "
                        f"at most "
                        f"{high:g}; change the rule or these limits"
                    ),
                )
    needed = [part.name for part in parts if _always_there(part)]
    if row.needs_when:
        for part in parts:
            yield from _asked_then(rule, part, path)
        if len(needed) == len(parts):
            yield path, f"`{needed[0]}` is always required; set `required: false`, or remove the rule"
    elif row.about_absence and row.name == "at_most_one" and len(needed) > 1:
        yield (
            path,
            (
                f"the rule can never be met, because {' and '.join(f'`{name}`' for name in needed)} are required; "
                "set `required: false` for all but one of these criteria"
            ),
        )
    elif row.about_absence and row.name != "at_most_one" and needed:
        yield path, f"`{needed[0]}` is always required, so the rule has no effect; set `required: false`"


def _asked_then(rule: CrossRule, part: Criterion | ItemField, path: Path) -> Found:
    shows = part.show_if if isinstance(part, Criterion) else {}
    for name, wanted in rule.when.items():
        if name in shows and not any(same(one, other) for one in shows[name] for other in wanted):
            why = f"under this condition, `show_if` hides `{part.name}`, so the rule has no effect"
            yield (*path, "when", name), f"{why}; remove the rule"


def _always_there(part: Criterion | ItemField) -> bool:
    if isinstance(part, Criterion):
        return part.required and not part.show_if and part.dimensions is None
    return part.required


def _ends(part: Criterion | ItemField) -> tuple[float | None, float | None]:
    if isinstance(part, Criterion):
        return kinds.of_criterion(part).ends(part) or (None, None)
    return part.min, part.max


def _circles(rules: Sequence[CrossRule], path: Path) -> Found:
    """Yield circles of numbers that would each have to be less than the next."""
    above: dict[str, set[str]] = {}
    edges = [
        (index, rule.rule == "less_than", pair)
        for index, rule in enumerate(rules)
        if not rule.when and (row := CROSS_RULES.get(rule.rule)) and row.compares is Compares.NUMBERS
        for pair in pairwise(rule.of)
    ]
    for _, _, (one, other) in edges:
        above.setdefault(one, set()).add(other)
    for index, strict, (one, other) in edges:
        reached, waiting = {other}, [other]
        while waiting:
            more = above.get(waiting.pop(), set()) - reached
            reached |= more
            waiting += more
        if strict and one in reached:
            yield (
                (*path, index),
                (
                    f"the rule can never be met, because other rules do not allow `{other}` to exceed `{one}`; "
                    "change one of the rules"
                ),
            )
