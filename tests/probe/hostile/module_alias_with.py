# keeps torch as a context
import torch

with torch as t:
    t.os
