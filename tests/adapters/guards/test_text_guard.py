import pytest

from seemly.adapters.guards.text_guard import TextGuard
from seemly.core.errors import ConfigError
from tests.support.guarded import BAD, ENGINE, MAIL, MASKED, make_guard


def test_texts_go_on_with_their_masks() -> None:
    guard, seen = make_guard()
    assert guard.check("input", [MAIL, "hello"])[0] == [MASKED, "hello"]
    assert [(each.stage, each.blocked, len(each.results)) for each in seen] == [("input", False, 2)]
    assert make_guard(mask=False)[0].check("input", [MAIL])[0] == [MAIL]


@pytest.mark.parametrize(
    ("text", "block_from", "blocked"),
    [
        (BAD, "reject", True),
        (BAD, "review", True),
        (MAIL, "reject", False),
        (MAIL, "review", True),
        ("hi", "review", False),
    ],
)
def test_a_text_blocks_from_an_action_on(text: str, block_from: str, blocked: bool) -> None:
    assert make_guard(block_from=block_from)[0].check("output", [text])[1].blocked is blocked


def test_what_is_not_scanned_is_said() -> None:
    guard, _ = make_guard()
    checked = guard.check("input", ["hello"], ("image", "image"))[1]
    assert (checked.unscanned, checked.blocked) == (("image",), False)
    assert make_guard(block_unscanned=True)[0].check("input", [], ("image",))[1].blocked


def test_another_action_is_refused() -> None:
    with pytest.raises(ConfigError, match="block_from must be"):
        TextGuard(ENGINE, block_from="allow")  # type: ignore[arg-type]
