"""What the Python benchmarks share: rounds in processes of their own, medians, the machine, the JSON file."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def own_round(script, *arguments, python=sys.executable):
    """The script again in a fresh process; what it prints last, as JSON."""
    paths = [str(ROOT / "build/release/python"), os.environ.get("PYTHONPATH", "")]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in paths if p))
    for name in ("FRIT_COMPILE_DEBUG", "FRIT_CHECK"):
        environment.pop(name, None)
    done = subprocess.run([python, str(script), *arguments], env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{script}: {' '.join(arguments)} failed\n{done.stderr[-4000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def seconds_a_call(call, at_least=0.25, rounds=5):
    """The median over rounds of the time of one call, each round long enough to measure."""
    count, taken = 1, 0.0
    while taken < at_least / rounds:
        count = max(count * 2, int(count * at_least / rounds / max(taken, 1e-7) * 1.1)) if taken else count * 2
        taken = one_round(call, count)
    return statistics.median(one_round(call, count) for _ in range(rounds)) / count


def one_round(call, count):
    repeat = range(count)
    begin = time.perf_counter()
    for _ in repeat:
        call()
    return time.perf_counter() - begin


def machine_loop_ns():
    """One pass of a loop that multiplies and adds, in this interpreter: what figures of two machines are scaled by."""
    def loop():
        x = 1.0
        for _ in range(100000):
            x = x * 0.999 + 0.5
        return x
    return min(one_round(loop, 1) for _ in range(9)) * 1e9 / 100000


def machine():
    return {"python": sys.version.split()[0], "cpus": len(os.sched_getaffinity(0)), "loop_ns": machine_loop_ns(),
            "load_at_start": os.getloadavg()[0]}


def print_machine(found):
    print(f"Python {found['python']}; a pass of a loop takes {found['loop_ns']:.1f} ns on this machine now")
    if found["load_at_start"] > 0.5:
        print(f"note: load {found['load_at_start']:.1f} at the start; the figures are noisy")


def spread(values):
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def spreads(rounds):
    return {name: spread([r[name] for r in rounds]) for name in rounds[0]}


def write_json(path, figures):
    if path:
        pathlib.Path(path).write_text(json.dumps(figures, indent=1) + "\n")
