"""Views of one text, each with offsets back to the text as submitted."""
