# uses the loader of the program's module
kept = __loader__
