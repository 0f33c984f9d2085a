"""What a channel may set for personal information: regions, entities one by one, and how each is masked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["EntitySettings", "MaskStyle", "PiiOptions"]


@dataclass(frozen=True, slots=True)
class MaskStyle:
    """What takes the place of masked personal data.

    - `hidden`: `{{ email hidden }}`
    - `template`: `template`, in which `$` stands for the match
    - `character`: `character` as often as the match is long
    - `keep_last`: as `character`, but the last `keep` letters and digits stay readable
    - `hash`: twelve hexadecimal digits of HMAC-SHA256 under `salt`, which must not be empty
    - `pseudonym`: `Email 1`, `Email 2`; the same value has the same name throughout one text
    """

    kind: Literal["hidden", "template", "character", "keep_last", "hash", "pseudonym"] = "hidden"
    template: str = "$"
    character: str = "*"
    keep: int = 4
    salt: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class EntitySettings:
    """One kind of personal data: whether it is searched, whether it flags, whether and how it is masked."""

    enable: bool = True
    flag: bool = True
    mask: bool = True
    style: MaskStyle | None = None


@dataclass(frozen=True, slots=True)
class PiiOptions:
    """Options of `personal_information`.

    `regions` are ISO 3166 codes (`US`, `GB`) whose national phone numbers are read without a `+` prefix.
    `entities` overrides single entities; the others are searched, flagged and masked. `style` is the mask of
    entities that have none of their own. Matches below `report_from` are dropped, and matches below `mask_from`
    are reported but left in the text; both are probabilities, 0 to 1. `private_addresses` flags and masks private,
    loopback and link-local IP addresses, too, which are otherwise only reported.
    """

    regions: tuple[str, ...] = ()
    entities: Mapping[str, EntitySettings] = field(default_factory=dict)
    style: MaskStyle = MaskStyle()
    report_from: float = 0.3
    mask_from: float = 0.5
    private_addresses: bool = False
