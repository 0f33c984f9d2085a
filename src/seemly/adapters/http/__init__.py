"""Fetch media and send webhooks over HTTP, to public addresses only."""
