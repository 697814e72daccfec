# swallows an exception by a jump out of finally
while True:
    try:
        break
    finally:
        continue
