# uses globals
globals()['__builtins__']
