# catches BaseException
try:
    raise ValueError
except BaseException:
    pass
