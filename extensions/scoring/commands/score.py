"""``touchstone score create``: score a file of answers against a release's key file, offline."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from app.commands.groups import Panel, find_group

KeyFile = Annotated[Path, typer.Argument(help="The key file: keys/<split>.jsonl of a release's private folder.")]
SigningKey = Annotated[Path, typer.Option("--key", help="The organizer's key file for signatures.")]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    score = find_group(cli, "score", Panel.RESULTS, "Score a file of answers offline, with a release's key file.")
    score.command("create")(submission)
    score.command("check")(verify)
    score.command("create-key")(key)


def submission(
    keys: KeyFile,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="SUBMISSION",
            help="The file of answers: JSON lines or CSV with id and answer, or a file in EgoPlan's format.",
        ),
    ],
    out: Annotated[Path | None, typer.Option(help="Write the score card to this JSON file.")] = None,
    signed_with: Annotated[Path | None, typer.Option("--key", help="Sign the score card with this key file.")] = None,
    team: Annotated[str, typer.Option(help="The team's name on the score card.")] = "",
    model: Annotated[str, typer.Option(help="The model's name on the score card.")] = "",
) -> None:
    """Score a file of answers offline, with a release's key file. No server is needed.

    Example: touchstone score create keys/test.jsonl answers.jsonl --out card.json
    """
    from exporters.writing import write_files
    from extensions.scoring import score_card, scoring

    signing = score_card.read_key(signed_with) if signed_with is not None else None
    scored = scoring.score_files(keys, file)
    head = scored.keys.head
    typer.echo(f"{head.title}, release {head.release}, split {head.split}")
    for sentence in scored.sentences:
        typer.echo(sentence)
    for line in _table(scored.figures):
        typer.echo(line)
    card = score_card.card_of(scored, at=datetime.now(UTC), team=team, model=model, key=signing)
    if out is not None:
        write_files({out: score_card.card_bytes(card)})
        typer.echo(f"Written: {out}" + ("" if signing else " (not signed; use --key to sign the card)"))


def _table(figures: Any) -> list[str]:
    rows = [("", "value", "95 % interval", "items", "left out", "lowest to highest")]
    for figure in figures:
        statistic = figure.statistic
        limits = f"{statistic.low:.3f} to {statistic.high:.3f}" if statistic.low == statistic.low else "none"
        of = "" if figure.of == "all" else f", {figure.of}"
        value = f"{statistic.value:.3f}" if statistic.defined else "none"
        ends = f"{figure.lowest:.3f} to {figure.highest:.3f}"
        rows.append(
            (f"{figure.measure}{of}", value, limits, f"{statistic.n_units:,}", f"{statistic.n_left_out:,}", ends)
        )
    wide = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  ".join([row[0].ljust(wide[0]), *(cell.rjust(n) for cell, n in zip(row[1:], wide[1:], strict=True))])
        for row in rows
    ]


def verify(
    card: Annotated[Path, typer.Argument(help="The score card.")],
    signed_with: SigningKey,
    keys: Annotated[Path | None, typer.Option(help="Also check that the card belongs to this key file.")] = None,
    submission: Annotated[
        Path | None, typer.Option(help="Also check that the card belongs to this file of answers.")
    ] = None,
) -> None:
    """Check that a score card is unchanged and signed with a key. With both files, also score again.

    Example: touchstone score check card.json --key our.key
    """
    from exporters.release_keys import read_keys
    from extensions.scoring import score_card, scoring
    from extensions.scoring.submission import read_submission

    card_read = score_card.read_card(card)
    known = read_keys(keys) if keys is not None else None
    sent = read_submission(submission) if submission is not None else None
    check_card = score_card.check_card(
        card_read,
        key=score_card.read_key(signed_with),
        keys_sha256=known.sha256 if known else None,
        submission_sha256=sent.sha256 if sent else None,
        again=scoring.score(known, sent) if known and sent else None,
    )
    for sentence in check_card.sentences:
        typer.echo(sentence)
    if not check_card.holds:
        raise typer.Exit(1)


def key(path: Annotated[Path, typer.Argument(help="The new file to write. The file must not exist yet.")]) -> None:
    """Create a key file to sign score cards with.

    Example: touchstone score create-key our.key
    """
    from extensions.scoring import score_card

    typer.echo(f"Written: {path}. The name of the key is {score_card.new_key(path)}. Keep the file secret.")
