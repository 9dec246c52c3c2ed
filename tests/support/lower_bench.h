// A plain attention kernel, the program it lifts to, and changed programs of it.
#pragma once

#include <string>

#include "tests/support/tool_bench.h"

namespace ws::test {

/// examples/kernels/PATH.json
Json example_form(const std::string& path);

/// `text` with its first `old` replaced; REQUIREs that there is one.
std::string with_text(std::string text, const std::string& old, const std::string& now);

/// A compiled kernel of the examples and its program.
struct LoweredFrom {
  std::string kernel_id;
  std::string ir;
  Json kernel;  ///< Its form.

  /// Line `n` of the source, from 1.
  [[nodiscard]] std::string line(std::size_t n) const;
  /// An edit that puts `text` in place of line `n`.
  [[nodiscard]] Json replace(std::size_t n, const std::string& text) const;
  /// apply_transformation with the target, and edits where they are no null.
  [[nodiscard]] Json lower(const std::string& target, const Json& edits = {}) const;
  [[nodiscard]] std::string refusal(const std::string& target, const Json& edits = {}) const;
};

/// @param problem, kernel  "attention-plain", "attention_plain".
LoweredFrom lifted_example(const std::string& problem, const std::string& kernel);

/// An architecture that no device of the tests has.
inline constexpr const char* kArch = "sm_90a";

/// False: nothing here compiles for kArch, and a line says that `left_out` is.
bool toolkit_is_here(const char* left_out);

/// A kernel of the examples that the engine cannot run, compiled for kArch and lifted.
LoweredFrom lifted_for_arch(const std::string& problem, const std::string& kernel);

/// `text` with a line behind the one that begins with `begin`, which REQUIREs that there is one.
std::string with_line(std::string text, const std::string& begin, const std::string& line);

/// The attention kernel, lifted once.
const LoweredFrom& attention();

/// The lines of attention()'s program for the masked score, and for a causal one.
inline constexpr const char* kScore =
    "s_1 = where(arange(16)[None, :] + k0_step * 16 < self.n, s, -inf)";
inline constexpr const char* kCausalScore =
    "s_1 = where((arange(16)[None, :] + k0_step * 16 < self.n) & (arange(16)[None, :] + k0_step * "
    "16 <= arange(32)[:, None] + blockIdx.x * 32), s, -inf)";
inline constexpr std::size_t kScoreLine = 30;
inline constexpr const char* kCausalLine =
    "      s[j] = k0 + j < n && k0 + j <= row ? s[j] : -INFINITY;";

}  // namespace ws::test
