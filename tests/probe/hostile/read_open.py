# reads a secret with open
for line in open('/etc/passwd'):
    raise ValueError(line)
