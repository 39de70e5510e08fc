#!/usr/bin/env python3
"""What a call costs in PyTorch when there is next to nothing to compute.

`torch.add` and `relu(x*y+z)` on 4 elements, and forward with backward of a 3-layer MLP of width 8,
eager and under torch.compile, everything counted. Each figure is the median over processes of each
process's median.

    python benchmarks/peers/overhead_torch.py [--processes N] [--json FILE]
"""
import argparse
import json
import pathlib
import statistics
import tempfile

import common

MLP_BATCH = 4


def measure(threads):
    import torch
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    x, y, z = (torch.randn(4) for _ in range(3))

    def chain(x, y, z):
        return torch.relu(x * y + z)

    layers = []
    for _ in range(3):
        layers += [torch.nn.Linear(8, 8), torch.nn.ReLU()]
    mlp = torch.nn.Sequential(*layers[:-1])
    batch = torch.randn(MLP_BATCH, 8)
    parameters = list(mlp.parameters())

    def train(forward):
        for parameter in parameters:
            parameter.grad = None
        forward(batch).sum().backward()

    compiled_chain, compiled_mlp = torch.compile(chain), torch.compile(mlp)
    for _ in range(3):
        compiled_chain(x, y, z)
        train(compiled_mlp)
    calls = {"add": lambda: torch.add(x, y), "chain eager": lambda: chain(x, y, z),
             "chain compile": lambda: compiled_chain(x, y, z), "mlp eager": lambda: train(mlp),
             "mlp compile": lambda: train(compiled_mlp)}
    return {name: 1e6 * common.seconds_a_call(call, 0.5) for name, call in calls.items()}


def compare(processes):
    figures = {"machine": common.machine(), "processes": processes, "mlp_batch": MLP_BATCH, "unit": "us"}
    common.busy_note(figures)
    with tempfile.TemporaryDirectory() as cache:
        runs = [common.run_cell(pathlib.Path(__file__), "all", 1, cache) for _ in range(processes)]
    figures["calls"] = {}
    for name in runs[0]:
        times = sorted(run[name] for run in runs)
        figures["calls"][name] = {"median": statistics.median(times), "least": times[0], "most": times[-1]}
        print(f"torch {name:14} {statistics.median(times):8.2f} us   ({times[0]:.2f} to {times[-1]:.2f} over "
              f"{processes} processes)")
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--processes", type=int, default=7)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, default=1, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.cell:
        print(json.dumps(measure(arguments.threads)))
    else:
        common.write_json(arguments.json, compare(max(arguments.processes, 1)))


if __name__ == "__main__":
    main()
