# uses an asynchronous iterator
anext(1)
