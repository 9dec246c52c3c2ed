// C++ of other projects cut into its functions, constants and device code. Nothing is compiled:
// what is found is read for launches (host_code.h), and judged later like any kernel.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/search/tokens.h"

namespace ws {

using Tokens = std::span<const RawToken>;

/// A function with a body, or a macro with parameters, which has its text in the place of one.
struct CppFunction {
  std::vector<Tokens> parameters;  ///< Each without a default: `const float* x`.
  Tokens body;                     ///< Between the braces; of a macro its text.
  bool macro = false;
  bool kernel = false;  ///< `__global__`
};

/// The reading of one text, which must outlive it.
class CppText {
 public:
  CppText(CppText&&) = default;
  CppText& operator=(CppText&&) = default;
  CppText(const CppText&) = delete;
  CppText& operator=(const CppText&) = delete;
  ~CppText() = default;

  /// @errors kInvalidArgument: brackets that do not match.
  static Result<CppText> read(std::string_view text);

  /// Adds the functions and constants of a header; its text must outlive this one too.
  void add_header(CppText header);

  /// Null: there is none.
  [[nodiscard]] const CppFunction* function(std::string_view name) const;
  /// The value of a constant or of a macro without parameters; empty: there is none.
  [[nodiscard]] Tokens constant(std::string_view name) const;

  /// The text without the host's functions and without the headers that only the host has.
  [[nodiscard]] const std::string& device_source() const { return device_source_; }

 private:
  friend class CppReader;

  CppText() = default;

  std::vector<RawToken> tokens_;  // Without the preprocessor's lines.
  std::vector<std::vector<RawToken>> macro_tokens_;
  std::map<std::string, CppFunction, std::less<>> functions_;
  std::map<std::string, Tokens, std::less<>> constants_;
  std::string device_source_;
  std::vector<CppText> headers_;  // Their tokens.
};

/// The place behind the bracket that closes the one at `open`; the end where none does.
std::size_t behind_bracket(Tokens tokens, std::size_t open);

/// The tokens in the bracket that opens at `open`; all behind it but the last where none closes it.
Tokens inside_of(Tokens tokens, std::size_t open);

/// The parts between commas that stand in no brackets. Of nothing: none.
std::vector<Tokens> split_at_commas(Tokens tokens);

/// The tokens as text, with a blank between two words: for messages and entries.
std::string text_of_tokens(Tokens tokens);

}  // namespace ws
