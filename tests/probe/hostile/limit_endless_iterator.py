# never ends, without a loop
list(iter(int, 1))
