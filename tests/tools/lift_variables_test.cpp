// Variables, objects and pointers of kernels: they are lifted as C has them, or told.
#include <doctest/doctest.h>

#include "tests/support/ordered_ring.h"

namespace ws::test {

TEST_SUITE("tools.lift_variables") {
  TEST_CASE("a reference is the variable that it stands for") {
    check_lifted({"  int z = queue[1];\n  int& y = z;\n  y = 5;\n  if (z == 3) __syncthreads();"},
                 "z = self.queue[1]\nz = 5\nif z == 3:\n");
    check_lifted({"  S o(3);\n  int& y = o.now;\n  y = 5;\n  if (o.now == n) __syncthreads();",
                  "struct S { int now; __device__ S(int a) { now = a; } };"},
                 "o_now = 3\no_now = 5\nif o_now == self.n:\n");
    check_lifted({"  int y = 1;\n  get(queue, y);\n  if (y == 3) __syncthreads();",
                  "__device__ void get(const int* q, int& y) { y = q[2]; }"},
                 "def get(self, y):\ny = self.queue[2]\nreturn y\n");
  }

  TEST_CASE("a function gives a reference's variable its value") {
    check_lifted({"  int z = 3;\n  int& y = z;\n  y = g(4);\n  if (z == n) __syncthreads();",
                  "__device__ int g(int s) { return s + 2; }"},
                 "z = 3\nz = self.g(4)\nif z == self.n:\n");
  }

  TEST_CASE("a name of a place or a value that may be another one by now is told") {
    check_all_told({
        {"  int s = 0;\n  barrier* b = &empty[s];\n  s = 1;\n  b->wait_parity(0);"},
        {"  int s = 0;\n  barrier& b = full[s];\n"
         "  for (int e = 0; e < 3; ++e) { b.wait_parity(0); ++s; }"},
        {"  int z = n;\n  const int& y = z + 1;\n  z = 5;\n  if (y == 4) __syncthreads();"},
        {"  int z = n, a = 1, b = 2;\n  int& y = z == 1 ? a : b;\n  z = 5;\n  if (y == 4) "
         "__syncthreads();"},
        {"  const int* p = queue;\n  const int*& q = p;\n  q += 2;\n  if (p[0] == 4) "
         "__syncthreads();"},
        {"  S o(queue);\n  if (n == 3) { __syncthreads(); o.set(queue); } else { __syncthreads(); "
         "o.set(queue + 4); }\n  if (o.q[1] == 3) __syncthreads();",
         "struct S { const int* q; __device__ S(const int* a) { q = a; } __device__ void set(const "
         "int* a) { q = a; } };"},
    });
  }

  TEST_CASE("variables of one name are kept apart") {
    check_lifted(
        {"  int z = blockIdx.x;\n  { int z = blockIdx.x + 4; if (z == 3) __syncthreads(); }\n"
         "  if (z == 4) __syncthreads();"},
        "z = blockIdx.x\nz_ = blockIdx.x + 4\nif z_ == 3:\ncta_sync()\nif z == 4:\n");
    check_lifted(
        {"  for (int e = 0; e < 3; ++e) {\n    for (int e = 0; e < 2; ++e) __syncthreads();\n"
         "    if (e == 2) __syncthreads();\n  }"},
        "for e in range(3):\nfor e_ in range(2):\ncta_sync()\nif e == 2:\n");
    check_lifted({"  int z = blockIdx.x;\n  step(3);\n  if (z == 4) __syncthreads();",
                  "__device__ void step(int s) { int z = s + 1; if (z == 6) __syncthreads(); }"},
                 "z = blockIdx.x\nz_ = 3 + 1\nif z_ == 6:\ncta_sync()\nif z == 4:\n");
  }

  TEST_CASE(
      "objects of one name are kept apart, and from variables that are called as their fields") {
    check_lifted({"  S o(3);\n  { S o(4); if (o.now == 7) __syncthreads(); }\n  if (o.now == n) "
                  "__syncthreads();",
                  "struct S { int now; __device__ S(int a) { now = a; } };"},
                 "o_now = 3\no__now = 4\nif o__now == 7:\ncta_sync()\nif o_now == self.n:\n");
    check_lifted({"  S o(3);\n  int o_now = 7;\n  if (o.now == n) __syncthreads();\n  if (o_now == "
                  "n) __syncthreads();",
                  "struct S { int now; __device__ S(int a) { now = a; } };"},
                 "o_now = 3\no_now_ = 7\nif o_now == self.n:\ncta_sync()\nif o_now_ == self.n:\n");
    check_lifted({"  S o(3);\n  int y = o.f(2);\n  if (y == o.now) __syncthreads();",
                  "struct S { int now; __device__ S(int a) { now = a; } __device__ int f(int a) { "
                  "int this_now = 7; now += this_now; return now + a; } };"},
                 "this_now_ = 7\nthis_now += this_now_\nreturn (this_now + a, this_now)\n");
    check_lifted({"  int wg = n;\n  if (wg == 3) __syncthreads();"},
                 "wg_ = self.n\nif wg_ == 3:\n");
    check_lifted({"  int next_1 = n;\n  int z = 3;\n  while (g(z)) __syncthreads();\n  if (next_1 "
                  "== 2) __syncthreads();",
                  "__device__ bool g(int& s) { s += 4; return s == 5; }"},
                 "(next_2, z) = self.g(z)\nif not next_2:\nbreak\ncta_sync()\nif next_1 == 2:\n");
  }

  TEST_CASE("functions have names that no attribute has, and their variables those of no caller") {
    check_lifted({"  int z = names::A_shared(n);\n  if (z == 3) __syncthreads();",
                  "namespace names { __device__ int A_shared(int a) { return a + 2; } }"},
                 "z = self.A_shared_(self.n)\n");
    check_lifted(
        {"  int y = f(n);\n  if (y == n) __syncthreads();",
         "__device__ int f(int a) { int r = a; int y = 3; __syncthreads(); r += y; return r; }"},
        "y = self.n\ny_ = 3\ncta_sync()\ny += y_\n");
  }

  TEST_CASE("parameters that would have one name are told") {
    check_all_told({
        {"  S o(3);\n  int y = g(o, 5);\n  if (y == n) __syncthreads();",
         "struct S { int now; __device__ S(int a) { now = a; } }; __device__ int g(S s, int s_now) "
         "{ return s.now * 10 + s_now; }"},
        {"  int z = g(n, 4);\n  if (z == 3) __syncthreads();",
         "__device__ int g(int self, int self_) { return self * 10 + self_; }"},
    });
  }

  TEST_CASE("a loop whose rounds may change while it runs is no `for`") {
    check_lifted(
        {"  int x = queue[5];\n  for (int e = 0; e < x; ++e) { __syncthreads(); x = queue[e]; }"},
        "e = 0\nwhile e < x:\ncta_sync()\nx = self.queue[e]\ne += 1\n");
    check_lifted({"  for (int e = 0; e < queue[0]; ++e) { __syncthreads(); e = queue[e]; }"},
                 "e = 0\nwhile e < self.queue[0]:\ncta_sync()\ne = self.queue[e]\ne += 1\n");
    check_lifted({"  int x = n;\n  for (int e = 0; e < x; ++e, --x) { __syncthreads(); }"},
                 "e = 0\nwhile e < x:\ncta_sync()\ne += 1\nx -= 1\n");
    // The step behind the comma has the variable's next value.
    check_lifted({"  int z = 0;\n  for (int e = 0; e < n; ++e, z += e) { __syncthreads(); }\n"
                  "  if (z == 4) __syncthreads();"},
                 "while e < self.n:\ncta_sync()\ne += 1\nz += e\n");
  }

  TEST_CASE("a loop's limit may change as a field or by another name") {
    check_lifted({"  S o(3);\n  for (int e = 0; e < o.now; ++e) { __syncthreads(); o.now = 5; }",
                  "struct S { int now; __device__ S(int a) { now = a; } };"},
                 "e = 0\nwhile e < o_now:\ncta_sync()\no_now = 5\ne += 1\n");
    check_lifted(
        {"  int x = n;\n  int& y = x;\n  for (int e = 0; e < x; ++e) { __syncthreads(); y = 2; }"},
        "while e < x:\ncta_sync()\nx = 2\ne += 1\n");
    check_lifted(
        {"  int x = n;\n  for (int e = 0; e < x; ++e) { int& y = e; __syncthreads(); y += 2; }"},
        "while e < x:\ncta_sync()\ne += 2\ne += 1\n");
  }

  TEST_CASE("numbers that lose bits are told") {
    check_all_told({
        {"  unsigned char y = g(n);\n  if (y == 4) __syncthreads();",
         "__device__ int g(int s) { return s * 300; }"},
        {"  bool b = g(n);\n  if (b == 1) __syncthreads();",
         "__device__ int g(int s) { return s * 300; }"},
        {"  unsigned char b = f(n);\n  if (b == 1) __syncthreads();",
         "__device__ int f(int s) { int r = s * 300; __syncthreads(); return r; }"},
        {"  unsigned short y = n * 40000;\n  if (y == 1) __syncthreads();"},
        {"  bool b = n == 3;\n  b |= n;\n  if (b == 1) __syncthreads();"},
        {"  short y = n * 40000;\n  if (y == 1) __syncthreads();"},
        {"  for (unsigned char e = 250; e > 10; ++e) __syncthreads();"},
    });
  }

  TEST_CASE("a truth is whether a number is not 0") {
    check_lifted({"  bool b = n + 2;\n  if (b == 1) __syncthreads();"}, "b = self.n + 2 != 0\n");
    check_lifted({"  int y = g(n);\n  if (y == 1) __syncthreads();",
                  "__device__ bool g(int s) { return s * 300; }"},
                 "return s * 300 != 0\n");
  }

  TEST_CASE(
      "variables that outlast the kernel, and its own arguments, are told where they change") {
    check_all_told({
        {"  number = 3;\n  if (n == 4) __syncthreads();", "__device__ int number;"},
        {"  static int z;\n  ++z;\n  if (z == 4) __syncthreads();"},
        {"  n += 1;\n  if (n == 4) __syncthreads();"},
        {"  g(n);\n  if (n == 4) __syncthreads();", "__device__ void g(int& s) { s += 1; }"},
    });
  }

  TEST_CASE("what some threads do before they part into roles is told") {
    check_all_told({
        {"  if (threadIdx.x < 64) { barrier::arrival_token u = empty[0].arrive(); }"},
        {"  if (threadIdx.x == 130) { barrier::arrival_token u = empty[0].arrive(); }"},
        {"  barrier::arrival_token u = empty[0].arrive();"},
        {"  if (threadIdx.x == 0) { cde::cp_async_bulk_tensor_2d_global_to_shared(memory.A, &tmA, "
         "0,"
         " 0, full[0]); }"},
        {"  if (threadIdx.x >= 256) return;"},
        {"  if (threadIdx.x == 5) return;"},
        {"  if (threadIdx.x < 64) asm volatile(\"bar.arrive 1, 256;\");"},
        {"  asm volatile(\"bar.sync 1, 384;\");"},
        {"  if (threadIdx.x == 128) asm volatile(\"cp.async.bulk.commit_group;\" ::: \"memory\");"},
        {"  int z = 0;\n  if (threadIdx.x >= 128 && threadIdx.x < 192) z = 5;\n"
         "  if (z == 4) __syncthreads();"},
        {"  int z = 0;\n  if (threadIdx.x == 128) z = 5;\n  if (z == 4) __syncthreads();"},
    });
  }
}

}  // namespace ws::test
