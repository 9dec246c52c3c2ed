// Integers that kernels read from memory: they are lifted as C computes with them, or told.
#include <doctest/doctest.h>

#include "tests/support/ordered_ring.h"

namespace ws::test {
namespace {

/// The kernel with other statements in Tiles::next() that take the number `now`.
LiftedRing with_next(const std::string& statements, const std::string& end = "-1") {
  return lift_ordered_ring({{"    int now = tiles[place];\n    if (now == -1) {\n"
                             "      return false;\n    }\n    row = (now >> 16) * BM;\n"
                             "    column = (now & 65535) * BN;\n",
                             statements}},
                           end);
}

}  // namespace

TEST_SUITE("tools.lift_memory_integers") {
  TEST_CASE("quotients of numbers from memory round towards zero") {
    const std::string rest = "    row = (now / 65536) * BM;\n    column = (now % 65536) * BN;\n";
    const LiftedRing answer = with_next(
        "    int now = tiles[place];\n    if (now / 8 < 0) {\n"
        "      return false;\n    }\n" +
            rest,
        "-8");
    CHECK_MESSAGE(answer.lift["verdict"] == "lifted", answer.lift.dump());
    const std::string made = program_lines(answer);
    CHECK_MESSAGE(made.find("if div_trunc(now, 8) < 0:\n") != std::string::npos, made);
    CHECK(made.find("row = div_trunc(now, 65536) * 128\n"
                    "column = rem_trunc(now, 65536) * 128\n") != std::string::npos);
    const Json computed = answer.verified("f32", 2);
    CHECK_MESSAGE(computed["verdict"] == "ok", computed.dump());
    // -1 / 8 is 0 in C: the kernel reads tiles that there are not.
    const LiftedRing zero = with_next(
        "    int now = tiles[place];\n    if (now / 8 < 0) {\n"
        "      return false;\n    }\n" +
            rest,
        "-1");
    CHECK(zero.verified("race_only", 2)["verdict"] == "runtime_error");
  }

  TEST_CASE("numbers that may wrap or be converted are told") {
    const std::string rest =
        "    if (now == -1) { return false; }\n"
        "    row = (now >> 16) * BM;\n    column = (now & 65535) * BN;\n";
    const std::vector<std::string> rows = {
        "    short now = tiles[place];\n    now += 32767;\n",
        "    int now = atomicAdd((int*)&tiles[place], 1);\n",
        "    unsigned now = __ldg((const unsigned*)&tiles[place]);\n",
        "    int now = __ldg(&tiles[place]);\n    if ((unsigned)now > 5u) { return false; }\n",
        "    int now = tiles[place];\n    unsigned char b = now;\n    if (b < 10) return false;\n",
        "    unsigned u = tiles[place];\n    int now = tiles[u + 1u];\n",
        "    int now = tiles[place];\n    if (1 << now == 77) return false;\n",
        "    int now = tiles[place];\n    if ((unsigned)now * 3u == 7u) return false;\n",
        "    int now = tiles[place];\n    bool b = now;\n    b += 3;\n    if (b) return false;\n",
        "    int now = place < 3 ? tiles[place] : -1;\n    if (now == -1u) return false;\n",
        "    unsigned u = tiles[place];\n    int now = u;\n    --u;\n    if (u < 3) return "
        "false;\n",
        "    int now = tiles[place];\n    if (min((unsigned)now, 3u) == 3u) return false;\n",
    };
    for (const std::string& row : rows) {
      CAPTURE(row);
      check_told(with_next(row + rest));
    }
  }

  TEST_CASE("what a number from memory reaches is told, through objects, loops and functions") {
    check_all_told({
        {"  int a = queue[3];\n  if (clip(a)) __syncthreads();",
         "__device__ int clip(int a) { return (unsigned)a > 5u; }"},
        {"  int z = twice(queue[3]);\n  if ((unsigned)z > 7u) __syncthreads();",
         "__device__ int twice(int a) { return a * 2; }"},
        {"  unsigned char z = get(queue, 3);\n  if (z == 1) __syncthreads();",
         "__device__ int get(const int* q, int a) { return q[a]; }"},
        {"  unsigned z = get(queue, 3);\n  if (z < 5u) __syncthreads();",
         "__device__ int get(const int* q, int a) { return q[a]; }"},
        {"  int y;\n  get(queue, y);\n  if ((unsigned)y > 5u) __syncthreads();",
         "__device__ void get(const int* q, int& y) { y = q[2]; }"},
        {"  S& o = *reinterpret_cast<S*>(queue);\n  if ((unsigned)o.now > 5u) __syncthreads();",
         "struct S { int now; };"},
        {"  f(*reinterpret_cast<S*>(queue));",
         "struct S { int now; };\n"
         "__device__ void f(S& o) { if ((unsigned)o.now > 5u) __syncthreads(); }"},
        {"  S o;\n  o.now = 3;\n  set(o, queue);\n  if ((unsigned)o.now > 5u) __syncthreads();",
         "struct S { int now; };\n__device__ void set(S& o, const int* q) { o.now = q[2]; }"},
        {"  S o;\n  o.now = queue[2];\n  if ((unsigned)o.now > 5u) __syncthreads();",
         "struct S { int now; };"},
        {"  S o(queue[2]);\n  if ((unsigned)o.now > 5u) __syncthreads();",
         "struct S { int now; __device__ S(int a) { now = a; } };"},
        {"  int x = 0;\n  for (int e = 0; e < 4; ++e) {\n"
         "    if ((unsigned)x > 5u) __syncthreads();\n    x = queue[e];\n  }"},
        {"  for (int e = queue[2]; e < 4; ++e) { if ((unsigned)e > 5u) __syncthreads(); }"},
        {"  int z = queue[0];\n  if ((z << 24) >> 24 == -1) __syncthreads();"},
        {"  unsigned long long w = *(unsigned long long*)&queue[2];\n  if (w == 3) "
         "__syncthreads();"},
        {"  int first = atomicAdd(&queue[3], 1);\n  if (first == 77) __syncthreads();"},
    });
  }

  TEST_CASE("an element that a pointer or a function may have moved from is told") {
    check_all_told({
        {"  const int* p = &queue[queue[2]];\n  __syncthreads();\n  int z = p[1];\n"
         "  if (z == 4) __syncthreads();"},
        {"  int at = queue[1];\n  const int* p = queue + at;\n  at = 3;\n  int z = *p;\n"
         "  if (z == 4) __syncthreads();"},
        {"  const int* q = queue;\n  if (threadIdx.x >= 256) q = queue + 4;\n  int z = q[0];\n"
         "  if (z == 5) __syncthreads();"},
        {"  int e = 1;\n  S o(&queue[e]);\n  e = 5;\n  int z = o.q[1];\n  if (z == e) "
         "__syncthreads();",
         "struct S { const int* q; __device__ S(const int* a) { q = a; } };"},
        {"  int z = get(queue);\n  if (z == 1) __syncthreads();",
         "__device__ int get(const int* q) { int n = 0; for (int e = 0; e < 4; ++e) n += q[e];"
         " return n; }"},
        {"  int z = get(queue + 3);\n  if (z == 1) __syncthreads();",
         "__device__ int get(const int* q) { if (q[0] == 3) return 4; q += 1; return q[0]; }"},
        {"  int z = queue[0];\n  get(z, z);\n  if (z == 1) __syncthreads();",
         "__device__ void get(int& a, int& b) { a = a + 1; b = b + 10; }"},
    });
  }

  TEST_CASE("an index of one byte is told") {
    check_told(lift_ordered_ring({{"order[blockIdx.x * PLACES + threadIdx.x]",
                                   "order[(unsigned char)(blockIdx.x * 100 + threadIdx.x)]"}}));
  }
}

}  // namespace ws::test
