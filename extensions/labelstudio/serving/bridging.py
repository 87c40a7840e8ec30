"""The parts that the exchange with Label Studio needs: a client, the forms, and the addresses of media.

Label Studio's own package is loaded only when a client is requested.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from annotation_schemas.model import Schema
from app.services import Resources
from app.serving.signing_key import key_of
from domain.bridge import BridgeOutcome
from domain.english import with_noun
from domain.errors import NotFoundError, SettingsError
from domain.records import AssetView, Person
from domain.settings import PUBLIC_URL, Settings, public_url
from domain.states import ONLY_HERE, Stage
from extensions.labelstudio import results
from extensions.labelstudio.exchange import bridge
from extensions.labelstudio.exchange import media as outside_media
from extensions.labelstudio.exchange.bridge import BridgeStatus, Forms, PullResult, PushResult
from extensions.labelstudio.serving.local_files import LocalFiles
from extensions.labelstudio.serving.media_links import Links
from extensions.labelstudio.settings import LabelStudioSettings
from workflow.access import projects

if TYPE_CHECKING:
    from extensions.labelstudio.client import Client

HOOK_HEADER = "X-Touchstone-Hook"
NO_MEDIA = (
    f"Label Studio shows images and clips from this server. Give the server's public address with {PUBLIC_URL} or "
    "--media-from ADDRESS. If Label Studio runs on this machine, you can use --local-files FOLDER instead."
)


def client_of(address: str, settings: Settings) -> Client:
    """Return a client of the server at an address, with the operator's token for it."""
    from extensions.labelstudio import client

    hook = None
    own = settings.of(LabelStudioSettings)
    if own.label_studio_hook and settings.public_url:
        url, secret = f"{settings.public_url}/label-studio/hook", own.label_studio_hook
        hook = client.Hook(url, {HOOK_HEADER: secret})
    return client.connect(address, settings, hook=hook)


class Media:
    """Where Label Studio's pages fetch the media of tasks: from this server by links, or from local files."""

    def __init__(self, shared: Resources, *, media_from: str | None = None, local_files: Path | None = None) -> None:
        self.shared = shared
        self.cache = shared.settings.home / "prepared"
        self.address = public_url(media_from or "", "--media-from") or shared.settings.public_url
        root = local_files or (None if media_from else shared.settings.of(LabelStudioSettings).label_studio_files)
        self.files = LocalFiles.below(root, store=shared.store, media=shared.media, cache=self.cache) if root else None

    def require(self, schema: Schema) -> None:
        """Raise ``SettingsError`` if items have media and no place to fetch them is set."""
        if schema.item.assets and self.files is None and self.address is None:
            raise SettingsError(NO_MEDIA)

    def link(self, task: str, asset: AssetView, until: datetime) -> str:
        """Return the address of a picture or clip for the task with a key, valid until a time."""
        if self.files is not None:
            return self.files.link(task, asset)
        if self.address is None:
            raise SettingsError(NO_MEDIA)
        return Links(self.address, key_of(self.shared.settings.home)).link(task, asset, until)

    def rate(self, asset: AssetView) -> float | None:
        """Return the frames a second of a clip. None if unknown."""
        try:
            return self.shared.media.frame_rate(outside_media.content_of(self.shared.store, asset=asset.id))
        except NotFoundError:
            return None

    def sweep(self) -> None:
        """Remove the files of tasks that are no longer out."""
        if self.files is not None:
            self.files.sweep()


def forms_of(media: Media) -> Forms:
    """Return the forms of work in Label Studio, and the functions that read its answers."""
    from extensions.labelstudio import labeling

    return Forms(
        labeling=labeling.labeling,
        data=lambda schema, stage, task, link: labeling.data(schema, stage, task, link, rate=media.rate),
        read=lambda schema, stage, dimension, result, fields: results.read_result(
            schema, stage.value, dimension, result, fields
        ),
        link=media.link,
    )


def schema_of(shared: Resources, project: str) -> Schema:
    """Return the schema of a project, for the command on the machine itself."""
    with shared.store.read() as session:
        return projects.access_to(session, person=None, project=project).schema


def refused(schema: Schema, stage: Stage) -> str | None:
    """Return why Label Studio cannot show a stage. None if it can."""
    dimensions = [dimension.id for dimension in schema.dimensions]
    return next(filter(None, (results.refusal(schema, stage.value, dimension) for dimension in dimensions)), None)


def stages_shown(schema: Schema) -> list[Stage]:
    """Return the stages of a schema that Label Studio can show."""
    return [stage for stage in projects.stages_of(schema) if stage not in ONLY_HERE and refused(schema, stage) is None]


def status_of(shared: Resources, project: str, address: str, *, by: Person | None = None) -> BridgeStatus | None:
    """Return the state of a server that a project sends work to. None if it sends none there."""
    status = bridge.status(shared.store, by=by, project=project)
    return next((server for server in status if server.address == address), None)


# ---- in words -------------------------------------------------------------------------------------------------------

OUTCOMES = {
    BridgeOutcome.STORED: ("answer stored", "answers stored"),
    BridgeOutcome.SUPERSEDED: ("answer corrected", "answers corrected"),
    BridgeOutcome.REFUSED: ("invalid answer, sent again", "invalid answers, sent again"),
    BridgeOutcome.NOT_THEIRS: ("answer from another person, not counted", "answers from other people, not counted"),
    BridgeOutcome.LATE: ("expired answer, kept as a draft", "expired answers, kept as drafts"),
    BridgeOutcome.SETTLED: ("second answer, not counted", "second answers, not counted"),
    BridgeOutcome.SKIPPED: ("task skipped and returned to Touchstone", "tasks skipped and returned to Touchstone"),
    BridgeOutcome.DELETED: (
        "deleted in Label Studio (stored votes are kept)",
        "deleted in Label Studio (stored votes are kept)",
    ),
}


def outcomes_in_words(*rounds: PullResult | PushResult | None) -> list[str]:
    """Return the results of rounds, a line for each outcome. Empty if nothing happened."""
    lines = []
    for outcome, words in OUTCOMES.items():
        n = sum(transfer.outcomes.get(outcome, 0) for transfer in rounds if transfer is not None)
        lines += [with_noun(n, *words)] if n else []
    for transfer in rounds:
        if isinstance(transfer, PushResult):
            lines += [with_noun(transfer.sent, "task sent", "tasks sent")] if transfer.sent else []
            lines += (
                [with_noun(transfer.called_back, "task called back", "tasks called back")]
                if transfer.called_back
                else []
            )
    removed = sum(transfer.removed for transfer in rounds if transfer is not None)
    return [*lines, *([with_noun(removed, "task removed there", "tasks removed there")] if removed else [])]
