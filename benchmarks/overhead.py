#!/usr/bin/env python3
"""What a call costs in Python when there is next to nothing to compute, eager and compiled, everything counted:

  add, chain      add and relu(x * y + z) on 4 elements, without and with gradients
  n parameters    the chain in a callable that reaches a module of n parameters and read all their sizes and
                  requires_grad when it was captured: guards must not cost more for a larger model
  changed dict    the same, a dict that has nothing to do with it being changed before each call
  n tensors       over torch's tensors: x + each of n parameters, all of which are looked at at each call; again and
                  again, and each time right after a model of 64 MB has run, which leaves nothing of it in the caches

    python benchmarks/overhead.py [--processes N] [--json FILE] [--peers PYTHON] [--pythons PYTHON ...]

--peers:   a Python that has torch. It measures PyTorch eager, torch.compile, and frit.compile over torch's tensors.
--pythons: others that the package is built for, to measure the lines without torch with.
What each call looks at is printed at the end, for the chain of either library.
"""
import argparse
import json
import os
import pathlib
import statistics
import sys

import python_common as common

COUNTS = (10, 100, 1000, 10000)
TORCH_COUNTS = (3, 100, 300)


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
            if name == "frit.compile":
                out[f"checks, {kind}"] = looked_at(compiled, x, y, z)


def looked_at(compiled, *args):
    """Every guard of a call, in words."""
    import frit
    entry, = frit.explain(compiled)(*args).entries
    return [*entry["guards"], *entry["sizes"].splitlines(), *entry["checks"]]


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


def measure_growth():
    import frit
    frit.manual_seed(0)
    frit.set_num_threads(1)
    out = {"python": sys.version.split()[0]}
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
    if "frit.compile" in compilers:
        for n in TORCH_COUNTS:
            measure_tensors(torch, frit, n, out)
    return out


def measure_tensors(torch, frit, n, out):
    parameters = [torch.nn.Parameter(torch.rand(4), requires_grad=False) for _ in range(n)]

    def add_all(x):
        for p in parameters:
            x = x + p
        return x
    compiled = frit.compile(add_all, fullgraph=True)
    x = torch.rand(4)
    out[f"{n} tensors, frit.compile"] = us(lambda: compiled(x))
    large = torch.nn.Sequential(*(torch.nn.Linear(1024, 1024, bias=False) for _ in range(16)))
    batch = torch.rand(4, 1024)
    taken = []
    with torch.no_grad():
        for _ in range(40):
            large(batch)
            taken.append(common.one_round(lambda: compiled(x), 1))
    out[f"{n} tensors, after a large model"] = 1e6 * statistics.median(taken)


def spreads(rounds):
    """Of numbers; what each call looks at is the same in each round."""
    texts = {name: v for name, v in rounds[0].items() if name.startswith("checks, ")}
    return common.spreads([{k: v for k, v in r.items() if k not in texts} for r in rounds]), texts


def compare(processes, peers, pythons):
    script = pathlib.Path(__file__)
    figures = {"benchmark": "overhead_python", "unit": "us", "processes": processes, "machine": common.machine()}
    checks = {}

    def measured(what, **where):
        found, checks[what] = spreads([common.own_round(script, "--measure", what, **where) for _ in range(processes)])
        return found
    figures["frit"] = measured("frit")
    if peers:
        figures["torch"] = measured("torch", python=peers)
    print(f"microseconds a call, 1 thread; medians of {processes} processes")
    common.print_machine(figures["machine"])
    print(f"{'':<36} {'frit':>9} {'(least to most)':>22}" + f" {'torch':>10} {'(least to most)':>22}" * bool(peers))
    theirs = figures.get("torch", {})
    for name in [*figures["frit"], *(n for n in theirs if n not in figures["frit"])]:
        columns = [figures["frit"].get(name), theirs.get(name)]
        texts = ["{:9.3f} {:>22}".format(s["median"], "({least:.3f} to {most:.3f})".format(**s)) if s else " " * 32
                 for s in columns]
        print(f"{name:<36} {texts[0]} {texts[1]}".rstrip())
    of_python(figures["machine"]["python"], figures["frit"], figures)
    for python in pythons:
        own = {}
        rounds = [common.own_round(script, "--measure", "parameters", python=python) for _ in range(processes)]
        version = rounds[0].pop("python")
        for r in rounds[1:]:
            r.pop("python")
        own["frit"] = common.spreads(rounds)
        of_python(version, own["frit"], own)
        figures[version] = own
    if theirs:
        against_torch(figures, theirs)
    for what, found in checks.items():
        for name, lines in found.items():
            print(f"each call over {what}'s tensors looks at ({name.removeprefix('checks, ')}):")
            for line in lines:
                print(f"  {line}")
    figures["checks"] = checks
    return figures


def of_python(version, found, figures):
    """How guards grow with the model, on one Python."""
    median = {name: s["median"] for name, s in found.items()}
    most, least = f"{COUNTS[-1]} parameters", f"{COUNTS[0]} parameters"
    figures["ratios"] = {
        f"{COUNTS[-1]} to {COUNTS[0]} parameters": median[most] / median[least],
        f"{COUNTS[-1]} to {COUNTS[0]} parameters, changed dict":
            median[f"{most}, changed dict"] / median[f"{least}, changed dict"]}
    dicts = 3 * (COUNTS[-1] // 2)  # a layer's own, _parameters, _modules
    figures["ns a guarded dict, changed dict"] = 1000 * (median[f"{most}, changed dict"] - median[most]) / dicts
    print(f"Python {version}:")
    for name, value in figures["ratios"].items():
        print(f"  {name}: {value:.2f}")
    print(f"  ns a guarded dict where another changes: {figures['ns a guarded dict, changed dict']:.1f}")
    print("  a changed, replaced or reset parameter: each change was noticed at the next call")


def against_torch(figures, theirs):
    median = {name: s["median"] for name, s in theirs.items()}
    ratios = figures["ratios"]
    ratios["add to torch's"] = figures["frit"]["add, eager"]["median"] / median["add, eager"]
    for kind in ("chain", "chain with gradients"):
        if f"{kind}, frit.compile" in median:
            ratios[f"{kind} over torch's tensors, frit.compile to torch.compile"] = \
                median[f"{kind}, frit.compile"] / median[f"{kind}, torch.compile"]
    for name in list(ratios)[2:]:
        print(f"{name}: {ratios[name]:.2f}")
    if "chain, frit.compile" in median:
        print("chain over torch's tensors: {:.2f} us; wanted at most 3 + 0.2 a tensor + 1 an output = {:.1f} us".format(
            median["chain, frit.compile"], 3 + 0.2 * 3 + 1))
        n = TORCH_COUNTS[-1]
        for kind, wanted in (("frit.compile", "0.2 after 4 us of the call"), ("after a large model", "0.8")):
            each = (median[f"{n} tensors, {kind}"] - (4 if kind == "frit.compile" else 0)) / (n + 1)
            figures[f"us a tensor, {kind}"] = each
            print(f"{n} tensors, {kind}: {each:.3f} us a tensor; wanted at most {wanted}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--processes", type=int, default=7)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--peers", metavar="PYTHON")
    parser.add_argument("--pythons", metavar="PYTHON", nargs="*", default=[])
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        measures = {"torch": measure_torch, "frit": measure, "parameters": measure_growth}
        print(json.dumps(measures[arguments.measure]()))
    else:
        common.write_json(arguments.json, compare(max(arguments.processes, 1), arguments.peers, arguments.pythons))


if __name__ == "__main__":
    main()
