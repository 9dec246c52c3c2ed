#include "runtime/ir/check/checker.h"

#include <doctest/doctest.h>

#include "runtime/ir/syntax/parser.h"

namespace ws::ir {
namespace {

std::vector<KernelArg> test_args() {
  return {{"A", Type::buffer(Space::kGlobal, DType::kF16, {200, 64})},
          {"O", Type::buffer(Space::kGlobal, DType::kF32, {200, 64})},
          {"lens", Type::buffer(Space::kGlobal, DType::kI32, {8})}};
}

// "LINE:COLUMN: message | hint", one a line; "ok" when there is none. Lines count from the first of
// `text`.
std::string errors_of(const std::string& text, const std::vector<KernelArg>& args,
                      std::int64_t before = 0) {
  Diagnostics diagnostics;
  const std::optional<Program> program = parse(text, diagnostics);
  if (program) {
    check(*program, args, diagnostics);
  }
  std::string result;
  for (const Diagnostic& row : diagnostics.rows()) {
    result += (result.empty() ? "" : "\n") + std::to_string(std::int64_t{row.place.line} - before) +
              ":" + std::to_string(row.place.column) + ": " + row.message +
              (row.hint.empty() ? "" : " | " + row.hint);
  }
  return result.empty() ? "ok" : result;
}

// `lines` stand in a role of warpgroup 0, without their indentation.
std::string in_role(const std::string& lines) {
  std::string body;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    body += "        " + lines.substr(at, end - at) + "\n";
    at = end + 1;
  }
  const std::string head =
      "class K(KernelBase):\n"
      "    def __init__(self, A, O, lens, BM=64, causal=False):\n"
      "        self.s = alloc((2, 64, 64), 'shared', 'f16')\n"
      "        self.bars = barrier(2)\n"
      "        self.one = barrier(); self.rounds = ring(2)\n"
      "        self.A = A; self.O = O; self.lens = lens; self.BM = BM; self.causal = causal\n"
      "    def run(self):\n"
      "        self.bind(self.role, 'warpgroup', 0)\n"
      "        self.commit()\n"
      "    def twice(self, x, y=1):\n"
      "        return x * 2\n"
      "    def again(self):\n"
      "        self.again()\n"
      "    def role(self, wg):\n"
      "        i = blockIdx.x\n"
      "        acc = alloc((64, 64), 'register', 'f32')\n"
      "        t = zeros((64, 64), 'f32')\n";
  return errors_of(head + body, test_args(), 17);
}

struct CheckCase {
  const char* lines;
  const char* want;
};

constexpr CheckCase kGood[] = {
    {"x = self.A[i * 64:(i + 1) * 64, :]\nacc[:] = x", "ok"},
    {"m = max(t, 1)\np = exp(t - m[:, None])\nacc[:] = p / sum(p, 1, keepdim=True)", "ok"},
    {"acc *= 2.0\nacc[0:32, :] += t[32:64]", "ok"},
    {"n = self.lens[i]\nfor j in range(0, n, 2): self.bars[j % 2].wait(j // 2 % 2)", "ok"},
    {"gemm_async(self.s[0], self.s[i % 2].T, acc=acc)\ncommit_group()\nwait_group(0)", "ok"},
    {"q = self.twice(t)\nacc[:] = q", "ok"},
    {"if self.causal:\n    x = nothing", "ok"},
    {"copy_async(self.s[0], self.A[0:64, :], self.one, 'tma')", "ok"},
    {"copy_async(self.s[0], self.A[0:64, :], instruction='cp.async')", "ok"},
    {"copy_async(self.s[0], self.A[0:64, :], instruction='cp.async', pad='zero')", "ok"},
    {"x = where(t > 0, t, -inf).max(1).to('f16')", "ok"},
    {"k = max(i, 3) + min(1, 2) + cdiv(i, 64)\nacc[k % 64, 0] = 1", "ok"},
    {"w = None\nfor j in range(3):\n    w = t\nacc[:] = w", "ok"},
    {"x = 0 <= i < 3 and not i == 2\nacc[:] = t if x else acc", "ok"},
    {"stage = 0\nfor j in range(9):\n    x = self.s[stage]\n    stage ^= 1", "ok"},
};

constexpr CheckCase kBad[] = {
    {"x = exq(t)", "1:13: unknown operation `exq` | did you mean `exp`?"},
    {"x = tt", "1:13: unknown name `tt` | known: acc, i, t, wg, blockIdx, gridDim, inf"},
    {"x = exp",
     "1:13: `exp` is an operation: it is called | known: acc, i, t, wg, blockIdx, "
     "gridDim, inf"},
    {"x = BM", "1:13: unknown name `BM` | self.BM is known"},
    {"x = twice(t)", "1:13: unknown operation `twice` | self.twice(...) calls the method"},
    {"x = self.stage",
     "1:18: self has no attribute `stage` | known: A, BM, O, bars, causal, clusterDim, gridDim, "
     "lens, one, rounds, s"},
    {"self.nothing()", "1:14: the class has no method `nothing`"},
    {"self.again()", "-4:14: self.again calls itself | write a loop"},
    {"x = 1 + self.twice(t)",
     "1:22: a call of self.twice inside an expression | give its result a name first: x = "
     "self.twice(...)"},
    {"x = self.twice()", "1:18: `self.twice`: argument `x` is missing"},
    {"exp()", "1:9: `exp`: argument `x` is missing | arguments: x: num"},
    {"exp(t, t)", "1:9: `exp`: takes 1 argument, got 2 | arguments: x: num"},
    {"sum(t, 1, keepdin=True)", "1:9: `sum`: has no argument `keepdin` | did you mean `keepdim`?"},
    {"exp(t, axis=1)", "1:9: `exp`: has no argument `axis` | known: x"},
    {"sum(t, dim=1, axis=1)", "1:9: `sum`: argument `dim` is given twice"},
    {"torch.exq(t)", "1:15: unknown operation `torch.exq` | did you mean `exp`?"},
    {"np.store(t, 0, t)", "1:12: unknown operation `np.store` | did you mean `store`?"},
    {"sum(t, 1, dim=1)", "1:9: `sum`: argument `dim` is given twice"},
    {"exp(self.one)", "1:9: `exp`: `x` must be a tile or a number, got a barrier"},
    {"x = t + t[0]",
     "1:15: shapes (64, 64) and (64,) differ in their number of dimensions | say on which side to "
     "repeat: x[:, None] or x[None, :]"},
    {"x = t + t[0:32]", "1:15: shapes (64, 64) and (32, 64) do not fit: dimension 0 is 64 and 32"},
    {"x = t + 'a'",
     "1:15: `+` takes numbers and tiles, got a tile (64, 64) of f32 and the text "
     "\"a\""},
    {"x = t & t", "1:15: `&` takes integers and truth values, got a tile (64, 64) of f32"},
    {"x = not t",
     "1:13: `not` takes a number, got a tile (64, 64) of f32 | `~` negates a tile of truth values"},
    {"x = t and 1",
     "1:15: `and` takes numbers, got a tile (64, 64) of f32 | `&` and `|` work "
     "element by element"},
    {"if t > 0: pass",
     "1:14: the condition is a tile (64, 64) of bool | any(x, dim) and all(x, dim) reduce it; "
     "where(c, x, y) chooses element by element"},
    {"x = sum(t, 2)", "1:13: `sum`: `dim` is 2: the tile has dimensions 0 to 1"},
    {"x = sum(t, i)", "1:13: `sum`: `dim` is not constant"},
    {"x = reshape(t, (64, 32), 'row')",
     "1:13: `reshape`: shape (64, 64) has 4096 elements, (64, 32) has 2048"},
    {"x = reshape(t, (32, 128))",
     "1:13: `reshape`: argument `order` is missing | arguments: x: num, shape: shape, order: str"},
    {"x = reshape(t, (32, 128), 'C')",
     "1:13: `reshape`: `order` is \"C\": it is \"row\" or \"column\""},
    {"x = zeros((i, 4), 'f32')",
     "1:13: `zeros`: a size is not constant: shapes are known before a kernel runs"},
    {"x = zeros((0, 4), 'f32')", "1:13: `zeros`: a size of 0: sizes are 1 or more"},
    {"x = zeros((1000000, 25000), 'f32')",
     "1:13: `zeros`: shape (1000000, 25000) has 25000000000 elements: at most 4194304 are allowed "
     "| work on it tile by tile"},
    {"x = zeros((4096, 1), 'f32') + zeros((1, 4096), 'f32')",
     "1:37: shape (4096, 4096) has 16777216 elements: at most 4194304 are allowed | work on it "
     "tile "
     "by tile"},
    {"x = zeros((4,), 'f17')", "1:13: `zeros`: `f17` is not an element type | did you mean `f16`?"},
    {"x = t.to('half')",
     "1:15: `to`: `half` is not an element type | known: f64, f32, tf32, f16, bf16, f8e4m3, "
     "f8e5m2, i64, i32, i16, i8, u64, u32, u16, u8, bool"},
    {"x = self.s[2]", "1:19: index 2 is outside: dimension 0 has size 2"},
    {"x = t[0, 0, 0]", "1:14: more indices than dimensions: a tile (64, 64) of f32"},
    {"x = t[i:64]",
     "1:14: the size of this slice is not constant | write x[i * 64:(i + 1) * 64], or "
     "x[first:first + 64]"},
    {"x = t[32:96]", "1:14: a slice of 64 elements is outside: dimension 0 has size 64"},
    {"x = t[::2]", "1:15: slices with a step are not part of CuIR"},
    {"x = t[1.5]", "1:15: an index must be an integer, got a number"},
    {"x = i[0]", "1:14: an integer has no parts"},
    {"x = blockIdx[3]", "1:21: a tuple of 3 is indexed by one constant from 0 to 2"},
    {"x = t.foo", "1:15: a tile (64, 64) of f32 has no attribute `foo` | known: shape, dtype, T"},
    {"x = t.wait(0)", "1:15: a tile (64, 64) of f32 has no method `wait`"},
    {"self.one.await_(0)",
     "1:18: a barrier has no method `await_` | known: init, arrive, "
     "expect_tx, arrive_expect_tx, wait, inval"},
    {"self.bars.wait(0)",
     "1:19: `wait` of an array of barriers | say which one: bars[i].wait(...)"},
    {"self.one.init(1048576)", "1:18: `barrier.init`: `count` is 1048576: it is 1 to 1048575"},
    {"self.one.arrive_expect_tx()",
     "1:18: `barrier.arrive_expect_tx`: argument `bytes` is missing | arguments: *bytes: bytes"},
    {"self.one.expect_tx(acc)",
     "1:18: `barrier.expect_tx`: `bytes` must be a number of bytes or a buffer in shared memory, "
     "got a register buffer (64, 64) of f32"},
    {"self.one.expect_tx(1048575, self.s[0])",
     "1:18: `barrier.expect_tx`: `bytes` is 1056767: it is 0 to 1048575"},
    {"self.one.wait(2)", "1:18: `barrier.wait`: `parity` is 2: it is 0 to 1"},
    {"self.rounds.acquire(0 - 1)", "1:21: `ring.acquire`: `round` is -1: it is 0 to 1099511627775"},
    {"self.rounds.full(0 - 1)", "1:21: `ring.full`: `round` is -1: rounds begin with 0"},
    {"self.rounds.await_(0)",
     "1:21: a ring has no method `await_` | known: acquire, full, wait, release"},
    {"self.rounds.full(1).wait(2)", "1:29: `barrier.wait`: `parity` is 2: it is 0 to 1"},
    {"exp(self.rounds)", "1:9: `exp`: `x` must be a tile or a number, got a ring"},
    {"self.rounds[0].wait(0)", "1:20: a ring has no parts"},
    {"x = ring(2)",
     "1:13: `ring` in a role | shared memory, barriers and roles are made in __init__ and run"},
    {"x = ring(2, 0)", "1:13: `ring`: `arrivals` is 0: it is 1 to 1048575"},
    {"x = ring(0)", "1:13: `ring`: a size of 0: sizes are 1 or more"},
    {"x = ring(i)", "1:13: `ring`: a size is not constant: shapes are known before a kernel runs"},
    {"tma_load(self.s[0], self.A[0:64, :])",
     "1:9: `tma_load`: argument `barrier` is missing | arguments: target: buffer, source: buffer, "
     "barrier: barrier, swizzle: str = \"\", multicast: int = None"},
    {"tma_load(self.A[0:64, :], self.s[0], self.one)",
     "1:9: `tma_load`: a tma store completes by group, not on a barrier | "
     "commit_group(\"tma\"), then wait_group(0, \"tma\")"},
    {"tma_store(self.s[0], self.A[0:64, :])",
     "1:9: `tma_store`: a tma load needs a barrier | tma_load(target, source, barrier)"},
    {"cp_async(self.A[0:64, :], self.s[0])",
     "1:9: `cp_async`: cp.async copies from global to shared memory, not from shared to global"},
    {"bar_sync(16, 128)", "1:9: `bar_sync`: `id` is 16: it is 0 to 15"},
    {"setmaxnreg(300)", "1:9: `setmaxnreg`: `n` is 300: it is 24 to 256"},
    {"commit_group('tmaa')", "1:9: `commit_group`: `kind` is \"tmaa\" | did you mean `tma`?"},
    {"t[0] = 1",
     "1:10: a part of a tile (64, 64) of f32 cannot be assigned to | a tile is a value; "
     "alloc(..., \"register\", ...) can change"},
    {"acc[:] = t[0]", "1:12: a tile (64,) of f32 does not fit into (64, 64)"},
    {"acc += t[0]",
     "1:9: shapes (64, 64) and (64,) differ in their number of dimensions | say on "
     "which side to repeat: x[:, None] or x[None, :]"},
    {"self.x = t",
     "1:14: self.x is set by a role: all workers share self | set it in __init__, or "
     "use a name of the method"},
    {"a, b = 1, 2, 3", "1:9: 2 names for a tuple of 3"},
    {"for j in t: pass", "1:18: a loop goes through range(...), got a tile (64, 64) of f32"},
    {"for j in range(0, 9, 0): pass", "1:18: `range`: `step` is 0"},
    {"x = 1\nif i > 2:\n    x = t\ny = x",
     "4:13: `x` is a tile (64, 64) of f32 or an integer, depending on the path to this line"},
    {"x = alloc((4,), 'shared', 'f32')",
     "1:13: `alloc` in a role | shared memory, barriers and roles are made in __init__ and run"},
    {"x = alloc((4,), 'smem', 'f32')",
     "1:13: `alloc`: `hierarchy` is \"smem\" | known: shared, register"},
    {"copy(acc, t[0:32])", "1:9: `copy`: `target` is (64, 64) and `source` (32, 64)"},
    {"copy(acc, t, 'ldmatrx')",
     "1:9: `copy`: unknown instruction `ldmatrx` | did you mean `ldmatrix`?"},
    {"copy(t, acc)", "1:9: `copy`: `target` must be a buffer, got a tile (64, 64) of f32"},
    {"copy_async(self.s[0], self.A[0:64, :])",
     "1:9: `copy_async`: a tma load needs a barrier | tma_load(target, source, barrier)"},
    {"copy_async(self.s[0], self.s[1], self.one)",
     "1:9: `copy_async`: tma copies between global and shared memory, not from shared to shared"},
    {"copy_async(self.s[0], self.A[0:64, :], self.bars)",
     "1:9: `copy_async`: `barrier` must be a barrier, got an array of barriers | say which one: "
     "bars[i]"},
    {"copy_async(self.s[0], self.O[0:64, :], self.one)",
     "1:9: `copy_async`: `target` is of f16 and `source` of f32: a copy does not convert"},
    {"copy_async(self.s[0], self.A[0:64, :], self.one, pad='zero')",
     "1:9: `copy_async`: `pad` is for cp.async: tma reads zeros beyond the edge in any case"},
    {"copy_async(self.O[0:64, :], self.s[0], self.one)",
     "1:9: `copy_async`: `target` is of f32 and `source` of f16: a copy does not convert"},
    {"copy_async(self.A[0:64, :], self.s[0], self.one)",
     "1:9: `copy_async`: a tma store completes by group, not on a barrier | "
     "commit_group(\"tma\"), then wait_group(0, \"tma\")"},
    {"copy_async(self.s[0, :, 0:4], self.A[0:64, 0:4], self.one)",
     "1:9: `copy_async`: a tma box has rows of 8 bytes: they are multiples of 16"},
    {"copy_async(self.s[0], self.A[0:64, :], self.one, swizzle='64B')",
     "1:9: `copy_async`: a tma box with swizzle 64B has rows of 128 bytes: they are at most 64 | "
     "copy it in parts, or use a wider swizzle"},
    {"copy(acc, self.O[0:64, :], 'ldmatrix')",
     "1:9: `copy`: ldmatrix copies from shared memory to registers, got a global buffer (64, 64) "
     "of f32 to a register buffer (64, 64) of f32 | leave the instruction out"},
    {"copy(self.s[0], self.s[1], 'stmatrix')",
     "1:9: `copy`: stmatrix copies from registers to shared memory, got a shared buffer (64, 64) "
     "of f16 to a shared buffer (64, 64) of f16 | leave the instruction out"},
    {"bar_sync(1, 48)", "1:9: `bar_sync`: `threads` is 48: it is a multiple of 32 up to 1024"},
    {"copy_async(acc, self.O[0:64, :], instruction='cp.async')",
     "1:9: `copy_async`: cp.async copies from global to shared memory, not from global to "
     "register"},
    {"x = gemm(t, t[0:32])",
     "1:13: `gemm`: `a` is (64, 64) and `b` is (32, 64): 64 columns against 32 rows | b.T "
     "exchanges its dimensions"},
    {"x = gemm(t, t[:, 0:32].T)",
     "1:13: `gemm`: `a` is (64, 64) and `b` is (32, 64): 64 columns against 32 rows | b.T "
     "exchanges its dimensions"},
    {"x = gemm(t, self.s[0])",
     "1:13: `gemm`: `a` is of f32 and `b` of f16 | x.to(\"f16\") rounds to another type"},
    {"x = gemm(t, t, 'mma')", "1:13: `gemm`: unknown instruction `mma` | did you mean `wmma`?"},
    {"gemm_async(self.s[0], t.to('f16'))",
     "1:9: `gemm_async`: `b` must be in shared memory, got a tile (64, 64) of f16"},
    {"gemm_async(self.s[0, 0:32], self.s[1])",
     "1:9: `gemm_async`: wgmma has no shape for m = 32, n = 64, k = 64 of f16 | m is a multiple of "
     "64, n of 8, and k of 32 bytes"},
    {"gemm_async(self.s[0], self.s[1], acc=t)",
     "1:9: `gemm_async`: `acc` must be a buffer, got a tile (64, 64) of f32"},
    {"gemm_async(self.s[0], self.s[1], acc=acc[0:32])",
     "1:9: `gemm_async`: `acc` is a register buffer (32, 64) of f32, the product is (64, 64)"},
    {"x = load(self.A, i, (64, 64))",
     "1:13: `load`: `index` has 1 numbers for a global buffer (200, 64) of f16"},
    {"x = load(self.A, (i, 0), (64, 64), pad='nun')",
     "1:13: `load`: `pad` is \"nun\" | did you mean `nan`?"},
    {"x = load(acc, (i, 0), (64, 64))",
     "1:13: `load`: `source` must be an argument of the kernel, got a register buffer (64, 64) of "
     "f32"},
    {"x = gather(self.A, t)",
     "1:13: `gather`: `indices` must be a tile of integers, got a tile (64, 64) of f32"},
};

TEST_SUITE("ir.checker") {
  TEST_CASE("programs that can run have no errors") {
    for (const CheckCase& c : kGood) {
      CAPTURE(c.lines);
      CHECK(in_role(c.lines) == std::string(c.want));
    }
  }

  TEST_CASE("every mistake is named with its place and a way out") {
    for (const CheckCase& c : kBad) {
      CAPTURE(c.lines);
      CHECK(in_role(c.lines) == std::string(c.want));
    }
  }

  TEST_CASE("an error is said once and does not hide the next") {
    CHECK(in_role("for j in range(3):\n    x = exq(t)\n    y = x + 1\nz = tt") ==
          "2:17: unknown operation `exq` | did you mean `exp`?\n"
          "4:13: unknown name `tt` | known: acc, i, j, t, wg, x, y, blockIdx, gridDim, inf");
  }

  TEST_CASE("a kernel is refused when its frame is wrong") {
    const std::string init = "class K(KernelBase):\n    def __init__(self, A, n=4):\n";
    const std::vector<CheckCase> rows = {
        {"class K(KernelBase):\n    pass\n", "1:1: the class has no method `__init__`"},
        {"class K(KernelBase):\n    def __init__(self, A): pass\n",
         "1:1: the class has no method `run`"},
        {"class K(KernelBase):\n    def __init__(self, A, B): pass\n    def run(self): pass\n",
         "2:27: argument `B` of the kernel is not given"},
        {"class K(KernelBase):\n    def __init__(self): pass\n    def run(self): pass\n",
         "2:9: __init__ has no parameter `A`"},
        {"class K(KernelBase):\n    def __init__(self, A):\n        self.gridDim = 3\n"
         "    def run(self): pass\n",
         "2:9: self.gridDim must be a tuple of one to three sizes, got an integer"},
        {"class K(KernelBase):\n    def __init__(self, A: f32[M, 64]): pass\n"
         "    def run(self): pass\n",
         "2:24: `A` is declared with other elements or dimensions, got a global buffer (200, 64) "
         "of "
         "f16"},
        {"class K(KernelBase):\n    def __init__(self, A: f16[M, M]): pass\n"
         "    def run(self): pass\n",
         "2:34: `M` is 200 and here 64"},
        {"class K(KernelBase):\n    def __init__(self, A: f16[200, 32]): pass\n"
         "    def run(self): pass\n",
         "2:36: this size is 64 in the argument"},
        {"class K(KernelBase):\n    def __init__(self, A):\n"
         "        self.x = alloc((512, 512), 'shared', 'f32')\n    def run(self): pass\n",
         "3:18: `alloc`: 1048576 bytes of shared memory with this buffer: a block has 232448"},
    };
    for (const CheckCase& c : rows) {
      CAPTURE(c.lines);
      CHECK(errors_of(c.lines, {test_args()[0]}) == std::string(c.want));
    }
  }

  TEST_CASE("roles must be bound to threads of their own") {
    const std::string head =
        "class K(KernelBase):\n    def __init__(self, A): pass\n"
        "    def f(self, i=0): pass\n    def g(self, i, j, k): pass\n    def run(self):\n        ";
    const std::vector<CheckCase> rows = {
        {"self.bind(self.f, 'warpgroup', 0, 1); self.bind(self.f, 'warp', 8)", "ok"},
        {"self.bind(self.f, 'block')", "ok"},
        {"self.bind(self.f, 'warpgroup', 1); self.bind(self.f, 'warp', 5)",
         "6:49: `f(5)` and `f(1)` share thread 160 of warp 5 | bind them to different numbers"},
        {"self.bind(self.f, 'warp', 0); self.bind(self.f, 'thread', 31)",
         "6:44: `f(31)` and `f(0)` share thread 31 of warp 0 | bind them to different numbers"},
        {"self.bind(self.f, 'block'); self.bind(self.f, 'warp', 0)",
         "6:42: `f(0)` and `f` share all threads | bind them to different numbers"},
        {"self.bind(self.f, 'warp', 32)", "6:14: warp 32: a block has 1024 threads"},
        {"self.bind(self.f, 'wrap', 0)",
         "6:14: `self.bind`: `kind` is \"wrap\" | did you mean `warp`?"},
        {"self.bind(self.f, 'warp')",
         "6:14: say which warp runs `f` | self.bind(self.f, \"warp\", 0)"},
        {"self.bind(self.f, 'block', 1)", "6:14: a role of the whole block has no number"},
        {"self.bind(self.g, 'warp', 0)",
         "6:14: `g` is bound: its arguments are the number it is bound to, and its place among "
         "those of that bind"},
        {"self.bind(self.h, 'warp', 0)",
         "6:24: self has no attribute `h` | known: clusterDim, gridDim"},
        {"self.bind(3, 'warp', 0)",
         "6:14: `self.bind`: `role` must be a method of the class, got an integer"},
        {"self.bind(self.f, 'warp', blockIdx.x)", "6:14: the number of a role is not constant"},
    };
    for (const CheckCase& c : rows) {
      CAPTURE(c.lines);
      CHECK(errors_of(head + c.lines + "\n", {test_args()[0]}) == std::string(c.want));
    }
  }
}

}  // namespace
}  // namespace ws::ir
