#!/usr/bin/env python3
"""completion_shell.py SHELL SCRIPT TEXT...: run SHELL (bash, zsh, fish) on a terminal as a person would, with the completion in SCRIPT, and
write each TEXT, which may end within a word, then Tab and Enter. On standard output stands what the terminal showed."""
import os
import pty
import select
import sys
import time

PATIENCE = 300  # seconds: a limit for what hangs

PROMPT = b"driftd-is-ready>"
# Each is told to prompt in two parts, so that what it is told does not look like the prompt.
START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             "bind 'set enable-bracketed-paste off' 'set bell-style none' 2>/dev/null; . {script}; PS1='driftd-is-''ready>'\n"),
    "zsh": (["zsh", "-f", "-i"],
            "unsetopt zle_bracketed_paste beep 2>/dev/null; unset zle_bracketed_paste; fpath=({folder} $fpath); autoload -U compinit; "
            "compinit -u -D; PS1='driftd-is-''ready>'\n"),
    "fish": (["fish", "--no-config", "-i"],
             "source {script}; set -g fish_greeting; function fish_prompt; printf 'driftd-is-'; printf 'ready>'; end\n"),
}


def read_until(fd, wanted, shown):
    end = time.monotonic() + PATIENCE
    begun = len(shown)
    while wanted is None or wanted not in bytes(shown[begun:]):
        if time.monotonic() > end:
            sys.stdout.buffer.write(bytes(shown))
            sys.exit(f"waited in vain for {wanted}")
        if not select.select([fd], [], [], 1)[0]:
            continue
        try:
            data = os.read(fd, 65536)
        except OSError:
            return
        if not data:
            return
        shown += data


def main():
    shell, script, texts = sys.argv[1], sys.argv[2], sys.argv[3:]
    argv, start = START[shell]
    child, fd = pty.fork()
    if child == 0:
        os.environ["TERM"] = "dumb" if shell != "fish" else "xterm"
        os.execvp(argv[0], argv)
    shown = bytearray()
    os.write(fd, start.format(script=script, folder=os.path.dirname(script)).encode())
    read_until(fd, PROMPT, shown)
    for text in texts:
        os.write(fd, text.encode() + b"\t\r")
        read_until(fd, PROMPT, shown)
    os.write(fd, b"\x15exit\r")
    read_until(fd, None, shown)
    os.waitpid(child, 0)
    sys.stdout.buffer.write(bytes(shown))


main()
