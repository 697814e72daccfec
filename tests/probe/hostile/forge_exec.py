# runs text with exec
exec('import os')
