// Functions that kernels call, and their arguments: they are lifted as C runs them, or told.
#include <doctest/doctest.h>

#include "tests/support/ordered_ring.h"

namespace ws::test {

TEST_SUITE("tools.lift_calls") {
  TEST_CASE("a return before the end of a function, or of the kernel, is told") {
    check_all_told({
        {"  int z = n;\n  if (z == 3) { __syncthreads(); return; }\n  if (z == 2) "
         "__syncthreads();"},
        {"  int y = f(n);\n  if (y == 3) __syncthreads();",
         "__device__ int f(int z) { if (z == 3) { __syncthreads(); return 5; } __syncthreads(); "
         "return 6; }"},
        {"  for (int e = 0; e < n; ++e) { __syncthreads(); if (e == 3) return; }"},
    });
  }

  TEST_CASE("nothing is written that stands behind the return of a template") {
    check_lifted({"  int z = n;\n  f<1>(z);\n  if (z == 7) __syncthreads();",
                  "template <int N> __device__ void f(int z) { if constexpr (N == 1) { "
                  "__syncthreads(); return; } if (z == 2) __syncthreads(); }"},
                 "z = self.n\ncta_sync()\nif z == 7:\n");
  }

  TEST_CASE("a function that changes its own integer leaves the caller's as it is") {
    check_lifted({"  int z = blockIdx.x;\n  step(z);\n  if (z == 4) __syncthreads();",
                  "__device__ void step(int s) { s += 4; if (s == 6) __syncthreads(); }"},
                 "z = blockIdx.x\ns = z\ns += 4\nif s == 6:\ncta_sync()\nif z == 4:\n");
    check_lifted({"  int z = blockIdx.x;\n  step(z, z);\n  if (z == 4) __syncthreads();",
                  "__device__ void step(int s, int& t) { t += 4; if (s == 6) __syncthreads(); }"},
                 "z = blockIdx.x\ns = z\nz += 4\nif s == 6:\ncta_sync()\nif z == 4:\n");
  }

  TEST_CASE("an argument has the value of the call, though it changes in the function") {
    check_lifted({"  S o(3);\n  f(o.now, o.now);\n  if (o.now == 4) __syncthreads();",
                  "struct S { int now; __device__ S(int a) { now = a; } }; __device__ void f(int "
                  "s, int& t) { t += 4; if (s == 6) __syncthreads(); }"},
                 "s = o_now\no_now += 4\nif s == 6:\n");
    check_lifted({"  S o(3);\n  o.f(o.now + 1);",
                  "struct S { int now; __device__ S(int a) { now = a; } __device__ void f(int s) { "
                  "now += 4; if (s == 6) __syncthreads(); } };"},
                 "s = o_now + 1\no_now += 4\nif s == 6:\n");
    check_lifted({"  int z = n;\n  int& y = z;\n  f(z + 1, y);",
                  "__device__ void f(int s, int& t) { t += 4; if (s == 6) __syncthreads(); }"},
                 "s = z + 1\nz += 4\nif s == 6:\n");
    check_lifted(
        {"  int z = n;\n  f(z + 1, z);",
         "__device__ void f(const int& s, int& t) { t += 4; if (s == 6) __syncthreads(); }"},
        "s = z + 1\nz += 4\nif s == 6:\n");
    check_lifted({"  f(queue[3]);",
                  "__device__ void f(int q) { __syncthreads(); if (q == 4) __syncthreads(); }"},
                 "q = self.queue[3]\ncta_sync()\nif q == 4:\n");
    check_lifted({"  int z = n;\n  S o(z + 1);\n  if (o.now == z) __syncthreads();",
                  "struct S { int now; __device__ S(int a) { a += 2; now = a; } };"},
                 "a = z + 1\na += 2\no_now = a\nif o_now == z:\n");
    check_lifted({"  S o(3);\n  o.set(o.now + 1);\n  if (o.x == o.now) __syncthreads();",
                  "struct S { int now, x; __device__ S(int a) { now = a; x = 0; } __device__ void "
                  "set(int a) { now = 4; x = a; } };"},
                 "a = o_now + 1\no_now = 4\no_x = a\n");
  }

  TEST_CASE("an argument that is another place when the function uses it is told") {
    check_all_told({
        {"  int s = 1;\n  acquire(empty[s], s);",
         "__device__ void acquire(barrier& b, int& s) { ++s; b.wait_parity(0); }"},
        {"  int s = 1;\n  g(queue + s, s);",
         "__device__ void g(const int* q, int& s) { s = 3; if (q[0] == 4) __syncthreads(); }"},
        {"  int s = 1;\n  g(queue[s], s);",
         "__device__ void g(const int& q, int& s) { s = 3; if (q == 4) __syncthreads(); }"},
        {"  int s = 1;\n  g(s, queue[s]);\n  if (s == 4) __syncthreads();",
         "__device__ void g(int& a, int& b) { a = 3; b = 4; }"},
        {"  const int* p = queue;\n  g(p);\n  if (p[0] == 3) __syncthreads();",
         "__device__ void g(const int*& q) { q += 2; if (q[0] == 4) __syncthreads(); }"},
    });
  }

  TEST_CASE("a function has a pointer or an object that it is given by value for itself") {
    check_lifted({"  g(queue);\n  g(queue + 4);",
                  "__device__ void g(const int* q) { q += 2; if (q[0] == 4) __syncthreads(); }"},
                 "if self.queue[2] == 4:\ncta_sync()\nif self.queue[4 + 2] == 4:\n");
    check_lifted({"  S o(3);\n  change(o);\n  if (o.now == n) __syncthreads();",
                  "struct S { int now; __device__ S(int a) { now = a; } };"
                  "__device__ void change(S s) { s.now = 5; __syncthreads(); }"},
                 "o_now = 3\ns_now = o_now\ns_now = 5\ncta_sync()\nif o_now == self.n:\n");
  }

  TEST_CASE("the values of several calls, and of calls in a loop, are kept apart") {
    check_lifted({"  int z = n;\n  h(f(z), f(z + 1));",
                  "__device__ int f(int t) { __syncthreads(); t += 4; return t; }\n__device__ void "
                  "h(int a, int b) { if (a == b) __syncthreads(); }"},
                 "t = z\ncta_sync()\nt += 4\nnext_1 = t\nt = z + 1\ncta_sync()\nt += 4\nnext_2 = "
                 "t\nif next_1 == next_2:\n");
    check_lifted({"  int z = n;\n  int y = f(z) + f(z);\n  if (y == 3) __syncthreads();",
                  "__device__ int f(int& t) { __syncthreads(); t += 4; return t; }"},
                 "z += 4\nnext_1 = z\ncta_sync()\nz += 4\nnext_2 = z\ny = next_1 + next_2\n");
    check_lifted({"  int z = n;\n  z = f(z);\n  if (z == 4) __syncthreads();",
                  "__device__ int f(int t) { int r = 7; __syncthreads(); r += t; if (r == t) "
                  "__syncthreads(); return r; }"},
                 "r = 7\ncta_sync()\nr += z\nif r == z:\ncta_sync()\nz = r\n");
    check_lifted(
        {"  f(3);\n  f(4);",
         "__device__ bool g(int& s) { s += 4; return s < 9; }\n__device__ void f(int z) { while "
         "(g(z)) __syncthreads(); }"},
        "z = 4\nwhile True:\n(next_2, z) = self.g(z)\nif not next_2:\nbreak\ncta_sync()\n");
  }

  TEST_CASE("what an expression does besides its value is told") {
    check_all_told({
        {"  int z = n;\n  f(z++);\n  if (z == 2) __syncthreads();",
         "__device__ void f(int s) { __syncthreads(); if (s == 6) __syncthreads(); }"},
        {"  int z = n;\n  z += f(z);\n  if (z == 2) __syncthreads();",
         "__device__ int f(int s) { __syncthreads(); return s; }"},
        {"  for (int e = 0; e < n; e += g(e)) { }",
         "__device__ int g(int s) { __syncthreads(); return s + 1; }"},
        {"  int z = n;\n  assert(g(z) < 9);\n  if (z == 2) __syncthreads();",
         "#include <cassert>\n__device__ int g(int& s) { s += 4; return s; }"},
        {"  int z = n;\n  int y = z++;\n  if (z == 2) __syncthreads();"},
        {"  int z = n;\n  int y = (z = 5);\n  if (z == 2) __syncthreads();"},
        {"  int z = n;\n  int y = g(z) + 1;\n  if (z == 2) __syncthreads();",
         "__device__ int g(int& s) { s += 4; return s; }"},
        {"  int z = n;\n  while (z == 4 && g(z)) __syncthreads();",
         "__device__ bool g(int& s) { s += 4; return s < 9; }"},
    });
  }

  TEST_CASE("the parts of a comma are statements") {
    check_lifted({"  int z = n;\n  ++z, __syncthreads();\n  if (z == 2) __syncthreads();"},
                 "z = self.n\nz += 1\ncta_sync()\nif z == 2:\n");
  }

  TEST_CASE("calls that have no end here, and functions without a name, are told") {
    check_all_told({
        {"  step(20);",
         "__device__ void step(int s) { __syncthreads(); if (s > 0) { step(s - 1); } }"},
        {"  F f;\n  int z = f(3);\n  if (z == 4) __syncthreads();",
         "struct F { __device__ int operator()(int a) { return a + 1; } };"},
        {"  int z = 3;\n  int& y = f(z);\n  y = 5;\n  if (z == n) __syncthreads();",
         "__device__ int& f(int& a) { return a; }"},
    });
  }
}

}  // namespace ws::test
