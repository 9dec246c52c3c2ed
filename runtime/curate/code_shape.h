// What the text of a computation tells of its shape: how often it passes over its data, whether
// threads talk to each other, whether it multiplies matrices.
#pragma once

#include <cstddef>
#include <string_view>

namespace ws {

struct CodeShape {
  /// Loops that stand in no other loop and whose bound is no literal; of a Python or CuIR program
  /// its reducing and multiplying operations.
  std::size_t passes = 0;
  bool talks = false;       ///< Threads exchange values: barriers, shuffles, atomics.
  bool multiplies = false;  ///< Of a Python or CuIR program: a product of matrices, a convolution.
};

/// Of CUDA C++; any text has a shape.
CodeShape shape_of_kernel(std::string_view source);

/// Of a Python or CuIR program, by the names of the operations in it.
CodeShape shape_of_program(std::string_view source);

}  // namespace ws
