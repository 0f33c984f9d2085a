"""The review console: pages in the browser for the members of an organization. Needs the extra `console`."""
