"""covary: evaluate language models on parallel variants, the same item with one thing changed."""

__version__ = "0.1.0"
