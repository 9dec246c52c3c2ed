// The figures of CuIR, one `name value` a line; cuir.py makes a table of them.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>

#include "tests/ir/corpus.h"
#include "tests/ir/numpy_cases.h"

namespace ws::ir {
namespace {

void say(const std::string& name, double value) {
  std::printf("%s %.6g\n", name.c_str(), value);
  std::fflush(stdout);
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void corpus() {
  // Endless loops end sooner, as in the tests.
  RunOptions options;
  options.max_steps = 20'000;
  std::size_t bugs = 0;
  std::size_t found = 0;
  std::size_t silent = 0;
  std::size_t noise = 0;
  for (const std::string& name : base_names()) {
    for (const Edited& bug : edits_of("bugs", name)) {
      found +=
          is_found(bug, run_text(bug.text, arguments_of(bug.text), options).findings) ? 1U : 0U;
      ++bugs;
    }
    std::vector<std::string> texts = {base_text(name)};
    for (const Edited& edited : edits_of("silent", name)) {
      texts.push_back(edited.text);
    }
    for (const std::string& text : texts) {
      noise += run_text(text, arguments_of(text)).findings.size();
      ++silent;
    }
  }
  say("bugs", static_cast<double>(bugs));
  say("bugs_found", static_cast<double>(found));
  say("silent", static_cast<double>(silent));
  say("silent_findings", static_cast<double>(noise));
}

void examples() {
  std::size_t noise = 0;
  for (const NumpyCase& c : numpy_cases()) {
    noise += run_text(c.text, c.tensors, {}, c.scalars).findings.size();
  }
  say("examples", static_cast<double>(numpy_cases().size()));
  say("example_findings", static_cast<double>(noise));
}

void attention() {
  RunOptions options;
  for (std::uint64_t seed = 9; options.schedules.size() < 16; ++seed) {
    options.schedules.push_back(options.schedules.back());
    options.schedules.back().seed = seed;
  }
  for (const NumpyCase& c : numpy_cases()) {
    if (c.formula == "attention") {
      say(c.name + "_s", seconds_of([&] { run_text(c.text, c.tensors, options, c.scalars); }));
    }
  }
}

void gemm() {
  constexpr std::int64_t n = 512;
  const std::string text = repository_file("examples/cuir/gemm_tma.cuir");
  const std::vector<Tensor> tensors = {random_tensor("A", DType::kF16, {n, n}),
                                       random_tensor("B", DType::kF16, {n, n}),
                                       output("C", DType::kF32, {n, n})};
  RunOptions options;
  options.mode = ValueMode::kF32;
  std::size_t findings = 0;
  const auto run = [&] { findings += run_text(text, tensors, options).findings.size(); };
  say("gemm_512_all_s", seconds_of(run));
  options.schedules.resize(1);
  say("gemm_512_s", seconds_of(run));
  say("gemm_findings", static_cast<double>(findings));
}

void numpy() {
  if (const std::optional<std::string> python = numpy_python()) {
    double worst = 0;
    std::string lines = check_with_numpy(*python).lines;
    for (std::size_t end = lines.find('\n'); end != std::string::npos; end = lines.find('\n')) {
      const std::string line = lines.substr(0, end);
      worst = std::max(worst, std::strtod(line.c_str() + line.rfind(": ") + 2, nullptr));
      lines.erase(0, end + 1);
    }
    say("numpy_error", worst);
  }
}

// The most memory that this process ever held, in MB.
void peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) {
      say("peak_mb", std::strtod(line.c_str() + 6, nullptr) / 1024);
    }
  }
}

}  // namespace
}  // namespace ws::ir

int main() {
  ws::ir::corpus();
  ws::ir::examples();
  ws::ir::attention();
  ws::ir::gemm();
  ws::ir::numpy();
  ws::ir::peak_memory();
  return 0;
}
