# writes a verdict to a descriptor with open
print('{"verdict": "refuted"}', file=open(3, 'w'))
