"""Guards: what goes into a language model and what comes out of it, moderated, in the frameworks' own terms."""
