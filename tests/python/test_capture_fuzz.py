"""A bounded number of random programs, plain beside compiled."""
import os
import warnings

import capture_fuzz


def test_random_programs():
    warnings.simplefilter("ignore")
    first = int(os.environ.get("FRIT_FUZZ_SEED", "100000"))
    for seed in range(first, first + int(os.environ.get("FRIT_FUZZ_PROGRAMS", "400"))):
        source, at, plain, compiled, _ = capture_fuzz.compare(seed, "aot_eager")
        assert at is None, f"program {seed}, call {at}\n{source}\nplain:    {plain}\ncompiled: {compiled}"
