"""What the members of the demo's community write: gardeners, and those who come to disturb them."""

from __future__ import annotations

__all__ = ["ASIDES", "AUTHORS", "DISTURBANCES", "OPENINGS"]

AUTHORS: tuple[tuple[str, str], ...] = (
    ("u101", "Maren Holt"), ("u102", "Tobias Wren"), ("u103", "Ines Carvalho"), ("u104", "Rahul Menon"),
    ("u105", "Greta Lindqvist"), ("u106", "Sam Okafor"), ("u107", "Yuki Tanabe"), ("u108", "Paul Desmarais"),
    ("u109", "Nadia Haddad"), ("u110", "Olek Brandt"), ("u111", "Fern Whitlock"), ("u112", "Luca Moretti"),
    ("u113", "Hana Novak"), ("u114", "Bea Castell"), ("u115", "Dmitri Volkov"), ("u116", "Ada Nwosu"),
    ("u201", "plotcrasher"), ("u202", "cheapseeds4u"), ("u203", "xX_blight_Xx"), ("u204", "grumpy_mole"),
)  # fmt: skip
"""Ids and names; the last four are those who disturb."""

OPENINGS: tuple[str, ...] = (
    "My tomatoes have brown spots at the bottom, is that blossom end rot?",
    "When do you all sow broad beans, before the winter or after?",
    "Swap: I have far too many raspberry canes, looking for rhubarb.",
    "The compost heap smells sour. More straw, or should I turn it?",
    "Has anybody tried no-dig on heavy clay?",
    "Open plot day is on Saturday at ten, bring cake.",
    "What eats the kale at night? I find neither slugs nor caterpillars.",
    "Is it too late to prune the apple tree by the gate?",
    "The water is off until Thursday, the committee says.",
    "Which potato variety do you grow for storing?",
)
"""How conversations begin."""

ASIDES: tuple[str, ...] = (
    "Thank you, that helped a lot!",
    "I would wait for a dry week, then cut it back hard.",
    "Mine looked like that last year. It was the watering: little and often is worse than rarely and much.",
    "Slugs, surely. Go out with a torch at eleven and you will see.",
    "Count me in for Saturday.",
    "I have some straw left, come by plot 14.",
    "That is damn good advice, to be honest.",
    "We killed every last aphid with soapy water, no mercy.",
    "No idea, but I would like to know, too.",
    "The seed catalogue is at https://example.org/catalogue if you need names.",
    "You could shoot a photo of the leaves, it is hard to say like this.",
    "Charlotte stores well in the shed until March.",
    "Half a bucket a week is plenty.",
    "I disagree, but each to their own plot.",
    "What a beautiful picture of the dahlias!",
    "It took me three years to get the bindweed out.",
    "The committee should answer its letters, I am fed up with waiting.",
    "Ha, my grandmother said exactly the same.",
)
"""How they go on."""

DISTURBANCES: tuple[str, ...] = (
    "you are all idiots and your vegetables are pathetic",
    "shut up you stupid old cow, nobody asked you",
    "BUY CHEAP SEEDS NOW!!! 80% off, visit http://cheap-seeds.example.top and win a free mower",
    "write to me at best.seeds.deals@example.com or call +1 212 555 0134, I pay cash",
    "what a load of b u l l s h i t from the committee",
    "I know which plot is yours. I will smash your greenhouse and then you",
    "people like you should not be allowed to breathe",
    "f*** off with your cake",
    "my card is 4111 1111 1111 1111, can somebody order the straw for me?",
    "lοοk at this, раypal bonus for gardeners: http://paypa1-bonus.example.xyz/login",
    "you fat ugly loser, go and cry in your shed",
    "send me pics, not of the dahlias, you know what I mean ;)",
    "kill yourself, that would do the soil some good",
    "free crypto for every member, click click click https://bit.ly/plots-4-free",
)
"""What a moderator is needed for."""
