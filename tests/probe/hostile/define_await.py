# waits for something
async def f(x):
    await x
