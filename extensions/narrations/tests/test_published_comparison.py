"""EgoPlan-Val against the narrations of EPIC-KITCHENS that it was made of: every count as it was measured once by other
code, on the same files."""

from __future__ import annotations

import pytest

from extensions.narrations.files.narration_files import read_narrations
from extensions.narrations.files.published_questions import read_published
from extensions.narrations.files.video_rates import read_videos
from extensions.narrations.rules.narration import by_video, neighbours
from extensions.narrations.rules.overview import look
from extensions.narrations.rules.published_comparison import compare, spread
from tests.paths import shared

pytestmark = pytest.mark.slow


def test_what_the_narrations_explain_of_egoplan_val() -> None:
    read = read_narrations(shared("data", "epic_kitchens", "EPIC_100_validation.csv"))
    published = read_published(shared("data", "egoplan", "EgoPlan_validation.json"))
    assert (len(read.rows), read.bad, read.form) == (9668, [], "epic")
    assert read.notes == {"without its time": 70}
    videos = by_video(read.rows)
    assert sum(after.start_frame < before.stop_frame for before, after in neighbours(videos)) == 2437  # type: ignore[operator]
    seen = look(videos)
    # some overlap by less than a frame
    assert (seen.videos, seen.overlapping, seen.pairs) == (138, 2450, 9530)
    assert (seen.counted, seen.unclear) == ({"60": 136}, 2)
    assert len(published.questions) + len(published.bad) == 3355
    found = compare(videos, published.questions).counts
    assert found["questions about the narrated videos"] == (307, 3355)
    assert found["segments found verbatim in the narrations"] == (1437, 1437)
    assert found["options that are narrations of the video"] == (1228, 1228)
    assert found["questions with progress"] == (307 - 42, 307)
    assert found["the answer's words already occur in the progress"] == (24, 265)
    assert found["the last action in the progress has ended by the observation"] == (265 - 49, 265)
    assert found["every action in the progress has begun before the observation"] == (265, 265)
    assert found["the progress is all actions of the goal before the answer, in order"] == (263, 265)
    assert found["the progress is every narration from the first action to the answer"] == (263, 265)
    shares = {what.partition(":")[0]: n for what, (n, _) in found.items() if what.startswith("observation by")}
    # the last action alone, if it is over by then, gives 266
    assert shares == {
        f"observation by the rule {name}": n for name, n in {"gap": 202, "last": 251, "ended": 272}.items()
    }
    again = [n for what, (n, of) in found.items() if what.startswith("progress and observation reproduced")]
    assert again == [158, 209, 230]


def test_half_a_second_is_half_of_the_videos_own_rate() -> None:
    """Three questions are of videos with 29.97 frames a second, and three of one with 90: 15 and 45 frames."""
    videos = by_video(read_narrations(shared("data", "epic_kitchens", "EPIC_100_validation.csv")).rows)
    published = read_published(shared("data", "egoplan", "EgoPlan_validation.json")).questions
    rates = read_videos(shared("data", "epic_kitchens", "EPIC_100_video_info.csv")).rates
    assert spread(compare(videos, published, rates=rates)) == [
        ("30 frames before the answer's narration begins", 202),
        ("the end of the last action in the progress", 92),
        ("the end of an earlier action in the progress", 7),
        ("15 frames before the answer's narration begins", 3),
        ("45 frames before the answer's narration begins", 3),
    ]
