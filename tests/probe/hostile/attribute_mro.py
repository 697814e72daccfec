# asks a class for its bases
class A:
    pass


A.mro()
