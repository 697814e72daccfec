# hides super inside a class
class A:
    def super(self):
        return self

    x = super()
