#!/usr/bin/env python3
"""What capture costs: the first call of a compiled function less one eager call, by the bytecode it walked.

  digits          the module of examples/digits.py, forward
  mlp 100, 400    as many layers of width 8: the cost of an instruction must not grow with the program
  loop            x = x + p over 1,000 parameters
  resnet18, bert  over torch's tensors, where torchvision and transformers are installed: torchvision's ResNet-18 on
                  images of 64 x 64, and a BERT of 6 layers of width 384 on 32 tokens, both without gradients

`first` is in a new process, `second` after frit.compiler.reset(). Nothing is generated (backend="eager"), and torch
computes with one thread: what it takes to wake others between the ops of a walk is no cost of capture.

    python benchmarks/capture.py [--processes N] [--json FILE] [--peers PYTHON]

--peers: a Python that has torch; the same over torch's tensors, beside torch.compile(backend="eager"). Programs that
need what it does not have are named as skipped.
"""
import argparse
import gc
import json
import pathlib
import statistics
import time

import python_common as common

WANTED = {"first": 1.5, "second": 0.5}
TIMES_AS_LONG = 30  # torch.compile(backend="eager")'s first call, at least


def resnet18(torch):
    import torchvision
    return torchvision.models.resnet18().eval(), (torch.rand(1, 3, 64, 64),)


def bert(torch):
    import transformers
    config = transformers.BertConfig(vocab_size=1000, hidden_size=384, num_hidden_layers=6, num_attention_heads=12,
                                     intermediate_size=1536)
    return transformers.BertModel(config).eval(), (torch.randint(0, 1000, (1, 32)),)


MODELS = {"resnet18": resnet18, "bert": bert}


def program(library, name):
    return MODELS[name](library) if name in MODELS else programs(library)[name]


def programs(library):
    """name: (callable, its arguments)"""
    nn = library.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.LayerNorm(64)
            self.up, self.down, self.head = nn.Linear(64, 256), nn.Linear(256, 64), nn.Linear(64, 10)
            self.drop = nn.Dropout(0.1)

        def forward(self, x):
            h = library.relu(self.up(self.norm(x))).square()
            return self.head(x + self.drop(self.down(h)))

    def mlp(n):
        layers = []
        for _ in range(n):
            layers += [nn.Linear(8, 8), nn.ReLU()]
        return nn.Sequential(*layers)

    def loop(x, parameters):
        for p in parameters:
            x = x + p
        return x

    return {"digits": (Net(), (library.rand(64, 64),)),
            "mlp 100": (mlp(100), (library.rand(4, 8),)),
            "mlp 400": (mlp(400), (library.rand(4, 8),)),
            "loop": (loop, (library.rand(4), [library.rand(4) for _ in range(1000)]))}


def seconds(call):
    """Of the processor: nothing here waits, and what else runs on the machine adds nothing."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def measure(library, name, frit):
    """us an opcode of the first capture and of the second, and what they are made of."""
    f, args = program(library, name)
    f(*args)
    gc.collect()
    eager = statistics.median(seconds(lambda: f(*args)) for _ in range(9))
    compiled = frit.compile(f, backend="eager", fullgraph=name not in MODELS)
    first = seconds(lambda: compiled(*args))
    found = frit._C._explain(getattr(compiled, "_compiled_call", compiled))
    opcodes = sum(e["opcodes"] for e in found["entries"])
    again = []
    for _ in range(5):
        frit.compiler.reset()
        again.append(seconds(lambda: compiled(*args)))
    second = statistics.median(again)
    return {"first": 1e6 * (first - eager) / opcodes, "second": 1e6 * (second - eager) / opcodes, "opcodes": opcodes,
            "eager ms": 1e3 * eager, "first ms": 1e3 * first, "second ms": 1e3 * second,
            "graphs": len(found["entries"]), "breaks": len(found["breaks"])}


def measure_torch_compile(torch, name):
    f, args = program(torch, name)
    f(*args)
    eager = statistics.median(seconds(lambda: f(*args)) for _ in range(9))
    compiled = torch.compile(f, backend="eager")
    return {"torch.compile ms": 1e3 * seconds(lambda: compiled(*args)), "torch eager ms": 1e3 * eager}


def round_of(what, name):
    if what == "frit":
        import frit
        return measure(frit, name, frit)
    import torch
    torch.set_num_threads(1)
    try:
        with torch.set_grad_enabled(name not in MODELS):
            if what == "torch.compile":
                return measure_torch_compile(torch, name)
            import frit
            return measure(torch, name, frit)
    except ImportError as e:
        return {"skipped": str(e)}


NAMES = ("digits", "mlp 100", "mlp 400", "loop")


def compare(processes, peers):
    script = pathlib.Path(__file__)
    figures = {"benchmark": "capture_python", "unit": "us an opcode", "processes": processes,
               "machine": common.machine(), "wanted": WANTED}
    skipped = {}
    kinds = {"frit": None, **({"torch": peers, "torch.compile": peers} if peers else {})}
    for what, python in kinds.items():
        figures[what] = {}
        for name in [*NAMES, *(MODELS if python else ())]:
            arguments = ["--measure", what, "--name", name]
            rounds = [common.own_round(script, *arguments, **({"python": python} if python else {}))
                      for _ in range(1 if name in skipped else processes)]
            if "skipped" in rounds[0]:
                skipped[name] = rounds[0]["skipped"]
            else:
                figures[what][name] = common.spreads(rounds)
    print(f"us an instruction walked, one eager call taken off; medians of {processes} processes")
    common.print_machine(figures["machine"])
    print(f"{'':<16} {'opcodes':>8} {'first':>7} {'(least to most)':>18} {'second':>7} {'(least to most)':>18} "
          f"{'eager ms':>9} {'first ms':>9}")
    for what in ("frit", "torch"):
        for name, s in figures.get(what, {}).items():
            line = f"{what + ' ' + name:<16} {s['opcodes']['median']:8.0f}"
            for key in ("first", "second"):
                around = "({least:.2f} to {most:.2f})".format(**s[key])
                line += f" {s[key]['median']:7.2f} {around:>18}"
            print(line + f" {s['eager ms']['median']:9.2f} {s['first ms']['median']:9.2f}" +
                  f"  {s['graphs']['median']:.0f} graphs, {s['breaks']['median']:.0f} breaks" * (name in MODELS))
            if what == "torch":
                theirs = figures["torch.compile"][name]
                ratio = ((theirs["torch.compile ms"]["median"] - theirs["torch eager ms"]["median"]) /
                         (s["first ms"]["median"] - s["eager ms"]["median"]))
                print(f"{'':<16} torch.compile(backend='eager') takes {theirs['torch.compile ms']['median']:.0f} ms "
                      f"the first time, less eager {ratio:.0f} times as long; wanted at least {TIMES_AS_LONG}")
    for name, why in skipped.items():
        print(f"skipped: {name}: {why}")
    print("wanted at most: " + ", ".join(f"{key} {value}" for key, value in WANTED.items()))
    figures["skipped"] = skipped
    figures["ratios"] = {f"{what}, mlp 400 to mlp 100, {key}":
                         figures[what]["mlp 400"][key]["median"] / figures[what]["mlp 100"][key]["median"]
                         for what in ("frit", "torch") if what in figures for key in WANTED}
    for name, value in figures["ratios"].items():
        print(f"{name}: {value:.2f}; wanted at most 1.2")
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--processes", type=int, default=7)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--peers", metavar="PYTHON")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--name", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(round_of(arguments.measure, arguments.name)))
    else:
        common.write_json(arguments.json, compare(max(arguments.processes, 1), arguments.peers))


if __name__ == "__main__":
    main()
