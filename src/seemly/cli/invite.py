"""`seemly members invite EMAIL`: a link by which a member sets a password for the console."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from seemly.cli.exit_codes import DONE
from seemly.cli.manage import opened
from seemly.cli.serve import link_of
from seemly.core.errors import ConfigError
from seemly.service.access.sign_in import invite_address
from seemly.service.base.environment import Environment
from seemly.service.management.accounts import list_members

if TYPE_CHECKING:
    from seemly.cli.streams import Console

__all__ = ["run_invite"]

_FIELDS = ("name", "role", "url")


def run_invite(database: str, words: Sequence[str], console: Console) -> int:
    """Invite the member of an e-mail address, who is added where they are new, and write the link.

    The words: the address, then `name=`, `role=` (member, admin or owner) and `url=`, where browsers find the server.
    Raises ConfigError, ContentError.
    """
    address, *rest = words or ("",)
    given = dict(word.partition("=")[::2] for word in rest)
    if "@" not in address or not given.keys() <= set(_FIELDS) or not all("=" in word for word in rest):
        raise ConfigError("this takes an e-mail address first, then name=…, role=member|admin|owner, url=…")
    url = given.pop("url", "http://127.0.0.1:8000")
    with opened(database) as (store, organization):
        env = Environment(store)
        with store.transaction() as tx:
            owner = next(each for each in list_members(tx, organization.id) if each.role == "owner")
            invited = invite_address(env, tx, owner, {"email": address, **given})
    told = {"email": address, "role": invited.member.role, "consoleLink": link_of(url, invited)}
    console.write(json.dumps(told, indent=2, ensure_ascii=False))
    return DONE
