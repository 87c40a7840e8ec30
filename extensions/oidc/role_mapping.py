"""Roles from claims: the operator's mapping, and the roles that it gives to the values of a claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from domain.errors import SettingsError
from domain.roles import Role, at_least

ADMIN = "admin"
MEMBER = "member"


@dataclass(frozen=True)
class MappingRule:
    """What one value of the claim gives. A rule without a role only lets people have an account."""

    value: str
    is_admin: bool = False
    project: str = ""
    role: Role | None = None


@dataclass(frozen=True)
class GrantedRoles:
    """The roles that claims give to a person."""

    is_mapped: bool
    """Whether the mapping names one of the person's values."""
    is_admin: bool = False
    roles: Mapping[str, Role] = field(default_factory=dict)
    """By project ID."""


@dataclass(frozen=True)
class RoleMapping:
    """The operator's mapping of claim values to roles."""

    rules: tuple[MappingRule, ...] = ()

    @property
    def projects(self) -> list[str]:
        """The IDs of projects in which claims give roles."""
        return sorted({rule.project for rule in self.rules if rule.project})

    def granted(self, values: frozenset[str]) -> GrantedRoles:
        """Return the roles of a person whose claim has these values: in each project, the highest one.

        >>> mapping = mapping_of("staff=egothink:annotator; leads=egothink:lead")
        >>> dict(mapping.granted(frozenset({"staff", "leads"})).roles)
        {'egothink': <Role.LEAD: 'lead'>}
        """
        matched = [rule for rule in self.rules if rule.value in values]
        roles: dict[str, Role] = {}
        for rule in matched:
            if rule.role is not None and not (rule.project in roles and at_least(roles[rule.project], rule.role)):
                roles[rule.project] = rule.role
        return GrantedRoles(bool(matched), any(rule.is_admin for rule in matched), roles)


def mapping_of(text: str, told: str = "the mapping") -> RoleMapping:
    """Return the mapping that a text such as ``admins=admin; team=egothink:annotator; staff=member`` states.

    The last ``=`` of an entry separates value and role, because values may be names of a
    directory (``cn=admins,o=lab``).

    Raises
    ------
    SettingsError
        An entry cannot be read. ``told`` is the name of the text in the message.
    """
    rules = []
    for entry in (part.strip() for part in text.split(";")):
        if not entry:
            continue
        value, equals, target = (part.strip() for part in entry.rpartition("="))
        project, colon, role = target.partition(":")
        if equals and value and target in (ADMIN, MEMBER):
            rules.append(MappingRule(value, is_admin=target == ADMIN))
        elif equals and value and colon and project and role in list(Role):
            rules.append(MappingRule(value, project=project, role=Role(role)))
        else:
            raise SettingsError(
                f"{told} has the invalid entry {entry!r}. Write VALUE=admin, VALUE=member or VALUE=PROJECT:ROLE, where "
                f"ROLE is {', '.join(Role)}. Separate entries with semicolons."
            )
    return RoleMapping(tuple(rules))


def claim_values(claims: Mapping[str, Any], name: str) -> frozenset[str]:
    """Return the values of a claim. Dots lead into objects (``realm_access.roles``) unless a claim has the whole name.

    >>> sorted(claim_values({"realm_access": {"roles": ["a", "b"]}}, "realm_access.roles"))
    ['a', 'b']
    """
    found: Any = claims.get(name)
    if found is None:
        found = claims
        for part in name.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
    if isinstance(found, str):
        return frozenset({found})
    if isinstance(found, list | Mapping):  # some providers write an object whose keys are the roles
        return frozenset(each for each in found if isinstance(each, str))
    return frozenset()
