# writes a file with open
print('x', file=open('escaped.txt', 'w'))
