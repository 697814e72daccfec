"""The last expression of a cell is shown by the editor that runs it; others are discarded."""

# %%
import torch

labels = torch.arange(6)
labels.view(-1, 1)

# %% Two in one cell
rows = torch.rand(2, 3)
rows.unsqueeze(0)  # expect: TL901
rows.unsqueeze(1)  # shown: a column
# of sizes 2, 1 and 3

# %%
for row in rows:
    row.unsqueeze(0)  # expect: TL901

# In[4]:
rows.unsqueeze(2)  # expect: TL901
print(rows)
# %%
rows.contiguous()
