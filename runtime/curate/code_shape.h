// The shape of a computation, judged by its text: how often it passes over its data, whether
// threads talk to each other, whether it multiplies matrices.
#pragma once

#include <cstddef>
#include <string_view>

namespace ws {

struct CodeShape {
  /// Loops that stand in no other loop and whose bound is no literal; of a Python or CuIR program
  /// its reducing and multiplying operations.
  std::size_t passes = 0;
  bool talks = false;  ///< Threads exchange values: barriers, shuffles, atomics.
  bool multiplies =
      false;  ///< Set for a Python or CuIR program with a product of matrices or a convolution.
};

/// The shape of CUDA C++; any text has one.
CodeShape shape_of_kernel(std::string_view source);

/// The shape of a Python or CuIR program, by the names of the operations in it.
CodeShape shape_of_program(std::string_view source);

}  // namespace ws
