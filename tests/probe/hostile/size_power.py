# asks for a huge power
x = 10 ** 10 ** 10
