# imports os
import os

os.system('touch escaped.txt')
