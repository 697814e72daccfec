# takes a module out of the error about a name that it lacks
import math

try:
    math.fma(1.0, 2.0, 3.0)
except AttributeError as e:
    kept = e.obj
