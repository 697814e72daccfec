# catches groups of exceptions
try:
    pass
except* ValueError:
    pass
