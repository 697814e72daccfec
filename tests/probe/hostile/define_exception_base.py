# derives from BaseException to slip past the supervisor
class A(BaseException):
    pass


raise A
