"""Marketplace listings: several fields at once, links that flag, and a list of forbidden goods.

    python examples/marketplace_listings.py

It prints:

    Oak table, six chairs: allow
    Repl1ca watch: reject
        title: 'Repl1ca' (wordlist:forbidden)
    Folding bike: review
        description: '+44 7700 900123' (personal_information)
        shown as: Text me on {{ phone hidden }}, it is cheaper
    Used phone: review
        description: 'http://bit.ly/3xyz' (url: link_shortener)
    Oak shelf: allow
"""

from seemly import Channel, Engine, Object, PolicySettings, Text, Wordlist

CHANNEL = Channel(
    key="listings",
    content_type="product",
    policies=(PolicySettings("url", flag=True, options={"allow": ["example.com"]}),),
    wordlists=(Wordlist("forbidden", ("ivory", "replica*", "snake oil")),),
)

LISTINGS = (
    {"title": "Oak table, six chairs", "description": "Solid oak, some marks. Pick up in Leeds."},
    {"title": "Repl1ca watch", "description": "In its box."},
    {"title": "Folding bike", "description": "Text me on +44 7700 900123, it is cheaper"},
    {"title": "Used phone", "description": "Pictures at http://bit.ly/3xyz"},
    {"title": "Oak shelf", "description": "Solid oak, some marks, pictures at https://shop.example.com/shelf"},
)


def main() -> None:
    engine = Engine(CHANNEL)
    for listing in LISTINGS:
        result = engine.moderate(Object({field: Text(text) for field, text in listing.items()}))
        print(f"{listing['title']}: {result.recommendation.action}")
        for policy in result.policies:
            for match in policy.matches if policy.flagged else ():
                why = f"{policy.id}: {', '.join(match.reasons)}" if policy.id == "url" else policy.id
                print(f"    {match.field}: {match.match!r} ({why})")
        modified = result.content.modified
        if isinstance(modified, Object):
            description = modified.data["description"]
            print(f"    shown as: {description.text if isinstance(description, Text) else ''}")


if __name__ == "__main__":
    main()
