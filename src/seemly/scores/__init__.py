"""Probabilities for texts: what a scorer is, and the three tiers of them."""
