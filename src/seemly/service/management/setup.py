"""The first organization of an installation, with an owner, a project and keys."""

from __future__ import annotations

from dataclasses import dataclass, field

from seemly.core.errors import ConflictError
from seemly.service.base.environment import Environment
from seemly.service.base.ports import Transaction
from seemly.service.base.records import Member, Organization
from seemly.service.base.requests import Body
from seemly.service.management.keys import issue, log
from seemly.service.management.projects import add_project

__all__ = ["SetUp", "set_up"]

_FIRST = "org_first"


@dataclass(frozen=True, slots=True)
class SetUp:
    """What was made. The keys are shown this once and kept nowhere."""

    organization: Organization
    owner: Member
    project_id: str
    channel_id: str
    organization_key: str = field(repr=False)
    project_key: str = field(repr=False)
    webhook_secret: str = field(repr=False)

    def to_dict(self) -> dict[str, str]:
        """The wire form."""
        return {
            "organizationKey": self.organization_key,
            "projectKey": self.project_key,
            "projectId": self.project_id,
            "channelId": self.channel_id,
            "webhookSecret": self.webhook_secret,
        }


def set_up(env: Environment, tx: Transaction, wire: object = None) -> SetUp:
    """Make the first organization, its owner, a project with all that it comes with, and an organization key that may
    do everything and never expires.

    The body, of which nothing is required: `organization` and `owner`, each with a `name`, the owner also with an
    `email`, and `project`, as in a request to create one. Raises ContentError, and ConflictError where there is an
    organization.
    """
    if tx.count(Organization):
        raise ConflictError("this installation is set up already")
    body = Body(wire)
    organization = Organization(
        # Always the same, so that of two who set up at once one finds it taken.
        id=_FIRST,
        name=body.part("organization").text("name", "Organization", least=1, most=200),
        created_ms=env.now(),
    )
    person = body.part("owner")
    owner = Member(
        id=env.new_id("mem"),
        organization_id=organization.id,
        created_ms=env.now(),
        name=person.text("name", "Owner", most=200),
        email=person.text("email", None, least=3, most=320),
        role="owner",
    )
    tx.add(organization)
    tx.add(owner)
    made = add_project(env, tx, organization.id, body.part("project"), unnamed="Project")
    issued = issue(env, tx, organization.id, "Organization key", projects="write", channels="write")
    log(env, tx, owner, "organization.created", organization.id)
    return SetUp(
        organization=organization,
        owner=owner,
        project_id=made.project.id,
        channel_id=made.channel.id,
        organization_key=issued.secret,
        project_key=made.secret,
        webhook_secret=made.project.webhook_secret,
    )
