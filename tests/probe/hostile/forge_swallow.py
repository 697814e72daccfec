# catches everything, also the supervisor's exceptions
try:
    pass
except:
    pass
