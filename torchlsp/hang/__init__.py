"""Reads the Flight Recorder's dumps of a job that hangs, and finds the branch at which its ranks parted."""
