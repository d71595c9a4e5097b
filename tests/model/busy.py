"""Whether the machine is so busy that a server may seem not to answer: then a gap that no fault explains is none of driftd's."""
import collections
import os
import statistics
import threading

PER_PROCESSOR = 4  # tasks that want to run at once; a run of all tests by itself has fewer
SECONDS = 15       # so long a gap takes to begin, and some more


class Busy:
    """Counts once a second how many tasks want to run."""

    def __init__(self):
        self.samples = collections.deque(maxlen=SECONDS)
        self.ended = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        while not self.ended.wait(1):
            with open("/proc/loadavg", encoding="ascii") as f:
                self.samples.append(int(f.read().split()[3].split("/")[0]))

    def __call__(self):
        return bool(self.samples) and statistics.median(self.samples) > PER_PROCESSOR * os.cpu_count()
