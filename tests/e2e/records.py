"""What driftd tells while it runs, for tests that look again and again."""
import json
import time

PATIENCE_S = 900  # a limit for what hangs: on a busy machine things take as long as they take


def wait(what, ready):
    """Until it is ready, or in vain."""
    end = time.monotonic() + PATIENCE_S
    while not ready():
        if time.monotonic() > end:
            raise SystemExit(f"waited in vain for {what}")
        time.sleep(0.02)


class Records:
    """The JSON records of a file that grows, in the order in which they were written: see() is what a test makes of each."""

    def __init__(self, file):
        self.file, self.rest = open(file, encoding="utf-8"), ""

    def see(self, record):
        raise NotImplementedError

    def read(self):
        """Those that were written to their end since the last look."""
        self.rest += self.file.read()
        lines = self.rest.split("\n")
        self.rest = lines.pop()
        for line in lines:
            self.see(json.loads(line))

    def wait(self, what, ready):
        """The same, with another look each time."""
        def looked():
            self.read()
            return ready()
        wait(what, looked)


class Open(Records):
    """The last record of each finding that is open, by what key() makes of it; None: it is of no interest."""

    def __init__(self, file, key):
        super().__init__(file)
        self.key, self.open = key, {}

    def see(self, record):
        key = self.key(record) if "DRIFTD_DRIFT_ID" in record else None
        if key is None:
            return
        if record["DRIFTD_EVENT"] == "end":
            self.open.pop(key, None)
        else:
            self.open[key] = record
