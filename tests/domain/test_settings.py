"""Where state goes, by environment and folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.errors import SettingsError
from domain.settings import settings_from


def test_a_checkout_keeps_its_state_next_to_its_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "touchstone-vlm"\n')
    inside = tmp_path / "docs" / "deep"
    inside.mkdir(parents=True)
    settings = settings_from({}, inside)
    assert settings.home == tmp_path / "data"
    assert settings.database_url == f"sqlite:///{tmp_path}/data/touchstone.db"
    assert settings.media_folder == tmp_path / "data" / "media"


@pytest.mark.parametrize(
    ("env", "home"),
    [
        ({"HOME": "/h/ann"}, "/h/ann/.local/share/touchstone"),
        ({"HOME": "/h/ann", "XDG_DATA_HOME": "/x"}, "/x/touchstone"),
        ({"HOME": "/h/ann", "TOUCHSTONE_HOME": "/srv/t"}, "/srv/t"),
        ({"HOME": "/h/ann", "TOUCHSTONE_HOME": "  "}, "/h/ann/.local/share/touchstone"),
    ],
)
def test_elsewhere_it_is_the_users_data_folder_or_what_is_asked(env: dict[str, str], home: str, tmp_path: Path) -> None:
    assert settings_from(env, tmp_path).home == Path(home)


def test_a_relative_home_is_taken_from_where_one_is(tmp_path: Path) -> None:
    assert settings_from({"TOUCHSTONE_HOME": "here"}, tmp_path).home == tmp_path / "here"


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_postgresql_has_one_driver(scheme: str, tmp_path: Path) -> None:
    settings = settings_from({"TOUCHSTONE_DATABASE_URL": f"{scheme}://ann@db/t"}, tmp_path)
    assert settings.database_url == "postgresql+psycopg://ann@db/t"


@pytest.mark.parametrize("url", ["mysql://x/y", "sqlite://", "nonsense", "sqlite:/one"])
def test_other_databases_are_refused_with_a_sentence(url: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="TOUCHSTONE_DATABASE_URL"):
        settings_from({"TOUCHSTONE_DATABASE_URL": url}, tmp_path)


def test_a_home_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="TOUCHSTONE_HOME"):
        settings_from({"TOUCHSTONE_HOME": "file"}, tmp_path)


def test_what_the_operator_allows_is_a_list(tmp_path: Path) -> None:
    settings = settings_from(
        {"TOUCHSTONE_ENDPOINTS": "vllm.lab, 10.0.0.0/24,", "TOUCHSTONE_MODELS": "weights"},
        tmp_path,
    )
    assert settings.endpoints == ("vllm.lab", "10.0.0.0/24")
    assert settings.model_folder == tmp_path / "weights"
    assert settings.remote_code == ()


def test_without_a_folder_of_models_it_is_below_home(tmp_path: Path) -> None:
    assert settings_from({"TOUCHSTONE_HOME": "/srv/t"}, tmp_path).model_folder == Path("/srv/t/models")


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("https://annotate.example.org", "https://annotate.example.org"),
        ("http://10.0.0.7:8501/", "http://10.0.0.7:8501"),
        ("http://[::1]:8501", "http://[::1]:8501"),
        ("  ", None),
    ],
)
def test_the_public_address_is_an_origin(given: str, address: str | None, tmp_path: Path) -> None:
    assert settings_from({"TOUCHSTONE_PUBLIC_URL": given}, tmp_path).public_url == address


@pytest.mark.parametrize(
    "given",
    [
        "annotate.example.org",
        "ftp://annotate.example.org",
        "https://",
        "https://ann@annotate.example.org",
        "https://annotate.example.org/below",
        "https://annotate.example.org?a=b",
        "https://annotate.example.org#a",
        "https://annotate.example.org:port",
    ],
)
def test_a_public_address_that_is_none_is_refused_with_a_sentence(given: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"TOUCHSTONE_PUBLIC_URL .*such as https://"):
        settings_from({"TOUCHSTONE_PUBLIC_URL": given}, tmp_path)
