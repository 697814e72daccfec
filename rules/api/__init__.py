"""TL9: API misuse, deprecation, performance, serialisation."""
