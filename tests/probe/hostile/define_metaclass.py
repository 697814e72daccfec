# uses a metaclass
class A(metaclass=print):
    pass
