// docs/cuir.md has a row for everything in the lists, and nothing that is not there.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "runtime/ir/check/checker.h"
#include "runtime/ir/diff/rules.h"
#include "runtime/ir/exec/finding.h"
#include "runtime/ir/syntax/ops.h"
#include "runtime/ir/syntax/parser.h"
#include "tests/ir/program_bench.h"

namespace ws::ir {
namespace {

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string row_of(const OpInfo& info) {
  const std::string_view result = result_of(info.group);
  std::string meaning(info.meaning);
  for (std::size_t at = meaning.find('|'); at != std::string::npos;
       at = meaning.find('|', at + 2)) {
    meaning.insert(at, "\\");
  }
  return "| " + code(std::string(info.name) + "(" + std::string(info.signature) + ")") + " | " +
         (result.empty() ? "" : std::string(result)) + " | " + std::string(word_of(info.effect)) +
         " | " + (info.ptx.empty() ? "" : code(info.ptx)) + " | " + meaning + " | ";
}

/// The example that stands behind an operation's row; empty where there is none.
std::string example_of(const OpInfo& info, const std::string& text) {
  const std::string row = row_of(info) + "`";
  const std::size_t at = text.find(row);
  const std::size_t end = text.find("` |\n", at + row.size());
  return at == std::string::npos || end == std::string::npos
             ? ""
             : text.substr(at + row.size(), end - at - row.size());
}

/// A program with the example where such an operation stands: memory and barriers are made in
/// __init__, roles are bound in run, and the rest is done by a role.
std::string program_with(const OpInfo& info, const std::string& example) {
  const bool binds = info.op == Op::kBind || info.op == Op::kCommit;
  const bool makes = info.effect == OpEffect::kBuild && !binds;
  const std::string line = "        " + example + "\n";
  return "class Example(KernelBase):\n"
         "    def __init__(self, A, O):\n"
         "        self.A = A\n"
         "        self.O = O\n"
         "        self.s = alloc((2, 64, 64), \"shared\", \"f16\")\n"
         "        self.full = barrier(2)\n"
         "        self.kv = ring(2)\n" +
         (makes ? "        self.made = " + example + "\n" : "") +
         "    def f(self, wg):\n"
         "        i = blockIdx.x\n"
         "        x = load(self.O, (0, 0), (64, 64))\n"
         "        y = load(self.O, (1, 0), (64, 64))\n"
         "        k = arange(64)\n"
         "        acc = alloc((64, 64), \"register\", \"f32\")\n" +
         (makes || binds ? "" : line) + "    def run(self):\n" +
         (info.op == Op::kBind ? line : "        self.bind(self.f, \"warpgroup\", 2)\n") +
         (info.op == Op::kCommit ? line : "        self.commit()\n");
}

/// The messages of the checker, one a line.
std::string said_of(const std::string& program) {
  const std::vector<KernelArg> args = {{"A", Type::buffer(Space::kGlobal, DType::kF16, {200, 64})},
                                       {"O", Type::buffer(Space::kGlobal, DType::kF32, {200, 64})}};
  Diagnostics diagnostics;
  const std::optional<Program> parsed = parse(program, diagnostics);
  if (parsed) {
    check(*parsed, args, diagnostics);
  }
  std::string text;
  for (const Diagnostic& row : diagnostics.rows()) {
    text += row.message + "\n";
  }
  return text;
}

std::size_t count_of_text(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// softmax(q k^T / 8) v.
std::vector<double> attend(const Tensor& q, const Tensor& k, const Tensor& v) {
  std::vector<double> result;
  for (std::size_t i = 0; i < q.data.size(); i += 64) {
    std::vector<double> sum(64);
    double total = 0;
    for (std::size_t j = 0; j < k.data.size(); j += 64) {
      double dot = 0;
      for (std::size_t c = 0; c < 64; ++c) {
        dot += q.data[i + c] * k.data[j + c];
      }
      total += std::exp(dot / 8);
      for (std::size_t c = 0; c < 64; ++c) {
        sum[c] += std::exp(dot / 8) * v.data[j + c];
      }
    }
    for (const double x : sum) {
      result.push_back(x / total);
    }
  }
  return result;
}

TEST_SUITE("ir.reference") {
  TEST_CASE("the reference has the row of every operation, once") {
    const std::string text = repository_file("docs/cuir.md");
    for (const OpInfo& info : all_ops()) {
      const std::string row = row_of(info);
      INFO(row);
      CHECK(count_of_text(text, row) == 1);
    }
  }

  TEST_CASE("every operation has an example that uses it and that the checker takes") {
    const std::string text = repository_file("docs/cuir.md");
    for (const OpInfo& info : all_ops()) {
      const std::string example = example_of(info, text);
      CAPTURE(example);
      const std::string_view method = info.name.substr(info.name.find('.') + 1);
      CHECK(example.find(std::string(method) + "(") != std::string::npos);
      CHECK(said_of(program_with(info, example)) == "");
    }
  }

  TEST_CASE("an example that is wrong is refused") {
    const OpInfo& wait = info_of(Op::kRingWait);
    CHECK(said_of(program_with(wait, "self.kv.wait(0 - 1)")) ==
          "`ring.wait`: `round` is -1: it is 0 to 1099511627775\n");
    CHECK(said_of(program_with(info_of(Op::kRing), "ring(0)")) ==
          "`ring`: a size of 0: sizes are 1 or more\n");
  }

  TEST_CASE("the reference has the row of every finding, once") {
    const std::string text = repository_file("docs/cuir.md");
    for (int i = 0; i <= static_cast<int>(FindingKind::kRuntimeError); ++i) {
      const auto kind = static_cast<FindingKind>(i);
      const std::string row =
          "| " + code(word_of(kind)) + " | " + std::string(meaning_of(kind)) + " |";
      INFO(row);
      CHECK(count_of_text(text, row + "\n") == 1);
    }
  }

  TEST_CASE("the reference lists no operation and no finding that is not there") {
    const std::string text = repository_file("docs/cuir.md");
    const std::size_t rows = count_of_text(text, "\n| `");
    CHECK(rows == all_ops().size() + static_cast<std::size_t>(FindingKind::kRuntimeError) + 1);
  }

  TEST_CASE("the program that the reference shows runs without a finding") {
    const std::string text = repository_file("docs/cuir.md");
    const std::string fence = "```python\n";
    const std::size_t first = text.find(fence) + fence.size();
    const std::string program = text.substr(first, text.find("```", first) - first);
    const Tensor x = random_tensor("X", DType::kF32, {96, 64});
    const RunReport report = run_text(program, {x, output("Y", DType::kF32, {96, 64})});
    CHECK(report.render(program) == "");
    REQUIRE(report.outputs.size() == 1);
    CHECK(report.outputs[0].data[5] == 2 * x.data[5]);
  }

  TEST_CASE("the attention kernel of the reference is correct, and a removed wait is found") {
    const std::string text = repository_file("docs/cuir.md");
    const std::size_t start = text.find("class Attention(KernelBase):");
    REQUIRE(start != std::string::npos);
    const std::string program = text.substr(start, text.find("```", start) - start);
    const Tensor q = random_tensor("Q", DType::kF16, {128, 64});
    const Tensor k = random_tensor("K", DType::kF16, {192, 64});
    const Tensor v = random_tensor("V", DType::kF16, {192, 64});
    const Tensor o = output("O", DType::kF32, {128, 64});
    const RunReport report = run_text(program, {q, k, v, o});
    CHECK(report.render(program) == "");
    REQUIRE(report.outputs.size() == 1);
    CHECK(distance(report.outputs[0].data, attend(q, k, v)) < 1e-12);

    struct Left {
      const char* line;
      FindingKind kind;
    };

    for (const Left& left :
         {Left{"self.full[s].wait(", FindingKind::kReadBeforeWait},
          Left{"wait_group(0, \"wgmma\")  # S", FindingKind::kReadBeforeWait},
          Left{"wait_group(0, \"wgmma\")  # The", FindingKind::kOverwrittenInFlight},
          Left{"wgmma_fence()", FindingKind::kMissingWgmmaFence},
          Left{"self.empty[s].arrive()", FindingKind::kDeadlock}}) {
      CAPTURE(std::string(left.line));
      std::string without = program;
      const std::size_t at = without.find(left.line);
      REQUIRE(at != std::string::npos);
      without.replace(at, without.find('\n', at) - at, "pass");
      const std::vector<Finding> findings = run_text(without, {q, k, v, o}).findings;
      CHECK(std::any_of(findings.begin(), findings.end(),
                        [&](const Finding& finding) { return finding.kind == left.kind; }));
    }
  }

  TEST_CASE("the reference has the row of every rule") {
    const std::string text = repository_file("docs/cuir.md");
    for (int i = 0; i <= static_cast<int>(Rule::kUntouched); ++i) {
      const auto rule = static_cast<Rule>(i);
      const std::string row =
          "| " + std::string(word_of(rule)) + " | " + std::string(meaning_of(rule)) + " |\n";
      INFO(row);
      CHECK(count_of_text(text, row) == 1);
    }
  }

  TEST_CASE("the reference lists the operators from loose to tight") {
    const std::string text = repository_file("docs/cuir.md");
    std::string lines;
    for (int precedence = 1; precedence <= 12; ++precedence) {
      std::string line;
      for (const OperatorInfo& info : all_operators()) {
        if (info.precedence == precedence) {
          line += (line.empty() ? "" : "  ") + std::string(info.text);
        }
      }
      lines += line + "\n";
    }
    INFO(lines);
    CHECK(text.find("```text\n" + lines + "```\n") != std::string::npos);
  }
}

}  // namespace
}  // namespace ws::ir
