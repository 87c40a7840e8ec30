"""The box of the secret in ``testkit.covered``."""

from __future__ import annotations

from extensions.privacy.boxes import HAND, Box

BOX = Box("face", 0.25, 0.2, 0.2, 0.4, HAND, cover=True)
"""``testkit.covered.AREA`` as fractions: 50 / 200, 20 / 100, 40 / 200, 40 / 100."""
