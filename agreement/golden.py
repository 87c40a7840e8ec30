"""``python -m agreement.golden FILE``: recompute a file of golden values and report the differences.

The values are compared by ``tests/agreement/golden`` of the source tree, which an installed package does not hold.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit code: 0, 1 if something fails, 2 if the file or the source tree cannot be read."""
    if not (SOURCE / "tests" / "agreement" / "golden").is_dir():
        print(
            "This command compares golden values in Touchstone's source tree. Run the command in the source tree.",
            file=sys.stderr,
        )
        return 2
    sys.path.insert(0, str(SOURCE))
    code: int = importlib.import_module("tests.agreement.golden.command").main(argv)
    return code


if __name__ == "__main__":
    sys.exit(main())
