"""Values and protocols for pictures and speech."""
