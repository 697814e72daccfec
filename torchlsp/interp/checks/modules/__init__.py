"""Checks of the family TL6xx: how modules are defined, built, edited and called; state dicts.

Questions about module trees that look for no mistake are in `interp.model.module_tree`.
"""
