// Any text: it parses or is refused with a reason; what parses prints to a fixed point, and differs
// from itself in nothing; the checker takes it or says why not.
#include <cstdint>
#include <cstdlib>

#include "runtime/ir/check/checker.h"
#include "runtime/ir/diff/diff.h"
#include "runtime/ir/syntax/parser.h"
#include "runtime/ir/syntax/printer.h"
#include "tests/fuzz/arguments.h"

namespace {

using namespace ws::ir;

void must(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void check_with_arguments(const Program& program) {
  std::vector<KernelArg> args;
  for (const Tensor& tensor : fuzz_arguments(program)) {
    args.push_back({tensor.name, Type::buffer(Space::kGlobal, tensor.dtype, tensor.shape)});
  }
  Diagnostics diagnostics;
  const bool good = check(program, args, diagnostics);
  must(good == diagnostics.empty());
  must(good || !diagnostics.render(program.text).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ws::Result<Program> program =
      parse_program(std::string(reinterpret_cast<const char*>(data), size));
  if (!program) {
    must(!program.error().message.empty() && !program.error().hint.empty());
    return 0;
  }
  const std::string once = print(*program);
  const ws::Result<Program> again = parse_program(once);
  must(again && print(*again) == once);
  const ws::Result<ProgramDiff> diff = diff_programs(*program, *again);
  must(!diff || (diff->orchestration_kept && diff->windows.empty()));
  check_with_arguments(*program);
  return 0;
}
