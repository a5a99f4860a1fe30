"""Declared studies: the built-in ones as TOML beside this file, and a user's own."""
