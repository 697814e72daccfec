# uses locals
locals()['__builtins__']
