# makes a class with type
A = type('A', (), {'__del__': print}).__name__
