"""Voice as it is spoken: sound in chunks, utterances with their verdicts out. `session` holds the entrance."""
