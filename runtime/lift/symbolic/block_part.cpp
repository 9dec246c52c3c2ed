// A part of a kernel: what stands around it is declared first (part.h).
#include <algorithm>
#include <string_view>

#include "runtime/base/text.h"
#include "runtime/lift/orchestration/part.h"
#include "runtime/lift/orchestration/places.h"
#include "runtime/lift/symbolic/block.h"
#include "runtime/lift/symbolic/meanings.h"

namespace ws::lift {

Status Block::begin_part(const SharedArrays& arrays) {
  mode_.arrays = &arrays;
  numbers_.begin_part();
  objects_.declare_globals();
  control_.enter({});
  return bind_arguments();
}

/// Whether it is an integer that is best called by the name that the program has for it.
bool Block::is_named(TermId value) const {
  if (value == kNone || terms_.at(value).kind != TermKind::kInteger ||
      !terms_.at(value).poly.is_uniform()) {
    return value != kNone && terms_.at(value).kind != TermKind::kInteger;
  }
  for (const auto& [monomial, lanes] : terms_.at(value).poly.terms()) {
    for (const SymbolId symbol : monomial) {
      if (symbols_.text(symbol).find_first_of("%/") != std::string::npos) {
        return true;
      }
    }
  }
  return false;
}

Result<ObjectId> Block::declare_part(const PartVariable& variable) {
  const TypeId type = tree_.variable(variable.id).type;
  if (variable.kind == PartVariable::Kind::kInteger) {
    const bool number = type != kNone && tree_.type(type).kind == TypeKind::kInt;
    if (variable.initial != kNone && tree_.variable(variable.id).reference) {
      WS_TRY(ValuePlace at, place(variable.initial));
      return objects_.declare(variable.id, {type, {{kNone, at.object, std::move(at.offset)}}});
    }
    if (variable.initial != kNone) {
      Result<Value> value = evaluate(variable.initial);
      const bool named = value && number && variable.known && is_named(value->leaves.front().term);
      if (value && !named) {
        return objects_.declare(variable.id, *std::move(value));
      }
    }
    if (variable.value && number) {
      const TermId term = terms_.integer(*variable.value, scalars_.dtype_of(type));
      return objects_.declare(variable.id, {type, {{term, kNone, {}}}});
    }
    if (!variable.known || !number) {
      return fail(ErrorCode::kUnsupported, "`" + variable.name + "` has no value by its name");
    }
    const TermId term =
        terms_.integer(Poly::of(symbols_.intern(variable.name)), scalars_.dtype_of(type));
    return objects_.declare(variable.id, {type, {{term, kNone, {}}}});
  }
  const std::size_t size = scalars_.of(type).size();
  const ObjectId id = objects_.declare(variable.id, {type, std::vector<Leaf>(size)});
  const bool readable = variable.known && variable.kind != PartVariable::Kind::kOperands;
  for (std::size_t i = 0; readable && i < size; ++i) {
    Term term;
    term.kind = TermKind::kCarried;
    term.type = DType::kF32;
    term.object = id;
    term.slot = static_cast<int>(i);
    TermId made = terms_.add(std::move(term));
    if (variable.kind == PartVariable::Kind::kRows) {
      // Several threads have a row: what one knows, the others know.
      std::map<std::int64_t, std::int32_t> first;
      std::vector<Ref> sources(lanes_);
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        const auto own = static_cast<std::int32_t>(lane);
        sources[lane] = {made, first.emplace(variable.layout.places[i][lane], own).first->second};
      }
      made = terms_.move(DType::kF32, std::move(sources));
    }
    objects_.at(id).leaves[i].term = made;
  }
  return id;
}

Status Block::run_part(const std::vector<NodeId>& statements) {
  for (const NodeId id : statements) {
    WS_CHECK(statement(id));
    if (control_.flow() != Flow::kNext || !guards_.exits().empty() || !guards_.are_all_active()) {
      return fail(ErrorCode::kUnsupported, "threads leave the loop or the kernel");
    }
  }
  return memory_.flush();
}

}  // namespace ws::lift
