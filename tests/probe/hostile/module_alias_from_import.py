# imports a module from another and hands it over
from torch import nn

kept = [nn]
