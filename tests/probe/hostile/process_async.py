# uses asynchronous code
async def f():
    pass


f().send(None)
