"""The data card of a release, written from the project.

A field that the makers left empty is printed as "not stated". The card names no version, so two releases of the same
state have the same card. The manifest holds the version.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from annotation_schemas.formats.released import ReleasedItem, ReleasedSet
from annotation_schemas.model import Keep, Schema, Verification
from db.engine import Store
from domain.english import with_noun
from domain.policies import KEEP_RULES, SKIP_ACTS, criteria_that_decide, targets
from extensions.data_card import card_facts
from extensions.data_card.card_facts import Facts
from extensions.data_card.card_pages import DataCard, markdown, page
from extensions.data_card.card_people import agreement, answers, judges, people, qualification
from extensions.data_card.card_words import NOT_SAID, field_text, named, sentence, told_of
from extensions.data_card.set_statistics import SetStatistics, statistics_of
from extensions.data_card.set_tally import tallies
from reports.content import Block, Cell, Figure, Paragraph, ReportTable, Section
from workflow.releases.extension_checks import FACTS, README, ReleaseFile, card_blocks, missing_parts_in
from workflow.releases.set_items import Media, Member, roles_of
from workflow.results import attributes

if TYPE_CHECKING:
    from workflow.releases.draft import Draft

HTML = "card.html"
GATES = {
    "imported": "Imported or written",
    "came": "Reached this stage",
    "voted": "All votes submitted",
    "skipped": "At least one skip",
    "unanimous": "All voters agree",
    "equal_to_key": "All voters agree on the key",
    "as_wanted": "All voters agree on the required answer",
    "adjudicated": "Settled by a senior annotator",
    "kept": "Kept",
    "rejected": "Rejected",
}


def card_files(store: Store, draft: Draft, released: ReleasedSet, front_matter: str) -> Mapping[str, bytes]:
    """Return ``README.md`` and ``card.html`` of a release.

    Parameters
    ----------
    front_matter
        The front matter of the Markdown file, with its lines of dashes; empty for none.
    """
    with store.read() as session:
        labels = attributes.of_items(session, project_id=draft.access.project_id)
    made = card(draft, released, labels)
    return {README: markdown(made, before=front_matter).encode(), HTML: page(made).encode()}


def card(draft: Draft, released: ReleasedSet, labels: attributes.Said) -> DataCard:
    """Return the data card, with the facts that ``card_facts`` found when the release was made.

    The function reads the released items once, in their public form. ``labels`` are the labels that leads imported.
    """
    facts: Facts = draft.told[FACTS]
    splits: Counter[tuple[str, str]] = Counter()
    statistics = _statistics(released, splits, labels)
    schema = draft.access.schema
    made_up = " The people and answers are made up for a demonstration." if draft.access.made_up else ""
    sections = (
        _what(draft, released, splits),
        _contents(statistics),
        _made(draft, facts, schema),
        people(schema, facts, released.about),
        qualification(schema, facts),
        agreement(schema, facts),
        judges(schema, facts),
        _gates(schema, draft.told),
        _shortcuts(statistics, released, list(card_blocks("shortcuts", draft.told))),
        _limits(draft, released, facts),
        _licence(released),
        _trust(draft, released),
    )
    return DataCard(
        title=released.title,
        subtitle=(
            f"Data card for a release of {released.name}. The card describes the project as of "
            f"{_moment(released.date)}.{made_up} The file manifest.json has the release number."
        ),
        sections=[
            replace(section, number=number, blocks=(*section.blocks, *_added(section, draft.told)))
            for number, section in enumerate(sections, 1)
        ],
        footer="Touchstone generated this card from the project's data. Empty fields are marked.",
    )


def _moment(date: str) -> str:
    """Return a date as people read it. Dates of events are UTC.

    >>> _moment("2026-05-04T09:00:00.123456+00:00")
    '2026-05-04 09:00:00 UTC'
    """
    return f"{date[:10]} {date[11:19]} UTC" if date.endswith("+00:00") else date or "an unknown day"


def _statistics(released: ReleasedSet, splits: Counter[tuple[str, str]], labels: attributes.Said) -> SetStatistics:
    def members(items: Iterable[ReleasedItem]) -> Iterator[Member]:
        for item in items:
            splits[item.split, item.dimension] += 1
            media = [Media(asset.kind, asset.name, asset.source, asset.duration) for asset in item.assets]
            yield Member(item.dimension, item.fields, media, labels.get(item.id, {}))

    whole, parts = tallies(members(released.items()), roles_of(released.schema))
    return statistics_of(released.schema, whole, parts, title=released.title, which="")


# ---- what it is ------------------------------------------------------------------------------------------------------


def _what(draft: Draft, released: ReleasedSet, splits: Counter[tuple[str, str]]) -> Section:
    about = released.about
    names = [split.name for split in released.splits]
    dimensions = [
        dimension for dimension in released.schema.dimensions if any(splits[name, dimension.id] for name in names)
    ]
    rows: list[tuple[Cell, ...]] = [
        (
            named(dimension),
            *(splits[name, dimension.id] for name in names),
            sum(splits[name, dimension.id] for name in names),
        )
        for dimension in dimensions
    ]
    rows.append(("All", *(split.items for split in released.splits), sum(split.items for split in released.splits)))
    kept_back = [split for split in released.splits if split.withheld]
    text = field_text(about, "description")
    lead = f"Description: {text}" if text == NOT_SAID else text
    media = "are included" if draft.asked.media else "are not included. Items identify each file by its SHA-256"
    blocks: list[Block] = [
        told_of("Use", about, "use_cases"),
        told_of("Address", about, "url"),
        ReportTable("splits", "Items by dimension and split", ("Dimension", *names, "All"), tuple(rows), "items"),
        *(
            Paragraph(f"The public files of {field.name} do not include {sentence(field.withheld)}.")
            for field in kept_back
        ),
        *(Paragraph(line) for line in draft.told.get("drawn", ())),
        Paragraph(f"Images and clips {media}."),
        ReportTable(
            "dimensions",
            "What is measured",
            ("Dimension", "Definition"),
            tuple((named(dimension), dimension.definition or NOT_SAID) for dimension in released.schema.dimensions),
        ),
    ]
    return Section(0, "what", "What it is", lead, tuple(blocks))


def _contents(found: SetStatistics) -> Section:
    tables = [table for table in found.tables if table.key != "set_shortcuts"]
    meanings = [
        ReportTable(
            "meanings",
            "Definitions of the numbers",
            ("Number", "What it is"),
            tuple((title, meaning) for table in tables for title, meaning in found.definitions[table.key].items()),
        )
    ]
    notes = [Paragraph(note, "note") for note in found.notes if not note.startswith("Of ")]
    return Section(
        0, "contents", "Content", "Counts use only the public data of the items.", (*tables, *notes, *meanings)
    )


# ---- how it was made -------------------------------------------------------------------------------------------------


def _made(draft: Draft, facts: Facts, schema: Schema) -> Section:
    draft_facts, origin = draft.told, facts["origin"]
    came = [f"{with_noun(n, 'item')} imported from files in the format {name}" for name, n in origin["files"].items()]
    if origin["written"]:
        wrote = f" by {with_noun(origin['authors'], 'person', 'people')}" if origin["authors"] else ""
        came.append(f"{with_noun(origin['written'], 'item')} written in Touchstone{wrote}")
    stages = [name for name in type(schema.stages).model_fields if getattr(schema.stages, name, None) is not None]
    guideline, version = draft_facts.get("guideline", {}), draft_facts.get("schema", {})
    blocks: list[Block] = [
        Paragraph(f"Origin of the project's items: {sentence(came)}." if came else "The project has no items."),
        Paragraph(
            f"Stages of the protocol: {sentence([schema.stages.title_of(stage) for stage in stages]) or 'none'}."
        ),
        *(Paragraph(line) for line in _policy(schema)),
        Paragraph(
            f"Protocol: schema {version.get('name', NOT_SAID)}, version {version.get('version', NOT_SAID)}, SHA-256 "
            f"{version.get('sha256', NOT_SAID)}. Guideline: version {guideline.get('version', NOT_SAID)}, SHA-256 "
            f"{guideline.get('sha256', NOT_SAID)}."
        ),
        *(
            Paragraph(f"Votes under version {votes['version']} of the schema: {_counts(schema, votes['submissions'])}.")
            for votes in version.get("versions", ())
        ),
    ]
    lead = f"Items in this release: {len(draft.placed):,}."
    return Section(0, "made", "How items were made", lead, tuple(blocks))


def _counts(schema: Schema, counts: Mapping[str, int]) -> str:
    return sentence([f"{n:,} in {schema.stages.title_of(stage)}" for stage, n in counts.items()]) or "none"


def _policy(schema: Schema) -> Iterator[str]:
    stages = schema.stages
    if not stages.verifications:
        yield "The project has no verification, so every item is kept."
    for name, part in stages.verifications.items():
        yield f"{stages.title_of(name)}: {_stage_in_words(part)}"
        if part.skips is not None:
            times = "one skip" if part.skips.after == 1 else f"{part.skips.after} skips"
            yield f"After {times}, {SKIP_ACTS.get(part.skips.then, part.skips.then)}."
        settles = stages.adjudication is not None and part.adjudicates
        yield (
            f"A {stages.adjudication.by} settles items without a clear vote."
            if settles and stages.adjudication is not None
            else "Items without a clear vote are rejected."
        )


def _stage_in_words(part: Verification) -> str:
    people_ = "one person votes" if part.raters == 1 else f"{part.raters} people vote"
    blind = ", and each person sees the options in a different order" if "options" in part.shuffle else ""
    return f"{people_} on each item{blind}. The author never votes. {_keep_in_words(part.keep)}"


def _keep_in_words(keep: Keep) -> str:
    row = KEEP_RULES.get(keep.rule)
    meaning = row.meaning if row is not None else keep.rule
    about = []
    for target in targets(keep):
        wanted = f"the item's field {target.key}" if target.key else None
        if wanted is None and target.limited:
            low = [] if target.at_least is None else [f"at least {target.at_least:g}"]
            high = [] if target.at_most is None else [f"at most {target.at_most:g}"]
            wanted = sentence([*low, *high])
        if wanted is None and target.value is not None:
            wanted = f"the value {target.value}"
        about.append(target.criterion + (f" ({wanted})" if wanted else ""))
    return f"An item is {meaning}. Deciding criteria: {sentence(about or list(criteria_that_decide(keep)))}."


# ---- gates and shortcuts ---------------------------------------------------------------------------------------------


def _gates(schema: Schema, told: Mapping[str, Any]) -> Section:
    gates, counts = told.get("gates", {}), told.get("counts", {})
    tables: list[Block] = []
    for name in schema.stages.verifications:
        own = gates if name == "verification" else gates.get(name, {})
        rows = tuple((GATES[gate], n) for gate, n in own.items() if gate in GATES and isinstance(n, int))
        if rows:
            tables.append(ReportTable(f"gates_{name}", schema.stages.title_of(name), ("Gate", "Items"), rows))
    by_dimension = tuple(
        (named(dimension), *(own.get(state, 0) for state in ("items", "edited", "kept", "rejected")))
        for dimension in schema.dimensions
        if (own := counts.get("by_dimension", {}).get(dimension.id))
    )
    heads = ("Dimension", "Items", "Edited", "Kept", "Rejected")
    if by_dimension:
        tables.append(ReportTable("gates_dimensions", "By dimension", heads, by_dimension))
    kept, of = counts.get("kept"), counts.get("items")
    lead = NOT_SAID if kept is None else f"The project keeps {kept:,} of {with_noun(of, 'item')}."
    return Section(0, "gates", "Gates", lead, tuple(tables))


def _added(section: Section, told: Mapping[str, Any]) -> Iterator[Block]:
    """Yield the blocks that extension checks add to the end of a section. *Shortcuts* has its own place for them."""
    if section.key != "shortcuts":
        yield from card_blocks(section.key, told)


def _shortcuts(found: SetStatistics, released: ReleasedSet, limited: Sequence[Block]) -> Section:
    """Return the section about shortcuts in the public items. ``limited`` are the blocks of extension checks."""
    table = found.table("set_shortcuts")
    kept_back = [split.name for split in released.splits if released.key in split.withheld]
    without = (
        f" Items in {sentence(kept_back)} have private right answers, so the results do not count these items."
        if kept_back
        else ""
    )
    if table is None:
        why = (
            "Items have no options, so no option's position or length can reveal the key."
            if released.options is None
            else "Every right answer is private, so Touchstone cannot measure shortcuts."
        )
        return Section(0, "shortcuts", "Shortcuts", f"{why}{without}", tuple(limited))
    last = dict(zip(table.columns, table.rows[-1], strict=True))
    longest = last["Longest option"]
    assert isinstance(longest, Figure)
    limits = (
        "" if longest.low is None or longest.high is None else f" ({100 * longest.low:.1f} to {100 * longest.high:.1f})"
    )
    lead = (
        f"The longest option is right in {100 * (longest.value or 0):.1f} %{limits} of "
        f"{with_noun(longest.n_units, 'item')}. A random option is right in {last['Chance']}.{without}"
    )
    meanings = ReportTable(
        "shortcut_meanings",
        "Definitions of the numbers",
        ("Number", "What it is"),
        tuple(found.definitions[table.key].items()),
    )
    notes = [Paragraph(note, "note") for note in found.notes if note.startswith("Of ")]
    others = Paragraph("Other shortcuts were not tested.", "note")
    return Section(0, "shortcuts", "Shortcuts", lead, (table, *notes, *(limited or [others]), meanings))


# ---- what to know ----------------------------------------------------------------------------------------------------


def _limits(draft: Draft, released: ReleasedSet, facts: Facts) -> Section:
    names = (
        "limitations",
        "biases",
        "personal_information",
        "social_impact",
        "synthetic",
        "derived_from",
        "generated_by",
    )
    titles = {
        "limitations": "Limitations",
        "biases": "Biases",
        "personal_information": "Personal information",
        "social_impact": "Social impact",
        "synthetic": "Includes model-made data",
        "derived_from": "Derived from",
        "generated_by": "Made with",
    }
    lines = [told_of(titles[name], released.about, name) for name in names]
    despite = draft.asked.despite
    open_ = f"The release overrides these checks: {sentence(list(despite))}." if despite else ""
    return Section(0, "limits", "Known limits", open_, (*lines, *answers(facts)))


def _licence(released: ReleasedSet) -> Section:
    titles = {
        "license": "License",
        "media_license": "License of images and clips",
        "creators": "Made by",
        "citation": "Citation",
        "maintenance": "Maintenance",
    }
    return Section(
        0,
        "licence",
        "License and citation",
        "",
        tuple(told_of(title, released.about, n) for n, title in titles.items()),
    )


def _trust(draft: Draft, released: ReleasedSet) -> Section:
    gone: Sequence[Mapping[str, Any]] = draft.told.get("withdrawn", ())
    canary = released.about.get("canary")
    blocks: list[Block] = [
        Paragraph("To check that no file has changed: `touchstone release check FOLDER`"),
        Paragraph("To recompute verdicts and figures from the votes: `touchstone release check FOLDER --recompute`"),
        Paragraph(
            f"Canary string, which helps to detect this data set in training data: {canary}"
            if canary
            else "Canary: none, because the release withholds no answers."
        ),
    ]
    if lacking := missing_parts_in(draft.told):
        blocks.append(Paragraph(lacking, "missing"))
    if gone:
        rows = tuple((str(removed["item"]), str(removed["reason"])) for removed in gone)
        blocks.append(ReportTable("withdrawn", "Withdrawn items", ("Item", "Why"), rows))
    else:
        blocks.append(Paragraph("Withdrawn items: none."))
    return Section(
        0,
        "trust",
        "How to verify the release",
        "The two commands need only Touchstone and the release folder.",
        tuple(blocks),
    )


CARD = ReleaseFile(name=HTML, title="data card", facts=card_facts.facts, files=card_files)
