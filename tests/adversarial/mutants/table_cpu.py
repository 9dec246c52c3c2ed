"""Small edits that make the example kernels wrong: those that run on every device.

One row: what is wrong, the text as it is (found exactly once), and the text of the mutant.
"""

from harness.examples import example_cases

SMALL = {
    "vadd": {"n": [1000, 70000]}, "vadd_half": {"n": [1000]},
    "matmul": {"m": [64], "n": [48], "k": [64, 100]}, "gemm-f16": {"m": [100], "n": [72], "k": [96]},
    "layernorm": {"rows": [16], "cols": [96, 200]}, "softmax": {"rows": [16], "cols": [96, 400]},
    "transpose": {"rows": [96], "cols": [64, 70]}, "reduction": {"n": [5000, 40000]},
    "histogram": {"n": [5000]}, "attention-plain": {"h": [2], "n": [64, 50]},
    "compaction": {"n": [5000]}, "spmv": {"rows": [300], "cols": [200], "nnz": [3000]},
}
SYNC = "    __syncthreads();\n"

MUTANTS = {
    "vadd/naive": [
        ("last element left out", "i < n", "i < n - 1"),
        ("one element too many", "i < n", "i <= n"),
        ("wrong sign", "a[i] + b[i]", "a[i] - b[i]"),
        ("first element left out", "threadIdx.x;", "threadIdx.x + 1;"),
        ("odd elements of b", "+ b[i]", "+ b[i & ~1]"),
    ],
    "vadd/grid_stride": [
        ("stride too long", "i += gridDim.x * blockDim.x", "i += gridDim.x * blockDim.x + 1"),
        ("last element left out", "i < n", "i < n - 1"),
        ("blocks in the wrong place", "blockIdx.x * blockDim.x", "blockIdx.x * gridDim.x"),
        ("adds to what is there", "c[i] = ", "c[i] += "),
        ("one element of b", "b[i]", "b[0]"),
    ],
    "vadd/vector4": [
        ("last vector left out", "i < vectors", "i < vectors - 1"),
        ("one vector too many", "i < vectors", "i <= vectors"),
        ("wrong component", "x.w + y.w", "x.w + y.z"),
        ("dropped term", "x.y + y.y", "x.y"),
        ("wrong index", "b[i]", "b[i / 2]"),
    ],
    "vadd_half/naive": [
        ("one element too many", "i < n", "i <= n"),
        ("last element left out", "i < n", "i < n - 1"),
        ("a twice", "a[i], b[i]", "a[i], a[i]"),
        ("wrong sign", "__hadd(a", "__hsub(a"),
        ("every other element", "threadIdx.x;", "threadIdx.x * 2;"),
    ],
    "matmul/naive": [
        ("last product left out", "i < k", "i < k - 1"),
        ("one product too many", "i < k", "i <= k"),
        ("wrong stride of B", "B[i * n + col]", "B[i * k + col]"),
        ("bound of the other dim", "col < n", "col < m"),
        ("sum does not start at zero", "sum = 0.0f", "sum = 0.01f"),
    ],
    "matmul/tiled16": [
        ("no barrier behind the loads", " : 0.0f;\n" + SYNC, " : 0.0f;\n"),
        ("no barrier behind the products", "    }\n" + SYNC, "    }\n"),
        ("last step of a tile left out", "i < 16", "i < 15"),
        ("row of another thread", "As[ty][i]", "As[tx][i]"),
        ("last column of A left out", "k0 + tx < k ?", "k0 + tx < k - 1 ?"),
    ],
    "matmul/tiled32x8": [
        ("last step of a tile left out", "i < 32; ++i", "i < 31; ++i"),
        ("no bound of the rows of B", "step < k && col < n", "col < n"),
        ("tile of A not transposed", "As[tx][first + r]", "As[first + r][tx]"),
        ("rows in reverse", "+ col] = sum[r]", "+ col] = sum[7 - r]"),
        ("no barrier behind the loads", "0.0f;\n    }\n" + SYNC, "0.0f;\n    }\n"),
    ],
    "matmul/thread_tile": [
        ("last product left out", "i < k", "i < k - 1"),
        ("no bound of the columns", "row0 + r < m && col0 + c < n", "row0 + r < m"),
        ("one column of B", "a * b[c]", "a * b[0]"),
        ("first column of B for all", "B[i * n + col0 + c]", "B[i * n + col0]"),
        ("sum does not start at zero", "sum[ROWS][COLS] = {}", "sum[ROWS][COLS] = {0.1f}"),
    ],
    "layernorm/thread_per_row": [
        ("deviation not squared", "d * d", "d"),
        ("divided by cols - 1", "squares / cols + eps", "squares / (cols - 1) + eps"),
        ("no beta", " + beta[i]", ""),
        ("one gamma", "gamma[i]", "gamma[0]"),
        ("one row too many", "row >= rows", "row > rows"),
    ],
    "layernorm/warp_per_row": [
        ("half a warp's sum", "offset = 16", "offset = 8"),
        ("squares of one lane", "warp_sum(squares)", "squares"),
        ("mean of one lane", "warp_sum(sum)", "sum"),
        ("same neighbour each time", "value, offset", "value, 1"),
        ("one row too many", "row >= rows", "row > rows"),
    ],
    "softmax/block_per_row": [
        ("no barrier before part is used again",
         "__syncthreads();  // All have read part[0] before it is used again.", ""),
        ("not divided", " / sum;", ";"),
        ("maximum not taken off", "out[i] = expf(in[i] - most)", "out[i] = expf(in[i])"),
        ("only the last term", "sum += expf", "sum = expf"),
        ("wrong partner", "part[t] += part[t + half]", "part[t] += part[half]"),
        ("no barrier in the tree", "part[t] += part[t + half];\n    }\n" + SYNC,
         "part[t] += part[t + half];\n    }\n"),
    ],
    "softmax/warp_per_row": [
        ("same neighbour each time", "0xffffffffu, sum, offset", "0xffffffffu, sum, 1"),
        ("sum without the maximum", "sum += expf(in[i] - most)", "sum += expf(in[i])"),
        ("not divided", " / sum;", ";"),
        ("one row too many", "row >= rows", "row > rows"),
        ("sum does not start at zero", "sum = 0.0f", "sum = 1.0f"),
    ],
    "transpose/naive": [
        ("a copy", "y[col * rows + row]", "y[row * cols + col]"),
        ("one column too many", "col < cols", "col <= cols"),
        ("wrong stride", "x[row * cols + col]", "x[row * rows + col]"),
        ("last row left out", "row < rows", "row < rows - 1"),
        ("rows by x", "threadIdx.y;", "threadIdx.x;"),
    ],
    "transpose/tiled": [
        ("no barrier", "  __syncthreads();\n", ""),
        ("tile not transposed", "tile[threadIdx.x][i]", "tile[i][threadIdx.x]"),
        ("bounds exchanged", "out_row < cols && out_col < rows", "out_row < rows && out_col < cols"),
        ("blocks not exchanged", "int out_col = blockIdx.y * 32", "int out_col = blockIdx.x * 32"),
        ("tile too narrow", "tile[32][33]", "tile[32][31]"),
    ],
    "reduction/one_block": [
        ("stride too short", "i += 256", "i += 255"),
        ("half of the parts", "half = 128", "half = 64"),
        ("no barrier in the tree", "    }\n" + SYNC, "    }\n"),
        ("last level left out", "half > 0", "half > 1"),
        ("doubles its own part", "part[t + half]", "part[t]"),
    ],
    "reduction/two_launches": [
        ("last level left out", "half > 0", "half > 1"),
        ("half of the parts", "half = THREADS / 2", "half = THREADS / 4"),
        ("all blocks to one word", "sums[blockIdx.x]", "sums[0]"),
        ("stride too short", "i += gridDim.x * THREADS", "i += gridDim.x * THREADS - 1"),
        ("no barrier before the tree", "part[t] = sum;\n  __syncthreads();", "part[t] = sum;"),
    ],
    "histogram/global_atomics": [
        ("no atomics", "atomicAdd(&counts[x[i]], 1)", "counts[x[i]] += 1"),
        ("last element left out", "i < n", "i < n - 1"),
        ("counts twice", "], 1)", "], 2)"),
        ("bins in pairs", "counts[x[i]]", "counts[x[i] & 254]"),
        ("one element too many", "i < n", "i <= n"),
    ],
    "histogram/shared_atomics": [
        ("bins do not start at zero", "local[bin] = 0", "local[bin] = 1"),
        ("no barrier before the count", "  }\n  __syncthreads();\n  for (int i", "  }\n  for (int i"),
        ("no barrier behind the count", "  }\n  __syncthreads();\n  for (int bin", "  }\n  for (int bin"),
        ("last block wins", "atomicAdd(&counts[bin], local[bin])", "counts[bin] = local[bin]"),
        ("no atomics", "atomicAdd(&local[x[i]], 1)", "local[x[i]] += 1"),
    ],
    "compaction/atomic_per_value": [
        ("no atomic", "atomicAdd(found, 1)", "(*found)++"),
        ("last element left out", "i < n", "i < n - 1"),
        ("another bound", "> 0.25f", "> 0.26f"),
        ("one value twice", "= x[i];", "= x[i / 2 * 2];"),
        ("one value in all places", "= x[i];", "= x[0];"),
    ],
    "compaction/atomic_per_warp": [
        ("lanes take their own place", "votes & ((1u << lane) - 1)", "(1u << lane) - 1"),
        ("places of lane 1", "first, 0)", "first, 1)"),
        ("one place too few", "__popc(votes))", "__popc(votes >> 1))"),
        ("last element left out", "i < n ?", "i < n - 1 ?"),
        ("negative values too", "value > 0.25f) {\n    kept", "value != 0.0f) {\n    kept"),
    ],
    "spmv/thread_per_row": [
        ("first value left out", "i = row_ptr[row];", "i = row_ptr[row] + 1;"),
        ("the row behind it too", "row_ptr[row + 1]", "row_ptr[min(row + 2, rows)]"),
        ("columns not read", "x[col[i]]", "x[i % 100]"),
        ("empty rows left out", "    y[row] = sum;", "    if (sum != 0.0f) y[row] = sum;"),
        ("last row left out", "row < rows", "row < rows - 1"),
    ],
    "spmv/warp_per_row": [
        ("values beyond the first 32", "i < row_ptr[row + 1]", "i < min(row_ptr[row + 1], row_ptr[row] + 32)"),
        ("last step left out", "step > 0", "step > 1"),
        ("stride too long", "i += 32", "i += 33"),
        ("columns off by one", "x[col[i]]", "x[max(col[i] - 1, 0)]"),
        ("last row left out", "row >= rows", "row >= rows - 1"),
    ],
    "attention-plain/attention_plain": [
        ("no scale", "dot * scale", "dot"),
        ("no barrier behind the loads", "    }\n    __syncthreads();\n    float s", "    }\n    float s"),
        ("no barrier behind the round", "most = top;\n" + SYNC, "most = top;\n"),
        ("keys behind the last", "k0 + j < n ? s[j] : -INFINITY", "s[j]"),
        ("sum not shrunk", "sum *= shrink;", ""),
        ("outputs not shrunk", "acc[d] *= shrink;", ""),
    ],
    "gemm-f16/tiled": [
        ("last step of a tile left out", "p < BK", "p < BK - 1"),
        ("wrong step of B", "Bs[x + j * 16][p]", "Bs[x + j * 16][p ^ 1]"),
        ("no barrier behind the loads", "    }\n    __syncthreads();\n    for (int p", "    }\n    for (int p"),
        ("no bound of the columns", "row < m && col < n", "row < m"),
        ("sums transposed", "__float2half(sum[i][j])", "__float2half(sum[j][i])"),
    ],
}

CASES = example_cases(MUTANTS, SMALL)
