#include "runtime/compile/clang/ptx/modifier.h"

namespace ws::clang_engine::ptx {
namespace {

constexpr std::array kSpellings = {
#define WS_MODIFIER(name, spelling) spelling,
#include "runtime/compile/clang/ptx/modifiers.def"
#undef WS_MODIFIER
};

}  // namespace

std::optional<Modifier> modifier_named(llvm::StringRef spelling) {
  for (std::size_t i = 0; i < kSpellings.size(); ++i) {
    if (spelling == kSpellings.at(i)) {
      return static_cast<Modifier>(i);
    }
  }
  return std::nullopt;
}

std::string name_of(Modifier modifier) {
  return std::string(".") + kSpellings.at(static_cast<std::size_t>(modifier));
}

std::string names_of(Modifiers modifiers) {
  std::string names;
  for (std::size_t i = 0; i < kSpellings.size(); ++i) {
    const auto modifier = static_cast<Modifier>(i);
    if (modifiers.has(modifier)) {
      names += (names.empty() ? "" : " ") + name_of(modifier);
    }
  }
  return names;
}

std::string expected_one_of(Modifiers modifiers) {
  const std::string names = names_of(modifiers);
  const bool choice = names.find(' ') != std::string::npos;
  return choice ? "expected one of " + names : "expected `" + names + "`";
}

}  // namespace ws::clang_engine::ptx
