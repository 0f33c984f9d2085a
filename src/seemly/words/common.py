"""Short common words, for telling a broken or joined swear word from ordinary words side by side."""

from __future__ import annotations

__all__ = ["COMMON", "JOINED"]

JOINED = frozenset(
    "you your yours yourself ur me my mine him his her them they their this that these those it its us our we he she "
    "who what why how when where off up out on over all and or the for with from to go get got give gave take make "
    "made do did does not no yes never ever just so too very much more most less really such like love hate need "
    "want know think say said see look come came stop start shut face head mouth hole brain boy boys girl girls man "
    "men guy guys kid kids people person world life day night time year work job game team school house home mother "
    "mom mum father dad sister brother son daughter friend friends stupid dumb ugly fat dirty lazy crazy holy total "
    "big little small old new mad sad bad good great best worst real fake total absolute complete utter pure damn "
    "hell god jesus christ man oh hey ok lol lmao every some any no one two three first last next again now here "
    "there today police cops government trump biden putin twitter facebook google microsoft apple amazon racism "
    "cancer covid school monday mondays friday winter summer".split()
)
"""Words that may stand beside a swear word in one word, as in a hashtag."""

COMMON = JOINED | frozenset(
    "a i o u s t d m n y e c b p r l k re ve ll an as at am be by if in is of hi ho ha ah eh uh um er re mr ms dr vs "
    "st rd th tv uk eu ii iv un al el la le les los las de des di da do du en et es est il im je ma mi na ne ni on or "
    "pa pe po qu que se si so su ta te ti tu va ve wo wie ich ist das die der den dem sie und zu ze het een op van "
    "was were been being has had have can may will would could should might must are isn hit hits sit bit bits it fit "
    "pen pens ass but put cut nut pot top ball balls bell end ends sack bag bags pie cream hand foot jerk jerks scum "
    "bang gang deep throat circle toss finger rim cum shot smart lard punk ass clown wipe lick licker sucker kiss "
    "bas tw at ant ants hat hats rat rats cat dog pig cow fag got gots fun son sons lot lots few own out "
    "ten six ship shop ski sky tin tip tit old odd oil ore our row run rap sun set pal pan par past post part bus car "
    "can tic tan tank wan whole show shows how ring king sing ping ding ling thing ink inks ed er ers ing in ins "
    "tar chi che chin cha chart bull horse chick chicken bat ape dip shi shy hoe who whom mo mod mode moth other "
    "fa ga go gu ho hu nig er niger es era eras ire ice ich itch itching itches bin ban bon bun ben".split()
)
"""Words that, side by side, are no broken word."""
