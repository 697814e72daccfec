# goes on after every exception
while True:
    try:
        raise ValueError
    except ValueError:
        pass
