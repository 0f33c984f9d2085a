"""Speed and memory of seemly, beside the libraries that a user would pick instead."""
