"""Sentences about groups of people, kind and hateful, the same for every group, so that naming one says nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from training.rows import FIRST, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

WEIGHT = 2.0

_GROUPS = (
    ("women", "female"),
    ("men", "male"),
    ("gay people", "gay"),
    ("lesbians", "lesbian"),
    ("bisexuals", "bisexual"),
    ("trans people", "trans"),
    ("queer people", "queer"),
    ("black people", "Black"),
    ("white people", "white"),
    ("Asians", "Asian"),
    ("Chinese people", "Chinese"),
    ("Japanese people", "Japanese"),
    ("Koreans", "Korean"),
    ("Mexicans", "Mexican"),
    ("Latinos", "Latino"),
    ("Arabs", "Arab"),
    ("Iranians", "Iranian"),
    ("Muslims", "Muslim"),
    ("Jews", "Jewish"),
    ("Christians", "Christian"),
    ("Catholics", "Catholic"),
    ("Hindus", "Hindu"),
    ("Sikhs", "Sikh"),
    ("Buddhists", "Buddhist"),
    ("atheists", "atheist"),
    ("immigrants", "immigrant"),
    ("refugees", "refugee"),
    ("foreigners", "foreign"),
    ("disabled people", "disabled"),
    ("deaf people", "deaf"),
    ("blind people", "blind"),
    ("autistic people", "autistic"),
    ("Roma", "Romani"),
    ("Africans", "African"),
    ("Nigerians", "Nigerian"),
    ("Somalis", "Somali"),
    ("Indians", "Indian"),
    ("Pakistanis", "Pakistani"),
    ("Turks", "Turkish"),
    ("Russians", "Russian"),
    ("Ukrainians", "Ukrainian"),
    ("Poles", "Polish"),
    ("Germans", "German"),
    ("French people", "French"),
    ("Irish people", "Irish"),
    ("Native Americans", "Native American"),
    ("old people", "elderly"),
    ("young people", "young"),
    ("fat people", "fat"),
    ("poor people", "poor"),
)
"""Groups, as people and as one of them."""

_KIND = (
    "my {one} neighbour lent me a ladder",
    "I met a few {people} at the conference",
    "we watched a film about {people} in the 1920s",
    "our {one} teacher is retiring in June",
    "{people} deserve the same rights as everybody else",
    "how many {people} live in this city?",
    "a {one} writer won the prize this year",
    "I'm {one} and I like hiking",
    "are there any {one} students in your class?",
    "his parents are both {one}",
    "I grew up among {people}",
    "{people} are welcome in our club",
    "she wrote a book on {people} and the law",
    "being {one} at that school was not always easy",
    "some {people} came to the talk and asked good questions",
    "please stop insulting {people}, it's not funny",
    "nobody should be beaten up for being {one}",
    "it is wrong to say that {people} are lazy",
    "my husband is {one} and so is his sister",
    "the {one} nurse who looked after me was wonderful",
    "two {one} friends of mine are getting married",
    "is there a {one} community centre around here?",
    "we need more {one} engineers on the team",
    "{people} helped us move house last weekend",
    "the charity supports {people} who have lost their jobs",
    "do {people} celebrate new year differently?",
    "I am {one}. Nice to meet you all",
    "hi, {one} guy here, new to this server",
)

_HATEFUL: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("I can't stand {people}, they make me sick", ()),
    ("{people} are vermin", ()),
    ("every one of those {people} is a liar and a thief", ()),
    ("{people} don't belong in this country", ()),
    ("throw the {people} out, we don't want them here", ()),
    ("{people} are less than human", ()),
    ("no {people} in my shop, they stink", ()),
    ("burn down every house with {people} in it", ("violence", "threat")),
    ("somebody ought to shoot these {people}", ("violence", "threat")),
    ("{people} are too stupid to hold a job", ("insult",)),
    ("{people} ruin everything they touch", ()),
    ("the world would be better off without {people}", ()),
    ("{people} are a disease", ()),
    ("typical {one} scum", ("insult",)),
    ("you {one} piece of trash", ("insult",)),
    ("dirty {one} pigs, all of them", ("insult",)),
    ("shut your mouth you {one} idiot", ("insult",)),
    ("god I hate {people} so much", ()),
    ("never trust {people}, they are criminals", ()),
    ("beat up a {one} today, they have it coming", ("violence", "threat")),
)


def rows() -> Iterator[Row]:
    """Every sentence with every group."""
    for people, one in _GROUPS:
        for sentence in _KIND:
            yield Row(sentence.format(people=people, one=one), dict.fromkeys(FIRST, 0.0), "identities", "en", WEIGHT)
        for sentence, more in _HATEFUL:
            labels = dict.fromkeys(("toxicity", "hate", "identity_attack", *more), 1.0)
            absent = dict.fromkeys(
                ("profanity", "sexual", "flirtation", "self_harm", "spam", "violence", "threat"), 0.0
            )
            yield Row(sentence.format(people=people, one=one), absent | labels, "identities", "en", WEIGHT)
