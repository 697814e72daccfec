# takes a traceback apart through a name of its own
class A:
    def __init__(self):
        self.tb_frame = self.f_back = self.f_globals = 1

    def __exit__(self, kind, error, traceback):
        traceback.tb_frame.f_back.f_globals.clear()
        return True

    def __enter__(self):
        return self


with A():
    raise ValueError
