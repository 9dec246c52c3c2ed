// Memory as a symbolic run of a block sees it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/lift/symbolic/cells.h"

namespace ws::lift {

/// A scalar that a variable or an expression holds: a term, or a pointer into an object.
struct Leaf {
  TermId term = kNone;
  ObjectId object = kNone;  ///< Set for a pointer.
  Poly offset;              ///< The offset of a pointer, in bytes.
  TermId where = kNone;     ///< A pointer to other memory where this does not hold.

  friend bool operator==(const Leaf&, const Leaf&) = default;
};

/// A value of any type: its scalars in order of their place.
struct Value {
  TypeId type = kNone;
  std::vector<Leaf> leaves;
};

/// Where an expression's value lives.
struct ValuePlace {
  ObjectId object = kNone;
  Poly offset;  ///< In bytes.
  TypeId type = kNone;
};

/// Row and column of an element of a tile, by its offset in shared memory, in elements.
using Logical = std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>>;

/// The form of a variable's scalar: one number, or several neighbours in a wider one.
struct Slot {
  std::size_t parts = 1;
  std::optional<DType> type;  ///< The type of each part; nothing: that of the variable.
};

/// A copy by each thread, cp.async, until somebody waits for it.
struct AsyncCopy {
  ObjectId target = kNone;
  Poly first;                  ///< Element of the target.
  std::vector<TermId> values;  ///< One for each element from there on.
  Lanes active = {1};
  Range range;
};

enum class ObjectKind : std::uint8_t { kTensor, kShared, kLocal };

struct Object {
  ObjectKind kind = ObjectKind::kLocal;
  std::string name;
  TypeId type = kNone;  ///< kLocal, kShared: as declared.
  DType element = DType::kF32;
  Range range;  ///< kLocal: of the last statements that wrote it.
  Range last;   ///< The lines where a local was written last.
  // kTensor
  std::size_t tensor = 0;             ///< Index into LaunchInput::tensors.
  std::set<std::uint64_t> written;    ///< Elements, by hash_of().
  std::vector<Poly> written_in_loop;  ///< Offsets, since the outermost loop began ...
  std::vector<Poly> read_in_loop;     ///< ... and those of reads.
  // kShared
  Cells cells;
  Logical logical;                 ///< A tile of the program: which element is where.
  int version = 0;                 ///< Counts the tiles that it held.
  std::vector<std::int64_t> dims;  ///< The dimensions of an array of tiles around a part (part.h).
  // kLocal
  std::vector<Leaf> leaves;
  std::vector<Slot> slots;  ///< One for each leaf, where a loop changes it; empty: all are numbers.
  std::size_t masks = 0;    ///< How many conditions held where it was declared.
  Lanes active = {1};       ///< The threads that did.
};

}  // namespace ws::lift
