// The operations and operators of CuIR, as ops.def and operators.def list them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ws::ir {

enum class Op : std::uint8_t {
#define WS_IR_OP(id, name, group, signature, effect, ptx, meaning) id,
#include "runtime/ir/syntax/ops.def"
#undef WS_IR_OP
};

enum class OpGroup : std::uint8_t {
  kMap,           // same shape
  kZip,           // two, broadcast
  kSelect,        // three, broadcast
  kRandom,        // four, broadcast
  kCast,          // same shape, named type
  kReduce,        // without `dim`, or with it of size 1
  kScan,          // same shape
  kReshape,       // the named shape
  kTranspose,     // last two dimensions exchanged
  kPermute,       // the dimensions in the named order
  kCat,           // the sizes along dim added
  kAsOperand,     // same shape
  kBroadcast,     // the named shape
  kMake,          // the named shape and type
  kArange,        // (n)
  kLoad,          // the named shape, the source's type
  kStore,         // nothing
  kGather,        // the shape of the indices, the source's type
  kScatter,       // nothing
  kProduct,       // (m, k) and (k, n) give (m, n)
  kProductAsync,  // the same, as a register buffer
  kAlloc,
  kCopy,
  kCopyAsync,
  kBarrier,
  kAtBlock,  // the type of x
  kRing,
  kRingFull,  // one mbarrier
  kNothing,
  kRange,
  kUndetermined,
  kScalar,
  kLength,
  kToFloat,
  kToInt,
};

enum class OpEffect : std::uint8_t { kPure, kReads, kWrites, kAsync, kSync, kBuild };

/// The values that an argument may have.
enum class ArgKind : std::uint8_t {
  kNum,      // "num": a tile, something that can be read as one, or a number
  kInt,      // "int"
  kBool,     // "bool"
  kStr,      // "str": a literal
  kDtype,    // "dtype": a literal such as "f16", or x.dtype
  kShape,    // "shape": constant sizes
  kIndex,    // "index": an integer or a tuple of them
  kTensor,   // "tensor": an argument of the kernel
  kBuffer,   // "buffer": a buffer, a tensor, or a part of either
  kBarrier,  // "barrier": one mbarrier
  kBytes,    // "bytes": a number of them, or a part of shared memory that has so many
  kMethod,   // "method": self.name
  kAny,      // "any"
};

struct OpParam {
  std::string name;
  ArgKind kind = ArgKind::kAny;
  bool required = true;
  bool repeated = false;  ///< `*name`: takes all positional arguments that are left.
};

struct OpInfo {
  Op op;
  std::string_view name;
  OpGroup group;
  std::string_view signature;
  OpEffect effect;
  std::string_view ptx;
  std::string_view meaning;
  std::vector<OpParam> params;  ///< The signature, parsed.
};

/// Every operation, in the order of the list. Any thread.
std::span<const OpInfo> all_ops();
const OpInfo& info_of(Op op);
/// By the name in the list: "exp", "barrier.init", "self.bind".
std::optional<Op> find_op(std::string_view name);
/// True for names that were free before they became operations: variables and methods may still
/// have them.
bool may_be_taken(std::string_view name);
/// True for `np`, `torch`, ...: libraries whose name may stand before an operation on values.
bool is_library(std::string_view name);
/// True for what may stand after a library's name: operations on values, and `inf`.
bool is_in_libraries(std::string_view name);
/// The parameter that an argument's name means: `dim` for `axis`. Other names as they are.
std::string_view parameter_of(const OpInfo& info, std::string_view name);
/// "reads", "async", ...: as in the documentation.
std::string_view word_of(OpEffect effect);
/// The result's shape in words: "(m, n)", "shape of x". Nothing for operations without a result.
std::string_view result_of(OpGroup group);

enum class Operator : std::uint8_t {
#define WS_IR_OPERATOR(id, text, precedence, kind) id,
#include "runtime/ir/syntax/operators.def"
#undef WS_IR_OPERATOR
};

enum class OperatorKind : std::uint8_t { kLogic, kPrefix, kCompare, kLeft, kRight };

struct OperatorInfo {
  Operator op;
  std::string_view text;
  int precedence;
  OperatorKind kind;
};

std::span<const OperatorInfo> all_operators();
const OperatorInfo& info_of(Operator op);

}  // namespace ws::ir
