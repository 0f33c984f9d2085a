"""Moderate a submission and store the outcome."""
