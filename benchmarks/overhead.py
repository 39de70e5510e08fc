#!/usr/bin/env python3
"""What a call costs in Python when there is next to nothing to compute, eager and compiled, everything counted:

  add, chain      add and relu(x * y + z) on 4 elements, without and with gradients
  n parameters    the chain in a callable that reaches a module of n parameters and read all their sizes and
                  requires_grad when it was captured: guards must not cost more for a larger model
  changed dict    the same, a dict that has nothing to do with it being changed before each call

    python benchmarks/overhead.py [--processes N] [--json FILE] [--peers PYTHON]

--peers: a Python that has torch. It measures PyTorch eager, torch.compile, and frit.compile over torch's tensors.
"""
import argparse
import json
import os
import pathlib

import python_common as common

COUNTS = (10, 100, 1000, 10000)


def chain_of(library):
    relu = library.relu

    def chain(x, y, z):
        return relu(x * y + z)
    return chain


def us(call):
    for _ in range(3):
        call()
    return 1e6 * common.seconds_a_call(call)


def measure_chain(library, compilers, out):
    chain = chain_of(library)
    for kind in ("chain", "chain with gradients"):
        x, y, z = (library.rand(4) for _ in range(3))
        x.requires_grad_(kind != "chain")
        out[f"{kind}, eager"] = us(lambda: chain(x, y, z))
        for name, compile in compilers.items():
            compiled = compile(chain)
            out[f"{kind}, {name}"] = us(lambda: compiled(x, y, z))


def tree_of(frit, n):
    """Layers of two parameters each, 32 layers a block."""
    root = frit.nn.Module()
    for i in range(n // 2):
        if i % 32 == 0:
            block = frit.nn.Module()
            root.add_module(f"block{i // 32}", block)
        layer = frit.nn.Module()
        layer.register_parameter("weight", frit.nn.Parameter(frit.rand(3, 2)))
        layer.register_parameter("bias", frit.nn.Parameter(frit.rand(3, 2)))
        block.add_module(f"layer{i % 32}", layer)
    return root


def measure_parameters(frit, n, out):
    module = tree_of(frit, n)
    chain = chain_of(frit)

    def wanted(m):
        count = 0
        for p in m._parameters.values():
            if p.shape[0] == 3 and p.shape[1] == 2:
                count += p.requires_grad
        for child in m._modules.values():
            count += wanted(child)
        return count

    def reach(x, y, z):
        return chain(x, y, z) if wanted(module) == n else x

    compiled = frit.compile(reach, fullgraph=True)
    x, y, z = (frit.rand(4) for _ in range(3))
    out[f"{n} parameters"] = us(lambda: compiled(x, y, z))
    other = {"changed": 0}

    def noisy():
        other["changed"] += 1
        return compiled(x, y, z)
    out[f"{n} parameters, changed dict"] = us(noisy)
    # Any change of one is noticed at the next call.
    leaf = list(module.modules())[-1]
    p = list(module.parameters())[n // 2]
    changes = [
        (lambda: p.requires_grad_(False), lambda: p.requires_grad_(True)),
        (lambda: setattr(p, "data", frit.rand(4, 2)), lambda: setattr(p, "data", frit.rand(3, 2))),
        (lambda: setattr(leaf, "bias", frit.nn.Parameter(frit.rand(5, 2))),
         lambda: setattr(leaf, "bias", frit.nn.Parameter(frit.rand(3, 2)))),
        (lambda: leaf._parameters.__setitem__("weight", frit.nn.Parameter(frit.rand(3, 3))),
         lambda: leaf._parameters.__setitem__("weight", frit.nn.Parameter(frit.rand(3, 2)))),
    ]
    for i, (change, back) in enumerate(changes):
        change()
        if compiled(x, y, z) is not x:
            raise SystemExit(f"change {i} of one of {n} parameters was not noticed")
        back()
        if compiled(x, y, z) is x:
            raise SystemExit(f"change {i} of one of {n} parameters, taken back, was not noticed")


def measure():
    import frit
    frit.manual_seed(0)
    frit.set_num_threads(1)
    out = {}
    x, y = frit.rand(4), frit.rand(4)
    out["an empty call"] = us(lambda: None)
    add = frit.add
    out["add, eager"] = us(lambda: add(x, y))
    measure_chain(frit, {"frit.compile": frit.compile}, out)
    for n in COUNTS:
        measure_parameters(frit, n, out)
    return out


def measure_torch():
    import torch
    torch.set_num_threads(1)
    torch.manual_seed(0)
    out = {}
    x, y = torch.rand(4), torch.rand(4)
    add = torch.add
    out["add, eager"] = us(lambda: add(x, y))
    compilers = {"torch.compile": torch.compile}
    try:
        import frit
        compilers = {"frit.compile": frit.compile, **compilers}
    except ImportError:
        pass
    measure_chain(torch, compilers, out)
    return out


def compare(processes, peers):
    script = pathlib.Path(__file__)
    figures = {"benchmark": "overhead_python", "unit": "us", "processes": processes, "machine": common.machine()}
    figures["frit"] = common.spreads([common.own_round(script, "--measure", "frit") for _ in range(processes)])
    if peers:
        figures["torch"] = common.spreads(
            [common.own_round(script, "--measure", "torch", python=peers) for _ in range(processes)])
    print(f"microseconds a call, 1 thread; medians of {processes} processes")
    common.print_machine(figures["machine"])
    print(f"{'':<34} {'frit':>9} {'(least to most)':>22}" + f" {'torch':>10}" * bool(peers))
    theirs = figures.get("torch", {})
    for name in [*figures["frit"], *(n for n in theirs if n not in figures["frit"])]:
        ours = figures["frit"].get(name)
        line = f"{name:<34} "
        range_ = "({least:.3f} to {most:.3f})".format(**ours) if ours else ""
        line += f"{ours['median']:9.3f} {range_:>22}" if ours else " " * 32
        print(line + (f" {theirs[name]['median']:10.3f}" if name in theirs else ""))
    median = {name: s["median"] for name, s in figures["frit"].items()}
    figures["ratios"] = {
        "10000 to 10 parameters": median["10000 parameters"] / median["10 parameters"],
        "10000 to 10 parameters, changed dict": median["10000 parameters, changed dict"] /
                                                median["10 parameters, changed dict"]}
    dicts = 3 * (COUNTS[-1] // 2)  # a layer's own, _parameters, _modules
    figures["ns a guarded dict, changed dict"] = 1000 * (
        median[f"{COUNTS[-1]} parameters, changed dict"] - median[f"{COUNTS[-1]} parameters"]) / dicts
    print(f"ns a guarded dict where another changes: {figures['ns a guarded dict, changed dict']:.1f}")
    if theirs:
        figures["ratios"]["add to torch's"] = median["add, eager"] / theirs["add, eager"]["median"]
    for name, value in figures["ratios"].items():
        print(f"{name}: {value:.2f}")
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--processes", type=int, default=7)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--peers", metavar="PYTHON")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        print(json.dumps(measure_torch() if arguments.measure == "torch" else measure()))
    else:
        common.write_json(arguments.json, compare(max(arguments.processes, 1), arguments.peers))


if __name__ == "__main__":
    main()
