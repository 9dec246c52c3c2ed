// Source places by number: what a runtime fault carries instead of text.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Instruction.h>

#include "runtime/compile/compile.h"

namespace ws::clang_engine {

/// The innermost place in the client's own text: calls into the engine's headers count as their
/// caller's line. Region "" when there is none.
Site client_place(const llvm::DebugLoc& location);

/// The index of `name` in `names`, which gets it if it is new.
unsigned number_of(std::vector<std::string>& names, llvm::StringRef name);

class SiteTable {
 public:
  /// The number of the instruction's place; equal places have equal numbers.
  unsigned id_of(const llvm::Instruction& instruction);

  std::vector<Site> take() { return std::move(sites_); }

 private:
  std::vector<Site> sites_;
  std::map<std::tuple<std::string, int, int>, unsigned> ids_;
};

}  // namespace ws::clang_engine
