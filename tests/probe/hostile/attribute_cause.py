# takes the cause of an exception
try:
    raise ValueError
except ValueError as e:
    kept = e.__context__
