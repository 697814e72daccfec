# squares a number
x = 3
for _ in range(60):
    x = x * x
