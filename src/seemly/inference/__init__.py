"""Text models: tokenizer, scorers, cascade, language."""
