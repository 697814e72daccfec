# defines names of modules as attributes of its own
class A:
    def __init__(self):
        self.os = 1
        self.system = 1


def f(anything):
    anything.os.system('touch escaped.txt')


f(A())
