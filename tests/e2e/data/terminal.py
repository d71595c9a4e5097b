"""terminal.py both|stdout|stderr COMMAND...: run it in $WORK on a terminal of its own.

What it writes there goes to $WORK/screen. With one of the two streams named, the other one is no terminal but $WORK/other.
The status is that of the command.
"""
import os, pty, sys
only = sys.argv[1]

pid, fd = pty.fork()
if pid == 0:
    null = os.open(os.environ["WORK"] + "/other", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    if only == "stdout":
        os.dup2(null, 2)
    if only == "stderr":
        os.dup2(null, 1)
    os.chdir(os.environ["WORK"])
    os.execvp(sys.argv[2], sys.argv[2:])
with open(os.environ["WORK"] + "/screen", "wb") as screen:
    while True:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        screen.write(data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
