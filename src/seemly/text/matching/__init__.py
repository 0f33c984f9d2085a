"""Search many words at once in the views of a text."""
