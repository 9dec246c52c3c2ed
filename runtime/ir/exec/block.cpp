#include "runtime/ir/exec/block.h"

#include <algorithm>
#include <limits>

#include "runtime/ir/exec/interpreter.h"

namespace ws::ir {
namespace {

constexpr std::int64_t kDefaultThreads = 128;

// Awaits the method and keeps how it ended, as nobody awaits this one.
Task<Flow> whole(Worker& worker, const Method& method, Names given) {
  worker.end = co_await worker.interpreter->run(method, std::move(given));
  worker.actor.done = true;
  co_return worker.end;
}

void start(Worker& worker, const Method& method, Names given) {
  worker.actor.done = false;
  worker.task = whole(worker, method, std::move(given));
  worker.task.start(worker.chain);
}

Value tuple_of(const std::array<std::int64_t, 3>& numbers) {
  Value value;
  value.kind = Kind::kTuple;
  for (const std::int64_t number : numbers) {
    value.items.push_back(Value::of(number));
  }
  return value;
}

std::int64_t threads_of_block(const BlockState& state) {
  const auto found = state.self.find("blockDim");
  std::int64_t threads = 1;
  if (found == state.self.end()) {
    return kDefaultThreads;
  }
  for (const Value& item : found->second.items) {
    threads *= std::clamp<std::int64_t>(item.integer, 1, 1024);
  }
  return found->second.kind == Kind::kInt ? found->second.integer : threads;
}

std::int64_t threads_of(const Bound& bound, const BlockState& state) {
  return bound.kind == "warpgroup" ? 128
         : bound.kind == "warp"    ? 32
         : bound.kind == "block"   ? threads_of_block(state)
                                   : 1;
}

// The number that a role was bound to is its first argument, and its place among those that were
// bound with it the second one, unless that has a default.
Names given_number(const Method& method, const Bound& bound) {
  Names given;
  if (!method.params.empty()) {
    given[method.params[0].name] = Value::of(bound.index);
  }
  if (method.params.size() > 1 && method.params[1].default_value == kNoExpr) {
    given[method.params[1].name] = Value::of(bound.place);
  }
  return given;
}

bool binds_roles(const Program& program) {
  return std::ranges::any_of(program.exprs, [](const Expr& expr) {
    return expr.kind == ExprKind::kAttribute && expr.text == "bind";
  });
}

}  // namespace

Worker::Worker(Actor who)
    : actor(std::move(who)) {}

Worker::~Worker() = default;

void resume(Worker& worker) {
  worker.chain.paused = false;
  while (!worker.chain.paused && worker.chain.current) {
    worker.chain.current.resume();
  }
}

Block::Block(Grid& grid, Machine& machine, std::size_t rank)
    : grid_(grid),
      program_(*grid.program),
      rank_(rank),
      state_{machine, {}, {}, {}} {
  setup_ = add("setup", 0);
}

bool Block::setup() {
  const bool good =
      initialise() && (!binds_roles(program_) || finish(*program_.find_method("run"), {}));
  // Every role knows the effects of __init__, as if a cta_sync and a fence followed it.
  setup_->actor.known.fence();
  return good;
}

bool Block::measure() {
  if (!initialise()) {
    return false;
  }
  grid_.size = size_of("gridDim");
  grid_.cluster = size_of("clusterDim");
  return true;
}

bool Block::initialise() {
  const std::int64_t x = grid_.size[0];
  const std::int64_t number = state_.machine.block_of(setup_->actor);
  state_.globals["blockIdx"] =
      tuple_of({number % x, number / x % grid_.size[1], number / x / grid_.size[1]});
  state_.globals["gridDim"] = tuple_of(grid_.size);
  state_.globals["inf"] = Value::real(std::numeric_limits<double>::infinity());
  state_.self["gridDim"] = tuple_of({1, 1, 1});
  state_.self["clusterDim"] = tuple_of({1, 1, 1});
  return constants() && finish(*program_.find_method("__init__"), grid_.arguments);
}

std::array<std::int64_t, 3> Block::size_of(const std::string& name) const {
  const Value& given = state_.self.at(name);
  std::array<std::int64_t, 3> size = {1, 1, 1};
  for (std::size_t i = 0; i < given.items.size() && i < size.size(); ++i) {
    size.at(i) = given.items[i].integer;
  }
  return size;
}

std::unique_ptr<Worker> Block::add(const std::string& name, std::int64_t threads) {
  Actor actor;
  actor.name = name;
  actor.rank = rank_;
  actor.threads = threads;
  if (setup_) {
    actor.known = setup_->actor.known;
  }
  state_.machine.add_actor(actor, setup_ != nullptr);
  auto worker = std::make_unique<Worker>(std::move(actor));
  worker->interpreter = std::make_unique<Interpreter>(state_, worker->actor);
  return worker;
}

bool Block::constants() {
  for (const std::vector<StmtId>* list : {&program_.before, &program_.constants}) {
    if (const Status status = setup_->interpreter->constants(*list); !status) {
      state_.machine.report(FindingKind::kRuntimeError, setup_->actor, program_.place, {}, "",
                            status.error().message, status.error().hint);
      return false;
    }
  }
  const Names& locals = setup_->interpreter->locals();
  state_.globals.insert(locals.begin(), locals.end());
  for (const StmtId id : program_.constants) {
    for (const ExprId target : program_.stmt(id).targets) {
      const std::string& name = program_.expr(target).text;
      state_.self[name] = state_.globals[name];
    }
  }
  return true;
}

// Runs a method of the setup to its end; there is nobody it could wait for.
bool Block::finish(const Method& method, Names given) {
  Worker& worker = *setup_;
  start(worker, method, std::move(given));
  while (!worker.actor.done) {
    resume(worker);
    if (worker.actor.wait && !worker.actor.wait->ready()) {
      state_.machine.report(FindingKind::kDeadlock, worker.actor, worker.actor.wait->place, {}, "",
                            "a wait outside a role: nobody else runs yet", "move it into a role");
      return false;
    }
    worker.actor.wait.reset();
  }
  return worker.end != Flow::kStop;
}

std::vector<std::unique_ptr<Worker>> Block::start_roles() {
  std::vector<std::unique_ptr<Worker>> workers;
  if (!binds_roles(program_)) {
    workers.push_back(add("run", threads_of_block(state_)));
    start(*workers.back(), *program_.find_method("run"), {});
  }
  for (const Bound& bound : state_.bound) {
    const Method& role = *program_.find_method(bound.method);
    const std::string number = bound.kind == "block" ? "" : "(" + std::to_string(bound.index) + ")";
    workers.push_back(add(bound.method + number, threads_of(bound, state_)));
    start(*workers.back(), role, given_number(role, bound));
  }
  return workers;
}

}  // namespace ws::ir
