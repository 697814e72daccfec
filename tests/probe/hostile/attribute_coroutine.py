# walks the frames of a coroutine
async def f():
    pass


f().cr_frame.f_builtins
