# repeats a list very often
x = 2000000000 * [0]
