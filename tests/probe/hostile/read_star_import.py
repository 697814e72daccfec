# imports everything from torch
from torch import *

save(ones(2), 'escaped.pt')
