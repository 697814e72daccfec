# chooses between modules
import torch

(torch if True else 1).state = 1
