# replaces a function of math
import math

math.sqrt = None
