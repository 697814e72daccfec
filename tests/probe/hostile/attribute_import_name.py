# calls __import__
__import__('os')
