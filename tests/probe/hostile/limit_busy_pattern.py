# sorts for a long time
x = sorted(range(30000000), key=lambda n: -n)
