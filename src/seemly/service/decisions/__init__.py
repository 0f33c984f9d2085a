"""What reviewers do in the console: items claimed, decided with time to undo, noted, and counted."""
