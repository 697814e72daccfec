"""TL3: devices, NumPy and memory sharing."""
