"""The notes below a leaderboard: missing, unreadable and graded answers."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from annotation_schemas import derived, grading_sample
from annotation_schemas.keys import key_field
from annotation_schemas.model import DerivedCriterion
from domain.english import with_noun
from domain.replies import counted_reasons
from workflow.results.leaderboard_lines import LeaderboardLine, of_failures
from workflow.results.project_answers import ProjectAnswers
from workflow.results.scores import ScoredAnswers


def notes_of(
    found: ProjectAnswers,
    of: ScoredAnswers,
    whole: Mapping[str, LeaderboardLine],
    asked: Container[int],
    *,
    common: bool,
) -> list[str]:
    """Return the notes on facts that the numbers do not show. All notes are about the items ``asked``, as the numbers
    are.
    """
    notes: list[str] = []
    people = found.respondents | found.pooled.keys()
    answers = [answer for answer in found.answers if answer.item in asked and answer.model not in people]
    counts = {model: line.answered for model, line in whole.items() if line.answered}
    lots: dict[str, set[int]] = {}
    for answer in answers:
        lots.setdefault(answer.model, set()).add(answer.item)
    if of.lacking:
        names = ", ".join(found.schema.dimension(id).title for id in of.lacking)
        notes.append(
            f"In {names}, people graded no answers that the judge scored, so the judge's error in these dimensions "
            "is unknown. The leaderboard's numbers cover only the other dimensions."
        )
    if not common and len(lots) > 1 and len({frozenset(lot) for lot in lots.values()}) > 1:
        told_counts = ", ".join(f"{model} {n}" for model, n in sorted(counts.items()))
        common_items = with_noun(len(set.intersection(*lots.values())), "item")
        notes.append(
            f"The models did not answer the same items ({told_counts} answers), so differences between models may "
            f"partly come from the items. All models answered {common_items}."
        )
    if found.counting is not None and found.counting.verdicts and not common:
        there = sum(of.asked is None or item.dimension in of.asked for item in found.items.values())
        short = {model: there - line.asked for model, line in whole.items() if there > line.asked}
        if short:
            shortfalls = ", ".join(f"{model} about {n}" for model, n in sorted(short.items()))
            notes.append(f"Some models were never asked about some of the {there} items that count: {shortfalls}.")
    for model, line in whole.items():
        lost = line.asked - line.answered
        if lost:
            bounds = ""
            if not line.failed and not line.unread and line.lowest is not None and line.highest is not None:
                bounds = (
                    f" If all missing answers had the lowest score, the model's mean would be {line.lowest:.3f}; "
                    f"with the highest score, {line.highest:.3f}."
                )
            notes.append(
                f"{model} has answered {line.answered:,} of {with_noun(line.asked, 'item')}: "
                f"{counted_reasons(line.missing)}.{bounds}"
            )
        if line.failed:
            notes.append(of_failures(line))
    if of.scores.kind == "key":
        notes += _about_reading(found, of, whole)
    rule = derived.find(found.schema, of.scores.criterion)
    if rule is not None:
        notes.append(_about_derived(rule))
    if of.scores.kind in ("human", "corrected"):
        notes += _about_people(found, of, {answer.id for answer in answers})
    if found.replaced:
        notes.append(
            f"{with_noun(found.replaced, 'earlier answer does', 'earlier answers do')} not count. Only a model's last "
            "answer to an item counts, with the grades of that answer."
        )
    if found.unknown and of.scores.kind in ("judge", "corrected"):
        notes.append(
            f"{with_noun(found.unknown, 'imported grade does', 'imported grades do')} not count, because the graded "
            "answers do not count."
        )
    old = sum(answer.old for answer in answers)
    if old:
        notes.append(f"Answers older than the last edit of their item: {old:,}. Such answers still count.")
    return notes


def _about_reading(found: ProjectAnswers, of: ScoredAnswers, whole: Mapping[str, LeaderboardLine]) -> list[str]:
    """Return the convention of the accuracy, and the number of unreadable answers by model."""
    then = "count as wrong" if of.unreadable == "wrong" else "are left out"
    by = found.reader.replace("+", " and, if that fails, by ")
    notes = [
        f"Answers are read by {by}. Unreadable answers, refusals and empty answers "
        f"{then} (report: unreadable: {of.unreadable})."
    ]
    key = next((field for field in found.schema.item.fields if field.name == key_field(found.schema)), None)
    if key is not None and key.tolerance is not None:
        unit = f" {key.unit}" if key.unit and key.tolerance.relative is None else ""
        notes.append(
            f"Numbers within the key's tolerance ({key.tolerance.of(key.unit).in_words()}{unit}) count as right."
        )
    if of.measure is not None:
        least = "" if of.scores.iou is None else f" R@1 counts answers with an IoU of at least {of.scores.iou:g}."
        notes.append(
            "The temporal IoU is the time that the answer and the key share, divided by the total time of the two "
            f"spans. Answers that count as wrong have an IoU of 0.{least}"
        )
    for model, line in whole.items():
        if not line.unread:
            continue
        bounds = ""
        if line.lowest is not None and line.highest is not None:
            what = (
                "Accuracy" if of.measure is None else "The mean temporal IoU" if of.scores.iou is None else "This R@1"
            )
            bounds = f" {what} lies between {line.lowest:.3f} (all wrong) and {line.highest:.3f} (all right)."
        n = sum(line.unread.values())
        notes.append(
            f"{model}: items without a readable answer, which {then}: {n:,} of {line.asked:,} "
            f"({counted_reasons(line.unread)}).{bounds}"
        )
    return notes


def _about_derived(rule: DerivedCriterion) -> str:
    names = _listed(rule.all_of or rule.mean_of, "and")
    highest = "has its highest value" if len(rule.all_of) == 1 else "all have their highest value"
    what = f"the mean of {names}" if rule.mean_of else f"1 if {names} {highest}, otherwise 0"
    if rule.not_all_of:
        what = f"1 if {names} {highest} and {_listed(rule.not_all_of, 'or')} does not, otherwise 0"
    title = rule.name.replace("_", " ").capitalize()
    return (
        f"{title} is {what}. Touchstone first settles each criterion of an answer, and then combines the criteria. "
        "An answer that lacks one of these criteria does not count."
    )


def _listed(names: Sequence[str], last: str) -> str:
    *first, end = (name.replace("_", " ") for name in names)
    return f"{', '.join(first)} {last} {end}" if first else end


MOST_NAMED = 12
"""The largest number of imported people that a note names."""


def _about_people(found: ProjectAnswers, of: ScoredAnswers, answers: Container[int]) -> list[str]:
    grading = found.schema.stages.grading
    if grading is None:
        return []
    given = {id: grades for id, grades in found.grades.get(of.scores.criterion or "", {}).items() if id in answers}
    few = sum(len(grades) < grading.raters for grades in given.values())
    mean = "the mean of people's grades"
    words = (
        mean
        if grading.combine == "mean" and of.scores.option is None
        else "the grade that more than half of the required people give"
    )
    notes = [
        f"The grade of an answer is {words}. The intervals describe results on other items that the same people grade."
    ]
    rule = derived.find(found.schema, of.scores.criterion)
    graders = [found.graders.get(part, {}) for part in (rule.parts if rule else [of.scores.criterion or ""])]
    people = {who for grader in graders for who in grader}
    outside = sorted(people - {who for grader in graders for who, here in grader.items() if here})
    if outside:
        more = f" and {len(outside) - MOST_NAMED} more" if len(outside) > MOST_NAMED else ""
        named = ", ".join(outside[:MOST_NAMED])
        notes.append(
            f"{with_noun(len(people), 'person has', 'people have')} graded answers. Grades from files: {named}{more}."
        )
    if found.counting is not None and found.counting.sample:
        notes.append(found.counting.sample)
    plan = grading.sample
    over = grading_sample.strata_of(plan)[:1] if plan is not None and plan.outputs is not None else ()
    if (grading.outputs is not None or over == (grading_sample.DIMENSION,)) and len(found.schema.dimensions) > 1:
        notes.append(
            "People grade a planned sample, drawn evenly over the dimensions. Use the mean over "
            "dimensions. The mean over answers depends on how many answers from each dimension are in "
            "the sample."
        )
    if few:
        notes.append(
            f"Answers with fewer than the {grading.raters} required grades: {few:,} of {len(given):,} graded answers."
        )
    return notes
