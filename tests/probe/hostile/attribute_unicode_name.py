# writes a refused name of Python with other letters
ｅｖａｌ('1')
