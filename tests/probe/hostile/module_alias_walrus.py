# names torch in an expression
import torch

(t := torch).data
