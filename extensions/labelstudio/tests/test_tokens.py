"""Test which token goes to which Label Studio server, and that no token is ever shown."""

from __future__ import annotations

import base64
import json
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from domain.errors import ServiceError
from domain.settings import settings_from
from extensions.labelstudio.settings import LabelStudioSettings
from extensions.labelstudio.tokens import Token, normal, token_for

LEGACY = "0123456789abcdef0123456789abcdef01234567"
HERE = "http://127.0.0.1:8080"


def personal(*, ends_in: float = 30 * 86_400.0, kind: str = "refresh") -> str:
    """Return a token with the three parts and the claims that Label Studio writes."""
    claims = {"token_type": kind, "exp": int(time.time() + ends_in), "jti": "0" * 32, "user_id": "1"}
    parts = [json.dumps(each).encode() for each in ({"alg": "HS256", "typ": "JWT"}, claims)]
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in [*parts, b"signature" * 3])


def settings(tmp_path: Path, **given: str) -> LabelStudioSettings:
    names = {f"TOUCHSTONE_LABEL_STUDIO_{name.upper()}": value for name, value in given.items()}
    return settings_from({"TOUCHSTONE_HOME": str(tmp_path), **names}, tmp_path).of(LabelStudioSettings)


@pytest.fixture(autouse=True)
def _no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)  # as if it were not installed


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
        (" https://Labels.Example.org ", "https://labels.example.org"),
        ("https://labels.example.org:443", "https://labels.example.org"),
        ("https://labels.example.org:8443/studio/", "https://labels.example.org:8443/studio"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_a_server_has_one_address(written: str, address: str) -> None:
    assert normal(written) == address
    assert normal(address) == address


@pytest.mark.parametrize("address", ["http://anna:secret@labels.example.org", "ftp://labels.example.org", "labels", ""])
def test_what_is_no_address_is_refused_with_a_sentence(address: str) -> None:
    with pytest.raises(ServiceError) as refused:
        normal(address)
    assert "Label Studio" in str(refused.value)
    assert "secret" not in str(refused.value)
    assert str(refused.value).endswith(".")


def test_both_kinds_are_told_apart_by_their_form() -> None:
    assert Token(personal(), whence="here").personal
    assert not Token(LEGACY, whence="here").personal


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("with a blank in it", "does not contain a Label Studio token"),
        ("short", "does not contain a Label Studio token"),
        ("tökén-tökén-tökén", "does not contain a Label Studio token"),
        (personal(ends_in=-60), "has expired"),
        (personal(kind="access"), "short-lived access token"),
        (personal().rpartition(".")[0], "is incomplete"),
        ("abc.def.ghi", "must be a personal access token or a legacy token"),
    ],
)
def test_what_is_no_token_is_refused_without_showing_it(value: str, says: str) -> None:
    with pytest.raises(ServiceError) as refused:
        Token(value, whence="TOUCHSTONE_LABEL_STUDIO_TOKEN")
    assert says in str(refused.value)
    assert "TOUCHSTONE_LABEL_STUDIO_TOKEN" in str(refused.value)
    assert value not in str(refused.value)


@pytest.mark.parametrize("value", [LEGACY, personal()])
def test_a_token_never_shows_itself(value: str, tmp_path: Path) -> None:
    token = Token(value, whence="here")
    assert value not in repr(token)
    assert value not in str(token)
    assert value not in f"{settings(tmp_path, token=value)!r}"
    assert value not in token.hidden(f"the server repeats {value} and {personal(kind='access')}.")
    assert "eyJ" not in token.hidden(f"the server repeats {value} and {personal(kind='access')}.")


@pytest.mark.parametrize("address", [HERE, "http://localhost:8080", "http://[::1]:8080"])
def test_the_variable_goes_to_this_machine(address: str, tmp_path: Path) -> None:
    assert token_for(address, settings(tmp_path, token=LEGACY)).value() == LEGACY


@pytest.mark.parametrize(
    "address", ["https://labels.example.org", "http://10.0.0.7:8080", "http://localhost.example.org"]
)
def test_the_variable_goes_nowhere_else_unless_the_operator_names_the_server(address: str, tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="is only for "):
        token_for(address, settings(tmp_path, token=LEGACY))
    assert token_for(address, settings(tmp_path, token=LEGACY, url=address + "/")).value() == LEGACY
    with pytest.raises(ServiceError, match="is only for "):
        token_for(HERE, settings(tmp_path, token=LEGACY, url=address))


def test_a_file_has_the_tokens_of_several_servers(tmp_path: Path) -> None:
    other = personal()
    (tmp_path / "tokens").write_text(f"# servers\n\nhttps://labels.example.org/ {other}\n{HERE}\t{LEGACY}\n")
    given = settings(tmp_path, token_file="tokens")
    assert token_for("https://LABELS.example.org", given).value() == other
    assert token_for(HERE, given).value() == LEGACY
    with pytest.raises(ServiceError, match=r"There is no token for https://else\.example\.org"):
        token_for("https://else.example.org", given)


@pytest.mark.parametrize(
    ("text", "says"),
    [(f"{HERE}\n", "Line 1"), (f"\n{HERE} a b\n", "Line 2"), (None, "Touchstone cannot read .*tokens")],
)
def test_a_file_that_does_not_fit_is_refused_without_showing_what_is_in_it(
    text: str | None, says: str, tmp_path: Path
) -> None:
    if text is not None:
        (tmp_path / "tokens").write_text(text)
    with pytest.raises(ServiceError, match=says):
        token_for(HERE, settings(tmp_path, token_file="tokens"))


def test_the_systems_keyring_is_asked_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = ModuleType("keyring")
    kept = {("touchstone-label-studio", "https://labels.example.org"): LEGACY}
    keyring.get_password = lambda service, name: kept.get((service, name))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    token = token_for("https://labels.example.org/", settings(tmp_path))
    assert (token.value(), token.whence) == (LEGACY, "the keyring")
    with pytest.raises(ServiceError, match="There is no token"):
        token_for(HERE, settings(tmp_path))


def test_a_keyring_that_is_locked_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(service: str, name: str) -> str:
        raise RuntimeError("locked")

    keyring = ModuleType("keyring")
    keyring.get_password = locked  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    with pytest.raises(ServiceError, match="TOUCHSTONE_LABEL_STUDIO_TOKEN"):
        token_for(HERE, settings(tmp_path))
