// Operations on single elements of a tensor, by index: gather and scatter.
#include <algorithm>

#include "runtime/ir/check/infer.h"
#include "runtime/ir/exec/interpreter.h"
#include "runtime/ir/exec/tile_math.h"
#include "runtime/ir/exec/tile_ops.h"

namespace ws::ir {
namespace {

/// The part of `tensor` from flat index `first` on, of `count` elements in one row.
View row_part(const View& tensor, const Shape& shape, std::int64_t first, std::int64_t count) {
  View view = tensor;
  std::int64_t rest = first;
  for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
    view.first[view.axes[d]] += rest % shape[d];
    view.count[view.axes[d]] = 1;
  }
  if (!shape.empty()) {
    view.count[view.axes.back()] = count;
  }
  return view;
}

/// Calls visit(part, first, count) for the elements `at[first]` to `at[first + count - 1]` that lie
/// one after the other in a row. @param at  Ascending.
template <typename Visit>
void for_each_run(const View& tensor, const Shape& shape, const std::vector<std::int64_t>& at,
                  const Visit& visit) {
  const std::int64_t row = shape.empty() ? 1 : shape.back();
  for (std::size_t first = 0; first < at.size();) {
    const std::int64_t row_end = at[first] - at[first] % row + row;
    std::size_t end = first + 1;
    while (end < at.size() && at[end] == at[end - 1] + 1 && at[end] < row_end) {
      ++end;
    }
    visit(row_part(tensor, shape, at[first], static_cast<std::int64_t>(end - first)), first,
          end - first);
    first = end;
  }
}

}  // namespace

// Indices go through the tensor as if it had one dimension.
Result<std::int64_t> Interpreter::flat_index(double index, const Value& tensor,
                                             const std::string& example) {
  WS_CHECK(check_determined(Value::real(index), "an index"));
  const std::int64_t at = to_integer(index);
  const std::int64_t count = count_of(tensor.shape).value_or(0);
  if (at < 0 || at >= count) {
    failure_ = FindingKind::kOutOfBounds;
    return bad("index " + std::to_string(at) + " is outside `" + tensor.view->buffer->name +
                   "` of " + std::to_string(count) + " elements",
               "mask it: " + example);
  }
  return at;
}

// In ValueMode::kNone an index or a mask may be unknown: then the whole of the source counts.
Result<Value> Interpreter::gather(const std::vector<Value>& args) {
  const Value indices = read(args[1]);
  const Value mask = args[2].kind == Kind::kNone ? Value::truth(true) : read(args[2]);
  const Value other = args[3].kind == Kind::kNone ? Value::of(0) : read(args[3]);
  if (!indices.is_kept() || !mask.is_kept()) {
    machine_.read(actor_, *args[0].view, place_);
    Value unknown = Value::of(Tile{args[0].dtype, indices.tile->shape, {}});
    unknown.made_at = machine_.tick();
    return unknown;
  }
  const std::vector<double> wanted = spread(mask, indices.tile->shape);
  std::vector<std::int64_t> places(wanted.size(), -1);
  std::vector<std::int64_t> at;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] != 0) {
      WS_TRY(places[i], flat_index(indices.tile->data[i], args[0],
                                   "gather(source, indices, mask=indices < size)"));
      at.push_back(places[i]);
    } else if (is_undetermined(other.kind == Kind::kFloat ? other.number : 0)) {
      machine_.undetermined_at = place_;
    }
  }
  std::ranges::sort(at);
  at.erase(std::unique(at.begin(), at.end()), at.end());
  count_elements(TileWorkKind::kLoad, args[0], wanted.size(), at);
  std::vector<double> found;
  for_each_run(*args[0].view, args[0].shape, at, [&](const View& part, std::size_t, std::size_t) {
    const Value read = machine_.read(actor_, part, place_);
    found.insert(found.end(), read.tile->data.begin(), read.tile->data.end());
  });
  Tile tile{args[0].dtype, indices.tile->shape, {}};
  if (found.size() == at.size() && other.is_kept()) {
    tile.data = spread(other, tile.shape);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i] >= 0) {
        const auto where = std::ranges::lower_bound(at, places[i]) - at.begin();
        const double element = found[static_cast<std::size_t>(where)];
        tile.data[i] = select_element(wanted[i], element, tile.data[i]);
      }
    }
  }
  Value value = Value::of(std::move(tile));
  value.made_at = machine_.tick();
  return value;
}

Result<Interpreter::Targets> Interpreter::scatter_targets(Op op, const Value& target,
                                                          const Value& indices, const Value& mask) {
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
    std::vector<std::size_t>& elements = targets[at];
    elements.push_back(i);
    if (op == Op::kScatter && elements.size() == 2 && !is_undetermined(index)) {
      const std::string& name = target.view->buffer->name;
      machine_.report(FindingKind::kDuplicateIndex, actor_, place_, {}, name,
                      "elements " + std::to_string(elements.front()) + " and " + std::to_string(i) +
                          " of `indices` are both " + std::to_string(at) + ": which of them `" +
                          name + "` keeps is undefined",
                      "make the indices differ, or mask all but one");
    }
  }
  return targets;
}

// Elements that lie one after the other in a row of the target are written together.
Status Interpreter::scatter(Op op, const std::vector<Value>& args) {
  const Value indices = read(args[1]);
  const Value value = read(args[2]);
  const Value mask = args[3].kind == Kind::kNone ? Value::truth(true) : read(args[3]);
  if (!indices.is_kept() || !mask.is_kept()) {
    return bad("`indices` or `mask` is not known when values are not kept",
               "run with values, or compute it from integers alone");
  }
  WS_TRY(const Targets targets, scatter_targets(op, args[0], indices, mask));
  const std::vector<double> elements = spread(value, indices.tile->shape);
  std::vector<std::int64_t> at;
  for (const auto& [place, sources] : targets) {
    at.push_back(place);
  }
  count_elements(op == Op::kScatter ? TileWorkKind::kStore : TileWorkKind::kAtomic, args[0],
                 elements.size(), at);
  for_each_run(*args[0].view, args[0].shape, at,
               [&](const View& part, std::size_t first, std::size_t count) {
                 std::vector<double> run;
                 if (value.is_kept()) {
                   run = op == Op::kScatter ? std::vector<double>(count, 0) : ws::ir::read(part, 0);
                 }
                 for (std::size_t i = 0; i < run.size(); ++i) {
                   for (const std::size_t source : targets.at(at[first + i])) {
                     run[i] = op == Op::kScatter ? elements[source] : run[i] + elements[source];
                   }
                 }
                 machine_.write(actor_, part, std::move(run), place_,
                                op == Op::kScatter ? Atomic::kNone : Atomic::kAdd);
               });
  return {};
}

}  // namespace ws::ir
