"""The engine's ties to the world outside, each behind an extra. Only users and the command line import them."""
