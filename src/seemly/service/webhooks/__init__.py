"""Webhooks: events, delivery, retries, signatures."""
