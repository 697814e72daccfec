# gives torch another name
import torch

t = torch
t.os.system('touch escaped.txt')
