# takes the code of a generator
g = (x for x in [1])
code = g.gi_code
