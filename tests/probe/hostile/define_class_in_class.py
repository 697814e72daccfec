# defines a class inside a class
class A:
    class B:
        pass
