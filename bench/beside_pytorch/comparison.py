"""Headway beside plain eager PyTorch, side by side in one run: what the comparisons of all studies share.

Everything is measured in rounds: within each, the two settings of the peer and Headway take turns, so that a busy
moment hits all of them. What counts is the median, over the rounds, of Headway's ratio to the better setting of the
peer. A study's folder has peer.py, and build/bench_STUDY is Headway's side; each prints one line of JSON.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent.parent
# Debian's PyTorch belongs to Debian's Python, which need not be the first on the PATH.
PYTHON = os.environ.get("PYTHON", "/usr/bin/python3")
HEADWAY = "Headway"
PEAK_TARGET = 0.7


def parse_arguments(study, description, samples, many, few):
    """The options of a run; `samples` is what is evaluated, `many` of them, or `few` where it shall be quick."""
    parser = argparse.ArgumentParser(description=description.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"2 short rounds, and {few} {samples} instead of {many}")
    parser.add_argument("--rounds", type=int, help="how many (5; with --quick 2)")
    parser.add_argument("--seconds", type=float, help="of one measurement of training (6; with --quick 2)")
    parser.add_argument(f"--{samples}", dest="samples", type=int, help=f"to evaluate ({many}; with --quick {few})")
    parser.add_argument("--threads", type=int, default=2, help="Headway's threads, and shards of a batch (2)")
    parser.add_argument("--program", type=Path, default=ROOT / f"build/bench_{study}", help="Headway's side")
    parser.add_argument("--peer-only", action="store_true", help="measure PyTorch alone")
    arguments = parser.parse_args()
    arguments.rounds = arguments.rounds or (2 if arguments.quick else 5)
    arguments.seconds = arguments.seconds or (2.0 if arguments.quick else 6.0)
    arguments.samples = arguments.samples or (few if arguments.quick else many)
    return arguments


def openblas_core():
    """The kind of core that OpenBLAS chose, in a process of its own: it chooses once. None if it does not say."""
    script = (
        "import ctypes; name = ctypes.CDLL('libopenblas.so.0').openblas_get_corename; "
        "name.restype = ctypes.c_char_p; print(name().decode())"
    )
    result = subprocess.run([PYTHON, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return result.stdout.strip() or None


def use_all_of_the_cpu():
    """Tells OpenBLAS the kind of core where it does not know this one, and what it was told; else None.

    An OpenBLAS that is older than the processor takes it for one from 2004, and is several times slower. Neither
    side nor the peak shall suffer from that.
    """
    flags = Path("/proc/cpuinfo").read_text().split()
    best = "SkylakeX" if "avx512f" in flags else "Haswell" if "avx2" in flags else None
    if "OPENBLAS_CORETYPE" in os.environ:
        return os.environ["OPENBLAS_CORETYPE"]
    if best is None or openblas_core() not in ("Prescott", "Core2", "Nehalem"):
        return None
    os.environ["OPENBLAS_CORETYPE"] = best
    return best


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def fail(message, status=1):
    progress("")
    print(f"{sys.argv[0]}: {message}", file=sys.stderr)
    sys.exit(status)


# --------------------------------------------------------------------------------------------------- measuring ---


@dataclass(frozen=True)
class Measurement:
    """Something that both sides measure: they are told the same word and the same options."""

    word: str
    title: str  # of its table, with the unit
    field: str  # of what they print
    cpu_field: str  # the same of cpu time
    form: str  # of its numbers
    higher_is_better: bool
    target: float  # the least speed-up
    options: tuple
    headway_options: tuple = ()  # further ones
    same: tuple = ("parameters",)  # what both sides must say of what they did


def training(arguments, target):
    return Measurement(
        word="train",
        title="training, samples/s",
        field="samples_per_second",
        cpu_field="samples_per_cpu_second",
        form=",.0f",
        higher_is_better=True,
        target=target,
        options=("--seconds", arguments.seconds),
        headway_options=("--shards", arguments.threads),
    )


def run_program(command, *fields):
    """What a program printed: one line of JSON, with at least these fields as numbers above 0."""
    command = [str(word) for word in command]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        fail(f"'{' '.join(command)}' failed with {result.returncode}:\n{result.stderr.strip()}")
    try:
        values = json.loads(result.stdout)
    except json.JSONDecodeError:
        fail(f"'{' '.join(command)}' did not print one line of JSON:\n{result.stdout.strip()}")
    for field in fields:
        if not isinstance(values.get(field), (int, float)) or values[field] <= 0:
            fail(f"'{' '.join(command)}' printed no '{field}' above 0:\n{result.stdout.strip()}")
    return values


class Peer:
    def __init__(self, script, threads):
        self.script, self.threads = script, threads
        self.name = "PyTorch, default threads" if threads == "default" else f"PyTorch, {threads} thread"

    def measure(self, measurement):
        command = [PYTHON, self.script, "--measure", measurement.word, "--threads", self.threads]
        return run_program([*command, *measurement.options], measurement.field, measurement.cpu_field)


class Headway:
    name = HEADWAY

    def __init__(self, program, threads):
        self.program, self.threads = program, threads

    def measure(self, measurement):
        command = [self.program, measurement.word, "--threads", self.threads]
        options = (*measurement.options, *measurement.headway_options)
        return run_program([*command, *options], measurement.field, measurement.cpu_field)


class Results:
    """Of one measurement: {name of a side: what it printed in each round}."""

    def __init__(self, measurement, sides):
        self.measurement = measurement
        self.by_name = {side.name: [] for side in sides}

    def column(self, name, field):
        return [result[field] for result in self.by_name[name]]

    def check_same_work(self):
        """Both sides must have done the same, as far as they say what they did."""
        for field in self.measurement.same:
            said = {name: rounds[0][field] for name, rounds in self.by_name.items() if field in rounds[0]}
            if len(set(said.values())) > 1:
                fail(f"the sides did not do the same: {field} is " + ", ".join(f"{v} ({n})" for n, v in said.items()))

    def better_peer(self):
        """The peer whose median is the better one."""
        field, best = self.measurement.field, max if self.measurement.higher_is_better else min
        return best((n for n in self.by_name if n != HEADWAY), key=lambda name: median(self.column(name, field)))

    def speed_ups(self, field=None, peer_field=None):
        """Headway's over the better peer, one for each round; by other fields, if so told."""
        ours = self.column(HEADWAY, field or self.measurement.field)
        theirs = self.column(self.better_peer(), peer_field or self.measurement.field)
        return [a / b if self.measurement.higher_is_better else b / a for a, b in zip(ours, theirs)]


class Comparison:
    def __init__(self, study, arguments):
        self.arguments = arguments
        script = ROOT / "bench" / study / "peer.py"
        self.peers = [Peer(script, "1"), Peer(script, "default")]
        self.headway = Headway(arguments.program, arguments.threads)
        self.check_ready()
        self.core = use_all_of_the_cpu()
        self.started, self.load_at_start = time.monotonic(), load()

    def check_ready(self):
        if not shutil.which(PYTHON):
            fail(f"{PYTHON} is missing; the environment's PYTHON may name another", 2)
        if subprocess.run([PYTHON, "-c", "import torch"], stderr=subprocess.DEVNULL).returncode != 0:
            fail(f"{PYTHON} has no PyTorch; './headway bench' installs Debian's (python3-torch)", 2)
        program = self.headway.program
        if not self.arguments.peer_only and not os.access(program, os.X_OK):
            fail(
                f"{program} is missing; 'ninja -C build {program.name}' builds it "
                "(or --peer-only measures PyTorch alone)",
                2,
            )

    def take_turns(self, measurement):
        """Its results. Every other round goes backwards: whoever follows whom changes too."""
        sides = self.peers if self.arguments.peer_only else [*self.peers, self.headway]
        results = Results(measurement, sides)
        for number in range(self.arguments.rounds):
            for side in sides if number % 2 == 0 else reversed(sides):
                progress(f"{measurement.word}, round {number + 1} of {self.arguments.rounds}: {side.name}")
                results.by_name[side.name].append(side.measure(measurement))
        progress("")
        results.check_same_work()
        return results

    def measure_alone(self, word, *options):
        """What Headway prints of something that the peer does not do; once."""
        progress(word)
        result = run_program([self.headway.program, word, "--threads", self.headway.threads, *options], "seconds")
        progress("")
        return result

    # ----------------------------------------------------------------------------------------------- reporting ---

    def print_conditions(self, results):
        """Where, when and with what it was measured."""
        rounds, minutes = self.arguments.rounds, (time.monotonic() - self.started) / 60
        peer = results.by_name[self.peers[1].name][0]
        today = time.strftime("%d %B %Y").lstrip("0")
        print(f"{today}: {cpu_model()}, {os.cpu_count()} cpus, {system_name()}.")
        print(f"Load {self.load_at_start} at the start, {load()} at the end; rounds: {rounds}, {minutes:.1f} minutes.")
        print(f"{peer['version']}, whose default is {peer['threads']} here; Python {platform.python_version()};")
        print(f"OpenBLAS' kind of core: {openblas_core() or 'unknown'}.")
        if self.core:
            print("OpenBLAS does not know this processor by itself: OPENBLAS_CORETYPE is set, for both.")
        threads = self.arguments.threads
        print("PyTorch alone." if self.arguments.peer_only else f"Headway {headway_version()}, {threads} threads.")

    def print_step(self, training_results):
        """Where the time of a training step goes, by clocks inside it, and how fast its matrix products are."""
        shares = training_results.column(HEADWAY, "shares")
        print("\n| part of a training step | share of the time of all threads |\n| --- | ---: |")
        for part in sorted(shares[0], key=lambda part: -median([share[part] for share in shares])):
            print(f"| {part} | {median([share[part] for share in shares]):.1%} |")
        fields = ("product_gflops", "peak_gflops", "peak_fraction", "plain_fraction")
        rate, peak, fraction, plain = (median(training_results.column(HEADWAY, field)) for field in fields)
        print(f"\nInside the step, products run at {rate:.0f} GFLOP/s. By the products that it computes, the whole step")
        print(f"reaches **{fraction:.0%}** of the {peak:.0f} GFLOP/s of OpenBLAS' sgemm (1024 x 1024 x 1024) on as many")
        print(f"threads: target {PEAK_TARGET:.0%}, {'holds' if fraction >= PEAK_TARGET else 'MISSED'}. Rows that repeat are")
        print(f"computed once; by the products of a plain step it would be {plain:.0%}.")


def print_table(results):
    """One row for every side."""
    measurement = results.measurement
    print(f"\n| {measurement.title} | median | lowest - highest | speed-up, median | lowest - highest |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name in results.by_name:
        values = results.column(name, measurement.field)
        form = measurement.form
        row = [name, format(median(values), form), f"{min(values):{form}} - {max(values):{form}}"]
        if name == HEADWAY:
            ratios = results.speed_ups()
            row += [f"**{median(ratios):.2f} x**", f"{min(ratios):.2f} - {max(ratios):.2f}"]
        else:
            row += ["1 (the better one)" if name == results.better_peer() else "", ""]
        print("| " + " | ".join(row) + " |")


def print_targets(**results):
    """Whether they hold; and the speed-ups of cpu time, which say more where others use the machine too."""
    of_cpu = []
    for what, those in results.items():
        field = those.measurement.cpu_field
        of_cpu.append(f"{what} {median(those.speed_ups(field, field)):.2f} x")
    print(f"\nSpeed-ups in cpu time: {', '.join(of_cpu)}.")
    print("\n| target | at least | measured | |")
    print("| --- | ---: | ---: | --- |")
    for what, those in results.items():
        least, value = those.measurement.target, median(those.speed_ups())
        print(f"| {what} | {least:g} x | {value:.2f} x | {'holds' if value >= least else 'MISSED'} |")


def cpu_model():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def system_name():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.system()


def headway_version():
    command = ["git", "-C", ROOT, "describe", "--always", "--dirty"]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return result.stdout.strip() or "unknown"


def load():
    return ", ".join(f"{value:.1f}" for value in os.getloadavg())
