"""Shows findings, facts, pages and rules: as text for people, in formats for tools, as Markdown for editors.

A format is a module here and an entry in `formats`. Nothing here decides what is found.
"""
