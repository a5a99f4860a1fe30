"""Numbers, expressions and whether two answers are the same."""
