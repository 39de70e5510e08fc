"""A bounded number of random programs, plain beside compiled."""
import os
import random
import warnings

import capture_fuzz
from capture_programs import Maker


def test_random_programs():
    warnings.simplefilter("ignore")
    first = int(os.environ.get("FRIT_FUZZ_SEED", "100000"))
    for seed in range(first, first + int(os.environ.get("FRIT_FUZZ_PROGRAMS", "400"))):
        source = Maker(random.Random(seed)).source()
        found, _ = capture_fuzz.difference(source, seed, "aot_eager")
        if found:
            small, calls = capture_fuzz.made_small(source, seed, "aot_eager")
            call, plain, compiled = found
            assert not found, f"program {seed}, call {call}\n{source}\nplain:    {plain}\ncompiled: {compiled}\n" \
                              f"made small, with the calls {calls}:\n{small}"


def test_a_difference_is_made_small():
    """What shows a difference is left, and little else."""
    head, last = Maker(random.Random(7)).source().rsplit("\n", 1)
    source = f"{head}\n    if n > 1:\n        log.append(max(n, 77))\n{last}"
    small = capture_fuzz.shrink(source, lambda s: "77" in s)
    assert small == "def f(x, y, n, xs, d, box, log, nonlocal_count):\n    77", small
