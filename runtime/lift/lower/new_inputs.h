// Arguments that only a changed program has: how the kernel gets and reads them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/ir/syntax/ast.h"
#include "runtime/kernel/dtype.h"
#include "runtime/lift/lower/c_text.h"

namespace ws::lift {

/// A tensor that is only read.
struct NewInput {
  std::string name;
  DType type = DType::kF32;
  std::vector<std::string> sizes;  ///< As CuIR: "self.n".
};

/// A parameter of the kernel: "const float* bias". @errors kUnsupported: another element type.
Result<std::string> parameter_text(const NewInput& input);

/// One element of a tile of registers: its place by names of the kernel, and the tile's sizes.
struct TileElement {
  std::string row;
  std::string col;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
};

/// The texts of a thread's reads where the program has `load(self.bias, (blockIdx.x,),
/// (128,))[None, :]`, by that text: zero beyond the tensor's edge.
/// @param c  Knows the integers of the place.
/// @errors kUnsupported: a load of another form.
Result<std::map<std::string, std::string>> input_texts(
    const ir::Program& program, ir::ExprId value, const std::vector<NewInput>& inputs,
    const std::map<std::string, std::string>& arguments, const CText& c, const TileElement& tile);

}  // namespace ws::lift
