#include "tests/bench/synthetic_kernels.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace ws::bench {
namespace {

using Json = nlohmann::json;
using Random = std::mt19937_64;

constexpr std::uint64_t kWords = 2000;
constexpr std::uint64_t kKernelsOfProblem = 200;
constexpr const char* kOps[] = {"matmul", "softmax",   "layernorm", "attention", "conv2d",  "scan",
                                "reduce", "transpose", "gather",    "histogram", "stencil", "topk"};
constexpr const char* kTypes[] = {"float",  "int",    "unsigned", "half",
                                  "double", "float4", "int2",     "bool"};
constexpr const char* kOperators[] = {"+", "-", "*", "/", "&", "|", "^", "<", ">", "%"};
constexpr const char* kFunctions[] = {
    "expf",         "logf",          "sqrtf",      "rsqrtf",          "fmaxf",     "fminf",
    "fabsf",        "__expf",        "__ldg",      "__shfl_xor_sync", "__popc",    "__ffs",
    "__clz",        "__ballot_sync", "__fmaf_rn",  "atomicAdd",       "atomicMax", "tanhf",
    "__float2half", "__half2float",  "__brev",     "__byte_perm",     "__dp4a",    "__sinf",
    "__cosf",       "__fdividef",    "__syncwarp", "__saturatef",     "floorf",    "ceilf"};
constexpr const char* kSyllables[] = {"row", "col",  "ti",  "le",  "ac", "cu",   "mu",
                                      "la",  "wa",   "rp",  "sta", "ge", "ring", "buf",
                                      "par", "tial", "sum", "max", "in", "out"};

std::size_t draw(Random& random, std::size_t count) {
  return random() % count;
}

template <typename Table>
const char* pick(Random& random, const Table& table) {
  return table[draw(random, std::size(table))];
}

/// As in natural text: the word of rank r about 1/r as often as the first.
std::string name(Random& random) {
  const double u = static_cast<double>(random() >> 11U) * 0x1p-53;
  const double rank = std::exp(u * std::log(static_cast<double>(kWords))) - 1;
  return synthetic_word(static_cast<std::uint64_t>(rank));
}

std::string expression(Random& random, int depth) {
  switch (depth == 0 ? draw(random, 3) : draw(random, 7)) {
    case 0:
      return name(random);
    case 1:
      return std::to_string(draw(random, 1024));
    case 2:
      return name(random) + "[" + name(random) + "]";
    case 3:
      return std::string(pick(random, kFunctions)) + "(" + expression(random, depth - 1) + ")";
    case 4:
      return std::string(pick(random, kFunctions)) + "(" + expression(random, depth - 1) + ", " +
             expression(random, depth - 1) + ")";
    default:
      return "(" + expression(random, depth - 1) + " " + pick(random, kOperators) + " " +
             expression(random, depth - 1) + ")";
  }
}

std::string statement(Random& random) {
  switch (draw(random, 6)) {
    case 0:
      return std::string(pick(random, kTypes)) + " " + name(random) + " = " +
             expression(random, 2) + ";";
    case 1:
      return "if (" + expression(random, 1) + ") " + name(random) + " = " + expression(random, 1) +
             ";";
    case 2:
      return "for (int " + name(random) + " = 0; " + expression(random, 1) + "; ++i) " +
             name(random) + " += " + expression(random, 1) + ";";
    case 3:
      return "__syncthreads(); " + name(random) + "[threadIdx.x] = " + expression(random, 2) + ";";
    case 4:
      return name(random) + "[" + expression(random, 1) + "] = " + expression(random, 2) + ";";
    default:
      return name(random) + " " + pick(random, kOperators) + "= " + expression(random, 2) + ";";
  }
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Variants 1 to 3 rename, retile and do both; 4 to 7 swap statements; the others change some.
void vary(std::vector<std::string>& lines, std::uint64_t variant, Random& random) {
  for (std::string& line : lines) {
    if (variant == 1 || variant == 3) {
      replace_all(line, "row", "my");
    }
    if (variant == 2 || variant == 3) {
      replace_all(line, "1", "@BM@");
    }
  }
  for (std::uint64_t i = 4; i <= variant && variant < 8; ++i) {
    const std::size_t at = draw(random, lines.size() - 1);
    std::swap(lines[at], lines[at + 1]);
  }
  for (std::uint64_t i = 8; i <= variant; i += 3) {
    lines[draw(random, lines.size())] = statement(random);
  }
}

EvidenceRow evidence(std::uint64_t index, const KernelRow& kernel, const char* kind) {
  EvidenceRow row;
  row.kernel_id = kernel.id;
  row.problem_id = kernel.problem_id;
  row.device = index % 3 == 0 ? "GPU-1" : "cpu:0";
  row.kind = kind;
  row.key = R"({"level":"quick","params":{},"workloads":[]})";
  return row;
}

std::string padded(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(16 - digits.size(), '0') + digits;
}

}  // namespace

std::string synthetic_word(std::uint64_t rank) {
  constexpr std::uint64_t kBase = std::size(kSyllables);
  return std::string(kSyllables[rank % kBase]) + kSyllables[rank / kBase % kBase] +
         std::to_string(rank / kBase / kBase);
}

std::string synthetic_source(std::uint64_t index) {
  Random random(index / kVariants * kVariants);
  std::vector<std::string> lines;
  const std::size_t count = 10 + draw(random, 20);
  for (std::size_t i = 0; i < count; ++i) {
    lines.push_back(statement(random));
  }
  Random own(index + 1);
  vary(lines, index % kVariants, own);
  std::string source = "__global__ void k(const float* a, float* b, int n) {\n";
  for (const std::string& line : lines) {
    source += "  " + line + "\n";
  }
  return source + "}\n";
}

std::uint64_t synthetic_problem_count(std::uint64_t count) {
  return count / kKernelsOfProblem + 1;
}

ProblemRow synthetic_problem(std::uint64_t index) {
  Random random(index);
  const std::string op = pick(random, kOps);
  const Json form = {{"op", op},
                     {"dims",
                      {{"m", {std::uint64_t{64} << draw(random, 8)}},
                       {"n", {std::uint64_t{64} << draw(random, 8)}}}},
                     {"args", {{{"name", "a"}, {"type", draw(random, 2) == 0 ? "f32" : "f16"}}}}};
  return {"prb_" + op + "_" + padded(index), op, form.dump(), {}};
}

KernelRow synthetic_kernel(std::uint64_t index, std::uint64_t count) {
  // Near-duplicates are of one problem.
  const std::uint64_t problem = index / kVariants % synthetic_problem_count(count);
  const Json form = {
      {"language", "cuda"},
      {"source", synthetic_source(index)},
      {"launches", {{{"entry", "k"}, {"grid", {"cdiv(n, 256)"}}, {"block", {"256"}}}}}};
  return {"krn_k_" + padded(index), "k", synthetic_problem(problem).id, {}, form.dump(), {}};
}

EvidenceRow synthetic_validation(std::uint64_t index, const KernelRow& kernel) {
  EvidenceRow row = evidence(index, kernel, "validate");
  row.verdict = index % 10 == 0 ? Verdict::kIncorrect : Verdict::kPassed;
  row.json = Json{
      {"output", {{"verdict", name_of(row.verdict)}, {"runs_total", 12}}},
      {"device", {{"id", "cpu:0"}, {"arch", "x86_64"}}},
      {"seed",
       index}}.dump();
  return row;
}

EvidenceRow synthetic_benchmark(std::uint64_t index, const KernelRow& kernel) {
  EvidenceRow row = evidence(index, kernel, "benchmark");
  row.verdict = Verdict::kFaster;
  row.json =
      Json{{"output",
            {{"ratio", 0.5 + static_cast<double>(index % 97) / 32}, {"baseline", "reference"}}},
           {"device", {{"id", "cpu:0"}, {"arch", "x86_64"}}}}
          .dump();
  return row;
}

}  // namespace ws::bench
