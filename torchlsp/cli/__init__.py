"""Implements the commands of `torchlsp`, with their options and exit statuses.

How a result is written is in `report`, what a command does to files in `engine`.
"""
