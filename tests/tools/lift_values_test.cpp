// Kernels that once were lifted to something else, or not at all: each program has to compute what
// its kernel computes.
#include <doctest/doctest.h>

#include "tests/ir/program_bench.h"
#include "tests/support/cuir_forms.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// Two arrays of `m` and `n` numbers, a matrix of both, and an output of the same shape.
Json problem() {
  return Json::parse(R"({
    "name": "values",
    "dims": {"m": [21], "n": [37]},
    "args": [{"name": "x", "type": "f32", "shape": ["n"], "role": "in", "fill": "normal"},
             {"name": "y", "type": "f32", "shape": ["m"], "role": "in", "fill": "normal"},
             {"name": "a", "type": "f32", "shape": ["m", "n"], "role": "in", "fill": "normal"},
             {"name": "out", "type": "f32", "shape": ["m", "n"], "role": "out"}],
    "reference": {"kind": "kernel", "language": "cuda", "entry": "values", "source":
      "__global__ void values(float* out) { out[blockIdx.x] = 0; }",
      "launches": [{"entry": "values", "grid": ["m * n"], "block": ["1"], "args": ["out"]}]}})");
}

/// A kernel of blocks of 8 x 8 threads. `row` and `column` are their own elements.
Json kernel(const std::string& body) {
  return {{"name", "values"},
          {"language", "cuda"},
          {"source",
           "__global__ void values(const float* x, const float* y, const float* a, float* out,\n"
           "                       int m, int n) {\n"
           "  int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;\n" +
               body + "}\n"},
          {"launches", Json::parse(R"json([{"entry": "values", "grid": ["cdiv(n, 8)", "cdiv(m, 8)"],
                                        "block": ["8", "8"],
                                        "args": ["x", "y", "a", "out", "m", "n"]}])json")}};
}

/// A kernel of one row of blocks of 64 threads, each with a column of its own.
Json kernel_of_columns(const std::string& body) {
  Json made = kernel("");
  made["source"] =
      "__global__ void values(const float* x, const float* y, const float* a, float* out,\n"
      "                       int m, int n) {\n"
      "  int column = blockIdx.x * 64 + threadIdx.x;\n  if (column >= n) return;\n" +
      body + "}\n";
  made["launches"][0]["grid"] = Json::array({"cdiv(n, 64)"});
  made["launches"][0]["block"] = Json::array({"64"});
  return made;
}

/// The lifted program's text, which computes the same as the kernel.
std::string program_of(const Json& kernel) {
  const std::string id = tools().compiled(problem(), kernel);
  const Json lift = tools().result("lift_to_ir", {{"kernel_id", id}, {"detail", "full"}});
  REQUIRE_MESSAGE(lift["verdict"] == "lifted", lift.dump());
  const Json checked = tools().result(
      "verify_ir", {{"kernel_id", id}, {"ir", lift["ir"]}, {"schedules", 2}, {"mode", "f32"}});
  CHECK_MESSAGE(checked["verdict"] == "ok", checked.dump());
  return lift["ir"];
}

std::string right_program(const std::string& body) {
  return program_of(kernel(body));
}

/// Why the one statement that is not lifted is not.
std::string why_not(const std::string& body) {
  const Json lift =
      tools().result("lift_to_ir", {{"kernel_id", tools().compiled(problem(), kernel(body))}});
  REQUIRE(lift["not_lifted"].size() == 1);
  return lift["not_lifted"][0]["why"];
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("tools.lift_values") {
  TEST_CASE("what rows share is read for the last row that exists, in whatever order they lie") {
    right_program(
        "  if (column >= n || row >= m) return;\n"
        "  out[(m - 1 - row) * n + column] = x[column] * 2.0f;\n");
    right_program(
        "  if (column >= n || row >= m) return;\n"
        "  out[row * n + (n - 1 - column)] = row + 3 < m ? y[row] : y[0];\n");
  }

  TEST_CASE("a value that was read under one condition is read again under another") {
    right_program(
        "  if (column >= n || row >= m) return;\n  float sum = 0;\n"
        "  if (n < 10) { float v = tanhf(x[column]); sum += v * v; }\n"
        "  if (m > 3) { float v = tanhf(x[column]); sum += v * v; }\n"
        "  out[row * n + column] = sum;\n");
  }

  TEST_CASE("what some rows reduce is not read under the first row's condition") {
    right_program(
        "  if (column >= n || row >= m) return;\n  float v = 0.5f;\n"
        "  if (row >= 3) v = fminf(x[0], x[n - 1]);\n"
        "  out[row * n + column] = v;\n");
  }

  TEST_CASE("a row that may not be there is read and written under its condition") {
    const std::string read = program_of(kernel_of_columns(
        "  for (int c = m - 1; c >= 0; --c)\n"
        "    out[c * n + column] = c + 5 < m ? a[(c + 5) * n + column] : 0.0f;\n"));
    CHECK(has(read, "gather(self.a"));
    const std::string written = program_of(
        kernel_of_columns("  for (int c = 0; c < 5; ++c) out[c * n + column] = 1.0f;\n"
                          "  for (int c = 0; c < m; ++c)\n"
                          "    if (c + 5 < m) out[(c + 5) * n + column] = x[column];\n"));
    CHECK(has(written, "scatter(self.out"));
    const std::string plain = program_of(
        kernel_of_columns("  for (int c = 0; c < m; ++c)\n"
                          "    out[c * n + column] = c < m ? a[c * n + column] : 0.0f;\n"));
    CHECK(has(plain, "load(self.a, (c_step, blockIdx.x), (1, 64))"));
  }

  TEST_CASE("a loop that nobody needs is left out") {
    const std::string ir = right_program(
        "  if (column >= n || row >= m) return;\n  float unused = 0;\n"
        "  for (int p = 0; p < n; ++p) unused += a[row * n + p];\n"
        "  out[row * n + column] = x[column];\n");
    CHECK(!has(ir, "for "));
  }

  TEST_CASE("rounds are counted by a quotient of a size") {
    const std::string ir = right_program(
        "  float sum = 0;\n"
        "  for (int t = 0; t < (n + 3) / 4; ++t) {\n"
        "    if (row < m && t * 4 < n) sum += a[row * n + t * 4];\n  }\n"
        "  if (row < m && column < n) out[row * n + column] = sum;\n");
    CHECK_MESSAGE(has(ir, "range((self.n + 3) // 4)"), ir);
  }

  TEST_CASE("a choice that rounds a quotient up counts rounds") {
    const std::string ir = right_program(
        "  float sum = 0;\n  const int rounds = n % 4 != 0 ? n / 4 + 1 : n / 4;\n"
        "  for (int t = 0; t < rounds; ++t) {\n"
        "    if (row < m && t * 4 < n) sum += a[row * n + t * 4];\n  }\n"
        "  if (row < m && column < n) out[row * n + column] = sum;\n");
    CHECK_MESSAGE(has(ir, "range((self.n + 3) // 4)"), ir);
  }

  TEST_CASE("the smaller and the larger of the standard library are those of the device") {
    Json made = kernel(
        "  const int rounds = std::min(n, 5);\n  float sum = 0;\n"
        "  for (int t = 0; t < rounds; ++t) if (row < m) sum += a[row * n + t];\n"
        "  if (row < m && column < n) out[row * n + column] = std::max(sum, x[column]);\n");
    made["source"] = "#include <algorithm>\n" + made["source"].get<std::string>();
    program_of(made);
  }

  TEST_CASE("an index that a thread chooses by its own number is known") {
    right_program(
        "  __shared__ float s[8][8];\n"
        "  const int at = threadIdx.x % 2 == 0 ? threadIdx.x / 2 : 4 + threadIdx.x / 2;\n"
        "  s[threadIdx.y][at] = column < n && row < m ? a[row * n + column] : 0.0f;\n"
        "  __syncthreads();\n"
        "  const float v = s[threadIdx.y][at];\n"
        "  if (column < n && row < m) out[row * n + column] = v;\n");
  }

  TEST_CASE("two branches that fill one place of shared memory are a choice") {
    right_program(
        "  __shared__ float s[8][8];\n"
        "  if (column < n && row < m) s[threadIdx.y][threadIdx.x] = a[row * n + column];\n"
        "  else s[threadIdx.y][threadIdx.x] = -1.0f;\n"
        "  __syncthreads();\n"
        "  float v = s[threadIdx.x][threadIdx.y];\n"
        "  if (column < n && row < m) out[row * n + column] = v;\n");
    right_program(
        "  __shared__ float s[8][8];\n"
        "  s[threadIdx.y][threadIdx.x] = 0.5f;\n"
        "  if (column < n) s[threadIdx.y][threadIdx.x] = x[column];\n"
        "  __syncthreads();\n"
        "  float v = s[threadIdx.x][threadIdx.y];\n"
        "  if (column < n && row < m) out[row * n + column] = v;\n");
  }

  TEST_CASE("what follows `continue` is done in the other rounds only") {
    right_program(
        "  if (column >= n || row >= m) return;\n  float sum = 0;\n"
        "  for (int p = 0; p < 4; ++p) {\n"
        "    if (column + p >= n) continue;\n    sum += a[row * n + column + p];\n  }\n"
        "  out[row * n + column] = sum;\n");
    right_program(
        "  if (column >= n || row >= m) return;\n  float sum = 0;\n"
        "  for (int p = 0; p < n; ++p) {\n"
        "    if (a[row * n + p] > 0.f) continue;\n    sum += x[p];\n  }\n"
        "  out[row * n + column] = sum;\n");
  }

  TEST_CASE("an index that counts the bits of a thread's number is an index") {
    right_program(
        "  if (column >= n || row >= m) return;\n"
        "  int other = threadIdx.x % 4 + threadIdx.x / 4 * 16;\n"
        "  out[row * n + column] = x[other];\n");
  }

  TEST_CASE("special registers are what they stand for") {
    right_program(
        "  int lane, width;\n  asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));\n"
        "  asm(\"mov.u32 %0, %%ntid.x;\" : \"=r\"(width));\n"
        "  if (column >= n || row >= m) return;\n"
        "  out[row * n + column] = x[lane] + (float)width;\n");
  }

  TEST_CASE("why a kernel is not lifted is said, though parts of it are") {
    const std::string id = tools().compiled(
        problem(), kernel("  __shared__ float s[64];\n"
                          "  s[(int)(x[0] * 0.f) + threadIdx.x] = 1.0f;\n  __syncthreads();\n"
                          "  if (column < n && row < m) out[row * n + column] = s[0];\n"));
    const Json lift = tools().result("lift_to_ir", {{"kernel_id", id}, {"detail", "full"}});
    CHECK(lift["verdict"] == "partial");
    REQUIRE(!lift["not_lifted"].empty());
    CHECK(lift["not_lifted"][0]["why"] == "an index that depends on data");
  }

  TEST_CASE("an unsigned number that has wrapped is more than any other") {
    // `ahead` is less than zero from the second block on.
    const std::string ahead = "  const int ahead = 20 - 24 * (int)blockIdx.x;\n";
    const std::string guard = "  if (column >= n || row >= m) return;\n";
    for (const char* const order : {"threadIdx.x + 1 < ahead", "threadIdx.x * 5 >= ahead",
                                    "ahead > threadIdx.x * 4", "ahead <= threadIdx.x * 4"}) {
      CAPTURE(std::string(order));
      right_program(ahead + guard + "  out[row * n + column] = " + order +
                    " ? x[column] : y[row];\n");
    }
  }

  TEST_CASE("what becomes of an unsigned number that may have wrapped is not guessed") {
    const std::string begin = "  if (column >= n || row >= m) return;\n  out[row * n + column] = ";
    const std::string wraps = "(threadIdx.x - 8 * blockIdx.x)";
    CHECK(why_not(begin + wraps + " * 0.5f;\n") ==
          "an unsigned number that may have wrapped becomes a float");
    CHECK(why_not(begin + "x[column] * (int)(" + wraps + " / 3);\n") ==
          "`/` of an unsigned number that may have wrapped");
    CHECK(why_not(begin + "x[column] * (int)(" + wraps + " >> 1);\n") ==
          "`>>` of an unsigned number that may have wrapped");
    CHECK(why_not(begin + "x[column] * (int)min(" + wraps + ", 4u);\n") ==
          "`minimum` of an unsigned number that may have wrapped");
    CHECK(why_not(begin + wraps + " < 4 - blockIdx.x ? x[column] : y[row];\n") ==
          "`<` of two unsigned numbers that may have wrapped");
  }
}

}  // namespace ws::test
