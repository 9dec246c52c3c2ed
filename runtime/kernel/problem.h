// A problem says what is to be computed: arguments, sizes, reference, tolerance, cost.
// Immutable, named by the hash of its JSON as sent. The wire form is docs/problem-and-kernel.md's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/kernel/dtype.h"

namespace ws {

struct Kernel;

/// Integer names of an expression: dims, integer scalars, parameters.
using Bindings = std::map<std::string, std::int64_t>;

enum class Role : std::uint8_t { kIn, kOut, kInout, kScalar };

struct DimSpec {
  std::string name;
  std::vector<std::int64_t> values;  ///< The listed values, in the order sent; never empty.
  bool open = false;                 ///< True: hidden values in [min, max] are allowed too.
  std::int64_t min = 1;
  std::int64_t max = 1;
  std::int64_t multiple_of = 1;
};

struct Fill {
  std::string kind = "normal";           ///< A word of the contract: normal, uniform, zeros, ...
  std::map<std::string, double> params;  ///< mean, std, low, high, density, ... by kind.
  /// Parameters that depend on the workload: expressions over dims. BufferSpec has their values.
  std::map<std::string, std::string> sizes = {};
  std::string offsets = {};  ///< csr_columns: the argument with the row offsets.
};

/// An output whose rows, the items of its first dimension, may come in any order.
struct Unordered {
  std::string count;  ///< The output of one element that says how many rows count; empty: all do.
  std::string with;   ///< The output whose rows these belong to; empty: they stand by themselves.
};

struct Tolerance {
  std::optional<double> rtol;
  std::optional<double> atol;
};

struct ArgSpec {
  std::string name;
  DType type = DType::kF32;
  Role role = Role::kIn;
  std::vector<std::string> shape;                   ///< Expressions over dims; empty for scalars.
  std::optional<std::vector<std::string>> strides;  ///< Expressions, in elements.
  Fill fill;
  std::optional<std::pair<double, double>> domain;    ///< The judge stays in [low, high].
  std::vector<double> values;                         ///< Scalars: each is one more choice.
  std::optional<Tolerance> tolerance;                 ///< Outputs; overrides the problem's.
  std::optional<Unordered> unordered = std::nullopt;  ///< Outputs of role out.
};

/// One choice of all dims and scalars.
struct Workload {
  Bindings dims;
  std::map<std::string, double> scalars;

  friend bool operator==(const Workload&, const Workload&) = default;
};

struct Problem {
  std::string id;  ///< prb_<name>_<hash>
  std::string name;
  std::string op;
  std::vector<DimSpec> dims;
  std::vector<std::string> valid;  ///< Expressions that every workload meets.
  std::vector<ArgSpec> args;
  std::string reference_kind;               ///< kernel | first_kernel | cuir | python
  std::shared_ptr<const Kernel> reference;  ///< Set for a reference of kind `kernel`; else null.
  std::string reference_source;  ///< The program of a reference of kind `cuir` or `python`.
  bool reference_trusted = true;
  std::optional<Tolerance> tolerance;
  std::string flops;  ///< Expression; empty = unknown.
  std::string bytes;
  std::optional<int> difficulty;
  std::vector<Workload> workloads;  ///< As listed by the client; may be empty.
  std::string json;                 ///< Canonical text: key-sorted, as sent.

  [[nodiscard]] const ArgSpec* find_arg(const std::string& arg) const {
    for (const ArgSpec& spec : args) {
      if (spec.name == arg) {
        return &spec;
      }
    }
    return nullptr;
  }
};

}  // namespace ws
