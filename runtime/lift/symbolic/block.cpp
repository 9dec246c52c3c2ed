#include "runtime/lift/symbolic/block.h"

#include <algorithm>

namespace ws::lift {

Block::Block(const Tree& tree, const LaunchInput& input, Terms& terms, Symbols& symbols, Sink& sink,
             const std::set<ObjectId>* needed)
    : tree_(tree),
      input_(input),
      terms_(terms),
      symbols_(symbols),
      reports_(sink),
      numbers_(terms, symbols, input),
      scalars_(tree),
      steps_(input.time_budget, terms),
      guards_(terms, numbers_),
      lanes_(input.threads()),
      round_reads_(terms),
      basis_{tree, input, mode_, terms, symbols, numbers_, scalars_},
      objects_(basis_, guards_, control_),
      memory_(basis_, objects_, steps_, guards_, control_, reports_, round_reads_),
      copies_(basis_, objects_, memory_, guards_, steps_),
      carried_(basis_, objects_, memory_, reports_, steps_),
      places_(basis_, reports_),
      loops_(basis_,
             {*this, reports_, steps_, guards_, control_, round_reads_, objects_, memory_, copies_,
              carried_, places_},
             needed),
      calls_(basis_, *this, reports_, steps_, guards_, control_, objects_, memory_, carried_),
      pointers_(basis_, *this, objects_),
      evaluator_(basis_, *this, steps_, guards_, objects_, memory_, pointers_, calls_),
      instructions_(basis_, *this, steps_, guards_, objects_, memory_, copies_) {}

Status Block::run() {
  const Function& entry = tree_.function(input_.entry);
  steps_.enter(entry.range);
  if (entry.body == kNone) {
    return fail(ErrorCode::kUnsupported, "the kernel has no body");
  }
  objects_.declare_globals();
  control_.enter({});
  WS_CHECK(bind_arguments());
  WS_CHECK(statement(entry.body));
  return memory_.flush();
}

Status Block::bind_arguments() {
  const Function& entry = tree_.function(input_.entry);
  if (entry.params.size() != input_.args.size()) {
    return fail(ErrorCode::kUnsupported, "the entry has " + std::to_string(entry.params.size()) +
                                             " parameters, and the launch gives " +
                                             std::to_string(input_.args.size()));
  }
  for (std::size_t i = 0; i < entry.params.size(); ++i) {
    const Variable& param = tree_.variable(entry.params[i]);
    const Argument& argument = input_.args[i];
    Leaf leaf;
    if (argument.kind == Argument::Kind::kTensor) {
      const Object& tensor = objects_.at(static_cast<ObjectId>(argument.tensor));
      leaf.object = static_cast<ObjectId>(argument.tensor);
      leaf.offset =
          argument.integer.times(Poly(static_cast<std::int64_t>(size_of(tensor.element))));
    } else if (argument.kind == Argument::Kind::kInteger) {
      leaf.term =
          numbers_.converted(terms_.integer(argument.integer), scalars_.dtype_of(param.type));
    } else if (argument.kind == Argument::Kind::kFloat) {
      Term term;
      term.kind = TermKind::kArgument;
      term.type = scalars_.dtype_of(param.type);
      term.name = argument.text;
      leaf.term = terms_.add(std::move(term));
    }
    objects_.declare(entry.params[i], {param.type, {leaf}});
  }
  return {};
}

Result<Value> Block::evaluate(NodeId id) {
  return evaluator_.evaluate(id);
}

Result<ValuePlace> Block::place(NodeId id) {
  return pointers_.place(id);
}

}  // namespace ws::lift
