"""What the server sends of a thread, and what ``comment_types.d.ts`` says that it sends: the same names."""

from __future__ import annotations

from extensions.comments.drawn_threads import thread_part
from extensions.comments.rules import CommentView, Thread
from tests.app.test_workbench_page import NOW
from tests.app.test_workbench_types import fits


def test_comments_are_as_the_types_say() -> None:
    comment = CommentView("c", "ann", NOW, "Look at the left hand.", mine=True)
    thread = Thread("p", "i", "What?", "one", [comment], ["ann"], open=True, may_free=False, whole=False)
    found = thread_part(thread)
    fits(found, "ThreadPart")
    fits(found["comments"][0], "Comment")
