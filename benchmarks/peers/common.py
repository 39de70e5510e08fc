"""What the peers' benchmarks share: cells in processes of their own, medians, the JSON file."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_cell(script, cell, threads, cache, **options):
    """One measurement in a fresh process; what it prints last is its JSON result."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), TORCHINDUCTOR_CACHE_DIR=str(cache),
                       TORCHINDUCTOR_FX_GRAPH_CACHE="1", TORCHINDUCTOR_AUTOGRAD_CACHE="1")
    command = [sys.executable, str(script), "--cell", cell, "--threads", str(threads)]
    for name, value in options.items():
        command += ["--" + name.replace("_", "-"), str(value)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{script}: cell {cell} failed\n{done.stderr[-4000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def seconds_a_call(call, at_least=1.0, rounds=5):
    """The median over rounds of the time of one call, each round long enough to measure."""
    count, taken = 1, 0.0
    while taken < at_least / rounds:
        begin = time.perf_counter()
        for _ in range(count):
            call()
        taken = time.perf_counter() - begin
        if taken < at_least / rounds:
            count = max(count * 2, int(count * at_least / rounds / max(taken, 1e-9) * 1.1))
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(count):
            call()
        times.append((time.perf_counter() - begin) / count)
    return statistics.median(times)


def machine():
    import torch
    name = "unknown"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            name = line.partition(":")[2].strip()
            break
    return {"torch": torch.__version__, "python": sys.version.split()[0], "cpu": name,
            "capability": torch.backends.cpu.get_cpu_capability(), "cpus": len(os.sched_getaffinity(0)),
            "load_at_start": os.getloadavg()[0]}


def busy_note(figures):
    if figures["machine"]["load_at_start"] > 0.5:
        print(f"note: load {figures['machine']['load_at_start']:.1f} at the start; the figures are noisy")


def write_json(path, figures):
    if path:
        pathlib.Path(path).write_text(json.dumps(figures, indent=1) + "\n")
