# repeats a text very often
x = 'a' * 2000000000
