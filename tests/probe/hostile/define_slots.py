# defines __slots__
class A:
    __slots__ = ('x',)
