#include "runtime/compile/clang/ptx/scopes.h"

#include <utility>

namespace ws::clang_engine::ptx {

void Scopes::close(Program& program) {
  const Scope ended = std::move(scopes_.back());
  scopes_.pop_back();
  for (const std::size_t jump : ended.jumps) {
    Operand& target = program.statements[jump].operands.front();
    if (const auto found = ended.labels.find(target.name); found != ended.labels.end()) {
      target.kind = Operand::Kind::kLabel;
      target.index = found->second;
    } else if (!scopes_.empty()) {
      scopes_.back().jumps.push_back(jump);
    }
  }
}

std::optional<unsigned> Scopes::find_register(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->registers.find(name); found != scope->registers.end()) {
      return found->second;
    }
  }
  return std::nullopt;
}

}  // namespace ws::clang_engine::ptx
