"""Tries to break torchlsp: mutated programs, hostile repositories, hostile messages. Nothing that a user runs
imports from here.
"""
