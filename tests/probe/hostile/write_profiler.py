# writes a trace with the profiler
import torch

with torch.profiler.profile() as p:
    torch.ones(2)
p.export_chrome_trace('escaped.json')
