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
  return word == "one"    ? 1
         : word == "-inf" ? -std::numeric_limits<double>::infinity()
         : word == "none" ? undetermined()
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
  return machine_.load(actor_, view, padding(args[3].text), place_);
}

Status Interpreter::store(Op op, const std::vector<Value>& args) {
  const Value tile = read(args[2]);
  const View view =
      machine_.tile_view(actor_, *args[0].view, integers(args[1]), tile.tile->shape, place_);
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

// Indices go through the tensor as if it had one dimension.
Result<std::int64_t> Interpreter::flat_index(double index, const Value& tensor,
                                             const std::string& example) {
  WS_CHECK(check_determined(Value::real(index), "an index"));
  const std::int64_t at = to_integer(index);
  if (at < 0 || at >= count_of(tensor.shape).value_or(0)) {
    return bad("index " + std::to_string(at) + " is outside `" + tensor.view->buffer->name + "`",
               "mask it: " + example);
  }
  return at;
}

// The whole of the source counts as read, whatever the indices are.
Result<Value> Interpreter::gather(const std::vector<Value>& args) {
  const Value indices = read(args[1]);
  const Value all = machine_.read(actor_, *args[0].view, place_);
  const Value mask = args[2].kind == Kind::kNone ? Value::truth(true) : read(args[2]);
  const Value other = args[3].kind == Kind::kNone ? Value::of(0) : read(args[3]);
  Tile tile{args[0].dtype, indices.tile->shape, {}};
  const std::vector<double> wanted = spread(mask, tile.shape);
  const std::vector<double> instead = spread(other, tile.shape);
  const bool kept = all.is_kept() && other.is_kept();
  for (std::size_t i = 0; i < std::min(indices.tile->data.size(), wanted.size()); ++i) {
    std::int64_t at = 0;
    if (wanted[i] != 0) {
      WS_TRY(at, flat_index(indices.tile->data[i], args[0],
                            "gather(source, indices, mask=indices < size)"));
    }
    if (kept) {
      const double element = all.tile->data[static_cast<std::size_t>(at)];
      tile.data.push_back(select_element(wanted[i], element, instead[i]));
    }
  }
  Value value = Value::of(std::move(tile));
  value.made_at = machine_.tick();
  return value;
}

Result<Interpreter::Targets> Interpreter::scatter_targets(const Value& target, const Value& indices,
                                                          const Value& mask) {
  Targets targets;
  const std::vector<double> wanted = spread(mask, indices.tile->shape);
  for (std::size_t i = 0; i < indices.tile->data.size(); ++i) {
    WS_CHECK(check_determined(Value::real(wanted[i]), "`mask`"));
    const double index = indices.tile->data[i];
    if (wanted[i] == 0 || is_undetermined(wanted[i])) {
      continue;
    }
    WS_TRY(const std::int64_t at,
           flat_index(index, target, "scatter(target, indices, value, mask=indices < size)"));
    const auto [earlier, added] = targets.try_emplace(at, i);
    if (!added && !is_undetermined(index)) {
      const std::string& name = target.view->buffer->name;
      machine_.report(FindingKind::kDuplicateIndex, actor_, place_, {}, name,
                      "elements " + std::to_string(earlier->second) + " and " + std::to_string(i) +
                          " of `indices` are both " + std::to_string(at) + ": which of them `" +
                          name + "` keeps is undefined",
                      "make the indices differ, or mask all but one");
    }
  }
  return targets;
}

// Elements that lie one after the other in a row of the target are written together.
Status Interpreter::scatter(const std::vector<Value>& args) {
  const Value indices = read(args[1]);
  const Value value = read(args[2]);
  const Value mask = args[3].kind == Kind::kNone ? Value::truth(true) : read(args[3]);
  if (!indices.is_kept() || !mask.is_kept()) {
    return bad("`indices` or `mask` is not known when values are not kept",
               "run with values, or compute it from integers alone");
  }
  WS_TRY(const Targets targets, scatter_targets(args[0], indices, mask));
  const std::vector<double> elements = spread(value, indices.tile->shape);
  const Shape& shape = args[0].shape;
  for (auto next = targets.begin(); next != targets.end();) {
    View view = *args[0].view;
    std::int64_t rest = next->first;
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
      view.first[view.axes[d]] += rest % shape[d];
      view.count[view.axes[d]] = 1;
    }
    const std::int64_t first = next->first;
    const std::int64_t row_end = first - first % shape.back() + shape.back();
    std::vector<double> run;
    std::int64_t at = first;
    for (; next != targets.end() && next->first == at && at < row_end; ++next, ++at) {
      if (value.is_kept()) {
        run.push_back(elements[next->second]);
      }
    }
    view.count[view.axes.back()] = at - first;
    machine_.write(actor_, view, std::move(run), place_);
  }
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
  const Value source = read(args[1]);
  machine_.check_edge(actor_, *args[0].view, place_);
  machine_.write(actor_, *args[0].view, spread(source, args[0].shape), place_);
  note_fragment(*args[0].view, source);
  return {};
}

Status Interpreter::copy_async(const std::vector<Value>& args) {
  const Engine engine = args[3].text == "cp.async" ? Engine::kCpAsync : Engine::kTma;
  machine_.copy_async(actor_, *args[0].view, *args[1].view, args[2].barrier, engine, args[4].text,
                      args[5].text == "zero", place_);
  return {};
}

Result<Value> Interpreter::gemm_async(const std::vector<Value>& args) {
  std::vector<Type> types;
  std::transform(args.begin(), args.end(), std::back_inserter(types), type_of);
  WS_TRY(const Type type, infer_op(Op::kGemmAsync, types));
  check_fragment("gemm_async", "a", args[0]);
  return value_of(machine_.product_async(actor_, args[0], *args[1].view, args[3].view.get(),
                                         type.dtype, args[4].text, place_));
}

Result<Value> Interpreter::barriers(const std::vector<Value>& args) {
  Value value;
  value.kind = Kind::kBarrier;
  value.shape = {args[0].kind == Kind::kNone ? 1 : args[0].integer};
  value.barrier = machine_.make_barriers(value.shape[0]).data();
  return value;
}

}  // namespace ws::ir
