#!/usr/bin/env python3
"""Trains a small network on the 1,797 handwritten digits of data/digits, eagerly and compiled, and says how the two
compare: the losses, what is right of the part held out, steps per second, and how long compiling takes, cold and
from the cache.

    python examples/digits.py [--tensors frit|torch] [--optimizer adamw|sgd] [--epochs N] [--threads N] [--json FILE]

With Frit's tensors the whole training step is compiled; with PyTorch's the network and its loss are, forward and
backward, and the optimizer is PyTorch's own.
"""
import argparse
import importlib
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

import frit

# Whose tensors: the program is the same but for the parts that say `lib is frit`.
try:
    lib = importlib.import_module("torch" if {"torch", "--tensors=torch"} & set(sys.argv[1:]) else "frit")
except ImportError:
    raise SystemExit("digits.py: --tensors torch needs PyTorch, which `make peers` installs")
nn: Any = lib.nn

ROOT = pathlib.Path(__file__).resolve().parent.parent
BATCH, HELD_OUT, COMPARED = 64, 360, 100


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(64)
        self.up, self.down, self.head = nn.Linear(64, 256), nn.Linear(256, 64), nn.Linear(64, 10)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        h = lib.relu(self.up(self.norm(x))).square()
        return self.head(x + self.drop(self.down(h)))


class Trainer:
    def __init__(self, settings, dtype=lib.float32):
        lib.manual_seed(settings.seed)
        self.net = Net().to(dtype)
        if settings.optimizer == "sgd":
            self.optimizer = lib.optim.SGD(self.net.parameters(), lr=0.05, momentum=0.9)
        else:
            self.optimizer = lib.optim.AdamW(self.net.parameters(), lr=1e-3)

    def loss(self, x, y):
        return nn.functional.cross_entropy(self.net(x), y)

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = self.loss(x, y)
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def predict(self, x):
        with lib.no_grad():
            return self.net(x).argmax(1)


def compile_step(trainer):
    """What is compiled of the step, and the step."""
    if lib is frit:
        step = frit.compile(trainer.step)
        return step, step
    trainer.loss = frit.compile(trainer.loss)
    return trainer.loss, trainer.step


# --- the data


def load(path):
    array = frit.load_npy(path)
    return array if lib is frit else lib.from_dlpack(array)


class Data:
    """images and labels to learn from, held_images and held_labels to be judged by."""

    def __init__(self, seed):
        images = load(ROOT / "data/digits/images.npy").float() / 16
        labels = load(ROOT / "data/digits/labels.npy").long()
        order = shuffled(len(labels), seed)
        images, labels = images[order], labels[order]
        self.images, self.labels = images[:-HELD_OUT], labels[:-HELD_OUT]
        self.held_images, self.held_labels = images[-HELD_OUT:], labels[-HELD_OUT:]

    def batches(self, seed):
        """The full batches of one epoch in a new order."""
        order = shuffled(len(self.labels), seed)
        for i in range(0, len(order) - BATCH + 1, BATCH):
            rows = order[i:i + BATCH]
            yield self.images[rows], self.labels[rows]


def shuffled(n, seed):
    order = list(range(n))
    random.Random(seed).shuffle(order)
    return lib.tensor(order)


# --- training


def train(settings, data, trainer, step, predict):
    losses = []
    for epoch in range(settings.epochs):
        for x, y in data.batches(settings.seed + epoch + 1):
            losses.append(step(x, y))
    losses = [loss.item() for loss in losses]

    trainer.net.eval()
    right = 0
    for i in range(0, HELD_OUT, BATCH):  # the last batch is smaller
        said = predict(data.held_images[i:i + BATCH])
        right += int((said == data.held_labels[i:i + BATCH]).sum())
    trainer.net.train()
    return {"loss": statistics.fmean(losses[-20:]), "accuracy": right / HELD_OUT, "steps": len(losses)}


def watched(settings, data, dtype, compiled):
    """Losses and dropout masks of the first steps, and what the step has become."""
    trainer = Trainer(settings, dtype)
    seen = {}

    def note(module, args, out):
        seen["mask"] = out.detach() != 0

    trainer.net.drop.register_forward_hook(note)

    def step(x, y):
        loss = trainer.step(x, y)
        return loss, seen["mask"]

    run = step
    if compiled and lib is frit:
        run = frit.compile(step)
    elif compiled:
        compile_step(trainer)
    losses: list[float] = []
    masks: list = []
    epoch = 0
    while len(losses) < COMPARED:
        epoch += 1
        for x, y in data.batches(settings.seed + epoch):
            if len(losses) == COMPARED:
                break
            loss, mask = run(x.to(dtype), y)
            losses.append(loss.item())
            masks.append(mask)
    return losses, masks


def compare(settings, data, dtype):
    eager, compiled = watched(settings, data, dtype, False), watched(settings, data, dtype, True)
    differences = [abs(b - a) / max(abs(a), 1e-30) for a, b in zip(eager[0], compiled[0])]
    differences = [math.inf if math.isnan(d) else d for d in differences]
    return {"first_10": max(differences[:10]), "first_100": max(differences),
            "equal_masks": sum(lib.equal(a, b) for a, b in zip(eager[1], compiled[1]))}


# --- what only a fresh process shows


def seconds_a_call(fn, at_least):
    count = 1
    while True:
        begin = time.perf_counter()
        for _ in range(count):
            fn()
        taken = time.perf_counter() - begin
        if taken >= at_least:
            return taken / count
        count = max(2 * count, int(count * at_least / max(taken, 1e-9) * 1.1))


def first_batch(data):
    return data.images[:BATCH].contiguous(), data.labels[:BATCH].contiguous()


def measure_compile(settings, data):
    """From the call to the compiled entry being ready, less one eager step."""
    x, y = first_batch(data)
    eager, trainer = Trainer(settings), Trainer(settings)
    steps = [seconds_a_call(lambda: eager.step(x, y), 0) for _ in range(9)]
    _, step = compile_step(trainer)
    begin = time.perf_counter()
    step(x, y)
    return {"compile_s": time.perf_counter() - begin - statistics.median(steps)}


def measure_speed(settings, data):
    """Eager and compiled in turns, so that what else the machine does meets both."""
    x, y = first_batch(data)
    eager, trainer = Trainer(settings), Trainer(settings)
    _, step = compile_step(trainer)
    for _ in range(20):
        eager.step(x, y), step(x, y)
    times = [(seconds_a_call(lambda: eager.step(x, y), 0.4), seconds_a_call(lambda: step(x, y), 0.4)) for _ in range(5)]
    return {"eager": 1 / statistics.median(t[0] for t in times), "compiled": 1 / statistics.median(t[1] for t in times)}


def in_fresh_process(settings, what, threads, cache):
    command = [sys.executable, __file__, "--tensors", settings.tensors, "--measure", what, "--optimizer", settings.optimizer, "--seed", str(settings.seed),
               "--threads", str(threads)]
    done = subprocess.run(command, env={**os.environ, "FRIT_CACHE_DIR": cache}, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"digits.py: measuring {what} failed with exit code {done.returncode}")
    return json.loads(done.stdout)


def measure_processes(settings, threads_list, figures):
    cold: list[float] = []
    warm: list[float] = []
    with tempfile.TemporaryDirectory() as scratch:
        for i in range(3):
            for times in (cold, warm):
                times.append(in_fresh_process(settings, "compile", threads_list[-1], f"{scratch}/{i}")["compile_s"])
        figures["compile"] = {"cold_s": statistics.median(cold), "warm_s": statistics.median(warm), "processes": 3}
        figures["steps_per_s"] = {str(n): in_fresh_process(settings, "speed", n, f"{scratch}/0") for n in threads_list}


# --- the report


def line(what, *cells):
    print(f"{what:<30}" + "".join(f" {cell:>13}" for cell in cells))


def seconds(s):
    return f"{1e3 * s:.1f} ms" if s < 1 else f"{s:.2f} s"


def report(figures):
    line("", "eager", "compiled")
    pairs = [figures["eager"], figures["compiled"]]
    line("loss of the last 20 steps", *(f"{p['loss']:.4f}" for p in pairs))
    line(f"right of the {HELD_OUT} held out", *(f"{100 * p['accuracy']:.1f} %" for p in pairs))
    for threads, speed in figures["steps_per_s"].items():
        line(f"steps per second, {threads} thread{'s' * (threads != '1')}", f"{speed['eager']:.0f}", f"{speed['compiled']:.0f}")
    line("time to compile the step, cold", "", seconds(figures["compile"]["cold_s"]))
    line("  from the cache", "", seconds(figures["compile"]["warm_s"]))
    print(f"\ncompiled against eager, {COMPARED} steps:")
    for dtype, a in figures["agreement"].items():
        print(f"  {dtype}: losses differ by at most {a['first_10']:.1e} in the first 10, {a['first_100']:.1e} in all; "
              f"dropout masks equal in {a['equal_masks']}")
    graphs, breaks = figures["graphs"], figures["graph_breaks"]
    what = "training step" if lib is frit else "network with its loss"
    print(f"the {what} is {graphs} graph{'s' * (graphs != 1)} with {breaks} breaks")


def faults(figures):
    """What is not as it should be, a line each."""
    for mode in ("eager", "compiled"):
        if not figures[mode]["accuracy"] > 0.95:
            yield f"{mode}: only {100 * figures[mode]['accuracy']:.1f} % of the held-out part is right"
    for dtype, a in figures["agreement"].items():
        exact = dtype == "float64"
        if a["first_10"] > (1e-10 if exact else 1e-5) or a["first_100"] > (1e-10 if exact else 1e-3):
            yield f"{dtype}: the losses of compiled and eager differ too much"
        if a["equal_masks"] != COMPARED:
            yield f"{dtype}: dropout masks differ"
    if (figures["graphs"], figures["graph_breaks"]) != (1, 0):
        yield "what is compiled is not one graph without breaks; --explain says why"


def set_threads(n):
    for library in {frit, lib}:
        library.set_num_threads(n)


def run(settings):
    data = Data(settings.seed)
    threads_list = [settings.threads] if settings.threads else [1, 2]
    set_threads(threads_list[-1])
    print(f"{len(data.labels)} handwritten digits to learn from, {HELD_OUT} held out; batches of {BATCH}, "
          f"{settings.optimizer}, {settings.epochs} epochs\n")
    figures = {"program": "digits.py", "tensors": settings.tensors, "python": sys.version.split()[0],
               "optimizer": settings.optimizer, "batch": BATCH, "held_out": HELD_OUT, "epochs": settings.epochs,
               "seed": settings.seed}
    eager = Trainer(settings)
    figures["eager"] = train(settings, data, eager, eager.step, eager.predict)
    trainer = Trainer(settings)
    compiled, step = compile_step(trainer)
    figures["compiled"] = train(settings, data, trainer, step, frit.compile(trainer.predict))
    figures["agreement"] = {name: compare(settings, data, getattr(lib, name)) for name in ("float32", "float64")}
    measure_processes(settings, threads_list, figures)
    found = frit.explain(compiled)(*first_batch(data))
    figures["graphs"], figures["graph_breaks"] = len(found.entries), len(found.breaks)
    figures["explain"] = str(found)
    report(figures)
    if settings.explain:
        print(f"\n{found}")
    if settings.json:
        pathlib.Path(settings.json).write_text(json.dumps(figures, indent=2) + "\n")
    wrong = list(faults(figures))
    for text in wrong:
        print(f"digits.py: {text}", file=sys.stderr)
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tensors", choices=("frit", "torch"), default="frit", help="whose tensors")
    parser.add_argument("--optimizer", choices=("adamw", "sgd"), default="adamw", help="sgd is with momentum")
    parser.add_argument("--epochs", type=int, default=20, help="how often every image is seen")
    parser.add_argument("--seed", type=int, default=0, help="of the weights, the order, and dropout")
    parser.add_argument("--threads", type=int, help="threads; else 1 and 2 are measured")
    parser.add_argument("--json", metavar="FILE", help="writes all figures to this file")
    parser.add_argument("--explain", action="store_true", help="prints all that is known of the compiled step")
    parser.add_argument("--measure", choices=("compile", "speed"), help=argparse.SUPPRESS)
    settings = parser.parse_args()
    if not settings.measure:
        return run(settings)
    set_threads(settings.threads)
    measure = measure_compile if settings.measure == "compile" else measure_speed
    print(json.dumps(measure(settings, Data(settings.seed))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
