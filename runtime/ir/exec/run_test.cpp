#include "runtime/ir/exec/run.h"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "runtime/ir/syntax/parser.h"

namespace ws::ir {
namespace {

Tensor out(DType dtype, Shape shape) {
  return {"O", dtype, std::move(shape), TensorRole::kOut, {}};
}

Tensor in(DType dtype, Shape shape, std::vector<double> data) {
  return {"X", dtype, std::move(shape), TensorRole::kIn, std::move(data)};
}

// A kernel of one block over X and O whose run has `lines`.
std::string kernel(const std::string& lines) {
  std::string body;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    body += "        " + lines.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return "class K(KernelBase):\n    def __init__(self, X, O):\n        self.X = X; self.O = O\n"
         "    def run(self):\n        x = load(self.X, (0, 0), (2, 4))\n" +
         body;
}

Result<RunReport> run_lines(const std::string& lines, Shape shape,
                            ValueMode mode = ValueMode::kF64) {
  const Result<Program> program = parse_program(kernel(lines));
  if (!program) {
    return fail(program.error());
  }
  RunOptions options;
  options.mode = mode;
  options.max_steps = 1000;
  options.schedules.resize(2);
  options.threads = 1;
  return run_program(
      *program,
      {in(DType::kF32, {2, 4}, {1, -2, 3, 4, 0.5, 6, -7, 8}), out(DType::kF32, std::move(shape))},
      {}, options);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct ValueCase {
  const char* lines;
  Shape shape;
  std::vector<double> want;
};

const std::vector<ValueCase> kValues = {
    {"y = x * 2 - 1", {2, 4}, {1, -5, 5, 7, 0, 11, -15, 15}},
    {"y = sum(x, 1, keepdim=True)", {2, 1}, {6, 7.5}},
    {"y = torch.abs(x.sum(axis=0, keepdims=True)) + np.minimum(0.0, math.inf)",
     {1, 4},
     {1.5, 4, 4, 12}},
    {"k = math.floor(2.5) + (1 << 40 >> 38) + (-9 >> 70) + (6 & 3 | 8 ^ 1) + 3 ** 4\n"
     "y = full((1, 1), k, 'f32')",
     {1, 1},
     {2 + 4 - 1 + 11 + 81}},
    {"k = ((1 << 62) + 3 & 7) + (2 ** 62 >> 62) + -7 % -1\ny = full((1, 1), k, 'f32')",
     {1, 1},
     {4}},
    {"y = (full((1, 3), -8, 'i32') >> (arange(3) * 40 + 1)[None, :]).to('f32')",
     {1, 3},
     {-4, -1, -1}},
    {"y = max(x, 0, keepdim=True)", {1, 4}, {1, 6, 3, 8}},
    {"y = min(x, -1)[:, None]", {2, 1}, {-2, -7}},
    {"y = x.mean(1)[None, :]", {1, 2}, {1.5, 1.875}},
    {"y = prod(x, 0)[None, :]", {1, 4}, {0.5, -12, -21, 32}},
    {"y = argmax(x, 1)[:, None]", {2, 1}, {3, 3}},
    {"y = cumsum(x, 1)", {2, 4}, {1, -1, 2, 6, 0.5, 6.5, -0.5, 7.5}},
    {"y = cummax(x, 0)", {2, 4}, {1, -2, 3, 4, 1, 6, 3, 8}},
    {"y = x.T", {4, 2}, {1, 0.5, -2, 6, 3, -7, 4, 8}},
    {"y = reshape(x, (4, 2), 'row')", {4, 2}, {1, -2, 3, 4, 0.5, 6, -7, 8}},
    {"y = reshape(x, (4, 2), 'column')", {4, 2}, {1, 3, 0.5, -7, -2, 4, 6, 8}},
    {"y = x[1:2, 1:3]", {1, 2}, {6, -7}},
    {"y = x[0][None, :] + x[:, 0][:, None]", {2, 4}, {2, -1, 4, 5, 1.5, -1.5, 3.5, 4.5}},
    {"y = where(x > 1, x, 0.0)", {2, 4}, {0, 0, 3, 4, 0, 6, 0, 8}},
    {"y = relu(x) + abs(x) * 10", {2, 4}, {11, 20, 33, 44, 5.5, 66, 70, 88}},
    {"y = maximum(x, 2.0) // 3", {2, 4}, {0, 0, 1, 1, 0, 2, 0, 2}},
    {"y = x % 3", {2, 4}, {1, 1, 0, 1, 0.5, 0, 2, 2}},
    {"y = x @ x.T", {2, 2}, {30, -0.5, -0.5, 149.25}},
    {"y = mma(x, x.T, ones((2, 2), 'f32'))", {2, 2}, {31, 0.5, 0.5, 150.25}},
    {"y = any(x > 5, 1)[:, None]", {2, 1}, {0, 1}},
    {"y = all(x > -3, 1)[:, None]", {2, 1}, {1, 0}},
    {"y = arange(3)[None, :] * 2", {1, 3}, {0, 2, 4}},
    {"y = full((1, 2), 3.5, 'f32').to('i32')", {1, 2}, {3, 3}},
    {"y = full((1, 1), 3e9, 'f32').to('i32').to('f64')", {1, 1}, {2147483647}},
    {"y = (full((1, 1), 5, 'u32') - full((1, 1), 200, 'u32')).to('f64')", {1, 1}, {4294967101}},
    {"y = (full((1, 1), 4294967295, 'u32') * full((1, 1), 2654435761, 'u32')).to('f64')",
     {1, 1},
     {1640531535}},
    {"y = (full((1, 1), -3, 'i32') * full((1, 1), 2000000000, 'i32')).to('f64')",
     {1, 1},
     {-1705032704}},
    {"y = (full((1, 1), -123456789, 'i32') << 24).to('f64')", {1, 1}, {-352321536}},
    {"y = (full((1, 1), 3000000000, 'u32') << 31).to('f64')", {1, 1}, {0}},
    {"y = (full((1, 1), 5, 'i32') << 32).to('f64')", {1, 1}, {0}},
    {"y = (full((1, 1), 200, 'u8') + full((1, 1), 100, 'u8')).to('f64')", {1, 1}, {44}},
    {"y = (full((1, 1), 100, 'i8') + full((1, 1), 100, 'i8')).to('f64')", {1, 1}, {-56}},
    {"y = broadcast(x[0:1], (2, 4))", {2, 4}, {1, -2, 3, 4, 1, -2, 3, 4}},
    {"k = max(3, 7, 5) + min(2, 1) * 10 + cdiv(7, 2) * 100\ny = full((1, 1), k, 'f32')",
     {1, 1},
     {417}},
    {"k = -7 // 2 * 100 + -7 % 3\ny = full((1, 1), k, 'f32')", {1, 1}, {-398}},
    {"k = div_trunc(-7, 2) * 100 + rem_trunc(-7, 3)\ny = full((1, 1), k, 'f32')", {1, 1}, {-301}},
    {"i = arange(4) * 3 - 5\ny = (div_trunc(i, 2) * 10 + rem_trunc(i, 3))[None, :]",
     {1, 4},
     {-22, -12, 1, 21}},
    {"y = philox(0, arange(2) * 0, 0, 0, 0, 0)[None, :].to('f64')",
     {1, 2},
     {1713891541, 1713891541}},
    {"k = philox(2999170649027065890, 608135816, 2242054355, 320440878, 57701188, 3)\n"
     "y = full((1, 1), k, 'f64')",
     {1, 1},
     {605187745}},
    {"y = philox(0, arange(1)[None, :], 0, 0, 0, 1, 7).to('f64')", {1, 1}, {227098468}},
    {"y = permute(reshape(x, (2, 2, 2), 'row'), (2, 0, 1)).reshape((2, 4), 'row')",
     {2, 4},
     {1, 3, 0.5, -7, -2, 4, 6, 8}},
    {"y = cat(x[:, 0:2], x[:, 3:4], 1)", {2, 3}, {1, -2, 4, 0.5, 6, 8}},
    {"y = cat(x[1:2], x, 0)", {3, 4}, {0.5, 6, -7, 8, 1, -2, 3, 4, 0.5, 6, -7, 8}},
    {"y = argmin(x, 1, keepdim=True)", {2, 1}, {1, 2}},
    {"y = load(self.X, (0, 1), (2, 3), pad='-inf')",
     {2, 3},
     {4, -kInfinity, -kInfinity, 8, -kInfinity, -kInfinity}},
    {"y = where(arange(4) < 2, arange(4), undetermined())[None, 0:2]", {1, 2}, {0, 1}},
    {"k = 1 if x[1, 2] < 0 else 2\ny = full((1, 1), k, 'f32')", {1, 1}, {1}},
    {"k = 0\nfor i in range(10, 0, -3):\n    if i == 4: continue\n    k += i\n"
     "y = full((1, 1), k, 'f32')",
     {1, 1},
     {18}},
    {"k = 1\nwhile True:\n    k *= 2\n    if k > 50: break\ny = full((1, 1), k, 'f32')",
     {1, 1},
     {64}},
    {"k = 1 < 2 < 3 and not 2 == 3\ny = full((1, 1), k, 'f32')", {1, 1}, {1}},
    {"a = alloc((2, 4), 'register', 'f32')\na[:] = x\na[0] = 9.0\na[1, 1:3] *= 2.0\ny = a * 1.0",
     {2, 4},
     {9, 9, 9, 9, 0.5, 12, -14, 8}},
};

/// Rows of lines and the message of the finding that they lead to, which has a place among them.
void check_findings(const std::vector<std::pair<std::string, std::string>>& rows,
                    const std::string& kind) {
  for (const auto& [lines, message] : rows) {
    CAPTURE(lines);
    const Result<RunReport> report = run_lines(lines + "\nz = 1", {2, 4});
    REQUIRE_MESSAGE(report, report.error().hint);
    REQUIRE_FALSE(report->findings.empty());
    CHECK(word_of(report->findings[0].kind) == kind);
    CHECK(report->findings[0].message == message);
    CHECK(report->findings[0].place.line > 5);
  }
}

TEST_SUITE("ir.run") {
  TEST_CASE("operations give the values that their names promise") {
    for (const ValueCase& c : kValues) {
      CAPTURE(c.lines);
      const std::string lines = std::string(c.lines) + "\nstore(self.O, (0, 0), y.to('f32'))";
      const Result<RunReport> report = run_lines(lines, c.shape);
      REQUIRE_MESSAGE(report, report.error().hint);
      CHECK(report->render("") == "");
      CHECK(report->outputs[0].data == c.want);
    }
  }

  TEST_CASE("each mode rounds as it says") {
    const std::string lines = "y = (x / 3.0).to('f16').to('f32')\nstore(self.O, (0, 0), y)";
    const std::vector<std::pair<ValueMode, double>> rows = {
        {ValueMode::kF64, 1.0 / 3},
        {ValueMode::kF32, static_cast<double>(1.0F / 3)},
        {ValueMode::kTyped, 0x1.554p-2},  // f16: eleven bits
    };
    for (const auto& row : rows) {
      const Result<RunReport> report = run_lines(lines, {2, 4}, row.first);
      REQUIRE(report);
      CHECK(report->outputs[0].data[0] == row.second);
    }
  }

  TEST_CASE("a number is rounded as an element of the type is") {
    const std::vector<std::pair<std::string, double>> rows = {
        {"to(2049.0 + blockIdx.x, 'f16')", 2048}, {"to(16777217 + blockIdx.x, 'f32')", 16777216},
        {"to(300 + blockIdx.x, 'u8')", 44},       {"to(300.7 + blockIdx.x, 'u8')", 255},
        {"to(-1.5 - blockIdx.x, 'i32')", -1},
    };
    for (const auto& row : rows) {
      CAPTURE(row.first);
      const Result<RunReport> report =
          run_lines("k = " + row.first + "\nif k == k: store(self.O, (0, 0), x * 0 + k)", {2, 4},
                    ValueMode::kTyped);
      REQUIRE_MESSAGE(report, report.error().hint);
      CHECK(report->render("") == "");
      CHECK(report->outputs[0].data[0] == row.second);
    }
  }

  TEST_CASE("what a statement cannot do is a finding with its place") {
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"k = 1 // blockIdx.x", "division by zero"},
        {"k = 1 % blockIdx.x", "division by zero"},
        {"k = 1 / blockIdx.x", "division by zero"},
        {"y = arange(4) // blockIdx.x", "division by zero"},
        {"y = (arange(4) + 1) % (arange(4) - 2)",
         "division by zero: element 2 of the right side is 0"},
        {"k = 1 << blockIdx.x - 1", "a shift by -1"},
        {"k = 3 ** (blockIdx.x - 1)", "an integer to the power -1"},
        {"y = x[blockIdx.x + 2]", "index 2 is outside: dimension 0 of `tile` has size 2"},
        {"k = div_trunc(1, blockIdx.x)", "`div_trunc`: division by zero"},
        {"y = philox(1, 2, 3, 4, 5, blockIdx.x + 4)", "`philox`: `word` is 4: it is 0 to 3"},
        {"y = philox(1, 2, 3, 4, 5, 0, blockIdx.x + 101)",
         "`philox`: `rounds` is 101: at most 100"},
        {"y = rem_trunc(arange(4), arange(4) - 2)",
         "`rem_trunc`: division by zero: element 2 of the right side is 0"},
        {"wait_group(blockIdx.x)\nbar_sync(blockIdx.x + 16, 128)",
         "`bar_sync`: `id` is 16: it is 0 to 15"},
    };
    check_findings(rows, "runtime_error");
  }

  TEST_CASE("what the executor cannot hold is no mistake of the program") {
    const std::string large = "y = full((2, 4), 1 << 52, 'i64') * 3\n";
    const std::string beyond =
        " depends on a whole number beyond 2^53, which the executor cannot hold: it keeps numbers "
        "as f64";
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"a = zeros((2048, 2048), 'f32')\n"
         "b = a + 1; c = a + 2; d = a + 3; e = a + 4; f = a + 5; g = a + 6; h = a + 7; i = a + 8",
         "tiles and buffers hold 33554440 elements at once: at most 33554432 are allowed"},
        {"k = (-(1 << 62) * 2 + blockIdx.x) // -1", "an integer beyond 64 bits"},
        {"k = -(-(1 << 62) * 2 + blockIdx.x)", "an integer beyond 64 bits"},
        {"k = abs(-(1 << 62) * 2 + blockIdx.x)", "`abs`: an integer beyond 64 bits"},
        {"k = 1 << blockIdx.x + 70", "an integer beyond 64 bits"},
        {"k = 1 << blockIdx.x + 63", "an integer beyond 64 bits"},
        {"k = 3 ** (blockIdx.x + 40)", "an integer beyond 64 bits"},
        {"k = 1\nfor i in range(70): k = k * 2", "an integer beyond 64 bits"},
        {large + "store(self.O, (0, 0), y.to('f32'))", "`O` gets a value that" + beyond},
        {large + "store(self.O, (0, 0), where(rem_trunc(y, 8) == 0, x, 1))",
         "`O` gets a value that" + beyond},
        {large + "store(self.O, (0, 0), sum(y, 1, keepdim=True).to('f32') + x)",
         "`O` gets a value that" + beyond},
        {large + "if y[0, 0] + 1 > 0: x = x + 1", "the condition" + beyond},
        {large + "if to(y[0, 0], 'f32') > 0: x = x + 1", "the condition" + beyond},
        {"k = 1 << 52\nif to(k * 4 + blockIdx.x, 'i64') > 0: x = x + 1", "the condition" + beyond},
        {large + "scatter(self.O, max(y, 1), 1.0)", "`scatter`: an index" + beyond},
        {"y = full((2, 4), 1, 'u64') - 2\nstore(self.O, (0, 0), y.to('f32'))",
         "`O` gets a value that" + beyond},
    };
    check_findings(rows, "executor_limit");
    // Where no result depends on it, nothing is lost.
    const Result<RunReport> fine =
        run_lines(large + "store(self.O, (0, 0), where(x > -100, x, y.to('f32')))", {2, 4});
    REQUIRE_MESSAGE(fine, fine.error().hint);
    CHECK(fine->findings.empty());
  }

  TEST_CASE("an atomic addition beyond 2^53 is told where the program ends") {
    const Result<Program> program = parse_program(
        "class K(KernelBase):\n    def __init__(self, O):\n        self.O = O\n"
        "    def run(self):\n        scatter_add(self.O, arange(1), full((1,), 1 << 52, 'i64'))\n");
    REQUIRE_MESSAGE(program, program.error().hint);
    const Tensor o{"O", DType::kI64, {1}, TensorRole::kInOut, {0x1p52}};
    const Result<RunReport> report = run_program(*program, {o}, {}, {});
    REQUIRE_MESSAGE(report, report.error().hint);
    REQUIRE_FALSE(report->findings.empty());
    CHECK(word_of(report->findings[0].kind) == "executor_limit");
    CHECK(report->findings[0].message ==
          "an element of `O` depends on a whole number beyond 2^53, which the executor cannot "
          "hold: it keeps numbers as f64");
  }

  TEST_CASE("a race-only run follows indices of integers, and says where it cannot") {
    const auto found = [](const std::string& lines) {
      const Result<RunReport> report = run_lines(lines, {2, 4}, ValueMode::kNone);
      REQUIRE_MESSAGE(report, report.error().hint);
      return report->findings.empty() ? "" : report->findings[0].message;
    };
    const std::string at = "i = arange(8) * 3 % 8\n";
    CHECK(found(at + "scatter(self.O, i, arange(8) * 0.5)") == "");
    CHECK(found(at + "scatter(self.O, i, 1.0, mask=i < 8)") == "");
    CHECK(found(at + "scatter(self.O, i, 1.0, mask=i > 0)").substr(0, 38) ==
          "`O`: 1 of 8 elements are never written");
    CHECK(found(at + "scatter(self.O, i + 1, 1.0)") ==
          "`scatter`: index 8 is outside `O` of 8 elements");
    CHECK(found(at + "y = gather(self.X, i + 1)") ==
          "`gather`: index 8 is outside `X` of 8 elements");
    CHECK(found(at + "scatter(self.O, i // 2, 1.0)") ==
          "elements 0 and 3 of `indices` are both 0: which of them `O` keeps is undefined");
    const std::string unknown =
        "`scatter`: `indices` or `mask` is not known when values are not kept";
    CHECK(found("scatter(self.O, (x * 2.0).to('i32'), x)") == unknown);
    CHECK(found("scatter(self.O, x.to('i32'), x, mask=x * 2.0 > 5)") == unknown);
    CHECK(found("y = gather(self.X, x.to('i32') * 0, mask=x * 2.0 > 5, other=x)\n"
                "store(self.O, (0, 0), y)") == "");
  }

  TEST_CASE("a race-only run keeps the integers in buffers, until one is not known") {
    const auto found = [](const std::string& lines) {
      const std::string table = "t = alloc((8,), 'register', 'i32')\nt[:] = arange(8) * 3 % 8\n";
      const Result<RunReport> report = run_lines(table + lines, {2, 4}, ValueMode::kNone);
      REQUIRE_MESSAGE(report, report.error().hint);
      return report->findings.empty() ? "" : report->findings[0].message;
    };
    CHECK(found("scatter(self.O, arange(8) + t[3] - 1, 1.0)") == "");
    CHECK(found("scatter(self.O, arange(8) + t[3], 1.0)") ==
          "`scatter`: index 8 is outside `O` of 8 elements");
    CHECK(found("t[0:4] = (x[0, :] * 2.0).to('i32')\nif t[7] == 5: store(self.O, (0, 0), x)") ==
          "this value is not known when values are not kept");
    CHECK(found("u = alloc((8,), 'register', 'f32')\nu[:] = 1.0\nif u[0] > 0: t[0] = 1") ==
          "this value is not known when values are not kept");
  }

  TEST_CASE("arguments that do not fit are refused by name") {
    const Program program = *parse_program(kernel("store(self.O, (0, 0), x)"));
    const Tensor x = in(DType::kF32, {2, 4}, std::vector<double>(8));
    const Tensor o = out(DType::kF32, {2, 4});
    const auto message = [&](const std::vector<Tensor>& tensors) {
      const Result<RunReport> report = run_program(program, tensors, {}, {});
      return report ? "ok" : report.error().message;
    };
    CHECK(message({x, o}) == "ok");
    CHECK(message({in(DType::kF32, {2, 4}, {1, 2}), o}) ==
          "`X` of shape (2, 4) has 2 elements of data");
    CHECK(message({x, out(DType::kF32, {100000, 262144})}) ==
          "`O` of shape (100000, 262144) has no or more than 16777216 elements");
    CHECK(message({x}) ==
          "the program has 1 error, the first at 2:27: argument `O` of the kernel is not given");
  }

  TEST_CASE("a grid that is too large is refused before it runs") {
    const Result<Program> program = parse_program(
        "class K(KernelBase):\n    def __init__(self, n):\n"
        "        self.gridDim = (n, n, n)\n    def run(self): pass\n");
    REQUIRE(program);
    const Result<RunReport> report = run_program(*program, {}, {{"n", Value::of(100000)}}, {});
    REQUIRE_FALSE(report);
    CHECK(report.error().message ==
          "a grid of (100000, 100000, 100000) blocks: the executor runs 1 to 4096");
  }

  TEST_CASE("the same run gives the same findings and the same bits") {
    const std::string lines = "y = exp(x) / 3\nstore(self.O, (0, 0), y[0:1])";
    const Result<RunReport> first = run_lines(lines, {2, 4});
    const Result<RunReport> second = run_lines(lines, {2, 4});
    REQUIRE(first);
    REQUIRE(second);
    CHECK(first->render("") == second->render(""));
    CHECK(first->render("").substr(0, 55) ==
          "unwritten_output: `O`: 4 of 8 elements are never writte");
    CHECK(std::isnan(first->outputs[0].data[7]));
    CHECK(first->outputs[0].data[0] == second->outputs[0].data[0]);
  }
}

}  // namespace
}  // namespace ws::ir
