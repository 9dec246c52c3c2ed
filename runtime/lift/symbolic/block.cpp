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
      shared_memory_(terms, guards_),
      pending_(terms, numbers_, guards_),
      needed_(needed),
      lanes_(input.threads()),
      round_reads_(terms) {}

Status Block::run() {
  const Function& entry = tree_.function(input_.entry);
  steps_.enter(entry.range);
  if (entry.body == kNone) {
    return fail(ErrorCode::kUnsupported, "the kernel has no body");
  }
  add_shared();
  control_.enter({});
  WS_CHECK(bind_arguments());
  WS_CHECK(statement(entry.body));
  return flush();
}

void Block::add_shared() {
  for (std::size_t i = 0; i < input_.tensors.size(); ++i) {
    Object made;
    made.kind = ObjectKind::kTensor;
    made.name = input_.tensors[i].name;
    made.element = input_.tensors[i].type;
    made.tensor = i;
    objects_.push_back(std::move(made));
  }
  for (std::size_t i = 0; i < tree_.variables.size(); ++i) {
    const Variable& variable = tree_.variables[i];
    if (variable.space != Space::kShared) {
      continue;
    }
    TypeId element = variable.type;
    while (element != kNone && tree_.type(element).kind == TypeKind::kArray) {
      element = tree_.type(element).element;
    }
    Object made;
    made.kind = ObjectKind::kShared;
    made.name = variable.name;
    made.type = variable.type;
    made.element = scalars_.dtype_of(element);
    made.range = variable.range;
    objects_.push_back(std::move(made));
    shared_[static_cast<VariableId>(i)] = static_cast<ObjectId>(objects_.size()) - 1;
  }
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
      const Object& tensor = objects_[argument.tensor];
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
    declare_local(entry.params[i], {param.type, {leaf}});
  }
  return {};
}

ObjectId Block::declare_local(VariableId id, Value value) {
  Object made;
  made.name = tree_.variable(id).name;
  made.type = tree_.variable(id).type;
  made.leaves = std::move(value.leaves);
  made.masks = guards_.conditions().size();
  made.active = guards_.active();
  objects_.push_back(std::move(made));
  const auto at = static_cast<ObjectId>(objects_.size()) - 1;
  control_.bind(id, at);
  return at;
}

Value Block::single(TypeId type, TermId term) const {
  return {type, {{term, kNone, {}}}};
}

}  // namespace ws::lift
