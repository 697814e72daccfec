# uses the name __builtins__
__builtins__['eval']('1')
