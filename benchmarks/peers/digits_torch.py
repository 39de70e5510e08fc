#!/usr/bin/env python3
"""The digits program in PyTorch: the peer that examples/digits is measured against.

The same network, data, batch and optimisers, on 1 and 2 threads, every cell in a process of its own:
  eager          PyTorch's defaults
  fused          eager, with the optimiser's fused kernel
  compile        forward and backward under torch.compile, and the optimiser's step as well
  compile_fused  forward and backward under torch.compile, the optimiser's fused kernel
Prints steps per second, held-out accuracy, and the time to compile the whole step: cold with an empty
Inductor cache, warm in a new process with that cache, each the first compiled step less an eager step.

    python benchmarks/peers/digits_torch.py [--optimizer adamw|sgd] [--threads-list 1 2] [--json FILE]
"""
import argparse
import contextlib
import json
import pathlib
import statistics
import tempfile
import time

import common

BATCH, EPOCHS, HELD_OUT = 64, 20, 360
MODES = ("eager", "fused", "compile", "compile_fused")


def load(torch):
    import numpy
    folder = common.ROOT / "data" / "digits"
    images = torch.from_numpy(numpy.load(folder / "images.npy")).float() / 16
    labels = torch.from_numpy(numpy.load(folder / "labels.npy")).long()
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(0))
    images, labels = images[order], labels[order]
    return images[:-HELD_OUT], labels[:-HELD_OUT], images[-HELD_OUT:], labels[-HELD_OUT:]


def network(torch):
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.LayerNorm(64)
            self.up, self.down, self.head = nn.Linear(64, 256), nn.Linear(256, 64), nn.Linear(64, 10)
            self.drop = nn.Dropout(0.1)

        def forward(self, x):
            h = torch.relu(self.up(self.norm(x))).square()
            return self.head(x + self.drop(self.down(h)))

    return Net()


class Program:
    """`mode` is one of MODES: see the top of this file."""

    def __init__(self, torch, mode, optimizer):
        self.torch = torch
        torch.manual_seed(0)
        self.net = network(torch)
        fused = True if mode.endswith("fused") else None
        if optimizer == "adamw":
            self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=1e-3, fused=fused)
        else:
            self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.05, momentum=0.9, fused=fused)
        self.loss_of, self.advance, self.predict = self._loss, self.optimizer.step, self.net
        if mode == "compile":
            self.advance = torch.compile(self.optimizer.step)
        if mode.startswith("compile"):
            self.loss_of = torch.compile(self._loss)
            self.predict = torch.compile(self.net)

    def _loss(self, x, y):
        return self.torch.nn.functional.cross_entropy(self.net(x), y)

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = self.loss_of(x, y)
        loss.backward()
        self.advance()
        return loss.detach()

    def accuracy(self, images, labels):
        self.net.eval()
        right = 0
        with self.torch.no_grad():
            for i in range(0, len(images), BATCH):  # the last batch is smaller
                right += int((self.predict(images[i:i + BATCH]).argmax(1) == labels[i:i + BATCH]).sum())
        self.net.train()
        return right / len(images)


def measure(cell, optimizer, threads):
    import torch
    torch.set_num_threads(threads)
    x, y, held_x, held_y = load(torch)
    mode = "compile" if cell == "first" else cell
    program = Program(torch, mode, optimizer)
    first = time.perf_counter()
    program.step(x[:BATCH], y[:BATCH])
    first = time.perf_counter() - first
    if cell == "first":
        return {"first_step_s": first}
    losses = []
    for epoch in range(EPOCHS):
        order = torch.randperm(len(x), generator=torch.Generator().manual_seed(epoch))
        for i in range(0, len(x) - BATCH + 1, BATCH):
            losses.append(program.step(x[order[i:i + BATCH]], y[order[i:i + BATCH]]))
    accuracy = program.accuracy(held_x, held_y)
    xs, ys = x[:BATCH].clone(), y[:BATCH].clone()
    return {"first_step_s": first, "step_s": common.seconds_a_call(lambda: program.step(xs, ys), 2.0),
            "accuracy": accuracy, "loss": float(torch.stack(losses[-20:]).mean()), "steps": len(losses)}


def import_seconds():
    begin = time.perf_counter()
    import torch  # noqa: F401
    middle = time.perf_counter()
    import torch._dynamo  # noqa: F401
    import torch._inductor.compile_fx  # noqa: F401
    return {"torch_s": middle - begin, "compiler_s": time.perf_counter() - middle}


def compare(optimizer, thread_counts, compile_rounds):
    script = pathlib.Path(__file__)
    figures = {"machine": common.machine(), "optimizer": optimizer, "batch": BATCH, "threads": {}}
    common.busy_note(figures)
    figures["imports"] = common.run_cell(script, "imports", 1, "/nonexistent", optimizer=optimizer)
    for threads in thread_counts:
        row = figures["threads"][str(threads)] = {}
        with contextlib.ExitStack() as stack:
            caches = [stack.enter_context(tempfile.TemporaryDirectory()) for _ in range(compile_rounds)]
            run = lambda cell, cache: common.run_cell(script, cell, threads, cache, optimizer=optimizer)
            row["eager"] = run("eager", caches[0])
            eager = row["eager"]["step_s"]
            for kind in ("cold", "warm"):
                row[kind + "_s"] = statistics.median(
                    run("first", cache)["first_step_s"] - eager for cache in caches)
            for mode in MODES[1:]:
                row[mode] = run(mode, caches[0])
        print(f"{optimizer}, {threads} thread{'s' * (threads > 1)}:")
        for mode in MODES:
            cell = row[mode]
            cell["steps_per_s"] = 1 / cell["step_s"]
            print(f"  torch {mode:14} {cell['steps_per_s']:8.0f} steps/s   held-out accuracy "
                  f"{100 * cell['accuracy']:5.1f}%   loss {cell['loss']:.4f}")
        print(f"  torch.compile cold {row['cold_s']:.2f} s, from its cache {row['warm_s']:.2f} s "
              f"(of which importing the compiler {figures['imports']['compiler_s']:.2f} s)")
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--optimizer", choices=("adamw", "sgd"), default="adamw")
    parser.add_argument("--threads-list", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--compile-rounds", type=int, default=1,
                        help="cold compiles, each with an empty cache; the median counts")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--cell", choices=(*MODES, "first", "imports"), help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, default=1, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.cell == "imports":
        print(json.dumps(import_seconds()))
    elif arguments.cell:
        print(json.dumps(measure(arguments.cell, arguments.optimizer, arguments.threads)))
    else:
        figures = compare(arguments.optimizer, arguments.threads_list, arguments.compile_rounds)
        common.write_json(arguments.json, figures)


if __name__ == "__main__":
    main()
