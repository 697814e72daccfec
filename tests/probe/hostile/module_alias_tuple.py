# unpacks torch from a tuple
import torch

(t, _) = (torch, 1)
t.os.system('touch escaped.txt')
