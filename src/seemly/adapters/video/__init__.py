"""Decode video into frames and sound."""
