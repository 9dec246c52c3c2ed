#!/usr/bin/env python3
"""Computes in float64 what CuIR programs have to give, by the formulas alone, and compares.

    numpy_check.py FOLDER

FOLDER/cases.txt has a line `case NAME FORMULA` for each, then `tensor NAME SIZES...` for each
argument and `output NAME SIZES...`; the elements lie in FOLDER/CASE.NAME, raw float64. An error is
the largest difference over the largest magnitude. Prints a line a case; the exit status is 1 when
one is off by more than 1e-12.
"""

import pathlib
import sys

import numpy as np

LIMIT = 1e-12


def softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layernorm(X, W, B):
    centred = X - X.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5) * W + B


def attention(score=lambda s, i, j: s, mask=lambda i, j: True, norm=softmax):
    """O = norm(mask(score(Q K^T / sqrt(d)))) V."""

    def compute(Q, K, V):
        i = np.arange(Q.shape[0])[:, None]
        j = np.arange(K.shape[0])[None, :]
        s = score(Q @ K.T / np.sqrt(Q.shape[1]), i, j)
        return norm(np.where(mask(i, j), s, -np.inf)) @ V

    return compute


def causal(i, j):
    return j <= i


def prefix(i, j):
    return (j <= 40) | (j <= i)


def softcap(s, i, j):
    return 20 * np.tanh(s / 20)


def over_length(f):
    return lambda s: f(s) / s.shape[1]


def sigmoid(s):
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-s))


def shared_question(i, j):
    """A prompt of 64, then answers of 32 that see it and themselves."""
    return (j <= i) & ((j < 64) | ((i >= 64) & ((i - 64) // 32 == (j - 64) // 32)))


FORMULAS = {
    "A B": lambda A, B: A @ B,
    "A B^T": lambda A, B: A @ B.T,
    "C + A B": lambda A, B, C: C + A @ B,
    "softmax": softmax,
    "layernorm": layernorm,
    "attention": attention(),
    "relative position": attention(lambda s, i, j: s + (i - j)),
    "softcap": attention(softcap),
    "ALiBi": attention(lambda s, i, j: s - 0.25 * (i - j)),
    "causal": attention(mask=causal),
    "sliding window": attention(mask=lambda i, j: (i - 20 <= j) & (j <= i)),
    "prefix": attention(mask=prefix),
    "global window": attention(mask=lambda i, j: (abs(i - j) <= 16) | (i < 4) | (j < 4)),
    "shared question": attention(mask=shared_question),
    "causal blockwise": attention(mask=lambda i, j: (j <= i) & ((i // 48 == j // 48) | (i >= 192))),
    "ReLU": attention(norm=over_length(lambda s: np.maximum(s, 0))),
    "sigmoid": attention(norm=over_length(sigmoid)),
    "prefix, softcap and sigmoid": attention(softcap, prefix, over_length(sigmoid)),
}


def read_cases(folder):
    cases = []
    for line in (folder / "cases.txt").read_text().splitlines():
        word, _, rest = line.partition(" ")
        if word == "case":
            name, _, formula = rest.partition(" ")
            cases.append((name, formula, [], []))
            continue
        name, *sizes = rest.split()
        values = np.fromfile(folder / f"{cases[-1][0]}.{name}").reshape([int(n) for n in sizes])
        cases[-1][2 if word == "tensor" else 3].append(values)
    return cases


def main():
    failed = False
    for name, formula, inputs, outputs in read_cases(pathlib.Path(sys.argv[1])):
        want = FORMULAS[formula](*inputs)
        error = np.max(np.abs(outputs[0] - want)) / np.max(np.abs(want))
        good = outputs[0].shape == want.shape and error <= LIMIT
        failed |= not good
        print(f"{name}: {formula}: {error:.2e}{'' if good else ', FAILED'}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
