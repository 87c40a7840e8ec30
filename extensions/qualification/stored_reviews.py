"""Stored reviews, compared with what answers, keys and reviews give when they are computed again."""

from __future__ import annotations

from collections.abc import Iterator

from db import qualifications
from db.engine import Session
from domain.english import with_noun
from domain.states import Stage
from extensions.qualification import queries
from extensions.qualification.results import item_results, references_of
from extensions.qualification.rules import Review, standing
from workflow.access.projects import Access
from workflow.annotate.qualification import policy


def differences(session: Session, *, access: Access) -> Iterator[str]:
    """Yield a sentence for each review whose stored result differs from a new computation.

    The computation uses the answers, the key, the seniors' answers and the reviews of that time. No command repairs
    such a difference: a senior's signature is kept unchanged, so people must look into it.
    """
    for stage in Stage:
        asked = policy(access, stage)
        if asked is None:
            continue
        for row, person in qualifications.tries(session, project_id=access.project_id, stage=stage):
            if row.set_id is None:
                continue
            of = qualifications.set_by_id(session, id=row.set_id)
            reviews: list[Review] = []
            for note, reviewer in qualifications.reviews(session, qualification_id=row.id):
                reviews.append(Review(reviewer.login, note.signs, note.created_at))
                given = qualifications.answers(session, qualification_id=row.id, until=note.created_at)
                reference = (
                    references_of(session, access, of, row, until=note.created_at)
                    if note.reference_ids is None
                    else queries.by_ids(session, ids=note.reference_ids)
                )
                n_right = sum(
                    result.right is True for result in item_results(session, access, asked, of, given, reference)
                )
                state = standing(
                    n_items=len(of.item_ids),
                    n_answered=len(given),
                    n_right=n_right,
                    pass_mark=asked.pass_mark,
                    reviewers=asked.reviewers,
                    reviews=reviews,
                )
                about = f"{reviewer.login}'s review of {person.login}'s try {row.number} for {stage.value}"
                if n_right != note.n_right:
                    stored = with_noun(note.n_right, "right answer")
                    yield f"{about} is stored with {stored}, but the answers give {n_right}."
                if state.value != note.state:
                    yield f"{about} is stored as {note.state}, but the answers and reviews give {state.value}."
                if reviewer.id == person.id:
                    yield f"{about} was written by the tested person, who cannot review their own try."
