# swallows an exception by a return in finally
def f():
    try:
        pass
    finally:
        return 1


f()
