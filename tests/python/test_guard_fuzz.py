"""Changes between calls, at random: see guard_fuzz.py."""
import random

import guard_fuzz
import pytest


@pytest.mark.parametrize("watch", ["watchers", "tags", "none"])
def test_no_change_is_missed(watch, capsys):
    seed = random.SystemRandom().randrange(1 << 30)
    with capsys.disabled():
        print(f" guard_fuzz.py --seed {seed} --watch {watch}", end=" ")
    missed, differ, found, _ = guard_fuzz.run(600, seed, watch)
    assert (missed, differ) == (0, 0)
    if watch != "none":
        assert found["fast"] > 50 and found["held"] > 50, found
