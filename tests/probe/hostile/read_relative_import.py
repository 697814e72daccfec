# imports a sibling of the worker
from . import sandbox

sandbox.os.system('touch escaped.txt')
