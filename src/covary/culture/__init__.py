"""culture."""
