import importlib
import socket
import subprocess
import sys

import pytest

import seemly
from seemly.engine.engine import Engine

HEAVY = ("numpy", "onnxruntime", "tokenizers", "PIL", "pydantic", "phonenumbers", "fasttext", "regex")


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_seemly_loads_nothing_heavy() -> None:
    code = f"import sys, seemly; print([each for each in {HEAVY!r} if each in sys.modules])"
    assert _run(code) == "[]"


def test_a_channel_can_be_made_without_anything_heavy() -> None:
    code = f"import sys, seemly; seemly.Channel(); print([each for each in {HEAVY!r} if each in sys.modules])"
    assert _run(code) == "[]"


@pytest.mark.parametrize("name", seemly.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(seemly, name) is not None
    assert name in dir(seemly)


def test_all_is_sorted_and_whole() -> None:
    lazily = set(seemly._HOME_OF) | {"__version__"}
    assert set(seemly.__all__) == lazily
    assert list(seemly.__all__) == sorted(
        seemly.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name)
    )


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Moderator"):
        seemly.Moderator  # noqa: B018


def test_moderating_opens_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    result = Engine().moderate("write to jo@example.com or +44 20 7946 0958, see http://bit.ly/x, you idiot")
    assert result.errors == ()
    assert result.recommendation.action != "allow"


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("seemly.engine", {"Engine", "ModerationResult"}),
        ("seemly.service", {"Moderation", "sign", "verify_signature"}),
        ("seemly.adapters.fetch", {"Fetcher"}),
        ("seemly.adapters.perspective", {"analyze", "suggest_score"}),
        ("seemly.adapters.server", {"create_app"}),
        ("seemly.adapters.store", {"SqlStore", "MemoryStore"}),
    ],
)
def test_a_package_offers_its_names_lazily(module: str, names: set[str]) -> None:
    face = importlib.import_module(module)
    assert names <= set(face.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = face.nothing
    for name in names:
        try:
            assert getattr(face, name).__name__ == name
        except ImportError as error:
            assert error.name is not None
            assert not error.name.startswith("seemly")
