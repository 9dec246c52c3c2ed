#include "runtime/ir/exec/block.h"

#include <algorithm>
#include <limits>

#include "runtime/ir/exec/interpreter.h"

namespace ws::ir {
namespace {

constexpr std::int64_t kDefaultThreads = 128;

// A worker and the coroutine that it is. It stays where it is: others point at the actor.
struct Worker {
  Actor actor;
  std::unique_ptr<Interpreter> interpreter;
  Chain chain;
  Task<Flow> task;
  Flow end = Flow::kNext;
};

// Awaits the method and keeps how it ended, as nobody awaits this one.
Task<Flow> whole(Worker& worker, const Method& method, Names given) {
  worker.end = co_await worker.interpreter->run(method, std::move(given));
  worker.actor.done = true;
  co_return worker.end;
}

Value tuple_of(const std::vector<std::int64_t>& numbers) {
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

class BlockRun {
 public:
  BlockRun(Grid& grid, std::int64_t number)
      : grid_(grid),
        program_(*grid.program),
        state_{Machine(grid, number), {}, {}, {}} {}

  /// Constants, __init__, and run when it binds roles.
  bool setup(bool with_run) {
    Worker& worker = add("setup", 0);
    worker.actor.threads = 0;
    const std::int64_t x = grid_.size[0];
    const std::int64_t number = state_.machine.block();
    state_.globals["blockIdx"] =
        tuple_of({number % x, number / x % grid_.size[1], number / x / grid_.size[1]});
    state_.globals["gridDim"] = tuple_of({grid_.size[0], grid_.size[1], grid_.size[2]});
    state_.globals["inf"] = Value::real(std::numeric_limits<double>::infinity());
    state_.self["gridDim"] = tuple_of({1, 1, 1});
    if (!constants(worker)) {
      return false;
    }
    const Method& init = *program_.find_method("__init__");
    return finish(worker, init, grid_.arguments) &&
           (!with_run || finish(worker, *program_.find_method("run"), {}));
  }

  bool run() {
    const bool binds = std::any_of(
        program_.exprs.begin(), program_.exprs.end(),
        [](const Expr& expr) { return expr.kind == ExprKind::kAttribute && expr.text == "bind"; });
    bool good = setup(binds);
    // Every role knows the effects of __init__, as if a cta_sync and a fence followed it.
    Actor& setup_actor = workers_.front()->actor;
    setup_actor.done = true;
    setup_actor.known.fence();
    if (good) {
      start_roles(binds);
      good = schedule();
    }
    if (good) {
      state_.machine.check_end(actors_);
    }
    return good;
  }

  bool grid_size() {
    if (!setup(false)) {
      return false;
    }
    const Value& size = state_.self["gridDim"];
    grid_.size = {1, 1, 1};
    for (std::size_t i = 0; i < size.items.size() && i < grid_.size.size(); ++i) {
      grid_.size.at(i) = size.items[i].integer;
    }
    return true;
  }

 private:
  Worker& add(const std::string& name, std::int64_t threads) {
    workers_.push_back(std::make_unique<Worker>());
    Worker& worker = *workers_.back();
    worker.actor.name = name;
    worker.actor.threads = threads;
    if (workers_.size() > 1) {
      worker.actor.known = workers_.front()->actor.known;
    }
    state_.machine.add_actor(worker.actor);
    worker.interpreter = std::make_unique<Interpreter>(state_, worker.actor);
    actors_.push_back(&worker.actor);
    return worker;
  }

  bool constants(Worker& worker) {
    for (const std::vector<StmtId>* list : {&program_.before, &program_.constants}) {
      if (const Status status = worker.interpreter->constants(*list); !status) {
        state_.machine.report(FindingKind::kRuntimeError, worker.actor, program_.place, {}, "",
                              status.error().message, status.error().hint);
        return false;
      }
    }
    state_.globals.insert(worker.interpreter->locals().begin(), worker.interpreter->locals().end());
    for (const StmtId id : program_.constants) {
      for (const ExprId target : program_.stmt(id).targets) {
        const std::string& name = program_.expr(target).text;
        state_.self[name] = state_.globals[name];
      }
    }
    return true;
  }

  // Runs until the worker waits, yields or is through.
  static void resume(Worker& worker) {
    worker.chain.paused = false;
    while (!worker.chain.paused && worker.chain.current) {
      worker.chain.current.resume();
    }
  }

  // Runs a method of the setup to its end; there is nobody it could wait for.
  bool finish(Worker& worker, const Method& method, Names given) {
    worker.actor.done = false;
    worker.task = whole(worker, method, std::move(given));
    worker.task.start(worker.chain);
    while (!worker.actor.done) {
      resume(worker);
      if (worker.actor.wait && !worker.actor.wait->ready()) {
        state_.machine.report(FindingKind::kDeadlock, worker.actor, worker.actor.wait->place, {},
                              "", "a wait outside a role: nobody else runs yet",
                              "move it into a role");
        return false;
      }
      worker.actor.wait.reset();
    }
    return worker.end != Flow::kStop;
  }

  void start_roles(bool binds) {
    if (!binds) {
      Worker& worker = add("run", threads_of_block(state_));
      start(worker, *program_.find_method("run"), {});
    }
    for (const Bound& bound : state_.bound) {
      const bool block = bound.kind == "block";
      const std::int64_t threads = bound.kind == "warpgroup" ? 128
                                   : bound.kind == "warp"    ? 32
                                   : block                   ? threads_of_block(state_)
                                                             : 1;
      Worker& worker = add(
          block ? bound.method : bound.method + "(" + std::to_string(bound.index) + ")", threads);
      start(worker, *program_.find_method(bound.method),
            given_number(*program_.find_method(bound.method), bound.index));
    }
  }

  // The number that a role was bound to is its first argument.
  static Names given_number(const Method& method, std::int64_t index) {
    Names given;
    if (!method.params.empty()) {
      given[method.params.front().name] = Value::of(index);
    }
    return given;
  }

  void start(Worker& worker, const Method& method, Names given) {
    worker.task = whole(worker, method, std::move(given));
    worker.task.start(worker.chain);
  }

  // Roles until all are through. The setup, worker 0, takes no part.
  bool schedule() {
    std::uint64_t random = grid_.schedule.seed + static_cast<std::uint64_t>(state_.machine.block());
    std::size_t last = 0;
    while (true) {
      complete_at_random(random);
      const std::size_t next = pick(last, random);
      if (next != 0) {
        Worker& worker = *workers_[next];
        if (worker.actor.wait) {
          worker.actor.wait->passed();
          worker.actor.wait.reset();
        }
        resume(worker);
        if (worker.end == Flow::kStop) {
          return false;
        }
        last = next;
      } else if (state_.machine.pending() > 0) {
        state_.machine.complete_one(grid_.schedule.completion == Completion::kRandom
                                        ? next_random(random) % state_.machine.pending()
                                        : 0);
      } else {
        return all_done();
      }
    }
  }

  bool all_done() {
    const bool done =
        std::all_of(actors_.begin(), actors_.end(), [](const Actor* actor) { return actor->done; });
    if (!done) {
      state_.machine.report_deadlock({actors_.begin() + 1, actors_.end()});
    }
    return done;
  }

  void complete_at_random(std::uint64_t& random) {
    constexpr std::uint64_t one_in = 4;
    if (grid_.schedule.completion == Completion::kRandom && state_.machine.pending() > 0 &&
        next_random(random) % one_in == 0) {
      state_.machine.complete_one(next_random(random) % state_.machine.pending());
    }
  }

  [[nodiscard]] bool can_run(std::size_t index) const {
    const Actor& actor = workers_[index]->actor;
    return !actor.done && (!actor.wait || actor.wait->ready());
  }

  // 0 when nobody can run.
  std::size_t pick(std::size_t last, std::uint64_t& random) const {
    const std::size_t count = workers_.size() - 1;
    const Schedule& schedule = grid_.schedule;
    const std::size_t starved = count == 0 ? 0 : schedule.starved % count + 1;
    const std::size_t offset =
        schedule.workers == WorkerOrder::kRandom && count > 0 ? next_random(random) % count : last;
    std::size_t fallback = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t index =
          schedule.workers == WorkerOrder::kReverse ? count - i : (offset + i) % count + 1;
      if (!can_run(index)) {
        continue;
      }
      if (schedule.workers != WorkerOrder::kStarveOne || index != starved) {
        return index;
      }
      fallback = index;
    }
    return fallback;
  }

  Grid& grid_;
  const Program& program_;
  BlockState state_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Actor*> actors_;
};

}  // namespace

bool run_block(Grid& grid, std::int64_t block) {
  return BlockRun(grid, block).run();
}

bool measure_grid(Grid& grid) {
  return BlockRun(grid, 0).grid_size();
}

}  // namespace ws::ir
