# compiles text
compile('1', 'x', 'eval')
