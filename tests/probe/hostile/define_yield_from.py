# delegates to another generator
def g():
    yield from [1]
