"""Compiles the tests, runs the suites side by side, and prints what each took. Fails if a test fails, or if a suite takes much
more CPU time than its share. tests/run.sh describes the settings."""

from __future__ import annotations

import ctypes
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).parent.resolve()
CARGO = str(TESTS / "cargo.sh")
SHORT = bool(os.environ.get("STEWARD_TEST_SHORT"))
CORES = os.cpu_count() or 1


@dataclass(frozen=True)
class Suite:
    """A process of the test runner. Its budgets are the CPU time that it takes, in multiples of `reference`, including all of its
    child processes, such as PostgreSQL and browsers: in a complete run, and in a short one."""

    name: str
    arguments: str
    threads: int
    budgets: tuple[int, int]
    has_database: bool = False


# The suites of a lane run one after another, beside those of the other lanes. Together, the lanes start some four tests for each core:
# with fewer, the cores would wait, and with more, the tests would.
LANES = [
    [
        Suite("http", "--test=http", 4, (2900, 2050), has_database=True),
    ],
    [
        Suite("clients", "--test=clients", 3, (1450, 1270), has_database=True),
        Suite("browser", "--test=browser", 2, (900, 700), has_database=True),
        Suite("citus", "--test=citus", 1, (120, 120), has_database=True),
    ],
    [
        Suite("store", "--lib --test=store", 3, (270, 270), has_database=True),
        Suite("documentation", "--doc", 2, (220, 220)),
        Suite("hostile", "--test=hostile", 2, (190, 190), has_database=True),
        Suite("faults", "--test=faults", 2, (550, 550), has_database=True),
        Suite("model", "--test=model", 2, (120, 35), has_database=True),
        Suite(
            "others",
            "--bins --test=architecture --test=blobs --test=examples --test=operators --test=packages --test=words",
            2,
            (110, 110),
            has_database=True,
        ),
    ],
]
SUITES = [suite for lane in LANES for suite in lane]
# How many times its budget a suite may take.
TOLERANCE = 1.5
# What a short run leaves out, beside the tests whose names contain `::full::`.
ONLY_COMPLETE = [
    "pages and tasks of the console with and without scripts on both databases, and each page in both color schemes (browser)",
    "24 sequences of operations instead of STEWARD_MODEL_CASES (model)",
    "all rounds of the races of changed access (http)",
]


def reference() -> float:
    """Return the CPU time in seconds of a fixed computation while all cores are busy, as a measure of their speed."""
    source = (
        "import time, zlib, json\n"
        "start = time.process_time()\n"
        "rows = [{'id': i, 'text': 'row %d' % (i * 7919 % 100003)} for i in range(60000)]\n"
        "for _ in range(4):\n"
        "    text = json.dumps(sorted(rows, key=lambda row: row['text'])); rows = json.loads(text)\n"
        "    zlib.crc32(zlib.compress(text.encode(), 6))\n"
        "print(time.process_time() - start)\n"
    )
    started = [subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE) for _ in range(CORES)]
    return sum(float(process.communicate()[0]) for process in started) / CORES


def disk_space() -> str:
    """Say how much space the file systems have that the tests fill: without it, tests fail with errors that hide the cause."""
    places = {"the target": TESTS, "temporary files": Path(tempfile.gettempdir()), "shared memory": Path("/dev/shm")}
    return "free: " + ", ".join(f"{shutil.disk_usage(path).free / 2**30:.1f} GiB for {name}" for name, path in places.items())


def start_load() -> subprocess.Popen[bytes]:
    """Keep all cores busy, and give this process and the suites the lowest priority. The load has the same one: beside programs of
    the default priority, the tests would get 1.5 % of the time of a core. As a session of its own, it gets half of it."""
    os.nice(19)
    source = f"import os\nfor _ in range({CORES - 1}):\n    if not os.fork(): break\nwhile True: pass"
    return subprocess.Popen([sys.executable, "-c", source], start_new_session=True)


class Run:
    """A process that runs in the background, with everything that it starts."""

    def __init__(self, name: str, command: list[str], environment: dict[str, str], directory: Path) -> None:
        self.name = name
        self.log = directory / f"{name}.log"
        # A pipe also works when the disk is full.
        self.usage, usage = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            try:
                self._measure(command, environment, usage)
            finally:
                os._exit(0)
        os.close(usage)

    def _measure(self, command: list[str], environment: dict[str, str], usage: int) -> None:
        # Processes whose parent has ended, such as the server of a database, become children of this one, so that it knows
        # their CPU time.
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
        start = time.monotonic()
        with self.log.open("wb") as log:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
        # The others are reaped, too, as by init: to a server that starts again, a process that was not reaped still runs.
        ended, status = 0, 0
        while ended != child.pid:
            ended, status = os.wait()
        wall = time.monotonic() - start
        left = self._reap()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = used.ru_utime + used.ru_stime
        os.write(usage, json.dumps({"status": status, "wall": wall, "cpu": cpu, "left": left}).encode())

    def _reap(self) -> list[str]:
        """Wait for processes that outlive the suite. Return the names of those that do not end by themselves, which are
        killed."""
        end = time.monotonic() + 10
        names: list[str] = []
        while True:
            try:
                process, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return names
            if process:
                continue
            if time.monotonic() > end:
                children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
                for child in children:
                    try:
                        names.append(Path(f"/proc/{child}/comm").read_text().strip())
                        os.kill(int(child), signal.SIGKILL)
                    except OSError:
                        pass
            time.sleep(0.05)

    def wait(self) -> "Result":
        os.waitpid(self.process, 0)
        with open(self.usage) as pipe:
            usage = json.load(pipe)
        return Result(self.name, self.log.read_text(errors="replace"), **usage)


@dataclass
class Result:
    name: str
    log: str
    status: int
    wall: float
    cpu: float
    left: list[str]

    def counts(self) -> dict[str, int]:
        """Return how many tests passed, failed and so on."""
        found = re.findall(r"^test result: .*", self.log, re.MULTILINE)
        names = ("passed", "failed", "ignored", "filtered out")
        return {name: sum(int(n) for line in found for n in re.findall(rf"(\d+) {name}", line)) for name in names}

    def failures(self) -> list[str]:
        """Return the names of the tests that failed, with the first lines of their messages."""
        names = sorted(set(re.findall(r"^test (\S+).* \.\.\. FAILED$", self.log, re.MULTILINE)))
        found = re.findall(r"^thread '(\S+)'.* panicked at .*\n(.*)", self.log, re.MULTILINE)
        messages = {name: message for name, message in reversed(found)}
        return [f"{name} ({messages[name]})" if name in messages else name for name in names]


def selected() -> list[Suite]:
    only = os.environ.get("SUITES", "").split()
    skipped = os.environ.get("SKIP_SUITES", "").split()
    unknown = {*only, *skipped} - {suite.name for suite in SUITES}
    if unknown:
        sys.exit(f"There is no suite {', '.join(sorted(unknown))}. There are: {', '.join(suite.name for suite in SUITES)}.")
    return [suite for suite in SUITES if suite.name not in skipped and (not only or suite.name in only)]


def check_targets() -> None:
    """Fail if cargo knows a test that no suite runs."""
    output = subprocess.run(["cargo", "metadata", "--no-deps", "--format-version", "1"], check=True, stdout=subprocess.PIPE)
    targets = [target for package in json.loads(output.stdout)["packages"] for target in package["targets"]]
    names = {target["name"] for target in targets if target["kind"] == ["test"]}
    arguments = " ".join(suite.arguments for suite in SUITES).split()
    missing = {name for name in names if f"--test={name}" not in arguments}
    if missing:
        sys.exit(f"No suite in tests/suites.py runs {', '.join(sorted(missing))}.")


def command_of(suite: Suite, arguments: list[str]) -> list[str]:
    test = [CARGO, "test", "--workspace", "--all-features", "--no-fail-fast", *suite.arguments.split(), "--", *arguments]
    return [str(TESTS / "with-postgres.sh"), *test] if suite.has_database else test


def environment_of(suite: Suite) -> dict[str, str]:
    # The clusters of several suites are created at the same time, so each has a port of its own.
    port = 9720 + SUITES.index(suite)
    return {**os.environ, "RUST_TEST_THREADS": str(suite.threads), "PGPORT_OF_TESTS": str(port)}


def build(suites: list[Suite]) -> tuple[float, float]:
    """Compile the suites and the programs that they start. Return the wall and CPU time in seconds."""
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    targets = "--all-targets" if len(suites) > 1 else "--bins"
    subprocess.run([CARGO, "build", "--workspace", "--all-features", targets], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(suites: list[Suite], arguments: list[str], directory: Path) -> list[Result]:
    waiting = [[suite for suite in lane if suite in suites] for lane in LANES]
    running: list[tuple[Run, list[Suite]]] = []

    def start_next(lane: list[Suite]) -> None:
        if lane:
            suite = lane.pop(0)
            running.append((Run(suite.name, command_of(suite, arguments), environment_of(suite), directory), lane))

    for lane in waiting:
        start_next(lane)
    results = []
    while running:
        for started, lane in running:
            if os.waitid(os.P_PID, started.process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                break
        else:
            time.sleep(0.2)
            continue
        running.remove((started, lane))
        result = started.wait()
        results.append(result)
        print(f"{result.name}: {'passed' if result.status == 0 else 'FAILED'} after {result.wall:.0f} s", flush=True)
        if result.status:
            print("\n".join([disk_space(), *result.failures()]), flush=True)
        start_next(lane)
    return results


def print_table(results: list[Result], built: tuple[float, float], unit: float) -> None:
    print(f"\n{'suite':14}{'wall s':>8}{'CPU s':>8}{'units':>7}{'passed':>8}{'failed':>8}{'left out':>10}")
    print(f"{'compilation':14}{built[0]:8.0f}{built[1]:8.0f}{built[1] / unit:7.0f}")
    for result in results:
        counts = result.counts()
        numbers = f"{result.wall:8.0f}{result.cpu:8.0f}{result.cpu / unit:7.0f}"
        print(f"{result.name:14}{numbers}{counts['passed']:8}{counts['failed']:8}{counts['filtered out']:10}")
    print(f"A unit is a fixed computation, which took {unit:.2f} s of CPU time.")


def over_budget(results: list[Result], unit: float) -> list[str]:
    """Return a message for each suite that took much more CPU time than its share."""
    budgets = {suite.name: suite.budgets[SHORT] for suite in SUITES}
    return [
        f"{result.name} took {result.cpu / unit:.0f} units of CPU time. Its share is {budgets[result.name]}. Find what became "
        "slower, or raise its budget in tests/suites.py and say why in the commit."
        for result in results
        if result.cpu / unit > budgets[result.name] * TOLERANCE
    ]


def main() -> int:
    arguments = sys.argv[1:]
    is_complete = not arguments and not os.environ.get("LOADED")
    check_targets()
    suites = selected()
    if SHORT:
        arguments += ["--skip", "::full::"]
    built = build(suites)
    if len(suites) == 1:
        suite = suites[0]
        command = command_of(suite, arguments)
        os.execvpe(command[0], command, environment_of(suite))

    print(disk_space(), flush=True)
    unit = reference()
    load = start_load() if os.environ.get("LOADED") else None
    directory = Path(tempfile.mkdtemp(prefix="steward-logs-"))
    try:
        results = run(suites, arguments, directory)
    finally:
        if load:
            os.killpg(load.pid, signal.SIGKILL)
        shutil.rmtree(directory)

    failed = [result for result in results if result.status != 0]
    for result in failed:
        print(f"\n--- {result.name} ---\n{result.log}")
    print_table(results, built, unit)
    for result in results:
        if result.left:
            print(f"{result.name} left processes running, which were killed: {', '.join(result.left)}.")
    if SHORT:
        print("\nOnly `make test` proves the tests that are left out, which repeat others with another database, and:")
        print("\n".join(f"- {claim}" for claim in ONLY_COMPLETE))
    messages = over_budget(results, unit) if is_complete else []
    for result in failed:
        messages.append(f"{result.name} failed: {', '.join(result.failures()) or 'see its output above'}")
    print("\n".join(["", *messages]))
    total = {name: sum(result.counts()[name] for result in results) for name in results[0].counts()}
    word = "FAILED" if messages else "ok"
    print(f"test result: {word}. " + "; ".join(f"{number} {name}" for name, number in total.items()))
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
