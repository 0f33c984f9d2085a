"""Decode sound, find speech in it, and transcribe it."""
