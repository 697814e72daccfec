names = ["b", "a"]
names.append("c")
names.sort()
table = {name: len(name) for name in names}
table.update(d=4)
table["e"] = table.pop("d") + 1
text = ", ".join(f"{k}={v:>3d}" for k, v in sorted(table.items(), key=lambda kv: -kv[1]))
print(text.upper().split(", "), {x % 2 for x in range(5)}, "%d of %s" % (1, "two"), text[::-1])
a, *rest = (1, 2, 3)
assert rest == [2, 3] and not set(rest) - {2, 3} and 1 < a + 1 <= 2
del rest
while True:
    a += 1
    if a > 3:
        break
    continue
print(all(n for n in names) or any(names), sum(map(len, names)), max(table.values(), default=0))
