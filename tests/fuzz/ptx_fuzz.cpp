// A text of inline assembly: it is a list of statements, or the complaint says why and where.
#include "runtime/compile/clang/ptx/parser.h"
#include "tests/fuzz/must.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ws::clang_engine::ptx;
  using ws::fuzz::must;
  const std::string_view text = ws::fuzz::text_of(data, size);
  Complaint complaint;
  const std::optional<Program> program = parse({text.data(), text.size()}, complaint);
  if (!program) {
    must(!complaint.message.empty() && complaint.line >= 1 && complaint.line <= size + 1);
    return 0;
  }
  for (const Statement& statement : program->statements) {
    must(!statement.opcode.empty() && statement.line >= 1);
  }
  for (const std::size_t place : program->labels) {
    must(place <= program->statements.size());
  }
  return 0;
}
