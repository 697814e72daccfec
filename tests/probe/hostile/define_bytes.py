# uses bytes
x = b'cos\nsystem\n'
