# deletes an imported module
import torch

del torch
