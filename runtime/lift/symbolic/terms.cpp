#include "runtime/lift/symbolic/terms.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "runtime/lift/symbolic/matrices.h"

namespace ws::lift {
namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  // splitmix64 of both: hashes stand for values, so all bits must count.
  std::uint64_t z = a * 0x9e3779b97f4a7c15ULL + b + 0x632be59bd9b4e019ULL;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

std::uint64_t hash_of(std::string_view text) {
  return std::hash<std::string_view>()(text);
}

/// Sums, products, maxima and minima: the order of their operands does not count.
bool is_commutative(TermOp op) {
  return op == ir::Operator::kMultiply || is_associative(op);
}

/// 0, in a sum.
bool is_neutral(const Term& term, TermOp op) {
  const bool zero = (term.kind == TermKind::kNumber && term.number == 0) ||
                    (term.kind == TermKind::kInteger && term.poly.number() == 0);
  return op == ir::Operator::kAdd && zero;
}

}  // namespace

std::uint64_t hash_of(const Poly& poly, std::size_t lane) {
  std::uint64_t hash = 1;
  for (const auto& [monomial, lanes] : poly.terms()) {
    const std::int64_t factor = lane_of(lanes, lane);
    if (factor == 0) {
      continue;
    }
    std::uint64_t part = mix(2, static_cast<std::uint64_t>(factor));
    for (const SymbolId symbol : monomial) {
      part = mix(part, static_cast<std::uint64_t>(symbol));
    }
    hash += part;
  }
  return hash;
}

TermId Terms::add(Term term) {
  for (const TermId arg : term.args) {
    term.depth = std::max(term.depth, at(arg).depth + 1);
  }
  for (const Ref& source : term.sources) {
    term.depth =
        source.term == kNone ? term.depth : std::max(term.depth, at(source.term).depth + 1);
  }
  deepest_ = std::max(deepest_, term.depth);
  terms_.push_back(std::move(term));
  return static_cast<TermId>(terms_.size()) - 1;
}

void Terms::note_assigned(TermId id, const std::string& variable, const Range& range) {
  if (id == kNone || at(id).kind != TermKind::kOperation || at(id).variable != kNone) {
    return;
  }
  const auto known = std::find(variables_.begin(), variables_.end(), variable);
  Term& term = terms_[static_cast<std::size_t>(id)];
  term.variable = static_cast<int>(known - variables_.begin());
  term.assigned = range;
  if (known == variables_.end()) {
    variables_.push_back(variable);
  }
}

void Terms::truncate(std::size_t size) {
  terms_.resize(std::min(size, terms_.size()));
  value_hashes_.resize(std::min(size, value_hashes_.size()));
  shape_hashes_.resize(std::min(size, shape_hashes_.size()));
  mask_hashes_.resize(std::min(size, mask_hashes_.size()));
  value_operands_.resize(std::min(size, value_operands_.size()));
  shape_operands_.resize(std::min(size, shape_operands_.size()));
  rounded_.clear();
}

TermId Terms::rounded(TermId id, DType type) {
  const auto [known, fresh] = rounded_.try_emplace({id, type}, id);
  if (fresh && at(id).type != type) {
    known->second = operation(ir::Op::kCast, type, {id});
  }
  return known->second;
}

TermId Terms::number(double value, DType type) {
  Term term;
  term.number = value;
  term.type = type;
  return add(std::move(term));
}

TermId Terms::integer(Poly poly, DType type) {
  Term term;
  term.kind = TermKind::kInteger;
  term.type = type;
  term.poly = std::move(poly);
  return add(std::move(term));
}

TermId Terms::operation(TermOp op, DType type, std::vector<TermId> args) {
  Term term;
  term.kind = TermKind::kOperation;
  term.type = type;
  term.op = op;
  term.args = std::move(args);
  return add(std::move(term));
}

TermId Terms::move(DType type, std::vector<Ref> sources) {
  // Through earlier moves at once: values may go through shared memory again and again.
  for (Ref& source : sources) {
    source = resolve(source);
  }
  Term term;
  term.kind = TermKind::kMove;
  term.type = type;
  term.sources = std::move(sources);
  return add(std::move(term));
}

Ref Terms::resolve(Ref ref) const {
  while (ref.term != kNone) {
    const Term& term = at(ref.term);
    if (term.kind == TermKind::kMove) {
      ref = term.sources[static_cast<std::size_t>(ref.lane)];
    } else if (term.kind == TermKind::kOperation && term.op == ir::Op::kWhere &&
               at(term.args[0]).known) {
      const bool truth = lane_of(at(term.args[0]).truth, static_cast<std::size_t>(ref.lane)) != 0;
      ref.term = term.args[truth ? 1 : 2];
    } else {
      break;
    }
  }
  return ref;
}

std::uint64_t Terms::value_hash(Ref ref) {
  return hash(ref, false);
}

std::uint64_t Terms::shape_hash(Ref ref) {
  return hash(ref, true);
}

std::uint64_t Terms::hash(Ref ref, bool shape) {
  ref = resolve(ref);
  if (ref.term == kNone) {
    return 0;
  }
  const auto term = static_cast<std::size_t>(ref.term);
  const auto lane = static_cast<std::size_t>(ref.lane);
  Hashes& known = shape ? shape_hashes_ : value_hashes_;
  if (slot(known, term, lane) == 0) {
    const std::uint64_t made = compute_hash(ref, shape);
    slot(known, term, lane) = made;
  }
  return slot(known, term, lane);
}

std::uint64_t& Terms::slot(Hashes& hashes, std::size_t term, std::size_t lane) const {
  if (hashes.size() <= term) {
    hashes.resize(terms_.size());
  }
  if (hashes[term].empty()) {
    hashes[term].assign(lanes_, 0);
  }
  return hashes[term][lane];
}

/// For a tree of one commutative operation: the sum of its operands' hashes.
std::uint64_t Terms::operands_hash(Ref ref, TermOp op, bool shape) {
  ref = resolve(ref);
  if (ref.term == kNone) {
    return 0;
  }
  const Term& term = at(ref.term);
  if (is_neutral(term, op)) {
    return 0;
  }
  if (term.kind != TermKind::kOperation || term.op != op) {
    return mix(hash(ref, shape), 7);
  }
  // Kept: a value that is added to itself again and again is a tree of more leaves than there are.
  Hashes& known = shape ? shape_operands_ : value_operands_;
  const auto at_term = static_cast<std::size_t>(ref.term);
  const auto lane = static_cast<std::size_t>(ref.lane);
  if (const std::uint64_t kept = slot(known, at_term, lane); kept != 0) {
    return kept;
  }
  std::uint64_t sum = 0;
  for (const TermId arg : term.args) {
    const std::uint64_t part = operands_hash({arg, ref.lane}, op, shape);
    // The hash of a shape does not count how many operands there are.
    sum = shape ? sum | part : sum + part;
  }
  sum = sum == 0 ? 1 : sum;  // Doubled often enough, it would look unknown.
  slot(known, at_term, lane) = sum;
  return sum;
}

std::uint64_t Terms::compute_hash(Ref ref, bool shape) {
  const Term& term = at(ref.term);
  const auto lane = static_cast<std::size_t>(ref.lane);
  std::uint64_t made =
      mix(static_cast<std::uint64_t>(term.kind), static_cast<std::uint64_t>(term.type));
  switch (term.kind) {
    case TermKind::kNumber:
      return mix(made, std::bit_cast<std::uint64_t>(term.number));
    case TermKind::kInteger:
      return shape ? made : mix(made, hash_of(term.poly, lane));
    case TermKind::kArgument:
      return mix(made, hash_of(term.name));
    case TermKind::kLoad:
      made = mix(made, static_cast<std::uint64_t>(term.object));
      return shape ? made
                   : mix(mix(made, hash_of(term.poly, lane)),
                         static_cast<std::uint64_t>(term.version));
    case TermKind::kCarried:
      made = mix(mix(made, static_cast<std::uint64_t>(term.object)),
                 static_cast<std::uint64_t>(term.version));
      return shape ? made
                   : mix(mix(made, static_cast<std::uint64_t>(term.slot)),
                         static_cast<std::uint64_t>(lane));
    case TermKind::kOperation:
    case TermKind::kMove:
      break;
  }
  made = mix(made, term.op.code());
  if (is_matrix_product(term)) {
    // Made of what other threads have: equal to itself only.
    return shape ? made : mix(mix(made, static_cast<std::uint64_t>(ref.term)), lane);
  }
  if (is_commutative(term.op) && !is_rounded_sum(term)) {
    return mix(made, operands_hash(ref, term.op, shape));
  }
  for (const TermId arg : term.args) {
    made = mix(made, hash({arg, ref.lane}, shape));
  }
  return made;
}

bool Terms::flatten(Ref ref, TermOp op, std::size_t limit, std::vector<Ref>& operands) const {
  ref = resolve(ref);
  if (ref.term == kNone || operands.size() > limit) {
    return false;
  }
  const Term& term = at(ref.term);
  if (is_neutral(term, op)) {
    return true;
  }
  if (term.kind != TermKind::kOperation || term.op != op) {
    operands.push_back(ref);
    return true;
  }
  return std::all_of(term.args.begin(), term.args.end(),
                     [&](TermId arg) { return flatten({arg, ref.lane}, op, limit, operands); });
}

}  // namespace ws::lift
