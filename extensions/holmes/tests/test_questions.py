"""Questions to models that ask for tools."""

from __future__ import annotations

from db.engine import Store
from media.store import MediaStore
from tests.workflow.test_questions import PCA, asker, bring, media, schema_of

__all__ = ["media"]


def test_a_text_model_that_asks_tools_gets_no_pictures_and_a_prompt_of_its_own(store: Store, media: MediaStore) -> None:
    loaded = schema_of("pca_bench")
    ids = bring(store, media, loaded, [("domestic_robot", PCA, [("image", None)])])
    holmes = asker(store, media, loaded, strategy="holmes")
    cannot = "This item has no stored results of tools, and the run has no tool set. Choose a tool set."
    assert holmes.ask(ids)[0].cannot == cannot
    assert set(holmes.describe(ids).variants.values()) == {"holmes"}
    assert "image" not in asker(store, media, loaded, text_only=True).ask(ids)[0].text
