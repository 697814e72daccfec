# uses a name that Python changes
class A:
    def f(self):
        return self.__x


A().f()
