// From an object file to an Image: sections laid out, internal references resolved, imports and
// absolute addresses listed for the loader. No dynamic linker and no constructor ever sees a
// kernel.
#pragma once

#include <map>
#include <string>

#include <llvm/ADT/ArrayRef.h>

#include "runtime/base/result.h"
#include "runtime/compile/compile.h"

namespace ws::clang_engine {

/// A function of the linked image.
struct LinkedFunction {
  std::uint64_t offset = 0;
  std::uint64_t stack_bytes = 0;  ///< Its own frame, from .stack_sizes.
};

/// @param functions  Gets every function, by name.
/// @errors kUnsupported: a function that the worker does not supply; kInternal: a relocation or
///         section the linker does not know.
/// @source System V ABI, AMD64 supplement: relocation types.
Result<Image> link_object(llvm::ArrayRef<char> object,
                          std::map<std::string, LinkedFunction>& functions);

}  // namespace ws::clang_engine
