// Integers that kernels read from memory: they are lifted as C computes with them, or told.
#include <sstream>

#include <doctest/doctest.h>

#include "runtime/base/text.h"
#include "tests/support/ordered_ring.h"

namespace ws::test {
namespace {

struct Row {
  const char* statements;
  const char* function = "";  ///< Or a class, that the statements use.
};

/// The kernel with more statements where its barriers are ready; `queue` has 16 integers.
LiftedRing with(const Row& row) {
  const std::string at = "  Tiles tiles(&queue[0]);\n";
  return lift_ordered_ring({{at, at + row.statements + "\n"},
                            {"class Tiles {", std::string(row.function) + "\nclass Tiles {"}});
}

/// The kernel with other statements in Tiles::next() that take the number `now`.
LiftedRing with_next(const std::string& statements, const std::string& end = "-1") {
  return lift_ordered_ring({{"    int now = tiles[place];\n    if (now == -1) {\n"
                             "      return false;\n    }\n    row = (now >> 16) * BM;\n"
                             "    column = (now & 65535) * BN;\n",
                             statements}},
                           end);
}

void check_told(const LiftedRing& answer) {
  CHECK(answer.lift["verdict"] == "partial");
  CHECK_FALSE((answer.lift["not_lifted"].empty() && answer.lift["holes"].empty()));
}

/// A program's lines without the marks behind them and the blanks before them.
std::string lines_of(const LiftedRing& answer) {
  std::string all;
  std::istringstream program(answer.lift.value("ir", ""));
  for (std::string line; std::getline(program, line);) {
    all += trimmed(std::string_view(line).substr(0, line.find("  # @")), " ");
    all += '\n';
  }
  return all;
}

void check_has(const Row& row, const std::string& lines) {
  CAPTURE(row.statements);
  const LiftedRing answer = with(row);
  CHECK_MESSAGE(answer.lift["verdict"] == "lifted", answer.lift.dump());
  const std::string made = lines_of(answer);
  CHECK_MESSAGE(made.find(lines) != std::string::npos, made);
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
    const std::string made = lines_of(answer);
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
    const std::vector<Row> rows = {
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
    };
    for (const Row& row : rows) {
      CAPTURE(row.statements);
      check_told(with(row));
    }
  }

  TEST_CASE("an element that a pointer or a function may have moved from is told") {
    const std::vector<Row> rows = {
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
    };
    for (const Row& row : rows) {
      CAPTURE(row.statements);
      check_told(with(row));
    }
  }

  TEST_CASE("a loop whose rounds may change while it runs is no `for`") {
    check_has(
        {"  int x = queue[5];\n  for (int e = 0; e < x; ++e) { __syncthreads(); x = queue[e]; }"},
        "e = 0\nwhile e < x:\ncta_sync()\nx = self.queue[e]\ne += 1\n");
    check_has({"  for (int e = 0; e < queue[0]; ++e) { __syncthreads(); e = queue[e]; }"},
              "e = 0\nwhile e < self.queue[0]:\ncta_sync()\ne = self.queue[e]\ne += 1\n");
    check_has({"  int x = n;\n  for (int e = 0; e < x; ++e, --x) { __syncthreads(); }"},
              "e = 0\nwhile e < x:\ncta_sync()\ne += 1\nx -= 1\n");
    // The step behind the comma has the variable's next value.
    check_has({"  int z = 0;\n  for (int e = 0; e < n; ++e, z += e) { __syncthreads(); }\n"
               "  if (z == 4) __syncthreads();"},
              "while e < self.n:\ncta_sync()\ne += 1\nz += e\n");
  }

  TEST_CASE("a reference is the variable that it stands for") {
    check_has({"  int z = queue[1];\n  int& y = z;\n  y = 5;\n  if (z == 3) __syncthreads();"},
              "z = self.queue[1]\nz = 5\nif z == 3:\n");
    check_has({"  S o(3);\n  int& y = o.now;\n  y = 5;\n  if (o.now == n) __syncthreads();",
               "struct S { int now; __device__ S(int a) { now = a; } };"},
              "o_now = 3\no_now = 5\nif o_now == self.n:\n");
    check_has({"  int y = 1;\n  get(queue, y);\n  if (y == 3) __syncthreads();",
               "__device__ void get(const int* q, int& y) { y = q[2]; }"},
              "def get(self, y):\ny = self.queue[2]\nreturn y\n");
  }

  TEST_CASE("variables of one name are kept apart") {
    check_has({"  int z = blockIdx.x;\n  { int z = blockIdx.x + 4; if (z == 3) __syncthreads(); }\n"
               "  if (z == 4) __syncthreads();"},
              "z = blockIdx.x\nz_ = blockIdx.x + 4\nif z_ == 3:\ncta_sync()\nif z == 4:\n");
    check_has({"  for (int e = 0; e < 3; ++e) {\n    for (int e = 0; e < 2; ++e) __syncthreads();\n"
               "    if (e == 2) __syncthreads();\n  }"},
              "for e in range(3):\nfor e_ in range(2):\ncta_sync()\nif e == 2:\n");
    check_has({"  int z = blockIdx.x;\n  step(3);\n  if (z == 4) __syncthreads();",
               "__device__ void step(int s) { int z = s + 1; if (z == 6) __syncthreads(); }"},
              "z = blockIdx.x\nz_ = 3 + 1\nif z_ == 6:\ncta_sync()\nif z == 4:\n");
  }

  TEST_CASE("a function that changes its own integer leaves the caller's as it is") {
    check_has({"  int z = blockIdx.x;\n  step(z);\n  if (z == 4) __syncthreads();",
               "__device__ void step(int s) { s += 4; if (s == 6) __syncthreads(); }"},
              "z = blockIdx.x\ns = z\ns += 4\nif s == 6:\ncta_sync()\nif z == 4:\n");
    check_has({"  int z = blockIdx.x;\n  step(z, z);\n  if (z == 4) __syncthreads();",
               "__device__ void step(int s, int& t) { t += 4; if (s == 6) __syncthreads(); }"},
              "z = blockIdx.x\ns = z\nz += 4\nif s == 6:\ncta_sync()\nif z == 4:\n");
  }

  TEST_CASE("what some threads do before they part into roles is told") {
    const std::vector<Row> rows = {
        {"  if (threadIdx.x < 64) { barrier::arrival_token u = empty[0].arrive(); }"},
        {"  if (threadIdx.x == 130) { barrier::arrival_token u = empty[0].arrive(); }"},
        {"  barrier::arrival_token u = empty[0].arrive();"},
        {"  if (threadIdx.x == 0) { cde::cp_async_bulk_tensor_2d_global_to_shared(memory.A, &tmA, "
         "0,"
         " 0, full[0]); }"},
        {"  if (threadIdx.x >= 256) return;"},
        {"  if (threadIdx.x == 5) return;"},
        {"  int z = 0;\n  if (threadIdx.x >= 128 && threadIdx.x < 192) z = 5;\n"
         "  if (z == 4) __syncthreads();"},
        {"  int z = 0;\n  if (threadIdx.x == 128) z = 5;\n  if (z == 4) __syncthreads();"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.statements);
      check_told(with(row));
    }
  }

  TEST_CASE("an index of one byte is told") {
    check_told(lift_ordered_ring({{"order[blockIdx.x * PLACES + threadIdx.x]",
                                   "order[(unsigned char)(blockIdx.x * 100 + threadIdx.x)]"}}));
  }
}

}  // namespace ws::test
