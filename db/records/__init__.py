"""The records: immutable copies of stored rows, one module per subject. Import them from here.

A record has every column of its row and cannot be stored or changed: ``db`` writes, everyone else reads. Ids that leave
the server are random (``public_id``). The integer ids stay on the server.
"""

from __future__ import annotations

from db.records.batches import StoredRunBatch, StoredRunBatchProblem, StoredRunBatchUnit
from db.records.bridge import (
    StoredBridge,
    StoredBridgeAnswer,
    StoredBridgePerson,
    StoredBridgeProject,
    StoredBridgeTask,
)
from db.records.exposure import StoredExposure, StoredExposureShape
from db.records.items import StoredImportFile, StoredItem, StoredItemAsset, StoredRevision
from db.records.jobs import StoredJob
from db.records.judging import StoredJudgement, StoredJudgeTemplate, StoredJudgeUnit
from db.records.log import StoredEvent
from db.records.media import (
    StoredAsset,
    StoredCandidate,
    StoredMediaObject,
    StoredPick,
    StoredSource,
    StoredTriageDecision,
)
from db.records.notices import StoredMail, StoredMailChoice, StoredNoticeMark
from db.records.people import (
    StoredDailyGoal,
    StoredFailedLogin,
    StoredIdentity,
    StoredInvitation,
    StoredPerson,
    StoredPersonKey,
    StoredPersonSetting,
    StoredSession,
    StoredSignInLink,
)
from db.records.projects import (
    StoredEntryBudget,
    StoredGuidelineVersion,
    StoredGuidelineVisit,
    StoredMember,
    StoredProject,
    StoredSchedule,
    StoredSchemaChange,
    StoredSchemaVersion,
)
from db.records.quality import (
    StoredGold,
    StoredGoldPardon,
    StoredQualification,
    StoredQualificationReview,
    StoredQualificationSet,
)
from db.records.releases import StoredRelease, StoredReleaseAbout, StoredReleaseItem, StoredWithdrawal
from db.records.runs import (
    StoredAttempt,
    StoredFileRater,
    StoredImportedRating,
    StoredPrediction,
    StoredReading,
    StoredRun,
    StoredRunChunk,
    StoredRunWorker,
    StoredToolResult,
)
from db.records.talk import StoredComment, StoredCommentFor, StoredInsight, StoredReasonAnswer
from db.records.work import (
    StoredAnnotation,
    StoredDraft,
    StoredPostponement,
    StoredQueueCursor,
    StoredTask,
    StoredWorkCount,
)

__all__ = [
    "StoredAnnotation",
    "StoredAsset",
    "StoredAttempt",
    "StoredBridge",
    "StoredBridgeAnswer",
    "StoredBridgePerson",
    "StoredBridgeProject",
    "StoredBridgeTask",
    "StoredCandidate",
    "StoredComment",
    "StoredCommentFor",
    "StoredDailyGoal",
    "StoredDraft",
    "StoredEntryBudget",
    "StoredEvent",
    "StoredExposure",
    "StoredExposureShape",
    "StoredFailedLogin",
    "StoredFileRater",
    "StoredGold",
    "StoredGoldPardon",
    "StoredGuidelineVersion",
    "StoredGuidelineVisit",
    "StoredIdentity",
    "StoredImportFile",
    "StoredImportedRating",
    "StoredInsight",
    "StoredInvitation",
    "StoredItem",
    "StoredItemAsset",
    "StoredJob",
    "StoredJudgeTemplate",
    "StoredJudgeUnit",
    "StoredJudgement",
    "StoredMail",
    "StoredMailChoice",
    "StoredMediaObject",
    "StoredMember",
    "StoredNoticeMark",
    "StoredPerson",
    "StoredPersonKey",
    "StoredPersonSetting",
    "StoredPick",
    "StoredPostponement",
    "StoredPrediction",
    "StoredProject",
    "StoredQualification",
    "StoredQualificationReview",
    "StoredQualificationSet",
    "StoredQueueCursor",
    "StoredReading",
    "StoredReasonAnswer",
    "StoredRelease",
    "StoredReleaseAbout",
    "StoredReleaseItem",
    "StoredRevision",
    "StoredRun",
    "StoredRunBatch",
    "StoredRunBatchProblem",
    "StoredRunBatchUnit",
    "StoredRunChunk",
    "StoredRunWorker",
    "StoredSchedule",
    "StoredSchemaChange",
    "StoredSchemaVersion",
    "StoredSession",
    "StoredSignInLink",
    "StoredSource",
    "StoredTask",
    "StoredToolResult",
    "StoredTriageDecision",
    "StoredWithdrawal",
    "StoredWorkCount",
]
