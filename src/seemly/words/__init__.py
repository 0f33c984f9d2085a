"""Finding words, phrases and patterns from lists, in time that hardly depends on how long the list is."""
