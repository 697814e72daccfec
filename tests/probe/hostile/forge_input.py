# reads from the terminal
input('password: ')
