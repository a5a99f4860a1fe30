"""Items: languages, variants, loading, and the bundled problem templates."""
