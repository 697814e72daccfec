# starts the debugger
breakpoint()
