"""What the machine does to driftd in a run with --journal: a journal that is away or hangs, a full disk, a clock that is set, other bytes in
the state database, a cut of the power.

All of it is in a mount namespace of the run's own; journald is one of its own, and nobody else writes to it.
"""
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import uuid

from servers import Failed, PATIENCE_S, wait_until

JOURNALD = "/lib/systemd/systemd-journald"
SYSTEMD = "/run/systemd"
SOCKET = SYSTEMD + "/journal/socket"
STORE = "/var/log/journal"  # nothing is vacuumed: with a clock that is set, what goes first is not what is oldest
BOOT_ID = "/proc/sys/kernel/random/boot_id"
SETTINGS = """[Journal]
Storage=persistent
SystemMaxUse=4G
SystemMaxFiles=10000
SystemMaxFileSize=8M
RateLimitIntervalSec=0
ForwardToSyslog=no
ForwardToWall=no
ReadKMsg=no
Audit=no
"""
DAMAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e", "damage.py")
INSIDE = "MODEL_INSIDE"
SKIPPED = 77
DISK_BYTES = 1 << 30
PAGE = 4096
DAY_S = 86400
STANDS_STILL_S = 20  # so long what the journal has may be unread
CLOCK_MAX_S = 60 * DAY_S  # ahead of the true time; history is kept longer

UP, FROZEN, REFUSING, ABSENT = "up", "frozen", "refusing", "absent"


def why_not():
    """Why a run cannot have a journal of its own; None: it can."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        return "no mount namespace can be made"
    if not os.path.exists(JOURNALD) or not shutil.which("journalctl"):
        return "no journald"
    if not os.path.exists("/etc/machine-id") or not os.path.getsize("/etc/machine-id"):
        return "no machine-id"
    return None


def mount(folder, *options):
    subprocess.run(["mount", "-t", "tmpfs", *options, "tmpfs", folder], check=True)


def enter():
    """Go on in a mount namespace of the run's own."""
    if INSIDE not in os.environ:
        os.execvpe("unshare", ["unshare", "-m", "--propagation", "private", sys.executable, *sys.argv], os.environ | {INSIDE: "1"})
    for folder in (SYSTEMD, "/run/log/journal", STORE):
        os.makedirs(folder, exist_ok=True)
        mount(folder)
    for folder in ("journal", "journald.conf.d"):
        os.mkdir(os.path.join(SYSTEMD, folder))
    with open(os.path.join(SYSTEMD, "journald.conf.d", "model.conf"), "w", encoding="utf-8") as f:
        f.write(SETTINGS)


def clear(folder, keep=()):
    """Nothing is in it, but for the files in @keep."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name in keep:
            continue
        if os.path.isdir(path):
            shutil.rmtree(path)
        else:
            os.remove(path)


class Journal:
    """A journald, and somebody who reads along: each record of driftd goes to @lines."""

    def __init__(self, work, lines, environment):
        self.work, self.lines, self.environment = work, lines, environment
        self.log = open(os.path.join(work, "journald.log"), "a", encoding="utf-8")
        self.process = None
        self.state, self.since = ABSENT, time.monotonic()
        self.synced = self.asked = 0
        self.cursor = None  # of the last entry that was read
        self._boot()
        subprocess.run(["mount", "--bind", self._boot_id(), BOOT_ID], check=True)
        self.start()
        self._start_reader()

    def _boot_id(self):
        return os.path.join(self.work, "boot_id")

    def _boot(self):
        with open(self._boot_id(), "w", encoding="utf-8") as f:  # in place: it is mounted
            f.write(f"{uuid.uuid4()}\n")

    def _start_reader(self):
        self._follow()
        self.sync()

    def _follow(self):
        after = ["--after-cursor", self.cursor] if self.cursor else []
        self.reader = subprocess.Popen(["journalctl", "-q", "-f", "--no-tail", "--all", "-o", "json", *after, "SYSLOG_IDENTIFIER=driftd",
                                        "SYSLOG_IDENTIFIER=model"], stdout=subprocess.PIPE, stderr=self.log, text=True, encoding="utf-8")
        self.thread = threading.Thread(target=self._read, args=(self.reader.stdout,), daemon=True)
        self.thread.start()

    def _end_reader(self):
        self.reader.kill()
        self.reader.wait()
        self.thread.join()

    def _read(self, out):
        for line in out:
            if not line.endswith("\n"):
                return  # it was ended while it wrote
            self.cursor = line.partition('"__CURSOR":"')[2].partition('"')[0]
            if '"SYSLOG_IDENTIFIER":"model"' in line:
                self.synced = int(line.partition('"MESSAGE":"')[2].partition('"')[0])
            else:
                self.lines.append(line)

    def start(self):
        # The socket of one that is gone may still be there.
        if os.path.exists(SOCKET):
            os.remove(SOCKET)
        open(SYSTEMD + "/journal/flushed", "w", encoding="utf-8").close()  # it keeps all on the disk from its start on
        self.process = subprocess.Popen([JOURNALD], stdout=self.log, stderr=self.log, env=self.environment)
        wait_until("journald", self.process, lambda: os.path.exists(SOCKET))
        self.state = UP

    def _send_mark(self):
        self.asked += 1
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
            s.settimeout(PATIENCE_S)
            s.connect(SOCKET)
            s.send(f"MESSAGE={self.asked}\nSYSLOG_IDENTIFIER=model\n".encode())

    def _has_mark(self):
        look = ["journalctl", "-q", "-o", "cat", "SYSLOG_IDENTIFIER=model", f"MESSAGE={self.asked}"]
        return subprocess.run(look, stdout=subprocess.PIPE, stderr=self.log, check=False).stdout != b""

    def sync(self):
        """Until all that was sent to it has been read."""
        self._send_mark()
        looked = time.monotonic()

        def read():
            nonlocal looked
            if self.synced < self.asked and time.monotonic() - looked > STANDS_STILL_S:
                looked = time.monotonic()
                if self._has_mark():
                    self._renew_reader()
            return self.synced >= self.asked
        wait_until("the reader of the journal", self.process, read)

    def _renew_reader(self):
        """journalctl that follows may stand still where journald puts files aside; what it did not read is behind its cursor."""
        print("the reader of the journal stood still", file=self.log, flush=True)
        self._end_reader()
        self._follow()

    def _end(self, sign):
        self.process.send_signal(signal.SIGCONT if sign == signal.SIGTERM else sign)
        self.process.send_signal(sign)
        self.process.wait()
        self.process = None

    def fail(self, how):
        """It is stopped, killed, refusing (killed, and its sockets are left), or frozen."""
        self.since = time.monotonic()
        if how == FROZEN:
            self.process.send_signal(signal.SIGSTOP)
            self.state = FROZEN
            return
        self._end(signal.SIGTERM if how == "stopped" else signal.SIGKILL)
        self.state = REFUSING if how == REFUSING else ABSENT
        if self.state == ABSENT:
            self._remove_sockets()

    def _remove_sockets(self):
        for name in os.listdir(SYSTEMD + "/journal"):
            path = os.path.join(SYSTEMD, "journal", name)
            if not os.path.isdir(path):
                os.remove(path)

    def _files(self):
        """Where its files are; below STORE there is one folder."""
        return os.path.join(STORE, os.listdir(STORE)[0])

    def photograph(self, folder):
        """What would be there if the power went now; all that was sent has been read. The files that are full never change."""
        self.process.send_signal(signal.SIGSTOP)
        os.makedirs(folder)
        names = os.listdir(self._files())
        shutil.copy(os.path.join(self._files(), "system.journal"), folder)
        self.process.send_signal(signal.SIGCONT)
        return folder, set(names) - {"system.journal"}, self.cursor

    def lose_power(self, photo):
        """It ends, and what is there is what @photo shows; another boot begins."""
        if self.process:
            self._end(signal.SIGKILL)
        self._end_reader()
        folder, names, self.cursor = photo
        self._remove_sockets()
        clear(self._files(), names)
        shutil.copy(os.path.join(folder, "system.journal"), self._files())
        self._boot()
        self.start()
        self.lines.clear()
        # It puts files aside that nobody has closed; a reader that opened one of them would stay with that.
        self._send_mark()
        wait_until("journald", self.process, self._has_mark)
        self._start_reader()

    def back(self, killed=False):
        """As it was; @killed: one that is frozen never gets to what it was sent."""
        if self.state == FROZEN and not killed:
            self.process.send_signal(signal.SIGCONT)
            self.state = UP
            return
        if self.state == FROZEN:
            self._end(signal.SIGKILL)
        self.start()

    def away_s(self):
        return time.monotonic() - self.since

    def end(self, keep):
        if keep:
            with open(os.path.join(self.work, "journal.json"), "w", encoding="utf-8") as f:
                subprocess.run(["journalctl", "-q", "--all", "-o", "json"], stdout=f, stderr=self.log, check=False)
        self._end_reader()
        subprocess.run(["umount", "-l", BOOT_ID], check=False)
        if self.process:
            self._end(signal.SIGKILL)


class Disk:
    """The disk of the state folder: full is when it is no larger than what is on it."""

    def __init__(self, folder):
        self.folder = folder
        self.full = self.lately = False  # lately: since the last checkpoint
        mount(folder, "-o", f"size={DISK_BYTES},mode=700")

    def _resize(self, size):
        return subprocess.run(["mount", "-o", f"remount,size={size}", self.folder], stderr=subprocess.DEVNULL, check=False).returncode == 0

    def fill(self, spare_pages):
        self.full = self.lately = True
        while True:
            at = os.statvfs(self.folder)
            if self._resize((at.f_blocks - at.f_bfree) * at.f_frsize + spare_pages * PAGE):
                return

    def free(self):
        if not self._resize(DISK_BYTES):
            raise Failed("the disk cannot be freed")
        self.full = False

    def settled(self):
        self.lately = self.full

    def photograph(self, folder):
        shutil.copytree(self.folder, folder)

    def lose_power(self, photo, index_too):
        """On it is what @photo shows; @index_too: but for the index of the log, which the kernel never needs to write."""
        clear(self.folder)
        shutil.copytree(photo, self.folder, dirs_exist_ok=True)
        if index_too and os.path.exists(os.path.join(self.folder, "driftd.db-shm")):
            os.remove(os.path.join(self.folder, "driftd.db-shm"))

    def damage(self, number):
        """Other bytes in a page of the database or its log, or it is cut; what it was. Nobody must be writing to it."""
        return subprocess.run([sys.executable, DAMAGE, self.folder, str(number)], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def end(self, keep):
        """The folder has, in the end, what was on it, or nothing."""
        if keep:
            shutil.copytree(self.folder, self.folder + ".kept")
        subprocess.run(["umount", "-l", self.folder], check=False)


class Clock:
    """The wall clock of driftd, ahead of the true one by what is in a file (clock_jump.c)."""

    def __init__(self, work, bin_dir):
        self.library = os.path.join(bin_dir, "model_clock_jump.so")
        self.file = os.path.join(work, "clock")
        self._set(CLOCK_MAX_S // 2)

    def _set(self, ahead_s):
        self.ahead_s = ahead_s
        if not os.path.exists(self.file):
            open(self.file, "wb").write(bytes(8))
        with open(self.file, "r+b") as f:  # in place: it is mapped
            f.write(struct.pack("q", ahead_s))

    def environment(self):
        # The build may have sanitizers, which want to be loaded first.
        asan = ":".join(x for x in (os.environ.get("ASAN_OPTIONS"), "verify_asan_link_order=0") if x)
        return os.environ | {"LD_PRELOAD": self.library, "CLOCK_JUMP_FILE": self.file, "ASAN_OPTIONS": asan}

    def jump(self, rng):
        """Forward or back, by a minute to a week; never before the true time, when certificates were not valid yet."""
        by = int(rng.choice((-1, 1)) * 60 * 10080 ** rng.random())
        before = self.ahead_s
        self._set(min(max(self.ahead_s + by, 0), CLOCK_MAX_S))
        return self.ahead_s - before
