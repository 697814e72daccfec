# takes the name self in a class method
class A:
    @classmethod
    def f(self):
        self._x = 1


A.f()
