# uses type parameters
def f[T](x: T) -> T:
    return x
