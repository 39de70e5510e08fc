"""Every program of the corpus, left and taken up again at practically every instruction."""

import gc
import sys
import unittest

import frame_corpus as corpus
from frame_module import codes_of, frames, outcome


class Stepped(unittest.TestCase):
    def setUp(self):
        self.addCleanup(frames.offer, 0)

    def test_equal_to_plain(self):
        plain = [(f.__name__, args, outcome(f, args)) for f, cases in corpus.CASES for args in cases]
        for function in [f for f, _ in corpus.CASES] + corpus.OTHERS:
            for code in codes_of(function):
                frames.mark(code)
        frames.counts()
        for _ in range(20):
            frames.offer(2)
            stepped = [(f.__name__, args, outcome(f, args)) for f, cases in corpus.CASES for args in cases]
            frames.offer(0)
            for before, after in zip(plain, stepped):
                self.assertEqual(before, after)
        counted = frames.counts()
        self.assertEqual(counted["mismatches"], 0)
        self.assertGreater(counted["stops"], 50_000)
        print(f"{counted['frames']} frames, {counted['stops']} stops")


    def test_nothing_is_kept(self):
        """Blocks in use do not grow with the number of stepped calls."""
        cases = [(f, args) for f, cases in corpus.CASES for args in cases if f is not corpus.asynchronous]
        for function in [f for f, _ in corpus.CASES] + corpus.OTHERS:
            for code in codes_of(function):
                frames.mark(code)

        def grown(count):
            gc.collect()
            before = sys.getallocatedblocks()
            for _ in range(count):
                for f, args in cases:
                    outcome(f, args)
            gc.collect()
            return sys.getallocatedblocks() - before

        frames.offer(2)
        grown(50)
        self.assertLess(grown(100), 500)  # one block a call would be 3,800


if __name__ == "__main__":
    unittest.main()
