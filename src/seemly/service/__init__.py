"""The moderation service as plain objects over ports: no SQL, no HTTP, no clock or randomness of its own."""
