import torch

flag = torch.rand(1).item() > 2
d = {}
if flag:
    d["a"] = torch.ones(2)
n = len(d)
e = dict(x=torch.ones(2), y=torch.ones(3))
e.update(z=torch.ones(4))
ks = list(e.keys())
total = 0
for k, t in e.items():
    total += t.shape[0]
e["x"] = e["x"].double()
f = e["x"]  # fact: f = f64[2]
g = e.get("q")
h = e.get("q", torch.zeros(1))  # fact: h = f32[1]
i = e.pop("y")  # fact: i = f32[3]
j = {k: t * 2 for k, t in e.items()}
k2 = j["z"]
m = {**e, "w": 1}
w = m["w"]
o = {"a": 1, 2: "b"}
p = 2 in o
q = "a" in o
del o["a"]
r = len(o)
s = {}
for idx in range(30):
    s[idx] = torch.ones(idx + 1)
t = s[0]
u = s.setdefault("new", [])
u.append(1)
v = len(s["new"])
x = d.get("a")
y = sorted(e)
z = [key for key in e]
counts = {"a": 0}
for c in "aab":
    counts["a"] += 1
done = counts["a"]
state = {"step": 0}


def bump(st):
    st["step"] += 1


bump(state)
bump(state)
steps = state["step"]
batch = {"x": torch.ones(2, 3), "y": torch.zeros(2).long()}
moved = {k: val.double() for k, val in batch.items()}
bx, by = batch.values()
