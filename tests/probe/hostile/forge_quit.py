# ends the process with quit
quit()
