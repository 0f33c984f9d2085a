"""The accurate text model: a small transformer, fine-tuned from MiniLM."""
