import torch


history = {"loss": [], "accuracy": []}
best, patience = float("inf"), 0
for epoch, loss in enumerate([1.0, 0.5, 0.7, 0.8]):
    history["loss"].append(loss)
    if loss < best:
        best, patience = loss, 0
    else:
        patience += 1
    if patience >= 2:
        break
print(epoch, best, history, round(best, 2), divmod(7, 2), abs(-3))
