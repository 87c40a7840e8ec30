"""The demo's scenes and their pictures belong together."""

from __future__ import annotations

from annotation_schemas import shipped
from annotation_schemas.kinds import check_fields
from annotation_schemas.loader import load_schema
from examples import scenes


def test_every_scene_has_its_picture_and_every_picture_its_scene() -> None:
    everything = scenes.scenes()
    folder = everything[0].path.parent
    assert {path.name for path in folder.iterdir()} == {scene.path.name for scene in everything}
    assert {scene.picture().size for scene in everything} == {(1280, 960)}


def test_every_dimension_of_the_demos_schema_has_scenes_that_fit_it() -> None:
    schema = load_schema(shipped()["demo"]).schema_
    everything = scenes.scenes()
    assert {scene.dimension for scene in everything} == {dimension.id for dimension in schema.dimensions}
    for scene in everything:
        assert check_fields(schema, {"question": scene.question, "answer": scene.answer}) == []
