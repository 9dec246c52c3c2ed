#include "tests/ir/program_bench.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/base/files.h"
#include "runtime/ir/check/type.h"
#include "runtime/ir/syntax/parser.h"

namespace ws::ir {

std::string repository_file(const std::string& path) {
  return read_file(std::string(WS_SOURCE_DIR) + "/" + path).value_or("");
}

Tensor random_tensor(const std::string& name, DType dtype, Shape shape) {
  Tensor tensor{name, dtype, std::move(shape), TensorRole::kIn, {}};
  std::uint64_t state = std::hash<std::string>()(name);
  constexpr double unit = 0x1p-10;
  for (std::int64_t i = 0; i < count_of(tensor.shape).value_or(0); ++i) {
    // Eleven bits, so that every float type but f8 and bf16 holds them exactly.
    tensor.data.push_back(static_cast<double>(next_random(state) % 2048) * unit - 1);
  }
  return tensor;
}

Tensor output(const std::string& name, DType dtype, Shape shape) {
  return {name, dtype, std::move(shape), TensorRole::kOut, {}};
}

RunReport run_text(const std::string& text, const std::vector<Tensor>& tensors,
                   const RunOptions& options, const std::vector<Scalar>& scalars) {
  Result<Program> program = parse_program(text);
  Result<RunReport> report = program ? run_program(*program, tensors, scalars, options)
                                     : Result<RunReport>(fail(program.error()));
  if (report) {
    return *std::move(report);
  }
  RunReport failed;
  Finding finding;
  finding.message = report.error().message + "\n" + report.error().hint;
  failed.findings.push_back(finding);
  return failed;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double error = std::fabs(a[i] - b[i]) / std::max(1.0, std::fabs(b[i]));
    worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
  }
  return worst;
}

}  // namespace ws::ir
