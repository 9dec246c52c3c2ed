#include "runtime/compile/clang/variables.h"

#include <string>

namespace ws::clang_engine {
namespace {

constexpr unsigned kSharedSpace = 3;

/// "c" of "_ZL1c", the name of a static variable of no namespace; else empty.
llvm::StringRef plain_name(llvm::StringRef mangled) {
  unsigned length = 0;
  if (!mangled.consume_front("_ZL") || mangled.consumeInteger(10, length)) {
    return {};
  }
  return mangled.size() == length ? mangled : llvm::StringRef();
}

}  // namespace

void publish_variables(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : module.globals()) {
    const std::string name = plain_name(variable.getName()).str();
    const bool hidden = variable.hasLocalLinkage() && !variable.isConstant() &&
                        variable.getAddressSpace() != kSharedSpace;
    if (hidden && !name.empty() && module.getNamedValue(name) == nullptr) {
      variable.setName(name);
      variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
      variable.setExternallyInitialized(true);
    }
  }
}

}  // namespace ws::clang_engine
