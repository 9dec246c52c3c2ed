// Plain accesses, and what is said about those that nothing orders.
#include <algorithm>
#include <iterator>

#include "runtime/base/units.h"
#include "runtime/ir/exec/machine.h"

namespace ws::ir {
namespace {

std::string article(const Access& access) {
  switch (access.engine) {
    case Engine::kTma:
      return "the tma copy";
    case Engine::kWgmma:
      return "the gemm_async";
    case Engine::kCpAsync:
      return "the cp.async copy";
    case Engine::kNone:
      break;
  }
  return access.write ? "the write" : "the read";
}

std::string line(const Access& access) {
  return article(access) + " at line " + std::to_string(access.place.line);
}

/// The barrier at which all threads of a worker meet.
std::string barrier_of(const Actor& actor, bool several) {
  return several ? "bar_sync(id, " + std::to_string(actor.threads) + "), with an id for " +
                       actor.name + " alone,"
                 : "cta_sync()";
}

}  // namespace

void Machine::report(FindingKind kind, const Actor& actor, SourcePlace place, SourcePlace other,
                     const std::string& object, const std::string& message, const std::string& fix,
                     bool may_follow) {
  Finding* const row = grid_.findings.add({kind, message, place, other, object, actor.name, fix,
                                           grid_.schedule.name(), block_of(actor), may_follow});
  if (row != nullptr) {
    row->events = trace_.last();
    for (const Who& who : workers_) {
      row->workers.push_back(who.name + (units_.size() > 1
                                             ? " of block " + std::to_string(units_[who.rank].block)
                                             : ""));
    }
  }
}

std::shared_ptr<Buffer> Machine::make_buffer(Actor& actor, const std::string& name, Space space,
                                             DType dtype, const Shape& shape,
                                             const std::string& swizzle, SourcePlace place) {
  auto buffer = std::make_shared<Buffer>();
  const auto count = static_cast<std::size_t>(count_of(shape).value_or(0));
  buffer->name = name;
  buffer->space = space;
  buffer->dtype = dtype;
  buffer->shape = shape;
  buffer->swizzle = swizzle;
  buffer->place = place;
  buffer->written.assign(count, 0);
  buffer->unwritten = count;
  buffer->alive = count_alive(static_cast<std::int64_t>(count));
  if (grid_.mode != ValueMode::kNone || !is_float(dtype)) {
    buffer->data.assign(count, undetermined());
  }
  if (space == Space::kShared) {
    units_[actor.rank].shared.push_back(buffer);
  }
  if (space == Space::kRegister && actor.threads > 0) {
    actor.register_bytes[place.line] =
        static_cast<std::int64_t>(count) * static_cast<std::int64_t>(size_of(dtype));
    std::int64_t bytes = 0;
    for (const auto& [at, size] : actor.register_bytes) {
      bytes += size;
    }
    constexpr std::int64_t kRegisterBytes = 4;
    const std::int64_t needed = bytes / actor.threads / kRegisterBytes;
    if (needed > actor.max_registers) {
      report(FindingKind::kRegisterBudget, actor, place, {}, name,
             "`" + name + "` brings the buffers of a thread to " + std::to_string(needed) +
                 " registers: there are " + std::to_string(actor.max_registers),
             "give the role more threads, or a smaller tile");
    }
  }
  return buffer;
}

void Machine::set_max_registers(Actor& actor, std::int64_t count, SourcePlace place) {
  constexpr std::int64_t kOfBlock = 65536;
  actor.max_registers = count;
  std::map<std::size_t, std::int64_t>& registers = units_[actor.rank].registers;
  registers[actor.index] = count * actor.threads;
  std::int64_t all = 0;
  for (const auto& [worker, asked] : registers) {
    all += asked;
  }
  if (all > kOfBlock) {
    report(FindingKind::kRegisterBudget, actor, place, {}, "",
           "setmaxnreg(" + std::to_string(count) + ") brings what the workers ask for to " +
               std::to_string(all) + " registers: a block has " + std::to_string(kOfBlock) +
               ", and one of them waits for ever",
           "ask for fewer, or bind fewer workers");
  }
}

Access Machine::access_of(Actor& actor, const View& view, bool write, SourcePlace place) const {
  Access access;
  access.box = inside(view);
  std::copy_if(view.axes.begin(), view.axes.end(), std::back_inserter(access.axes),
               [&](std::size_t axis) { return access.box.count[axis] > 1; });
  access.write = write;
  access.worker = actor.index;
  access.epoch = actor.known.epoch_of(actor.index);
  access.swizzle = view.buffer->swizzle;
  access.registers = view.buffer->space == Space::kRegister;
  access.place = place;
  return access;
}

void Machine::note(Actor& actor, const View& view, Access access) {
  access.at = tick();
  actor.arrives_since.reset();
  Buffer& buffer = *view.buffer;
  if (access.engine == Engine::kNone && buffer.space != Space::kRegister) {
    trace_.note(actor.index, access.write ? EventKind::kWrite : EventKind::kRead, buffer.name,
                access.place);
  }
  if (units_.size() > 1 && access.engine == Engine::kNone && buffer.space == Space::kShared) {
    note_remote(actor, rank_of(buffer), name_of(view), access.place);
  }
  const bool several = actor.threads > kWarpSize && buffer.space == Space::kShared;
  if (const std::optional<Conflict> conflict =
          buffer.shadow.add(access, actor.known, several ? &actor.agreed : nullptr)) {
    report_conflict(actor, view, access, *conflict);
  }
  if (buffer.space == Space::kGlobal) {
    check_past(actor, view, access);
    if (std::find(tensors_.begin(), tensors_.end(), view.buffer) == tensors_.end()) {
      tensors_.push_back(view.buffer);
    }
  }
}

void Machine::check_past(const Actor& actor, const View& view, const Access& access) {
  const auto past = grid_.past.find(view.buffer.get());
  const PastAccess* const other =
      past == grid_.past.end() ? nullptr : past->second.conflict(access, view.buffer->shape);
  if (other == nullptr) {
    return;
  }
  const bool both_atomic = access.atomic != Atomic::kNone && other->access.atomic != Atomic::kNone;
  report(FindingKind::kBlockConflict, actor, access.place, other->access.place, name_of(view),
         "`" + name_of(view) + "` is " + (access.write ? "written" : "read") + " by block " +
             std::to_string(block_of(actor)) + " and " +
             (other->access.write ? "written" : "read") + " by block " +
             std::to_string(other->block) + " at line " + std::to_string(other->access.place.line) +
             ": " +
             (both_atomic ? "atomic_add and atomic_max give another result in another order"
                          : "blocks run in any order"),
         both_atomic ? "use one kind of atomic operation on it"
                     : "give each block a part of its own, or use atomic_add");
}

void Machine::report_conflict(Actor& actor, const View& view, const Access& access,
                              const Conflict& conflict) {
  const Access& earlier = conflict.earlier;
  const std::string object = name_of(view);
  const std::string verb = access.engine == Engine::kNone ? (access.write ? "written" : "read")
                                                          : "used by " + article(access);
  if (conflict.clash == Clash::kThreads) {
    const bool copied = earlier.engine == Engine::kCpAsync;
    const bool stored = earlier.engine == Engine::kTma;
    report(
        FindingKind::kRace, actor, access.place, earlier.place, object,
        "`" + object + "` is " + verb +
            (copied ? ", and each thread of " + actor.name + " waited for its own part of " +
                          line(earlier) + " only"
             : stored
                 ? ", and one thread of " + actor.name + " alone waited for " + line(earlier)
                 : " while other threads of " + actor.name + " may still be at " + line(earlier)),
        barrier_of(actor, several_workers(actor)) +
            (earlier.engine != Engine::kNone
                 ? " after the wait_group"
                 : " after line " + std::to_string(earlier.place.line)));
  } else if (conflict.clash == Clash::kUnfenced) {
    report(FindingKind::kMissingProxyFence, actor, access.place, earlier.place, object,
           "`" + object + "` is " + verb + ", which does not see " + line(earlier) +
               " without a fence",
           "fence_proxy_async() after " +
               (earlier.engine == Engine::kCpAsync
                    ? "the wait_group for line " + std::to_string(earlier.place.line)
                    : "line " + std::to_string(earlier.place.line)) +
               ", before the barrier that passes it on");
  } else if (conflict.clash == Clash::kLayout) {
    report(FindingKind::kLayoutMismatch, actor, access.place, earlier.place, object,
           "`" + object + "` is read with swizzle \"" + access.swizzle + "\", " + line(earlier) +
               " laid it out with \"" + earlier.swizzle + "\"",
           "name the same swizzle on both sides");
  } else if (!access.write && earlier.engine != Engine::kNone && earlier.write &&
             earlier.came_too_early(actor.known, actor.index)) {
    report(FindingKind::kRace, actor, access.place, earlier.place, object,
           "`" + object + "` is " + verb + ", and " + line(earlier) +
               " may have filled it again already",
           "put a barrier after this line, and wait for it before the copy");
  } else if (earlier.engine != Engine::kNone && earlier.write) {
    report(FindingKind::kReadBeforeWait, actor, access.place, earlier.place, object,
           "`" + object + "` is " + verb + " before a wait says that " + line(earlier) +
               " is complete",
           advice(actor, access, earlier));
  } else if (earlier.engine != Engine::kNone) {
    report(FindingKind::kOverwrittenInFlight, actor, access.place, earlier.place, object,
           "`" + object + "` is " + verb + " while " + line(earlier) + " may still read it",
           advice(actor, access, earlier));
  } else if (access.engine != Engine::kNone && earlier.early) {
    report(FindingKind::kReadBeforeWait, actor, earlier.place, access.place, object,
           "`" + object + "` is read before " + line(access) + " fills it",
           "wait first, on the barrier of that copy or for its group");
  } else {
    report(FindingKind::kRace, actor, access.place, earlier.place, object,
           "`" + object + "` is " + verb + " and nothing orders it after " + line(earlier) +
               " by " + workers_.at(earlier.worker).name,
           advice(actor, access, earlier));
  }
}

bool Machine::check_written(Actor& actor, const View& view, SourcePlace place) {
  if (all_written(view)) {
    return true;
  }
  report(FindingKind::kUninitialisedRead, actor, place, view.buffer->place, name_of(view),
         "`" + name_of(view) + "` is read, and parts of it were never written",
         "write it first, or wait for the worker that does");
  return false;
}

void Machine::check_edge(Actor& actor, const View& view, SourcePlace place) {
  const std::string what = "`" + name_of(view) + "` lies ";
  const std::string size = "the edge: " + view.buffer->name + " is " + to_text(view.buffer->shape);
  if (wholly_outside(view)) {
    report(FindingKind::kTileOutside, actor, place, view.buffer->place, name_of(view),
           what + "wholly beyond " + size, "end the loop, or the grid, at cdiv(size, tile)");
  } else if (passes_edge(view)) {
    report(FindingKind::kOutOfBounds, actor, place, view.buffer->place, name_of(view),
           what + "partly beyond " + size,
           "load(..., pad=\"zero\"), store(...) and tma cut off what is beyond");
  }
}

Value Machine::read(Actor& actor, const View& view, SourcePlace place, bool gathers) {
  check_edge(actor, view, place);
  return load(actor, view, undetermined(), place, gathers);
}

Value Machine::load(Actor& actor, const View& view, double beyond, SourcePlace place,
                    bool gathers) {
  Access access = access_of(actor, view, false, place);
  access.gathers = gathers;
  access.early = !check_written(actor, view, place);
  note(actor, view, std::move(access));
  Value value = Value::of(Tile{view.buffer->dtype, shape_of(view), ws::ir::read(view, beyond)});
  value.made_at = tick();
  value.product = view.buffer->product;
  return value;
}

void Machine::check_writable(const Actor& actor, const View& view, SourcePlace place) {
  if (view.buffer->read_only) {
    report(FindingKind::kInputModified, actor, place, {}, name_of(view),
           "`" + name_of(view) + "` is written: `" + view.buffer->name + "` is an input",
           "write to an output; the role `inout` is for what is read and written");
  }
}

void Machine::check_determined(const Actor& actor, const View& view,
                               const std::vector<double>& elements, SourcePlace place) {
  // Where something else is wrong already, this follows from it.
  if (view.buffer->space != Space::kGlobal || !grid_.findings.rows().empty()) {
    return;
  }
  if (std::none_of(elements.begin(), elements.end(), is_undetermined)) {
    return;
  }
  const std::vector<std::size_t> places = places_of(view);
  for (std::size_t i = 0; i < elements.size() && i < places.size(); ++i) {
    if (places[i] != kOutside && is_too_large(elements[i])) {
      report(FindingKind::kExecutorLimit, actor, place, {}, name_of(view),
             "`" + name_of(view) + "` gets a value that" + kDependsOnTooLarge, kSmallerNumbers);
      return;
    }
    if (places[i] != kOutside && is_undetermined(elements[i])) {
      report(FindingKind::kUndeterminedValue, actor, place, undetermined_at, name_of(view),
             "`" + name_of(view) + "` gets a value that depends on an undetermined value",
             "load(..., pad=\"zero\"), or where(mask, x, 0) before the elements are combined");
      return;
    }
  }
}

void Machine::write(Actor& actor, const View& view, std::vector<double> elements, SourcePlace place,
                    Atomic atomic) {
  check_writable(actor, view, place);
  check_determined(actor, view, elements, place);
  Access access = access_of(actor, view, true, place);
  access.atomic = atomic;
  note(actor, view, std::move(access));
  mark_written(view);
  ws::ir::write(view, std::move(elements), grid_.mode);
}

View Machine::tile_view(Actor& actor, const View& tensor, const std::vector<std::int64_t>& index,
                        const Shape& shape, SourcePlace place, bool may_be_outside) {
  View view = tensor;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const std::size_t axis = view.axes[i];
    // Beyond 2^31 tiles an index is outside whatever the tile: products stay within 64 bits.
    const std::int64_t at = std::clamp<std::int64_t>(index[i], -INT32_MAX, INT32_MAX);
    view.first[axis] += at * shape[i];
    view.count[axis] = shape[i];
  }
  if (wholly_outside(view) && !may_be_outside) {
    check_edge(actor, view, place);
  }
  return view;
}

}  // namespace ws::ir
