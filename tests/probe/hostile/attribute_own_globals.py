# reaches the globals of a function of its own
def f():
    pass


f.__globals__['__builtins__']
