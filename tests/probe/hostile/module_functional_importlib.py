# uses importlib through torch.nn.functional
import torch.nn.functional as F

load = F.importlib.import_module
load('os')
