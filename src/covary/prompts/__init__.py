"""Tables → requests: conditions, versioned prompt templates, plans."""
