// Operations on memory.
#include <algorithm>
#include <limits>

#include "runtime/ir/check/infer.h"
#include "runtime/ir/exec/interpreter.h"
#include "runtime/ir/exec/tile_math.h"
#include "runtime/ir/exec/tile_ops.h"

namespace ws::ir {
namespace {

// `pad` of load, by its word; left out it is zero.
double padding(const std::string& word) {
  using Limits = std::numeric_limits<double>;
  return word == "one"     ? 1
         : word == "-zero" ? -0.0
         : word == "inf"   ? Limits::infinity()
         : word == "-inf"  ? -Limits::infinity()
         : word == "nan"   ? Limits::quiet_NaN()
         : word == "none"  ? undetermined()
                           : 0;
}

}  // namespace

std::vector<std::int64_t> Interpreter::integers(const Value& value) {
  std::vector<std::int64_t> numbers;
  for (const Value& item : value.items) {
    numbers.push_back(item.integer);
  }
  return value.kind == Kind::kTuple ? numbers : std::vector<std::int64_t>{value.integer};
}

Result<Value> Interpreter::load(const std::vector<Value>& args) {
  WS_TRY(const Shape shape, shape_of(type_of(args[2])));
  const View view = machine_.tile_view(actor_, *args[0].view, integers(args[1]), shape, place_);
  if (args[3].text == "none" && passes_edge(view)) {
    machine_.undetermined_at = place_;
  }
  count_access(TileWorkKind::kLoad, view);
  return machine_.load(actor_, view, padding(args[3].text), place_);
}

Status Interpreter::store(Op op, const std::vector<Value>& args) {
  const Value tile = read(args[2], lies_as_product(args[2]));
  const bool may_be_outside = op == Op::kStore && machine_.several_workers(actor_);
  const View view = machine_.tile_view(actor_, *args[0].view, integers(args[1]), tile.tile->shape,
                                       place_, may_be_outside);
  if (may_be_outside && wholly_outside(view)) {
    return {};
  }
  count_access(op == Op::kStore ? TileWorkKind::kStore : TileWorkKind::kAtomic, view);
  std::vector<double> elements = tile.tile->data;
  if (op != Op::kStore) {
    const std::vector<double> before = ws::ir::read(view, 0);
    for (std::size_t i = 0; i < before.size() && i < elements.size(); ++i) {
      elements[i] = op == Op::kAtomicAdd ? before[i] + elements[i]
                                         : zip_element(Op::kMaximum, before[i], elements[i]);
    }
  }
  machine_.write(actor_, view, std::move(elements), place_,
                 op == Op::kAtomicAdd   ? Atomic::kAdd
                 : op == Op::kAtomicMax ? Atomic::kMax
                                        : Atomic::kNone);
  return {};
}

Result<Value> Interpreter::alloc(const std::vector<Value>& args) {
  WS_TRY(const Shape shape, shape_of(type_of(args[0])));
  WS_TRY(const DType dtype, dtype_of(type_of(args[2])));
  const Space space = args[1].text == "shared" ? Space::kShared : Space::kRegister;
  return value_of(
      view_of(machine_.make_buffer(actor_, "the buffer of line " + std::to_string(place_.line),
                                   space, dtype, shape, args[3].text, place_)));
}

Status Interpreter::copy(const std::vector<Value>& args) {
  const bool stored = args[0].view->buffer->space == Space::kGlobal;
  const bool fragments = lies_as_product(args[1]);
  const Value source =
      read(args[1], (stored && fragments) || (args[2].text == "ldmatrix" && !fragments));
  machine_.check_edge(actor_, *args[0].view, place_);
  machine_.write(actor_, *args[0].view, spread(source, args[0].shape), place_);
  note_fragment(*args[0].view, source);
  return {};
}

Status Interpreter::copy_async(const std::vector<Value>& args) {
  const Engine engine = args[3].text == "cp.async" ? Engine::kCpAsync : Engine::kTma;
  if (args[6].kind != Kind::kNone) {
    return machine_.copy_to_blocks(actor_, *args[0].view, *args[1].view, *args[2].barrier,
                                   static_cast<std::uint64_t>(args[6].integer), args[4].text,
                                   place_);
  }
  machine_.copy_async(actor_, *args[0].view, *args[1].view, args[2].barrier, engine, args[4].text,
                      args[5].text == "zero", place_);
  return {};
}

Result<Value> Interpreter::gemm_async(const std::vector<Value>& args) {
  std::vector<Type> types;
  std::transform(args.begin(), args.end(), std::back_inserter(types), type_of);
  WS_TRY(const Type type, infer_op(Op::kGemmAsync, types));
  check_fragment("gemm_async", "a", args[0]);
  const bool accumulates = args[5].kind == Kind::kNone || args[5].integer != 0;
  return value_of(machine_.product_async(actor_, args[0], *args[1].view, args[3].view.get(),
                                         accumulates, type.dtype, args[4].text, place_));
}

}  // namespace ws::ir
