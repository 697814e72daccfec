"""TL1: shapes and memory layout."""
