"""How members of an organization sign in to the console, and what each role may do there."""
