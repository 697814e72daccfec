def counter():
    count = 0

    def step(by=1, *rest, **named):
        nonlocal count
        count += by + len(rest) + len(named)
        return count

    return step


step = counter()
assert [step(), step(2), step(1, 2, x=3)] == [1, 3, 6]
total = 0


def add(n):
    global total
    total += n


for i in range(4):
    add(i)
assert total == 6
