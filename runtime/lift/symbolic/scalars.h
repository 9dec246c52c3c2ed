// The numbers and pointers that a value of the kernel consists of, by its type.
#pragma once

#include <map>
#include <vector>

#include "runtime/kernel/dtype.h"
#include "runtime/lift/tree/tree.h"

namespace ws::lift {

/// A number or a pointer in a value.
struct Scalar {
  std::int64_t offset = 0;  ///< From where the value begins, in bytes.
  TypeId type = kNone;

  friend bool operator==(const Scalar&, const Scalar&) = default;
};

/// The types of a kernel, taken apart. For one thread.
class Scalars {
 public:
  /// The most that are looked for in one type.
  static constexpr std::size_t kMost = 16'384;

  /// @param tree  Outlives this.
  explicit Scalars(const Tree& tree)
      : tree_(tree) {}

  /// In the order of their offsets; none for kNone. Where there are more than kMost, some are
  /// missing. Stays where it is.
  const std::vector<Scalar>& of(TypeId type);

  /// A number's type as CuIR has it. Signed and 32 bits wide for kNone, and for what is no number.
  [[nodiscard]] DType dtype_of(TypeId type) const;

 private:
  void add(TypeId type, std::int64_t offset, std::vector<Scalar>& scalars) const;

  const Tree& tree_;
  std::map<TypeId, std::vector<Scalar>> known_;
};

}  // namespace ws::lift
