"""Runs the analysis on files: configuration, caching, processes, fixes, queries of an editor.

The only layer that touches files, clocks and the environment for the analysis. How a finding is shown is in `report`, the editor's
protocol in `server`.
"""
