"""Review queues, items and actions."""
