#!/usr/bin/env python3
"""mistakes.py [--update] DRIFTD TABLE: make each mistake of the table, and hold what driftd says against it.

A case is a line "== what is wrong", the files that differ from those of the first part ("@ NAME" and their text; "@ NAME -": there is no
such file), the commands ("$ driftd …", run by a shell in a folder of the case's own), the exit status of the last ("= 78") and all of their
output ("| " before each line). --update writes what comes out into the table instead, for a reader to judge.
"""

import os
import re
import subprocess
import sys
import tempfile


def read(path):
    """[[title, {name: text or None}, [commands], status, [output lines]]], the first being what all share"""
    cases, name = [], None
    for line in open(path, encoding="utf-8").read().splitlines():
        if line.startswith("== "):
            cases.append([line[3:], {}, [], None, []])
            name = None
        elif not cases:
            continue
        elif line.startswith("@ "):
            name = line[2:].removesuffix(" -")
            cases[-1][1][name] = None if line.endswith(" -") else ""
        elif line.startswith("$ "):
            cases[-1][2].append(line[2:])
            name = None
        elif line.startswith("= "):
            cases[-1][3] = int(line[2:])
        elif line.startswith("| ") or line == "|":
            cases[-1][4].append(line[2:])
        elif name is not None and cases[-1][1][name] is not None:
            cases[-1][1][name] += line + "\n"
        elif line:
            raise SystemExit(f"{path}: no case has a line '{line}'")
    return cases


def run(driftd, files, commands):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            if text is None:
                continue
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            os.chmod(path, 0o600)
        env = {k: v for k, v in os.environ.items() if not k.startswith(("KUBE", "DRIFTD"))}
        env.update(PATH=os.path.dirname(driftd) + ":/usr/bin:/bin", HOME=folder, LC_ALL="C.UTF-8")
        done = subprocess.run(["sh", "-c", "\n".join(commands)], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=60)
        output = done.stdout.decode("utf-8", "replace").replace(folder + "/", "/…/")
        return done.returncode, re.sub(r"after \d+ ms", "after 0 ms", output).splitlines()


def write(path, head, cases):
    with open(path, "w", encoding="utf-8") as f:
        f.write(head)
        for title, files, commands, status, output in cases:
            f.write(f"== {title}\n")
            for name, text in files.items():
                f.write(f"@ {name} -\n" if text is None else f"@ {name}\n{text}")
            f.writelines(f"$ {c}\n" for c in commands)
            if commands:
                f.write(f"= {status}\n")
            f.writelines(("| " + line).rstrip() + "\n" for line in output)


def main():
    update = sys.argv[1] == "--update"
    driftd, path = os.path.abspath(sys.argv[-2]), sys.argv[-1]
    cases = read(path)
    shared, failed = cases[0][1], 0
    for case in cases[1:]:
        title, files, commands, status, output = case
        came = run(driftd, {**shared, **files}, commands)
        if update:
            case[3], case[4] = came
        elif came != (status, output):
            failed += 1
            print(f"{title}: status {came[0]}, not {status}" if came[0] != status else f"{title}:")
            print("\n".join(["  expected:"] + ["    " + o for o in output] + ["  came:"] + ["    " + o for o in came[1]]))
    if update:
        text = open(path, encoding="utf-8").read()
        write(path, text[:text.index("== ")], cases)
    print(f"{len(cases) - 1 - failed} of {len(cases) - 1} mistakes are told as the table has it")
    return 1 if failed or len(cases) < 61 else 0


if __name__ == "__main__":
    sys.exit(main())
