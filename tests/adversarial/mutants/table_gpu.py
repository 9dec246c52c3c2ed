"""Small edits that make the example kernels wrong: those that need an NVIDIA GPU of sm_90a.

One row: what is wrong, the text as it is (found exactly once), and the text of the mutant.
"""

from harness.examples import example_cases

MUTANTS = {
    "gemm-f16/cp_async": [
        ("waits for one stage too few", "cp_async_wait<STAGES - 2>", "cp_async_wait<STAGES - 1>"),
        ("no barrier behind the copies", "    __syncthreads();\n    const int ahead", "    const int ahead"),
        ("half of B's columns", "step * 2 + lane / 8 % 2", "step * 2"),
        ("no bound of the columns", "row < m && col < n", "row < m"),
        ("last step of a tile left out", "step < BK / 16", "step < BK / 16 - 1"),
    ],
    "gemm-f16/tma": [
        ("last step of a tile left out", "i < BK / 16", "i < BK / 16 - 1"),
        ("both groups store in one place", "row0 + group * 64", "row0"),
        ("rows twice", "acc[4 * j + 2], acc[4 * j + 3]", "acc[4 * j], acc[4 * j + 1]"),
        ("stored before it is written", "  ws::fence_async_shared();\n  __syncthreads();\n", ""),
        ("rows of the first group for both", "As[s][group * 64]", "As[s][0]"),
    ],
    "gemm-f16/warp_specialized": [
        ("last step of a tile left out", "i < BK / 16", "i < BK / 16 - 1"),
        ("rows twice", "sums[2], sums[3]", "sums[0], sums[1]"),
        ("no bound of the lower rows", "row + 8 < m && col < n", "col < n"),
        ("wrong columns", "j * 8 + tid % 4 * 2", "j * 8 + tid % 4"),
        ("rows of the first group for both", "As[s][(group - 1) * 64]", "As[s][0]"),
    ],
    "attention-f16/cp_async": [
        ("keys for values", "fetch(shared.Vs[0], v, 0, t)", "fetch(shared.Vs[0], k, 0, t)"),
        ("outputs not shrunk", "acc[i][e] *= fix[e / 2];", ""),
        ("keys behind the last", "fix, t - j * BN)", "fix, t)"),
        ("not divided by the sum", "acc[i][2 * r + 1] / total[r]", "acc[i][2 * r + 1]"),
        ("waits for one copy too few", "cp_async_wait<1>", "cp_async_wait<2>"),
    ],
    "attention-f16/tma": [
        ("outputs not shrunk", "    scale(acc, fix);\n", ""),
        ("keys behind the last", "fix, t - j * BN)", "fix, t)"),
        ("both groups store in one place", "row0 + group * 64, s", "row0, s"),
        ("not divided by the sum", "acc[4 * i + 2 * r + 1] / total[r]", "acc[4 * i + 2 * r + 1]"),
        ("queries of the first group for both", "scores(x, shared, stage, group)",
         "scores(x, shared, stage, 0)"),
    ],
    "attention-f16/ping_pong": [
        ("outputs not shrunk", "      scale(acc, fix);\n", ""),
        ("keys behind the last", "fix, t - j * BN)", "fix, t)"),
        ("both groups store in one place", "row0 + (group - 1) * 64, s", "row0, s"),
        ("not divided by the sum", "acc[4 * i + 2 * r + 1] / total[r]", "acc[4 * i + 2 * r + 1]"),
        ("queries of the first group for both", "scores(x, shared, stage, group - 1)",
         "scores(x, shared, stage, 0)"),
    ],
}

CASES = example_cases(MUTANTS, {}, needs="cuda")
