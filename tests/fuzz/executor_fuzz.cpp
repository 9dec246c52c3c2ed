// Programs that parse are run with small budgets: the answer is a report, or an error with a
// reason.
#include <cstdint>
#include <cstdlib>

#include "runtime/ir/syntax/parser.h"
#include "tests/fuzz/arguments.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ws::ir;
  const ws::Result<Program> program =
      parse_program(std::string(reinterpret_cast<const char*>(data), size));
  if (!program) {
    return 0;
  }
  RunOptions options;
  options.mode = ValueMode::kTyped;
  options.max_steps = 300;
  options.max_blocks = 8;
  options.threads = 1;
  options.schedules.resize(2);
  const ws::Result<RunReport> report = run_program(*program, fuzz_arguments(*program), {}, options);
  if (report ? report->render(program->text).empty() != report->findings.empty()
             : report.error().message.empty()) {
    std::abort();
  }
  return 0;
}
