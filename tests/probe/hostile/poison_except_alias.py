# hides what an exception stands for
ValueError = KeyError
