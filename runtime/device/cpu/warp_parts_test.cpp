// Warp operations of some lanes, while the others of their warp go on: in phases as on fibers.
#include <doctest/doctest.h>

#include "runtime/device/cpu/test_phases.h"

namespace ws::test {
namespace {

const PhaseCase kPartCases[] = {
    {"half a warp in each round",
     "int v = y[i], sum = 0;\n"
     "for (int q = 0; q < n % 5 + 2; ++q) {\n"
     "  __syncwarp(); if (t % 32 < 16) sum += __shfl_sync(0xffffu, v, t & 15) + q; }\n"
     "x[i] = sum;"},
    {"half a warp in each round, and all of it behind them",
     "int v = y[i], sum = 0;\n"
     "for (int q = 0; q < 2; ++q) {\n"
     "  __syncwarp(); if (t % 32 < 16) sum += __shfl_sync(0xffffu, v, t & 15); }\n"
     "x[i] = sum * 3 + __shfl_sync(~0u, v, t + 9);"},
    {"half a warp in a loop within rounds",
     "int v = y[i], sum = 0, k = n & 3;\n"
     "for (int q = 0; q < n % 5 + 2; ++q) {\n"
     "  if (t % 32 >= 16) for (int r = 0; r < 3; ++r) {\n"
     "    v += __shfl_xor_sync(0xffff0000u, v, 1 << r) + r * k; }\n"
     "  sum = sum * 3 + v; k = k * 5 + q; __syncwarp(); }\n"
     "x[i] = sum + k;"},
    {"lanes that a ballot finds",
     "int v = y[i], sum = 0;\n"
     "for (int q = 0; q < n % 5 + 2; ++q) {\n"
     "  const unsigned some = __ballot_sync(~0u, y[i + q] & 1);\n"
     "  if (some >> (t & 31) & 1)\n"
     "    for (int r = 1; r < 4; ++r) sum += __shfl_sync(some, v, __ffs(some) - 1) + q * r; }\n"
     "x[i] = sum;"},
    {"another warp, and half a warp before all of it",
     "int v = y[i], sum = 0;\n"
     "if (t / 32 == 1) { sum = __shfl_sync(~0u, v + 2, t ^ 5); } else {\n"
     "  if (t % 32 < 16) sum += __shfl_sync(0xffffu, v, t & 15);\n"
     "  sum = sum * 3 + __shfl_sync(~0u, v, t + 9); }\n"
     "x[i] = sum;"},
    {"halves of a warp in different rounds",
     "int v = y[i], sum = 0;\n"
     "const unsigned half = t % 32 < 16 ? 0xffffu : 0xffff0000u;\n"
     "if (t % 32 < 16) sum = __shfl_sync(0xffffu, v, 3);\n"
     "for (int q = 0; q < n % 5 + 3; ++q)\n"
     "  sum = sum * 3 + __shfl_sync(half, v, (t & 16) + q);\n"
     "__syncwarp(); x[i] = sum;"},
};

/// The compiler has to see for itself that `k` differs: LLVM 19 says that it does not.
constexpr const char* kWaysThatMeet =
    "int a = y[i], b = t * 7, c = a ^ 99, d = y[(i * 3) & 4095], s = 0, k = 0;\n"
    "if ((t & 3) == 0) {\n"
    "  for (int q = 0; q < 3; ++q) { if (n & 4) s ^= ((b + b) | d) * (c * a); ++k; }\n"
    "} else {\n"
    "  if (n & 1) s ^= k - b; else { s ^= (7 - (c | a)) ^ a; s ^= t; }\n"
    "  c = (d - b) ^ (d - c); }\n"
    "d = ((c - a) * b) ^ d;\n";

const PhaseCase kMeetingCases[] = {
    {"a number that is another one behind each way, and a shuffle",
     std::string(kWaysThatMeet) + "x[i] = s + d + __shfl_sync(~0u, a, k);"},
    {"a number that is another one behind each way, and a barrier",
     std::string(kWaysThatMeet) + "x[i] = s + d; __syncthreads(); x[i + 1000] = k;"},
};

/// Threads share out the elements of a row, and some have one more than others: nobody waits
/// between the rows.
const PhaseCase kRowCases[] = {
    {"rows that are shared out",
     "__shared__ int m[1024]; int k = n;\n"
     "for (int q = 0; q < n % 5 + 2; ++q) {\n"
     "  for (int j = threadIdx.x; j < 1000; j += 64) m[j] = y[j] + k;\n"
     "  k = k * 3 + q; }\n"
     "__syncthreads(); x[i] = m[t] + k;"},
    {"rows that change",
     "__shared__ int m[1024]; int k = n; m[t + 960] = 0;\n"
     "for (int j = threadIdx.x; j < 1000; j += 64) m[j] = j;\n"
     "for (int q = 0; q < n % 5 + 2; ++q) {\n"
     "  for (int j = threadIdx.x; j < 1000; j += 64) m[j] = m[j] * 3 + y[j] + k;\n"
     "  k = k * 3 + q; }\n"
     "__syncthreads(); x[i] = m[t + 897] + k;"},
    {"two rows for some threads",
     "__shared__ int m[1024]; int k = n; m[t + 960] = 0;\n"
     "for (int q = 0; q < n % 5 + 2; ++q) {\n"
     "  if (t > 3) for (int j = threadIdx.x; j < 1000; j += 64) m[j] = y[j] + k;\n"
     "  k = k * 3 + q;\n"
     "  if (t < 50) for (int j = threadIdx.x; j < 970; j += 64) m[j] = m[j] * 3 + k; }\n"
     "__syncthreads(); x[i] = (t > 3 && t < 50 ? m[t + 896] : 0) + k;"},
};

}  // namespace

TEST_SUITE("device.cpu.warp_parts") {
  TEST_CASE("warp operations of some lanes give what fibers give") {
    for (const PhaseCase& c : kPartCases) {
      check_as_on_fibers(c);
    }
  }

  TEST_CASE("numbers that differ behind ways that meet are each thread's own") {
    for (const PhaseCase& c : kMeetingCases) {
      check_as_on_fibers(c);
    }
  }

  TEST_CASE("threads that share out rows do not disturb those that are in an earlier row") {
    for (const PhaseCase& c : kRowCases) {
      check_as_on_fibers(c);
    }
  }
}

}  // namespace ws::test
