# hides a huge number behind a minus
x = -2147483648
