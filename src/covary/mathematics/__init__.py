"""mathematics."""
