# never ends
while True:
    pass
