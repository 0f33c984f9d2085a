"""The built-in policies, one module or package a family."""
