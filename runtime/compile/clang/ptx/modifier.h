// The modifiers of PTX instructions: what stands between an instruction's name and its types.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include <llvm/ADT/StringRef.h>

namespace ws::clang_engine::ptx {

enum class Modifier : std::uint8_t {
#define WS_MODIFIER(name, spelling) name,
#include "runtime/compile/clang/ptx/modifiers.def"
#undef WS_MODIFIER
};

/// A set of modifiers.
class Modifiers {
 public:
  constexpr Modifiers() = default;

  constexpr Modifiers(std::initializer_list<Modifier> modifiers) {
    for (const Modifier modifier : modifiers) {
      add(modifier);
    }
  }

  constexpr void add(Modifier modifier) {
    const auto at = static_cast<unsigned>(modifier);
    words_.at(at / kWordBits) |= std::uint64_t{1} << at % kWordBits;
  }

  [[nodiscard]] constexpr bool has(Modifier modifier) const {
    const auto at = static_cast<unsigned>(modifier);
    return (words_.at(at / kWordBits) >> at % kWordBits & 1U) != 0;
  }

  [[nodiscard]] constexpr bool has_any(Modifiers others) const {
    return (words_[0] & others.words_[0]) != 0 || (words_[1] & others.words_[1]) != 0;
  }

  constexpr Modifiers operator&(Modifiers other) const {
    Modifiers common;
    common.words_ = {words_[0] & other.words_[0], words_[1] & other.words_[1]};
    return common;
  }

  constexpr Modifiers operator|(Modifiers other) const {
    Modifiers both;
    both.words_ = {words_[0] | other.words_[0], words_[1] | other.words_[1]};
    return both;
  }

 private:
  static constexpr unsigned kWordBits = 64;
  std::array<std::uint64_t, 2> words_ = {};
};

/// @param spelling  Without its dot: "approx".
std::optional<Modifier> modifier_named(llvm::StringRef spelling);

/// ".approx"
std::string name_of(Modifier modifier);

/// ".rn .ftz", in the order of Modifier.
std::string names_of(Modifiers modifiers);

/// "expected one of .rn .rz", or "expected `.approx`" where there is no choice.
std::string expected_one_of(Modifiers modifiers);

}  // namespace ws::clang_engine::ptx
