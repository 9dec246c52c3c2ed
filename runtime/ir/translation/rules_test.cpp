#include "runtime/ir/translation/rules.h"

#include <algorithm>

#include <doctest/doctest.h>

namespace ws::ir {
namespace {

/// A program on x[100, 60], y[100, 60] and v[60].
std::vector<Fact> facts(const std::string& body, bool reversed = false) {
  std::string text =
      "class P(KernelBase):\n    def __init__(self, x, y, v, n):\n        self.gridDim = (9, 9, "
      "1)\n"
      "        self.x = x\n        self.y = y\n        self.v = v\n        self.n = n\n\n"
      "    def run(self):\n";
  std::string rest = body + "\n";
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n') + 1;
    text += "        " + rest.substr(0, end);
    rest.erase(0, end);
  }
  const auto tensor = [](Shape shape) {
    return Type::buffer(Space::kGlobal, DType::kF32, std::move(shape));
  };
  FactsRequest request;
  const Shape shape = reversed ? Shape{60, 100} : Shape{100, 60};
  const std::vector<std::int64_t> strides =
      reversed ? std::vector<std::int64_t>{1, 60} : std::vector<std::int64_t>{60, 1};
  request.args = {
      {"x", tensor(shape)}, {"y", tensor(shape)}, {"v", tensor({60})}, {"n", Type::integer(60)}};
  request.tensors = {{"x", "x", strides, false}, {"y", "y", strides, false}, {"v", "v", {1}, true}};
  request.reversed = reversed;
  const Result<std::vector<Fact>> found = facts_of(text, request);
  REQUIRE_MESSAGE(found.has_value(), (found ? "" : to_text(found.error())));
  return *found;
}

/// "RULE:line", line 1 being the first of the body.
std::string broken(const std::vector<Fact>& own, const std::vector<Fact>& other) {
  constexpr std::uint32_t kHead = 9;
  std::string text;
  const auto line = [](std::uint32_t) { return std::string(); };
  for (const Difference& row : compare_facts(own, other, false, line).rows) {
    text += (text.empty() ? "" : " ") + std::string(info_of(row.rule).id) + ":" +
            std::to_string(row.line - kHead);
  }
  return text;
}

const std::string kLoads =
    "a = load(self.x, (blockIdx.x, 0), (16, 16))\nb = load(self.y, (blockIdx.x, 0), (16, 16))\n";

}  // namespace

TEST_SUITE("ir.translation") {
  TEST_CASE("a mistake is told with its line") {
    struct Row {
      std::string own;
      std::string other;
      std::string want;
    };

    const Row rows[] = {
        {kLoads + "c = mma(b, a)", kLoads + "c = mma(a, b)", "MMA-OPERAND-ORDER:3"},
        {kLoads + "c = a * b", kLoads + "c = mma(a, b)", "MATMUL-VS-ELEMENTWISE:3"},
        {kLoads + "c = mma(a, b)", kLoads + "c = a * b", "MATMUL-VS-ELEMENTWISE:3"},
        {kLoads + "c = reshape(a, (16, 16), \"row\")", kLoads + "c = transpose(a)",
         "SHAPE-RESHAPE-NOT-TRANSPOSE:3"},
        {"a = load(self.x, (0, 0), (2, 16))\nc = permute(reshape(a, (2, 4, 4), \"row\"), (0, 2, "
         "1))",
         "a = load(self.x, (0, 0), (2, 16))\nc = permute(reshape(a, (2, 4, 4), \"row\"), (2, 1, "
         "0))",
         "PERM-NAIVE-SHIFT:2"},
        {"i = arange(16)\nc = reshape(i.to('f32'), (1, 16), \"row\")",
         "i = arange(16)\nc = reshape(i.to('f32'), (16, 1), \"row\")", "BCAST-RIGHT-ALIGN:2"},
        {"a = gather(self.v, blockIdx.x // 4 * 8 + arange(8))",
         "a = gather(self.v, (blockIdx.x + 1) // 4 * 8 + arange(8))", "IDX-DIV-BASE:1"},
        {"a = gather(self.v, arange(8) + 1)", "a = gather(self.v, arange(8))", "IDX-GATHER-BASE:1"},
        {kLoads + "c = a.to('f16').sum(1)", kLoads + "c = a.sum(1)", "DTYPE-ACC-NARROW:3"},
        {kLoads + "c = a.to('i32')", kLoads + "c = a.to('f32')", "DTYPE-MMA-MISMATCH:3"},
        {"a = gather(self.v, arange(8), mask=arange(8) < self.n, other=undetermined())",
         "a = gather(self.v, arange(8), mask=arange(8) < self.n, other=0)",
         "PAD-UNDETERMINED-USED:1"},
        {"m = arange(8) > 2", "m = arange(8) >= 2", "CMP-BASE-OFFBYONE:1"},
        {"for i in range(2, self.n, 16):\n    a = load(self.x, (0, i), (1, 1))",
         "for i in range(2, self.n, 8):\n    a = load(self.x, (0, i), (1, 1))",
         "LOOP-TRIP-SHORT:1 IDX-ELEMENT-AS-TILE:2"},
        {kLoads + "c = maximum(a, b)", kLoads + "c = minimum(a, b)", "FN-DIFFERS:3"},
        // Tiles of other sizes are not compared.
        {"a = load(self.x, (blockIdx.x, 0), (16, 16))",
         "a = load(self.x, (blockIdx.x, 0), (16, 32))", ""},
        // These come to the same.
        {"i = blockIdx.x + 1\na = load(self.x, (i - 1, 0), (16, 16))",
         "a = load(self.x, (blockIdx.x, 0), (16, 16))", ""},
        {"m = arange(8) + 1 <= self.n", "m = arange(8) < self.n", ""},
        {"m = self.n > arange(8)", "m = arange(8) < self.n", ""},
        {"for i in range(1, self.n + 1):\n    a = load(self.x, (0, i - 1), (1, 1))",
         "for i in range(self.n):\n    a = load(self.x, (0, i), (1, 1))", ""},
        {"i = arange(8)[:, None] * 60 + arange(8)[None, :]\na = gather(self.v, i)",
         "i = arange(8)[None, :] + 60 * arange(8)[:, None]\na = gather(self.v, i)", ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.own);
      CHECK(broken(facts(row.own), facts(row.other)) == row.want);
    }
  }

  TEST_CASE("dimensions of Julia run the other way round") {
    const std::string python =
        "a = load(self.x, (blockIdx.x, blockIdx.y), (16, 32))\nb = sum(a, 1, keepdim=True)\n"
        "store(self.y, (blockIdx.x, blockIdx.y), a - b)";
    const std::string julia =
        "a = load(self.x, (blockIdx.y, blockIdx.x), (32, 16))\nb = sum(a, 0, keepdim=True)\n"
        "store(self.y, (blockIdx.y, blockIdx.x), a - b)";
    CHECK(broken(facts(julia, true), facts(python)).empty());
    const std::string wrong =
        "a = load(self.x, (blockIdx.y, blockIdx.x), (32, 16))\nb = sum(a, 1, keepdim=True)\n"
        "store(self.y, (blockIdx.x, blockIdx.y), a - b)";
    CHECK(broken(facts(wrong, true), facts(python)) == "RED-AXIS-UNSHIFTED:2 IDX-STORE-SWAPPED:3");
  }

  TEST_CASE("what grows without end is not followed") {
    std::string body = "i = blockIdx.x\n";
    for (int n = 0; n < 60; ++n) {
      body += "i = i // 2 + i // 3\n";
    }
    const std::vector<Fact> found = facts(body + "a = load(self.x, (i, 0), (16, 16))");
    const auto read = std::ranges::find(found, FactKind::kRead, &Fact::kind);
    REQUIRE(read != found.end());
    CHECK_FALSE(read->position.has_value());
    for (const Fact& fact : facts("m = arange(8) * 4611686018427387904 < 1")) {
      CHECK(fact.kind != FactKind::kMask);
    }
    std::string many;
    for (int n = 0; n < 700; ++n) {
      many += "a" + std::to_string(n) + " = exp(arange(8) * 1.5)\n";
    }
    CHECK(broken(facts(many), facts(kLoads)).empty());
  }

  TEST_CASE("positions are written as sums") {
    const Position place = Position::of(Atom{"lane 8", 1})
                               .plus(Position::of(Atom{"blockIdx.x", 0}), 16)
                               ->plus(Position::of(-3))
                               .value();
    CHECK(to_text(place) == "16*blockIdx.x + lane 8:1 - 3");
    CHECK(to_text(Position::of(0)) == "0");
    CHECK(to_text(*place.times(-1)) == "-16*blockIdx.x - lane 8:1 + 3");
    CHECK_FALSE(place.times(INT64_MAX).has_value());
    CHECK_FALSE(reshaped(place, {8, 4}, {4, 8}).has_value());
    CHECK(to_text(*reshaped(place, {8, 4}, {8, 1, 4})) == "16*blockIdx.x + lane 8:2 - 3");
    CHECK(to_text(permuted(place, {1, 0})) == "16*blockIdx.x + lane 8:0 - 3");
  }
}

}  // namespace ws::ir
