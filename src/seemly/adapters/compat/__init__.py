"""Formats of other services: OpenAI moderations and Perspective."""
