# takes the frame of a generator
g = (x for x in [1])
frame = g.gi_frame
