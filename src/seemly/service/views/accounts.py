"""The wire shapes of an account, an organization and its members."""

from __future__ import annotations

from typing import Any

from seemly.service.accounts import Account
from seemly.service.events import to_iso
from seemly.service.records import Member, Organization

__all__ = ["view_account", "view_member", "view_organization"]


def view_account(account: Account) -> dict[str, Any]:
    """An account. The quotas are in units a calendar month, None for no limit; `current_project` is a project key's."""
    quota = account.organization.quota
    view: dict[str, Any] = {
        "id": account.organization.id,
        "paid_plan_name": account.organization.plan,
        "text_api_quota": quota,
        "remaining_quota": None if quota is None else max(0, quota - account.used),
    }
    if account.project is not None:
        view["current_project"] = {"id": account.project.id, "name": account.project.name}
    return view


def view_organization(organization: Organization) -> dict[str, Any]:
    """An organization."""
    return {
        "id": organization.id,
        "name": organization.name,
        "plan": organization.plan,
        "quota": organization.quota,
        "createdAt": to_iso(organization.created_ms),
    }


def view_member(member: Member) -> dict[str, Any]:
    """A member of an organization."""
    return {
        "id": member.id,
        "name": member.name,
        "email": member.email,
        "role": member.role,
        "createdAt": to_iso(member.created_ms),
    }
