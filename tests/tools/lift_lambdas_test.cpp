// Kernels with lambda expressions, memory that is declared as bytes, and row maxima that change in
// the middle of a round. Each program has to compute what its kernel computes.
#include <doctest/doctest.h>

#include "tests/support/warp_kernels.h"

namespace ws::test {
namespace {

/// A product whose rounds are what `round` says, with lambda expressions before the loop.
Json by_lambdas(const std::string& lambdas, const std::string& round) {
  return warp_kernel(std::string(kFragments) + lambdas + "  for (int p = 0; p < k; p += 16) {\n" +
                     round + "  }\n" + kStored);
}

/// o = softmax(q k^T) v for rows of 16.
Json attention_problem() {
  return Json::parse(R"json({
    "name": "rows",
    "dims": {"s": [32], "t": [64]},
    "args": [{"name": "q", "type": "f16", "shape": ["s", "16"], "role": "in", "fill": "normal"},
             {"name": "k", "type": "f16", "shape": ["t", "16"], "role": "in", "fill": "normal"},
             {"name": "v", "type": "f16", "shape": ["t", "16"], "role": "in", "fill": "normal"},
             {"name": "o", "type": "f32", "shape": ["s", "16"], "role": "out"}],
    "reference": {"kind": "kernel", "language": "cuda", "entry": "plain", "source":
      "#include <cuda_fp16.h>\n__global__ void plain(const half* q, const half* k, const half* v, float* o, int t) {\n  acc_t total = 0, sum = 0;\n  for (int j = 0; j < t; ++j) {\n    acc_t dot = 0;\n    for (int i = 0; i < 16; ++i) dot += (acc_t)(float)q[blockIdx.x * 16 + i] * (acc_t)(float)k[j * 16 + i];\n    total += exp(dot);\n    sum += exp(dot) * (acc_t)(float)v[j * 16 + threadIdx.x];\n  }\n  o[blockIdx.x * 16 + threadIdx.x] = (float)(sum / total);\n}",
      "launches": [{"entry": "plain", "grid": ["s"], "block": ["16"], "args": ["q", "k", "v", "o", "t"]}]}})json");
}

/// A warp with 16 rows of q, and 16 keys each round. An array is called as a dimension is. The
/// values come after a barrier, behind which the weights are those that `weight` says, of `score`.
Json attention(const std::string& weight) {
  return {{"name", "rows"},
          {"language", "cuda"},
          {"source",
           R"(#include <cuda_fp16.h>
__device__ void multiply(const unsigned* a, const unsigned* b, float* d) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ unsigned halves(float a, float b) {
  const half2 both = __floats2half2_rn(a, b);
  return *(const unsigned*)&both;
}
__global__ void rows(const half* q, const half* k, const half* v, float* o, int keys) {
  __shared__ half t[16][16], w[16][16];
  const int lane = threadIdx.x, row = blockIdx.x * 16;
  unsigned x[4], y[2], z[4];
  float out[2][4] = {}, most[2] = {-1e30f, -1e30f}, total[2] = {};
  for (int i = 0; i < 4; ++i)
    x[i] = *(const unsigned*)(q + (row + lane / 4 + i % 2 * 8) * 16 + i / 2 * 8 + lane % 4 * 2);
  for (int j = 0; j < keys; j += 16) {
    *(float4*)&t[lane / 2][lane % 2 * 8] = *(const float4*)(k + (j + lane / 2) * 16 + lane % 2 * 8);
    __syncthreads();
    float score[2][4] = {}, now[2], before[2], by[2], sum[2] = {};
    for (int h = 0; h < 2; ++h) {
      for (int i = 0; i < 2; ++i) y[i] = *(const unsigned*)&t[h * 8 + lane / 4][lane % 4 * 2 + i * 8];
      multiply(x, y, score[h]);
    }
    for (int r = 0; r < 2; ++r) {
      now[r] = most[r];
      for (int h = 0; h < 2; ++h) now[r] = fmaxf(now[r], fmaxf(score[h][2 * r], score[h][2 * r + 1]));
      now[r] = fmaxf(now[r], __shfl_xor_sync(0xffffffffu, now[r], 1));
      now[r] = fmaxf(now[r], __shfl_xor_sync(0xffffffffu, now[r], 2));
      by[r] = __expf(most[r] - now[r]);
      for (int h = 0; h < 2; ++h) {
        out[h][2 * r] *= by[r];
        out[h][2 * r + 1] *= by[r];
      }
      before[r] = most[r];
      most[r] = now[r];
      for (int h = 0; h < 2; ++h) {
        sum[r] += __expf(score[h][2 * r] - most[r]);
        sum[r] += __expf(score[h][2 * r + 1] - most[r]);
      }
      sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], 1);
      sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], 2);
      total[r] = total[r] * by[r] + sum[r];
    }
    *(float4*)&w[lane / 2][lane % 2 * 8] = *(const float4*)(v + (j + lane / 2) * 16 + lane % 2 * 8);
    __syncthreads();
    for (int h = 0; h < 2; ++h) {
      float* weight = score[h];
      for (int e = 0; e < 4; ++e) weight[e] = )" +
               weight + R"(;
      z[2 * h] = halves(weight[0], weight[1]);
      z[2 * h + 1] = halves(weight[2], weight[3]);
    }
    for (int h = 0; h < 2; ++h) {
      for (int i = 0; i < 2; ++i) {
        const half2 both = __halves2half2(w[lane % 4 * 2 + i * 8][h * 8 + lane / 4], w[lane % 4 * 2 + i * 8 + 1][h * 8 + lane / 4]);
        y[i] = *(const unsigned*)&both;
      }
      multiply(z, y, out[h]);
    }
    __syncthreads();
  }
  for (int h = 0; h < 2; ++h)
    for (int e = 0; e < 4; ++e)
      o[(row + lane / 4 + e / 2 * 8) * 16 + h * 8 + lane % 4 * 2 + e % 2] = out[h][e] / total[e / 2];
}
)"},
          {"launches", Json::parse(R"json([{"entry": "rows", "grid": ["s // 16"], "block": ["32"],
                                        "args": ["q", "k", "v", "o", "t"]}])json")}};
}

/// Copies by cp.async to an array of bytes. @param second  Where in it the part of b begins.
/// @param wait  For the copies.
std::string in_bytes(const std::string& second, const std::string& wait) {
  return "  extern __shared__ char s[];\n" + std::string(kFragments) +
         "  const unsigned first = __cvta_generic_to_shared(s), second = first + " + second +
         ";\n  auto copy = [&](unsigned to, const half* from) {\n"
         "    asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\" :: \"r\"(to + lane * "
         "16),\n"
         "                 \"l\"(from));\n  };\n  auto wait = [] { " +
         wait +
         " };\n"
         "  for (int p = 0; p < k; p += 16) {\n"
         "    copy(first, a + (row + lane / 2) * k + p + lane % 2 * 8);\n"
         "    copy(second, b + (p + lane / 2) * n + column + lane % 2 * 8);\n"
         "    wait();\n    __syncthreads();\n"
         "    load_matrix_sync(x, (const half*)s, 16);\n"
         "    load_matrix_sync(y, (const half*)(s + 512), 16);\n"
         "    mma_sync(sum, x, y, sum);\n    __syncthreads();\n  }\n" +
         kStored;
}

}  // namespace

TEST_SUITE("tools.lift_lambdas") {
  TEST_CASE("a call of a lambda expression is the statements of its body") {
    const std::string load =
        "  auto load = [&](int from, const half* left) {\n"
        "    load_matrix_sync(x, left + from, k);\n"
        "    load_matrix_sync(y, b + from * n + column, n);\n  };\n";
    const std::string both =
        "  auto both = [&](int from) {\n    load(from, a + row * k);\n"
        "    mma_sync(sum, x, y, sum);\n    return;\n  };\n";
    right_warp_program(by_lambdas(load + both, "    both(p);\n"));
    // A variable that is captured by copy may not change; a constant does not.
    right_warp_program(
        by_lambdas("  const int at = row * k;\n  auto load = [&, at](auto from) {\n"
                   "    load_matrix_sync(x, a + at + from, k);\n"
                   "    load_matrix_sync(y, b + from * n + column, n);\n  };\n",
                   "    load(p);\n    mma_sync(sum, x, y, sum);\n"));
    CHECK(outcome_of_warps(by_lambdas(load + both, "    both(0);\n")) == "incorrect");
  }

  TEST_CASE("a lambda expression may change what is around it, in every call") {
    right_warp_program(by_lambdas(
        "  const half* left = a + row * k;\n  int from = 0;\n  auto load = [&](int by) {\n"
        "    load_matrix_sync(x, left, k);\n"
        "    load_matrix_sync(y, b + from * n + column, n);\n"
        "    left += by;\n    from += by;\n  };\n",
        "    load(16);\n    mma_sync(sum, x, y, sum);\n"));
  }

  TEST_CASE("lambda expressions that are no statements of the kernel are told") {
    const auto reason = [](const std::string& lambda, const std::string& use) {
      return first_reason("  int at = row;\n  auto f = " + lambda + ";\n  at += 1;\n" + use +
                          "  c[at * n + column + lane % 16] = a[at];\n");
    };
    CHECK(reason("[at](half* to) { to[at] = 0; }", "  f(c);\n") ==
          "not understood: a lambda expression that copies `at`");
    CHECK(reason("[to = c + at](int i) { to[i] = 0; }", "  f(lane);\n") ==
          "not understood: a lambda expression that copies `to`");
    CHECK(reason("[&](int i) { if (i > 3) return; c[i] = 0; }", "  f(lane);\n") ==
          "not understood: a lambda expression that returns early");
    CHECK(reason("[&](int i) { return i + at; }", "  at = f(lane);\n") ==
          "not understood: a lambda expression that returns a value");
  }

  TEST_CASE("an array of bytes has elements of the type that is copied to it") {
    const std::string wait = "asm volatile(\"cp.async.wait_all;\");";
    right_warp_program(warp_kernel(in_bytes("512", wait)));
    CHECK(outcome_of_warps(warp_kernel(in_bytes("528", wait))) ==
          "`s[256]` is read before it is written");
    CHECK(first_reason(in_bytes("512", "")) == "`s` is read while a copy to it may be under way");
  }

  TEST_CASE("a row's maximum that a round changes before a barrier is the variable after it") {
    const std::string program =
        right_warp_program(attention("__expf(weight[e] - most[e / 2])"), attention_problem());
    CHECK_MESSAGE(program.find("exp(score - most_)") != std::string::npos, program);
    CHECK(outcome_of_warps(attention("__expf(weight[e] - before[e / 2])"), attention_problem()) ==
          "`most` is used after it was given another value");
    CHECK(outcome_of_warps(attention("__expf(weight[e] - most[1 - e / 2])"), attention_problem()) ==
          "`most` is exchanged between threads in an unknown way");
  }
}

}  // namespace ws::test
