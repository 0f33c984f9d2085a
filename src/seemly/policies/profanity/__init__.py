"""Find profanity with a graded lexicon."""
