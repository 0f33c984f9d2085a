"""What the service answers and tells, in the shapes of the wire."""
