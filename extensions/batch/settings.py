"""The operator's setting for executors of shards, as a variable of the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

VLLM = "TOUCHSTONE_VLLM"


@dataclass(frozen=True)
class ShardSettings:
    """The programs that execute shards on this machine."""

    vllm: str = "vllm run-batch"
    """The command with which the executor `vllm` answers a batch file, with further options of your own. Default: `vllm
    run-batch`."""

    @classmethod
    def read(cls, env: Mapping[str, str], folder: Path) -> ShardSettings:
        """Return the settings of an environment."""
        given = env.get(VLLM, "").strip()
        return cls(vllm=given) if given else cls()
