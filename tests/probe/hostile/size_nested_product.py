# builds a huge number step by step
x = 1024 * 1024 * 1024 * 1024
