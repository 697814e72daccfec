# ends the process with success
raise SystemExit(0)
