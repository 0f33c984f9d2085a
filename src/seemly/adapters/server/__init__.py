"""The moderation service over HTTP: `pip install "seemly[server]"`."""
