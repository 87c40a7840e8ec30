"""Which roles claims give: the mapping by table."""

from __future__ import annotations

from typing import Any

import pytest

from domain.errors import SettingsError
from extensions.oidc.role_mapping import claim_values, mapping_of
from extensions.oidc.settings import NAMES, OidcSettings

MAPPING = "admins=admin; team=tiny:annotator; leads=tiny:lead; leads=other:senior; staff=member; cn=x,o=lab=tiny:senior"


@pytest.mark.parametrize(
    ("values", "is_mapped", "is_admin", "roles"),
    [
        ([], False, False, {}),
        (["stranger"], False, False, {}),
        (["staff"], True, False, {}),
        (["admins"], True, True, {}),
        (["team"], True, False, {"tiny": "annotator"}),
        (["leads", "team"], True, False, {"tiny": "lead", "other": "senior"}),
        (["team", "leads"], True, False, {"tiny": "lead", "other": "senior"}),
        (["cn=x,o=lab", "team"], True, False, {"tiny": "senior"}),
        (["Team"], False, False, {}),
        (["team", "admins", "stranger"], True, True, {"tiny": "annotator"}),
    ],
)
def test_values_give_roles(values: list[str], is_mapped: bool, is_admin: bool, roles: dict[str, str]) -> None:
    granted = mapping_of(MAPPING).granted(frozenset(values))
    assert (granted.is_mapped, granted.is_admin, {**granted.roles}) == (is_mapped, is_admin, roles)


@pytest.mark.parametrize(
    "entry", ["admins", "=admin", "a=", "a=boss", "a=tiny:", "a=:lead", "a=tiny:boss", "a=tiny", "ok=admin; a=b:c:lead"]
)
def test_an_entry_that_cannot_be_read_is_named(entry: str) -> None:
    with pytest.raises(SettingsError, match="has the invalid entry"):
        mapping_of(entry, "TOUCHSTONE_OIDC_ROLES")


@pytest.mark.parametrize(
    ("claims", "name", "values"),
    [
        ({"groups": ["a", "b"]}, "groups", {"a", "b"}),
        ({"groups": "a"}, "groups", {"a"}),
        ({}, "groups", set()),
        ({"groups": None}, "groups", set()),
        ({"groups": [1, None, {"x": 1}, "a"]}, "groups", {"a"}),
        ({"groups": True}, "groups", set()),
        ({"realm_access": {"roles": ["a"]}}, "realm_access.roles", {"a"}),
        ({"realm_access": ["a"]}, "realm_access.roles", set()),
        ({"https://lab.example/roles": ["a"]}, "https://lab.example/roles", {"a"}),
        ({"roles": {"a": {"id": "1"}, "b": {}}}, "roles", {"a", "b"}),
    ],
)
def test_the_values_of_a_claim(claims: dict[str, Any], name: str, values: set[str]) -> None:
    assert claim_values(claims, name) == values


GOOD = {"TOUCHSTONE_OIDC_ISSUER": "https://sso.example.org", "TOUCHSTONE_OIDC_CLIENT_ID": "touchstone"}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"TOUCHSTONE_OIDC_ISSUER": ""}, "TOUCHSTONE_OIDC_ISSUER is missing"),
        ({"TOUCHSTONE_OIDC_ISSUER": "sso.example.org"}, "TOUCHSTONE_OIDC_ISSUER is 'sso.example.org'"),
        ({"TOUCHSTONE_OIDC_CLIENT_ID": ""}, "TOUCHSTONE_OIDC_CLIENT_ID is missing"),
        ({"TOUCHSTONE_OIDC_SCOPES": "email"}, "Add the scope openid"),
        ({"TOUCHSTONE_OIDC_ACCOUNTS": "none"}, "invited, mapped, all"),
        ({"TOUCHSTONE_OIDC_PASSWORDS": "no"}, "Use on or off"),
        ({"TOUCHSTONE_OIDC_ROLES": "a=b"}, "TOUCHSTONE_OIDC_ROLES has the invalid entry 'a=b'"),
    ],
)
def test_settings_that_do_not_fit_are_named_without_the_secret(more: dict[str, str], words: str, tmp_path: Any) -> None:
    env = {**GOOD, "TOUCHSTONE_OIDC_CLIENT_SECRET": "hush-hush", **more}
    with pytest.raises(SettingsError, match=words) as raised:
        OidcSettings.read(env, tmp_path)
    assert "hush-hush" not in str(raised.value)


def test_no_setting_means_no_provider(tmp_path: Any) -> None:
    assert not OidcSettings.read({}, tmp_path).is_set_up
    read = OidcSettings.read({**GOOD, "TOUCHSTONE_OIDC_CLIENT_SECRET": "hush-hush"}, tmp_path)
    assert read.oidc_client_secret == "hush-hush"
    assert "hush-hush" not in repr(read)
    assert {name.removeprefix("TOUCHSTONE_").lower() for name in NAMES} == set(vars(read))
