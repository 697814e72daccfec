# runs a loop in the body of a class
class A:
    for x in [1]:
        pass
