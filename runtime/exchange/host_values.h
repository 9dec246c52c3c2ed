// Expressions of host code that launches kernels, as values that a plan knows: sizes as
// expressions over the problem's dims, buffers, grids.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/exchange/cpp_text.h"
#include "runtime/kernel/dtype.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// The meaning of an expression or a variable.
struct HostValue {
  enum class Kind : std::uint8_t {
    kNumber,   ///< `text`: an expression over dims and integer scalars.
    kReal,     ///< `text`: a number with a point.
    kScalar,   ///< `text`: an argument of the problem that is a number.
    kBuffer,   ///< `text`: an argument of the problem or memory of the host's code.
    kSizes,    ///< `items`: extents.
    kGrid,     ///< `items`: up to three.
    kOptions,  ///< `type`: that of tensors made with them.
    kNothing,  ///< A stream, a device, a status: nothing that a plan has.
  };
  Kind kind = Kind::kNothing;
  std::string text = {};
  std::vector<std::string> items = {};
  DType type = DType::kF32;
  std::string offset = {};  ///< kBuffer: in elements; empty: none.
};

/// A tensor that is an argument or that the host's code makes.
struct HostBuffer {
  DType type = DType::kF32;
  std::vector<std::string> shape;
  bool zero = false;
  bool made = false;  ///< The host's code makes it.
};

/// The variables and tensors at a place of the host's code.
struct HostScope {
  const CppText& text;
  std::map<std::string, HostValue, std::less<>> names;
  std::map<std::string, HostBuffer, std::less<>> buffers;
  std::string making;     ///< The buffer that a call such as torch::empty makes gets this name.
  std::size_t steps = 0;  ///< Expressions read so far, which are bounded.
};

/// @errors kUnsupported: an expression that is not understood, with its text.
Result<HostValue> host_value(Tokens tokens, HostScope& scope);

/// The expression folded to a number where it has no names. @errors kUnsupported: too long.
Result<std::string> folded(const std::string& text);

}  // namespace ws
