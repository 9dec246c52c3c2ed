// The bindings, constants, threads and shared memory that a compute shader asks of a launch, read
// from SPIR-V.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/compile/compile.h"
#include "runtime/compile/spirv/module.h"

namespace ws::spirv {

/// The set of what a build that checks reports (bounds.h).
inline constexpr std::uint32_t kReportSet = 1;

/// A block of memory that a launch gives the shader, in set 0.
struct Binding {
  std::string name;
  std::uint32_t variable = 0;  ///< Its id.
  std::uint32_t number = 0;    ///< In set 0, after bind_in_order() (bindings.h).
  bool uniform = false;        ///< A block of constants; else a storage buffer.
  std::uint32_t bytes = 0;     ///< The size of a block of constants.
  std::string type;            ///< "a buffer of float".
  std::string element;         ///< As EntryParam::element.
};

/// A number of a block of constants.
struct Constant {
  static constexpr std::size_t kPushed = SIZE_MAX;

  std::string name;
  std::size_t binding = kPushed;  ///< Index into Shader::bindings; kPushed: a push constant.
  std::uint32_t offset = 0;       ///< In its block, in bytes.
  std::uint32_t size = 0;
  bool integer = false;
  std::string type;  ///< "uint"
};

struct Shader {
  std::string entry;
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::vector<Binding> bindings;    ///< Those that it uses, in the order of their declaration.
  std::vector<Constant> constants;  ///< Those that it uses, of all blocks, in order.
  std::uint32_t push_bytes = 0;
  std::int64_t shared_bytes = 0;
  std::vector<std::uint32_t> capabilities;
};

/// @errors kInvalidArgument: no compute shader; something that no launch can give (an image, a
/// constant that is no number), naming it.
Result<Shader> read_shader(std::span<const std::uint32_t> words);

/// The buffers, then the constants, as a launch's arguments are checked against them.
std::vector<EntryParam> params_of(const Shader& shader);

}  // namespace ws::spirv
