# names torch in a comprehension
import torch

[t.data for t in (torch,)]
