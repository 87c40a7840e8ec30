"""The form for extraction and screening settings, and the settings in words."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import streamlit as st

from domain.errors import InvalidInputError, Problem
from extensions.frames.extraction import ExtractionSettings
from extensions.frames.screening import ScreeningSettings
from media.frames import SCENE

SECONDS, EVERY, SCENES = "Every few seconds", "Every few frames", "First frame per scene"
_STEP, _EVERY = "2", 24


def draw_form(key: str, taking: ExtractionSettings | None = None, keeping: ScreeningSettings | None = None) -> None:
    """Draw the form; ``taking`` and ``keeping`` are its first values."""
    taking, keeping = taking or ExtractionSettings(seconds=_STEP), keeping or ScreeningSettings()
    left, right = st.columns([4, 6], gap="large")
    with left:
        ways = [SECONDS, EVERY, SCENES]
        now = 0 if taking.seconds is not None else 1 if taking.every is not None else 2
        way = st.selectbox("Sampling", ways, index=now, key=f"{key}.way")
        if way == SECONDS:
            st.text_input(
                "Sampling interval (seconds)", value=taking.seconds or _STEP, key=f"{key}.seconds", help=_HELP
            )
        elif way == EVERY:
            st.number_input("Sampling interval (frames)", 1, 1_000_000, taking.every or _EVERY, key=f"{key}.every")
        else:
            st.number_input("Scene change threshold", 0.01, 1.0, taking.scenes or SCENE, 0.05, key=f"{key}.scenes")
        st.checkbox("Measure motion", taking.motion, key=f"{key}.motion", help=_MOTION)
    with right:
        one, two, three = st.columns(3)
        one.number_input(
            "Relative sharpness",
            0.0,
            1.0,
            keeping.blurred,
            0.05,
            key=f"{key}.blurred",
            placeholder="none",
            help=_BLURRED,
        )
        two.number_input(
            "Minimum sharpness", 0.0, None, keeping.min_sharpness, 10.0, key=f"{key}.min_sharpness",
            placeholder="none",
        )  # fmt: skip
        three.number_input("Maximum per video", 1, None, keeping.at_most, 1, key=f"{key}.at_most", placeholder="all")
        one, two, three = st.columns(3)
        low, high = keeping.brightness or (None, None)
        one.number_input("Minimum brightness", 0.0, 255.0, low, 5.0, key=f"{key}.low", placeholder="none", help=_GREY)
        two.number_input("Maximum brightness", 0.0, 255.0, high, 5.0, key=f"{key}.high", placeholder="none", help=_GREY)
        three.number_input("Near-duplicate distance", 0, 64, keeping.alike, 1, key=f"{key}.alike", help=_BITS)
        one, two, _ = st.columns(3)
        still, moved = keeping.least_motion, keeping.most_motion
        one.number_input("Minimum motion", 0.0, None, still, 0.5, key=f"{key}.still", placeholder="none", help=_MOVED)
        two.number_input("Maximum motion", 0.0, None, moved, 0.5, key=f"{key}.moved", placeholder="none", help=_MOVED)
        st.checkbox("Keep the sharpest near duplicate", keeping.distinct, key=f"{key}.distinct")


_BLURRED = "The minimum share of the video's median sharpness. For example, 0.4 drops blurred frames."
_GREY = "The mean gray level of a frame, from 0 (black) to 255 (white)."
_BITS = "Frames whose hashes differ in at most this many of 64 bits are near duplicates."
_MOTION = "Measures the motion between successive frames. Processing takes longer."
_MOVED = "Motion in pixels from one frame to the next, at an image size of 320 pixels. Also select “Measure motion”."
_HELP = "Use a number above 0, such as 0.5 or 1/3."


def taking_of(key: str) -> ExtractionSettings:
    """Return the extraction settings of the form; raise ``InvalidInputError`` for an invalid number."""
    state = st.session_state
    way, motion = state[f"{key}.way"], bool(state[f"{key}.motion"])
    if way == EVERY:
        return ExtractionSettings(every=int(state[f"{key}.every"]), motion=motion)
    if way == SCENES:
        return ExtractionSettings(scenes=float(state[f"{key}.scenes"]), motion=motion)
    text = str(state[f"{key}.seconds"]).strip()
    try:
        if len(text) <= 30 and Fraction(text) > 0:
            return ExtractionSettings(seconds=text, motion=motion)
    except (ValueError, ZeroDivisionError):
        pass
    raise InvalidInputError(
        [Problem("seconds", f"{text!r} is not a number of seconds above 0. Write a number such as 0.5 or 1/3.")]
    )


def keeping_of(key: str) -> ScreeningSettings:
    """Return the screening settings of the form."""
    state = st.session_state
    low, high = state[f"{key}.low"], state[f"{key}.high"]
    bright = None if low is None and high is None else (0.0 if low is None else low, 255.0 if high is None else high)
    if bright is not None and bright[0] > bright[1]:
        raise InvalidInputError(
            [
                Problem(
                    "brightness", f"The darkest gray level ({bright[0]:g}) must be below the lightest ({bright[1]:g})."
                )
            ]
        )
    return ScreeningSettings(
        at_most=state[f"{key}.at_most"],
        min_sharpness=state[f"{key}.min_sharpness"],
        blurred=state[f"{key}.blurred"],
        brightness=bright,
        distinct=bool(state[f"{key}.distinct"]),
        alike=int(state[f"{key}.alike"]),
        least_motion=state[f"{key}.still"],
        most_motion=state[f"{key}.moved"],
    )


def taking_words(taking: dict[str, Any]) -> str:
    """Return extraction settings in words.

    >>> taking_words({"seconds": "2", "every": None, "scenes": None})
    'one frame every 2 seconds'
    """
    more = ", with its motion" if taking.get("motion") else ""
    if taking.get("seconds") is not None:
        return f"one frame every {taking['seconds']} seconds{more}"
    if taking.get("every") is not None:
        return f"each {taking['every']}th frame{more}"
    return f"the first frame of each scene (threshold {taking.get('scenes')}){more}"


def keeping_words(keeping: dict[str, Any]) -> str:
    """Return screening settings in words.

    >>> keeping_words({"blurred": 0.4, "at_most": 3})
    "at least 0.4 of the video's median sharpness; at most 3 per video"
    >>> keeping_words({"distinct": True, "alike": 6})
    'one frame from each group of near duplicates (up to 6 different bits)'
    >>> keeping_words({})
    'all are kept'
    """
    rules = []
    if keeping.get("min_sharpness") is not None:
        rules.append(f"sharpness from {keeping['min_sharpness']:g}")
    if keeping.get("blurred") is not None:
        rules.append(f"at least {keeping['blurred']:g} of the video's median sharpness")
    if keeping.get("brightness") is not None:
        rules.append("brightness {:g} to {:g}".format(*keeping["brightness"]))
    if keeping.get("least_motion") is not None:
        rules.append(f"motion from {keeping['least_motion']:g}")
    if keeping.get("most_motion") is not None:
        rules.append(f"motion to {keeping['most_motion']:g}")
    if keeping.get("distinct"):
        rules.append(f"one frame from each group of near duplicates (up to {keeping['alike']} different bits)")
    if keeping.get("at_most") is not None:
        rules.append(f"at most {keeping['at_most']} per video")
    return "; ".join(rules) or "all are kept"
