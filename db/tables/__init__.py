"""The tables, one module per subject. Import them from here.

Ids that leave the server are random (``public_id``). The integer ids stay on the server. Submissions and decisions of
people are append-only (``db.append_only``): triggers of the database refuse to change or delete such rows.
"""

from __future__ import annotations

from sqlmodel import SQLModel

from db.tables.batches import RunBatchProblemRow, RunBatchRow, RunBatchUnitRow
from db.tables.bridge import BridgeAnswerRow, BridgePersonRow, BridgeProjectRow, BridgeRow, BridgeTaskRow
from db.tables.exposure import ExposureRow, ExposureShapeRow
from db.tables.items import ImportFileRow, ItemAssetRow, ItemRow, RevisionRow
from db.tables.jobs import JobRow
from db.tables.judging import JudgementRow, JudgeTemplateRow, JudgeUnitRow
from db.tables.log import EventRow
from db.tables.media import LOOK_PARTS, AssetRow, CandidateRow, MediaObjectRow, PickRow, SourceRow, TriageDecisionRow
from db.tables.notices import MailChoiceRow, MailRow, NoticeMarkRow
from db.tables.people import (
    DailyGoalRow,
    FailedLoginRow,
    IdentityRow,
    InvitationRow,
    PersonKeyRow,
    PersonRow,
    PersonSettingRow,
    SessionRow,
    SignInLinkRow,
)
from db.tables.projects import (
    EntryBudgetRow,
    GuidelineVersionRow,
    GuidelineVisitRow,
    MemberRow,
    ProjectRow,
    ScheduleRow,
    SchemaChangeRow,
    SchemaVersionRow,
)
from db.tables.quality import GoldPardonRow, GoldRow, QualificationReviewRow, QualificationRow, QualificationSetRow
from db.tables.releases import ReleaseAboutRow, ReleaseItemRow, ReleaseRow, WithdrawalRow
from db.tables.runs import (
    AttemptRow,
    FileRaterRow,
    ImportedRatingRow,
    PredictionRow,
    ReadingRow,
    RunChunkRow,
    RunRow,
    RunWorkerRow,
    ToolResultRow,
)
from db.tables.talk import CommentForRow, CommentRow, InsightRow, ReasonAnswerRow
from db.tables.work import AnnotationRow, DraftRow, PostponementRow, QueueCursorRow, TaskRow, WorkCountRow

metadata = SQLModel.metadata

__all__ = [
    "LOOK_PARTS",
    "AnnotationRow",
    "AssetRow",
    "AttemptRow",
    "BridgeAnswerRow",
    "BridgePersonRow",
    "BridgeProjectRow",
    "BridgeRow",
    "BridgeTaskRow",
    "CandidateRow",
    "CommentForRow",
    "CommentRow",
    "DailyGoalRow",
    "DraftRow",
    "EntryBudgetRow",
    "EventRow",
    "ExposureRow",
    "ExposureShapeRow",
    "FailedLoginRow",
    "FileRaterRow",
    "GoldPardonRow",
    "GoldRow",
    "GuidelineVersionRow",
    "GuidelineVisitRow",
    "IdentityRow",
    "ImportFileRow",
    "ImportedRatingRow",
    "InsightRow",
    "InvitationRow",
    "ItemAssetRow",
    "ItemRow",
    "JobRow",
    "JudgeTemplateRow",
    "JudgeUnitRow",
    "JudgementRow",
    "MailChoiceRow",
    "MailRow",
    "MediaObjectRow",
    "MemberRow",
    "NoticeMarkRow",
    "PersonKeyRow",
    "PersonRow",
    "PersonSettingRow",
    "PickRow",
    "PostponementRow",
    "PredictionRow",
    "ProjectRow",
    "QualificationReviewRow",
    "QualificationRow",
    "QualificationSetRow",
    "QueueCursorRow",
    "ReadingRow",
    "ReasonAnswerRow",
    "ReleaseAboutRow",
    "ReleaseItemRow",
    "ReleaseRow",
    "RevisionRow",
    "RunBatchProblemRow",
    "RunBatchRow",
    "RunBatchUnitRow",
    "RunChunkRow",
    "RunRow",
    "RunWorkerRow",
    "ScheduleRow",
    "SchemaChangeRow",
    "SchemaVersionRow",
    "SessionRow",
    "SignInLinkRow",
    "SourceRow",
    "TaskRow",
    "ToolResultRow",
    "TriageDecisionRow",
    "WithdrawalRow",
    "WorkCountRow",
    "metadata",
]
