"""Values and primitives: errors, spans, channel, content, submission, validation."""
