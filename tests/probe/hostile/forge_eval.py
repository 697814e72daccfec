# runs text
eval('1')
