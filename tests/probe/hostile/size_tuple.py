# repeats a tuple very often
x = (1, 2, 3) * 1000000
