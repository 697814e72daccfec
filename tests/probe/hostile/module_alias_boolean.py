# chooses between modules with or
import torch

(None or torch).state = 1
