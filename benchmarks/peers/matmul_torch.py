#!/usr/bin/env python3
"""Matrix products in PyTorch, on the shapes, orders and dtypes of the benchmark `matmul`, beside its figures.

Runs the benchmark first, then PyTorch's mm and bmm (into a tensor that is there, so that no allocation is
timed) on as many threads. A packed B has no counterpart: PyTorch gets W^T as nn.Linear has it. Compare
only figures of an idle machine.

    python benchmarks/peers/matmul_torch.py --frit build/release/benchmarks/matmul [--json FILE]
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import common

ORDERS = {"rows": False, "columns": True, "packed": True}  # whether the matrix is a transposed one


def measure(rows, threads):
    import torch
    torch.set_num_threads(threads)
    torch.manual_seed(0)

    def matrix(row, batch, first, second, columns):
        dtype = getattr(torch, row["dtype"])
        sizes = (batch, second, first) if columns else (batch, first, second)
        made = torch.randn(*sizes).to(dtype)
        made = made.transpose(1, 2) if columns else made
        return made if batch > 1 else made[0]

    times = []
    with torch.no_grad():
        for row in rows:
            a = matrix(row, row["batch"], row["m"], row["k"], ORDERS[row["a"]])
            b = matrix(row, row["batch"], row["k"], row["n"], ORDERS[row["b"]])
            out = torch.matmul(a, b)
            product = torch.mm if row["batch"] == 1 else torch.bmm
            times.append(1e6 * common.seconds_a_call(lambda: product(a, b, out=out), 0.1))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frit", type=pathlib.Path, help="the benchmark's executable")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--cell", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cell:
        print(json.dumps(measure(json.loads(options.cell.read_text()), options.threads)))
        return
    if not options.frit or not options.frit.exists():
        sys.exit("matmul_torch.py: --frit must name the benchmark's executable, such as "
                 "build/release/benchmarks/matmul")

    machine = common.machine()
    with tempfile.TemporaryDirectory() as folder:
        figures, cell = pathlib.Path(folder) / "frit.json", pathlib.Path(folder) / "rows.json"
        subprocess.run([options.frit, "--json", figures], check=True, stdout=subprocess.DEVNULL)
        frit = json.loads(figures.read_text())
        for threads in sorted({row["threads"] for row in frit["rows"]}):
            rows = [row for row in frit["rows"] if row["threads"] == threads]
            cell.write_text(json.dumps(rows))
            done = subprocess.run([sys.executable, __file__, "--cell", cell, "--threads", str(threads)],
                                  env=dict(os.environ, OMP_NUM_THREADS=str(threads)), check=True,
                                  capture_output=True, text=True)
            for row, us in zip(rows, json.loads(done.stdout.strip().splitlines()[-1])):
                row["torch_us"], row["ratio"] = us, us / row["us"]
    print(f"{'':22} {'threads':>7} {'batch x m x k x n':>20} {'frit us':>10} {'torch us':>10} {'torch/frit':>10}")
    for row in frit["rows"]:
        sizes = f"{row['batch']}x{row['m']}x{row['k']}x{row['n']}"
        print(f"{row['name']:22} {row['threads']:>7} {sizes:>20} {row['us']:>10.2f} {row['torch_us']:>10.2f} "
              f"{row['ratio']:>10.2f}")
    frit["machine"] = machine
    common.busy_note(frit)
    common.write_json(options.json, frit)


if __name__ == "__main__":
    main()
