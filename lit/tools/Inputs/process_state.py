"""Waits for what a process does, by what /proc tells of it, and not for a time."""
import os
import time

LIMIT = 300  # seconds, after which a test fails


def facts(path):
    """The lines of a file `status`."""
    with open(path, encoding="utf-8", errors="replace") as file:
        parts = [line.partition(":") for line in file]
    return {name: value.strip() for name, _, value in parts}


def catches(process, number):
    """True if the process has a handler for the signal."""
    caught = int(facts(f"/proc/{process}/status")["SigCgt"], 16)
    return bool(caught >> number - 1 & 1)


def maps(process, path):
    """True if the file is mapped."""
    with open(f"/proc/{process}/maps", encoding="utf-8") as file:
        return os.path.realpath(path) in file.read()


def sleeping(process):
    """How often each thread has been switched, or None if one is not asleep or
    has a signal to take."""
    switches = {}
    for task in os.listdir(f"/proc/{process}/task"):
        lines = facts(f"/proc/{process}/task/{task}/status")
        if lines["State"][0] != "S" or int(lines["SigPnd"], 16) or \
                int(lines["ShdPnd"], 16):
            return None
        switches[task] = lines["voluntary_ctxt_switches"], \
            lines["nonvoluntary_ctxt_switches"]
    return switches


def rests(process):
    """True if all threads sleep at once: none has run between two looks."""
    first = sleeping(process)
    return first is not None and first == sleeping(process)


def wait_until(child, holds):
    """Ends the test if the child ends before, or if it takes too long."""
    end = time.monotonic() + LIMIT
    while child.poll() is None:
        try:
            if holds(child.pid):
                return
        except (FileNotFoundError, ProcessLookupError):
            pass  # a thread or the process has ended meanwhile
        if time.monotonic() > end:
            child.kill()
            raise SystemExit("the process never comes to the awaited state")
        time.sleep(0.01)
    raise SystemExit(f"the process ended too early with {child.returncode}")
