"""``touchstone release``: create frozen, numbered exports that anyone can load, verify and recompute."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.groups import Panel, find_group
from app.commands.options import ProjectName
from app.commands.recorded import recorded
from domain.errors import ConflictError, InvalidFileError, SettingsError

if TYPE_CHECKING:
    from db.engine import Store
    from workflow.releases.create import CreatedRelease

Several = "repeat the option, or separate values with commas"


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    release = find_group(
        cli, "release", Panel.RELEASE, "Create, list and compare releases, which are frozen, numbered exports."
    )
    release.command("create")(create)
    release.command("list")(list_releases)
    release.command("show")(show)
    release.command("export")(export)
    release.command("edit")(edit)
    release.command("diff")(diff)


def create(
    project: ProjectName,
    out: Annotated[
        Path | None, typer.Option(help="Also copy the release to this folder. The folder must not exist yet.")
    ] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option("--formats", "--format", help=f"The file formats; {Several}. Default: the formats in the schema."),
    ] = None,
    split: Annotated[
        list[str] | None,
        typer.Option(
            help="A split, as NAME=SHARE, NAME=NUMBER, NAME=rest or field:NAME. Repeat the option for more splits. "
            "Default: one split, test."
        ),
    ] = None,
    private: Annotated[
        list[str] | None, typer.Option(help=f"Exclude the keys of this split from public files; {Several}.")
    ] = None,
    media: Annotated[
        bool,
        typer.Option(
            "--media", help="Include images and clips. Without this option, the release contains only their hashes."
        ),
    ] = False,
    license: Annotated[
        str | None, typer.Option(help="Before the release, set this license in the data card, such as CC-BY-4.0.")
    ] = None,
    seed: Annotated[
        int, typer.Option(help="The seed for the random draw of splits. A different seed gives different splits.")
    ] = 0,
    anew: Annotated[
        bool,
        typer.Option(
            "--anew",
            help="Draw all splits again. Without this option, items stay in their split from the last release.",
        ),
    ] = False,
    together: Annotated[
        list[str] | None,
        typer.Option(
            help="Keep items in one split if they share this property: source, media, near (similar images) or "
            f"text; {Several}. Default: all properties except text."
        ),
    ] = None,
    alike: Annotated[
        int | None,
        typer.Option(
            help="Treat images as similar if their 64-bit perceptual hashes differ in at most this many bits."
        ),
    ] = None,
    off: Annotated[
        float, typer.Option(help="The allowed deviation from the planned size of a split. 0.1 means 10 %.")
    ] = 0.1,
    lacking: Annotated[
        bool,
        typer.Option(
            "--lacking",
            help="Allow a split to omit a dimension if the dimension has too few groups of items for all splits.",
        ),
    ] = False,
    schema_version: Annotated[
        int | None, typer.Option(help="Exclude items with votes under other schema versions.")
    ] = None,
    despite: Annotated[
        list[str] | None, typer.Option(help=f"Override this open check; {Several}. The manifest records the override.")
    ] = None,
    accept_leak: Annotated[
        list[str] | None,
        typer.Option(
            help="Accept a kind of leak with a reason, such as `key: the phrase is on many signs`. The manifest "
            "records the reason. Repeat the option for more kinds.",
            metavar="KIND: REASON",
        ),
    ] = None,
) -> None:
    """Create a release: a frozen, numbered export of all kept items, stored on this machine.

    Example: touchstone release create demo --split test=rest --split dev=100 --private test --out demo-1.0
    """
    from app.services import opened
    from media.perceptual_hash import ALIKE
    from workflow.releases.create import create as make
    from workflow.releases.settings import ReleaseOptions, say
    from workflow.releases.split_groups import TOGETHER

    shared = opened()
    if out is not None:
        must_be_new(out)
    if license:
        say(shared.store, by=None, project=project, said={"license": license})
    asked = ReleaseOptions(
        formats=_each(formats),
        splits=tuple(split or ()),
        private=_each(private),
        media=media,
        seed=seed,
        anew=anew,
        together=_each(together) or TOGETHER,
        alike=ALIKE if alike is None else alike,
        off=off,
        lacking=lacking,
        schema_version=schema_version,
        despite=_each(despite),
        accepted=tuple(accept_leak or ()),
    )
    made = recorded(
        shared,
        "release create",
        project,
        lambda progress: make(
            shared.store,
            shared.media,
            shared.settings.home,
            by=None,
            project=project,
            asked=asked,
            progress=progress,
        ),
    )
    tell_made(project, made, out)
    for sentence in _losses(shared.store, project):
        typer.echo(sentence, err=True)


def _losses(store: Store, project: str) -> list[str]:
    """Return sentences about the project's missing and unreadable answers.

    Empty for a project without models' answers.
    """
    from workflow.results import project_losses

    return project_losses.of_project(store, project=project)


def list_releases(project: ProjectName) -> None:
    """List the releases of a project with date, splits and withdrawn items.

    Example: touchstone release list demo
    """
    from app.services import opened
    from workflow.releases.listing import all_releases

    shared = opened()
    releases = all_releases(shared.store, shared.settings.home, by=None, project=project)
    for release_view in releases:
        splits = ", ".join(f"{name} {split['items']:,}" for name, split in release_view.splits.items())
        gone = f"  without {', '.join(one.item for one in release_view.withdrawn)}" if release_view.withdrawn else ""
        kept = "" if release_view.is_there else "  (files are not on this machine)"
        typer.echo(f"{release_view.version:<8} {release_view.at:%Y-%m-%d %H:%M} UTC  {splits}{gone}{kept}")
    if not releases:
        typer.echo(
            f"{project} has no release yet. To create a release: touchstone release create {project} --out FOLDER"
        )


def show(
    project: ProjectName, version: Annotated[str, typer.Argument(help="The release version, such as 1 or 1.2.")]
) -> None:
    """Show the manifest of a release as JSON, without its list of files.

    Example: touchstone release show demo 1.0
    """
    from app.services import opened
    from workflow.releases.listing import one_release

    shared = opened()
    release_view = one_release(shared.store, shared.settings.home, by=None, project=project, version=version)
    facts: dict[str, Any] = {
        **release_view.told,
        "manifest_sha256": release_view.manifest_sha256,
        "kept_in": str(release_view.place) if release_view.is_there else None,
        "withdrawn": [vars(withdrawal) | {"at": withdrawal.at.isoformat()} for withdrawal in release_view.withdrawn],
    }
    typer.echo(json.dumps(facts, indent=2, ensure_ascii=False))


def export(
    project: ProjectName,
    version: Annotated[str, typer.Argument(help="The release version, such as 1 or 1.2.")],
    out: Annotated[Path, typer.Option(help="The folder for the exported files. The folder must not exist yet.")],
) -> None:
    """Copy an earlier release to a folder.

    Example: touchstone release export demo 1.0 --out demo-1.0
    """
    from app.services import opened
    from workflow.releases.listing import one_release

    shared = opened()
    release_view = one_release(shared.store, shared.settings.home, by=None, project=project, version=version)
    if not release_view.is_there:
        raise SettingsError(
            f"The files of release {release_view.version} are not on this machine. Run this command on the "
            "machine that created the release."
        )
    must_be_new(out)
    for line in _copied(release_view.place, out, f"{project} {release_view.version}"):
        typer.echo(line)


def edit(
    project: ProjectName,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Set a field with NAME=TEXT or NAME=@FILE. An empty text clears the field. Repeat the option for "
            "more fields.",
        ),
    ] = None,
) -> None:
    """Edit the data card of the next release: license, authors, limits, conditions. Without --set, show it.

    Example: touchstone release edit demo --set license=CC-BY-4.0
    """
    from app.services import opened
    from workflow.releases import settings

    shared = opened()
    if set_:
        settings.say(shared.store, by=None, project=project, said=dict(map(_said, set_)))
    card_version = settings.card_version(shared.store, by=None, project=project)
    for field in settings.SAYINGS:
        value = card_version.values.get(field.name)
        text = "; ".join(value) if isinstance(value, list) else value
        typer.echo(f"{field.name:<22} {text if text else '-'}")


def diff(
    first: Annotated[str, typer.Argument(help="A release folder, or a release version with --project.")],
    second: Annotated[str, typer.Argument(help="The release folder or version to compare with the first release.")],
    project: Annotated[
        str | None, typer.Option(help="The project of the two versions. Omit this option to compare two folders.")
    ] = None,
) -> None:
    """Compare two releases: items, splits, revisions, counts and files. The exit status is 1 if anything differs.

    Example: touchstone release diff 1.0 1.1 --project demo
    """
    from workflow.releases.listing import difference

    folders = [_folder(place, project) for place in (first, second)]
    changes = difference(*folders)
    for id in changes.removed:
        typer.echo(f"- {id}")
    for id in changes.added:
        typer.echo(f"+ {id}")
    for id, what in changes.changed.items():
        typer.echo(f"~ {id}: {', '.join(what)}")
    for name, (old, new) in changes.told.items():
        typer.echo(f"{name}: {json.dumps(old, ensure_ascii=False)} -> {json.dumps(new, ensure_ascii=False)}")
    for path, what in changes.files.items():
        typer.echo(f"{path}: {what}")
    n = len(changes.added), len(changes.removed), len(changes.changed)
    typer.echo(f"{changes.first} -> {changes.second}: {n[0]:,} added, {n[1]:,} removed, {n[2]:,} changed.")
    if not changes.equal:
        raise typer.Exit(1)


# ---- shared helpers --------------------------------------------------------------------------------------------------


def tell_made(project: str, made: CreatedRelease, out: Path | None) -> None:
    """Print the size of a new release, and copy the release to ``out``."""
    typer.echo(
        f"Release {made.version} of {project} is complete. Items: {made.items:,}. Files: {made.files:,}. Bytes: "
        f"{made.bytes:,}. SHA-256 of the manifest: {made.manifest_sha256}"
    )
    for note in made.notes:
        typer.echo(note)
    if out is None:
        typer.echo(f"The files are in {made.place}.")
        return
    for line in _copied(made.place, out, f"{project} {made.version}"):
        typer.echo(line)


def _copied(place: Path, out: Path, which: str) -> list[str]:
    """Copy the public files into ``out`` and the private files next to it. Copy both folders in full, or neither."""
    parts = {"private": (private_of(out), "private files, which you must not publish"), "public": (out, "public files")}
    made: list[Path] = []
    lines: list[str] = []
    try:
        for part, (to, words) in parts.items():
            if not (place / part).is_dir():
                continue
            made.append(to.with_name(f".{to.name}.{os.getpid()}.partial"))
            shutil.copytree(place / part, made[-1])
            if part == "private":
                made[-1].chmod(0o700)
            made[-1] = made[-1].rename(to)
            lines.insert(0, f"{to}: {words}.")
        made.clear()
    except (OSError, shutil.Error) as error:
        raise InvalidFileError(
            f"The release is in {place}, but Touchstone could not copy the release to {out}: {_why(error)}. No file "
            f"was copied. To copy the release to another folder, use `touchstone release export {which} --out "
            "FOLDER`."
        ) from error
    finally:
        for folder in made:
            shutil.rmtree(folder, ignore_errors=True)
    return lines


def _why(error: OSError) -> str:
    """Return in words why a copy failed."""
    if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list):
        return str(error.args[0][0][2])
    return error.strerror or str(error)


def private_of(out: Path) -> Path:
    """Return where the private part lies of a release that was copied to ``out``."""
    return out.with_name(f"{out.name}-private")


def must_be_new(out: Path) -> None:
    """Refuse a folder that is there already, or that cannot be made."""
    for folder in (out, private_of(out)):
        if folder.exists() or folder.is_symlink():
            raise ConflictError(f"{folder} already exists. Choose another folder.")
    above = next(parent for parent in out.absolute().parents if parent.exists())
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        raise InvalidFileError(
            f"Touchstone cannot create {out}, because {above} is not writable. Choose another folder."
        )


def _folder(given: str, project: str | None) -> Path:
    if project is None:
        return Path(given)
    from app.services import opened
    from workflow.releases.listing import one_release

    shared = opened()
    return one_release(shared.store, shared.settings.home, by=None, project=project, version=given).place / "public"


def _each(given: list[str] | None) -> tuple[str, ...]:
    return tuple(name.strip() for text in given or () for name in text.split(",") if name.strip())


def _said(given: str) -> tuple[str, str]:
    name, equals, text = given.partition("=")
    if not equals:
        raise SettingsError(f"--set {given} is invalid. Use the form NAME=TEXT, such as license=CC-BY-4.0.")
    if not text.startswith("@"):
        return name.strip(), text
    try:
        return name.strip(), Path(text[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"--set {given}: Touchstone cannot read {text[1:]}: {error}. Use an existing text file in UTF-8."
        ) from error
