"""The tiny checkpoints lie on disk as downloaded ones do."""

from __future__ import annotations

import json

import pytest

from testkit.tiny import FAMILIES, Shelf


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_a_checkpoint_is_what_someone_would_download(family: str, tiny_models: Shelf) -> None:
    folder = tiny_models.folder(family)
    names = {path.name for path in folder.iterdir()}
    assert names >= {"config.json", "generation_config.json", "model.safetensors", "tokenizer.json"}
    assert json.loads((folder / "config.json").read_text())["architectures"]
    if family != "text":
        told = json.loads((folder / "processor_config.json").read_text())
        assert told["processor_class"].endswith("Processor")
        assert not told["image_processor"]["image_processor_type"].endswith("Pil")
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 3_000_000
