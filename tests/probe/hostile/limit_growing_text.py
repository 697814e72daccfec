# doubles a text
x = 'a'
for _ in range(60):
    x = x + x
