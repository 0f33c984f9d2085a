"""A chat filter that reads each message together with what came before it.

    python examples/chat_filter.py

It prints:

    shown  ann: thanks, that was a good game
    held   bob: you are a worthless idiot
    shown  cat: my number is 020 79
    held   cat: {{ phone hidden }}
"""

from seemly import Channel, ConversationMemory, Engine, ModerationResult, PolicySettings, Submission, Text

CHANNEL = Channel(
    key="chat",
    content_type="message",
    context_enabled=True,
    expected_scripts=("Latin",),
    policies=(PolicySettings("personal_information", options={"regions": ["GB"]}),),
)

MESSAGES = (
    ("ann", "thanks, that was a good game"),
    ("bob", "you are a worthless idiot"),
    ("cat", "my number is 020 79"),
    ("cat", "46 0958"),
)


def read_message(engine: Engine, room: str, author: str, text: str) -> ModerationResult:
    """Moderate one message. The engine's memory supplies the earlier ones of the same room."""
    return engine.moderate(Submission(content=Text(text), conversation_id=room, author_id=author))


def main() -> None:
    engine = Engine(CHANNEL, memory=ConversationMemory(turns=10, seconds=600))
    for author, text in MESSAGES:
        result = read_message(engine, "lobby", author, text)
        fate = "shown" if result.recommendation.action == "allow" else "held"
        print(f"{fate:<6} {author}: {result.modified_text or text}")


if __name__ == "__main__":
    main()
