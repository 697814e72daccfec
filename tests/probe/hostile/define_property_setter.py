# defines a setter
class A:
    @property
    def p(self):
        return 1

    @p.setter
    def p(self, value):
        pass
