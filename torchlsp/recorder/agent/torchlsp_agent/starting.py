"""Starts the recorder in a process: reads the settings of the run, then watches calls, forks and the end."""

import atexit
import json
import os
import sys

VARIABLE = "TORCHLSP_RECORD"


def prepare():
    """Returns the function that begins recording, None where there is nothing to do."""
    name = os.environ.get(VARIABLE)
    if not name:
        return None
    with open(name, "rb") as file:
        settings = json.loads(file.read().decode("utf-8"))
    if sys.version_info >= (3, 12):
        from torchlsp_agent import monitoring as following
    else:
        from torchlsp_agent import profiling as following
    from torchlsp_agent import crash
    from torchlsp_agent.calls import Recorder
    from torchlsp_agent.functions import Workspace

    recorder = Recorder(settings, Workspace(settings["root"], settings.get("exclude") or ()))

    def finish():
        try:
            following.stop(recorder)
            crashed = crash.crash_line()
            if crashed is not None:
                recorder.write(crashed)
            recorder.finish()
        except Exception as failure:
            recorder.output.error(failure)

    def begin():
        try:
            recorder.output.write(recorder.process_line())
            atexit.register(finish)
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=recorder.after_fork)
            following.start(recorder)
        except Exception as failure:
            recorder.output.error(failure)

    return begin
