"""Checks of the family TL7xx: datasets, samplers, loaders and their worker processes.

What an element or a batch of a loader is, is in `interp.objects.data_loading`.
"""
