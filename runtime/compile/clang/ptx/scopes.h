// The names that an inline `asm` gives to registers and labels. Those of a block `{ }` are known in
// it and in the blocks that it contains.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/compile/clang/ptx/syntax.h"

namespace ws::clang_engine::ptx {

class Scopes {
 public:
  void open() { scopes_.emplace_back(); }

  /// Ends the innermost block. Its jumps get their labels: the block's own, or those of a block
  /// around it once that ends.
  void close(Program& program);

  /// Blocks that are open, with the text as a whole.
  [[nodiscard]] std::size_t depth() const { return scopes_.size(); }

  /// False: the block has this register already.
  bool add_register(const std::string& name, unsigned index) {
    return scopes_.back().registers.emplace(name, index).second;
  }

  /// False: the block has this label already.
  bool add_label(const std::string& name, unsigned index) {
    return scopes_.back().labels.emplace(name, index).second;
  }

  /// The statement jumps to the label that its first operand names.
  void add_jump(std::size_t statement) { scopes_.back().jumps.push_back(statement); }

  [[nodiscard]] std::optional<unsigned> find_register(const std::string& name) const;

 private:
  struct Scope {
    std::map<std::string, unsigned> registers;
    std::map<std::string, unsigned> labels;
    std::vector<std::size_t> jumps;
  };

  std::vector<Scope> scopes_ = std::vector<Scope>(1);
};

}  // namespace ws::clang_engine::ptx
