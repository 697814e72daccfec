# asks for a huge shift
x = 1 << 2147483647
