"""Ports, records, requests and locking that every use case of the service shares."""
