#!/usr/bin/env python3
"""Write data/digits/{images,labels}.npy: the 1,797 handwritten digits that scikit-learn ships.

Needs scikit-learn and numpy (the data set comes inside scikit-learn's package; nothing is fetched):
    python tools/make_digits.py
"""
import pathlib

import numpy
from sklearn.datasets import load_digits


def main():
    folder = pathlib.Path(__file__).resolve().parent.parent / "data" / "digits"
    folder.mkdir(parents=True, exist_ok=True)
    digits = load_digits()
    images, labels = digits.data.astype(numpy.uint8), digits.target.astype(numpy.uint8)
    assert images.shape == (1797, 64) and images.max() == 16 and (images == digits.data).all()
    assert labels.shape == (1797,) and set(labels) == set(range(10))
    # Format version 1.0: a 128-byte header, then row-major bytes.
    for name, array in (("images", images), ("labels", labels)):
        with open(folder / f"{name}.npy", "wb") as out:
            numpy.lib.format.write_array(out, numpy.ascontiguousarray(array), version=(1, 0))


if __name__ == "__main__":
    main()
