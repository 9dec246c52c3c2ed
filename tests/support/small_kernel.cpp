#include "tests/support/small_kernel.h"

namespace ws::lift {

NodeId add_node(Tree& tree, NodeKind kind, std::int32_t index, std::vector<NodeId> kids,
                TypeId type, COperator op) {
  Node node;
  node.kind = kind;
  node.index = index;
  node.kids = std::move(kids);
  node.type = type;
  node.op = op;
  tree.nodes.push_back(std::move(node));
  return static_cast<NodeId>(tree.nodes.size()) - 1;
}

VariableId add_variable(Tree& tree, const std::string& name, TypeId type, Space space,
                        bool reference) {
  Variable variable;
  variable.name = name;
  variable.type = type;
  variable.space = space;
  variable.reference = reference;
  tree.variables.push_back(std::move(variable));
  return static_cast<VariableId>(tree.variables.size()) - 1;
}

FunctionId add_function(Tree& tree, std::vector<VariableId> params, NodeId body) {
  Function function;
  function.name = "f";
  function.params = std::move(params);
  function.body = body;
  tree.functions.push_back(std::move(function));
  return static_cast<FunctionId>(tree.functions.size()) - 1;
}

SmallKernel::SmallKernel(std::int64_t threads) {
  constexpr std::int64_t kElements = 64;
  int_ = type(TypeKind::kInt, "int", 4);
  tree_.types.back().is_signed = true;
  float_ = type(TypeKind::kFloat, "float", 4);
  pointer_ = type(TypeKind::kPointer, "float *", 8);
  tree_.types.back().element = float_;
  const TypeId array = type(TypeKind::kArray, "float[64]", kElements * 4);
  tree_.types.back().element = float_;
  tree_.types.back().count = kElements;
  in_ = declared("in", pointer_);
  out_ = declared("out", pointer_);
  count_ = declared("n", int_);
  shared_ = declared("s", array);
  tree_.variables.back().space = Space::kShared;
  Function entry;
  entry.name = "small";
  entry.kernel = true;
  entry.params = {in_, out_, count_};
  tree_.functions.push_back(entry);
  input_.entry = 0;
  input_.block = {threads, 1, 1};
  input_.grid[0] = "self.blocks";
  const Poly size = Poly::of(symbols_.intern("self.size"));
  input_.tensors = {{"in", DType::kF32, {size}, false}, {"out", DType::kF32, {size}, false}};
  Argument argument;
  argument.kind = Argument::Kind::kTensor;
  input_.args.push_back(argument);
  argument.tensor = 1;
  input_.args.push_back(argument);
  argument.kind = Argument::Kind::kInteger;
  argument.integer = Poly::of(symbols_.intern("self.n"));
  input_.args.push_back(argument);
}

TypeId SmallKernel::type(TypeKind kind, const std::string& name, std::int64_t bytes) {
  Type made;
  made.kind = kind;
  made.name = name;
  made.bytes = bytes;
  tree_.types.push_back(std::move(made));
  return static_cast<TypeId>(tree_.types.size()) - 1;
}

VariableId SmallKernel::declared(const std::string& name, TypeId of) {
  Variable made;
  made.name = name;
  made.type = of;
  tree_.variables.push_back(std::move(made));
  return static_cast<VariableId>(tree_.variables.size()) - 1;
}

NodeId SmallKernel::node(NodeKind kind, TypeId of, std::vector<NodeId> kids) {
  return add_node(tree_, kind, kNone, std::move(kids), of);
}

NodeId SmallKernel::number(std::int64_t value) {
  const NodeId made = node(NodeKind::kInt, int_, {});
  tree_.nodes.back().value = value;
  return made;
}

NodeId SmallKernel::thread() {
  return node(NodeKind::kBuiltin, int_, {});
}

NodeId SmallKernel::block() {
  const NodeId made = node(NodeKind::kBuiltin, int_, {});
  tree_.nodes.back().builtin = Builtin::kBlockIdx;
  return made;
}

NodeId SmallKernel::variable(VariableId id) {
  const NodeId made = node(NodeKind::kVariable, tree_.variable(id).type, {});
  tree_.nodes.back().index = id;
  return made;
}

NodeId SmallKernel::address() {
  return node(NodeKind::kCast, int_, {shared()});
}

NodeId SmallKernel::binary(COperator op, NodeId left, NodeId right) {
  const NodeId made = node(NodeKind::kBinary, int_, {left, right});
  tree_.nodes.back().op = op;
  return made;
}

NodeId SmallKernel::element(NodeId pointer, NodeId index) {
  return node(NodeKind::kIndex, float_, {pointer, index});
}

NodeId SmallKernel::sum(NodeId pointer, NodeId elements) {
  const NodeId made = binary(COperator::kAdd, pointer, elements);
  tree_.nodes.back().type = pointer_;
  return made;
}

NodeId SmallKernel::assign(NodeId target, NodeId value) {
  return node(NodeKind::kAssign, tree_.node(target).type, {target, value});
}

NodeId SmallKernel::assembly(const std::string& text, std::vector<NodeId> operands,
                             std::int64_t outputs) {
  const NodeId made = node(NodeKind::kAsm, kNone, std::move(operands));
  tree_.nodes.back().text = text;
  tree_.nodes.back().value = outputs;
  return made;
}

NodeId SmallKernel::copy(NodeId to, NodeId from) {
  return assembly("cp.async.cg.shared.global [%0], [%1], 16;", {to, from});
}

NodeId SmallKernel::barrier() {
  const NodeId made = node(NodeKind::kCall, kNone, {});
  tree_.nodes.back().text = "__syncthreads";
  return made;
}

NodeId SmallKernel::branch(NodeId condition, NodeId then) {
  return node(NodeKind::kIf, kNone, {condition, then});
}

NodeId SmallKernel::leave() {
  return node(NodeKind::kReturn, kNone, {});
}

NodeId SmallKernel::several(std::vector<NodeId> statements) {
  return node(NodeKind::kBlock, kNone, std::move(statements));
}

NodeId SmallKernel::loop_of(VariableId i, NodeId body) {
  const NodeId first = node(NodeKind::kDeclare, int_, {number(0)});
  tree_.nodes.back().index = i;
  const NodeId condition = binary(COperator::kLess, variable(i), variable(count_));
  const NodeId step = node(NodeKind::kUnary, int_, {variable(i)});
  tree_.nodes.back().op = COperator::kIncrement;
  return node(NodeKind::kFor, kNone, {first, condition, step, body});
}

SmallKernel::Outcome SmallKernel::run(bool together, const PipelineCase& pipeline) {
  tree_.functions[0].body = several(body_);
  terms_ = std::make_unique<Terms>(input_.threads());
  Outcome done;
  Block block(tree_, input_, *terms_, symbols_, done.events, nullptr);
  block.know_warps(together);
  block.pipeline(pipeline);
  if (const Status ran = block.run(); !ran) {
    done.error = ran.error().message;
  }
  return done;
}

Result<Program> SmallKernel::lifted() {
  tree_.functions[0].body = several(body_);
  return lift_values(tree_, input_, symbols_, "Small");
}

std::int64_t SmallKernel::stored(const Outcome& done, std::size_t store, std::int32_t lane) {
  const Ref ref = terms_->resolve({done.events.stores.at(store).events.at(0).value, lane});
  const Term& term = terms_->at(ref.term);
  return term.kind == TermKind::kLoad
             ? term.poly.at(static_cast<std::size_t>(ref.lane)).constant()[0]
             : -1;
}

std::string SmallKernel::stored_text(const Outcome& done, std::size_t store, std::int32_t lane) {
  const Ref ref = terms_->resolve({done.events.stores.at(store).events.at(0).value, lane});
  return symbols_.text_of(terms_->at(ref.term).poly.at(static_cast<std::size_t>(ref.lane)));
}

}  // namespace ws::lift
