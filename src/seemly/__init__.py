"""seemly: content moderation in process."""
