"""Organizations, members, projects, channels, wordlists and keys."""
