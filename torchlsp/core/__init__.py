"""Defines values that all layers share: spans, documents, findings and fixes, cancellation.

Whatever needs to know Python's syntax or torch does not belong here.
"""
