# computes what to catch
def kinds():
    return ValueError


try:
    pass
except kinds():
    pass
