"""The `url` policy: every address in a text, and what makes it risky."""
