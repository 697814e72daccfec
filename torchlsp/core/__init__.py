"""Values that every other layer speaks: places in text, documents, findings and fixes."""
