"""A copy of the sources, to be changed and built beside them: the faults of scripts/check-properties and the mutations of scripts/mutate
are put into one, never into the tree of whoever runs them."""
import filecmp
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time

PASSED, FAILED, SKIPPED, UNKNOWN = "passed", "failed", "skipped", "unknown"
FILE_MAX = 1 << 30  # bytes that a test may write into a file
OUTPUT_MAX = 1 << 20  # bytes of what it says that are kept
ADDED_TEST = re.compile(r"^add_test\(\[=\[(.*?)\]=\] (.*)\)$", re.MULTILINE)
GRACE = 60  # seconds that it has to tidy up when it is told to end


class Interrupted(Exception):
    """The signal that ends this run."""

    def __init__(self, number):
        super().__init__(signal.Signals(number).name)
        self.number = number


class Ending:
    """A signal that asks for the end becomes an exception, so that copies are removed and children end. While a child is being started
    the exception waits: it would leave a child that nobody knows, which goes on to write into a copy that is being removed."""

    NUMBERS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP

    def __init__(self):
        self.starting, self.came = False, None

    def __enter__(self):
        if is_main_thread():  # which is where the exception is raised
            self.starting = True

    def __exit__(self, *_):
        if is_main_thread():
            self.starting = False
            if self.came is not None:
                self.raise_it(self.came)

    def handle(self, number, _frame):
        self.came = number
        if not self.starting:
            self.raise_it(number)

    def raise_it(self, number):
        for other in self.NUMBERS:
            signal.signal(other, signal.SIG_IGN)
        self.came = None
        raise Interrupted(number)


def is_main_thread():
    return threading.current_thread() is threading.main_thread()


ENDING = Ending()


def end_by_exception():
    for number in Ending.NUMBERS:
        signal.signal(number, ENDING.handle)


def sources_of(root):
    """What a repository holds, committed or not, without what it ignores; outside of one all but what builds have made."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, check=False)
    if listed.returncode == 0:
        names = listed.stdout.decode().split("\0")
    else:
        built = shutil.ignore_patterns("build", "build-*", "obj")
        names = []
        for folder, below, files in os.walk(root):
            below[:] = set(below) - built(folder, below) - {".git"}
            names += [os.path.relpath(os.path.join(folder, name), root) for name in files]
    return sorted(name for name in set(names) if name and os.path.lexists(os.path.join(root, name)))


class Copy:
    """@home/tree holds what @root does, and @home/build what is made of it; the corpora that stand beside @root are beside it too."""

    def __init__(self, root, home, jobs):
        self.root, self.home, self.jobs = pathlib.Path(root).resolve(), pathlib.Path(home).resolve(), jobs
        self.tree, self.build_folder, self.log = self.home / "tree", self.home / "build", ""
        self.children = set()
        self.env = dict(os.environ, CCACHE_BASEDIR=str(self.home), CCACHE_NOHASHDIR="1")
        if shutil.which("ccache"):
            self.env["CMAKE_C_COMPILER_LAUNCHER"] = "ccache"
        self.refresh()

    def refresh(self):
        """As @root is now. What is the same keeps its time, or all would be built again."""
        names = sources_of(self.root)
        for name in names:
            if not (os.path.lexists(self.tree / name) and self.is_same(name)):
                self.restore(name)
        for folder, _, files in os.walk(self.tree):
            for name in set(os.path.relpath(os.path.join(folder, name), self.tree) for name in files) - set(names):
                (self.tree / name).unlink()
        shared = self.root.parent / "shared"
        if shared.is_dir() and not (self.home / "shared").exists():
            (self.home / "shared").symlink_to(shared)

    def is_same(self, name):
        ours, copied = self.root / name, self.tree / name
        if ours.is_symlink() or copied.is_symlink():
            return ours.is_symlink() and copied.is_symlink() and os.readlink(ours) == os.readlink(copied)
        return ours.stat().st_mode == copied.stat().st_mode and filecmp.cmp(ours, copied, shallow=False)

    def restore(self, name):
        """With the time of now: what was built of a change is older."""
        copied = self.tree / name
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.unlink(missing_ok=True)
        shutil.copy(self.root / name, copied, follow_symlinks=False)

    def run(self, command, patience=None, env=None, cwd=None, limit=None):
        """(status, output) in a session of its own; status is None when it took longer than @patience seconds. Nothing of it is left."""
        with tempfile.TemporaryFile() as output:
            child = None
            try:
                with ENDING:
                    child = subprocess.Popen(command, cwd=cwd or self.home, env=env or self.env, stdin=subprocess.DEVNULL, stdout=output,
                                             stderr=output, start_new_session=True, preexec_fn=limit)
                    self.children.add(child)
                status = ended(child, patience)
            except Interrupted:
                if child:
                    told_to_end(child)
                raise
            finally:
                if child:
                    signal_session(child, signal.SIGKILL)
                    child.wait()
                    self.children.discard(child)
            output.seek(0)
            return status, output.read(OUTPUT_MAX).decode(errors="replace")

    def stop_all(self):
        """What other threads run ends now."""
        for child in list(self.children):
            signal_session(child, signal.SIGKILL)

    def configure(self, *options):
        status, self.log = self.run(["cmake", "-S", str(self.tree), "-B", str(self.build_folder), *options])
        return status == 0

    def build(self, *targets):
        status, self.log = self.run(["ninja", "-C", str(self.build_folder), "-j", str(self.jobs), *targets])
        return status == 0

    def tests(self):
        """{name: (command, environment, folder)} of what ctest would run; a program that is not built yet has no command."""
        status, text = self.run(["ctest", "--test-dir", str(self.build_folder), "--show-only=json-v1"])
        if status != 0:
            raise RuntimeError(text)
        found = {}
        for test in json.loads(text)["tests"]:
            properties = {p["name"]: p["value"] for p in test.get("properties", [])}
            variables = dict(v.split("=", 1) for v in properties.get("ENVIRONMENT", []))
            found[test["name"]] = test.get("command"), variables, properties.get("WORKING_DIRECTORY", str(self.build_folder))
        return found

    def test_words(self):
        """{name: the words of its command}, built or not, from what CMake wrote for ctest."""
        found = {}
        for path in self.build_folder.rglob("CTestTestfile.cmake"):
            for name, words in ADDED_TEST.findall(path.read_text(encoding="utf-8")):
                found[name] = re.findall(r'"((?:[^"\\]|\\.)*)"', words)
        return found

    def test(self, test, patience, scratch, memory=None):
        """(outcome, seconds, output) of a test as ctest would run it, within @patience seconds, its temporary files in @scratch, at most
        @memory bytes of its own."""
        command, variables, folder = test
        if not command:
            return UNKNOWN, 0, "its program is not built\n"
        scratch.mkdir(parents=True, exist_ok=True)

        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_MAX, FILE_MAX))
            if memory:
                resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))

        start = time.monotonic()
        try:
            status, output = self.run(command, patience, {**os.environ, **variables, "TMPDIR": str(scratch)}, folder, limit)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        outcome = UNKNOWN if status is None else {0: PASSED, 77: SKIPPED}.get(status, FAILED)
        return outcome, time.monotonic() - start, output


def ended(child, patience):
    """Its status; None when it was told to end after @patience seconds."""
    try:
        return child.wait(patience)
    except subprocess.TimeoutExpired:
        told_to_end(child)
        return None


def told_to_end(child):
    """It has its time for that: ninja ends its compilers, which are no part of its group, a script what it began."""
    signal_session(child, signal.SIGTERM)
    try:
        child.wait(GRACE)
    except subprocess.TimeoutExpired:
        pass


def signal_session(child, number):
    """To what a child began in its group too, also when it has ended itself."""
    try:
        os.killpg(child.pid, number)
    except ProcessLookupError:
        pass
