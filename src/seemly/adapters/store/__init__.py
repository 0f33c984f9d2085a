"""Where the service's records are kept in a database: SQLite, or PostgreSQL. Needs the extra `server`."""
