// The change that would have ordered two accesses, in the terms of the program: which barrier,
// which line, which group.
#include "runtime/ir/exec/machine.h"

namespace ws::ir {
namespace {

std::string line_of(const Access& access) {
  return "line " + std::to_string(access.place.line);
}

std::string word_of(Engine engine) {
  return engine == Engine::kTma ? "tma" : engine == Engine::kCpAsync ? "cp.async" : "wgmma";
}

}  // namespace

std::string Machine::group_wait(const Started& op, std::uint64_t at) const {
  const std::string kind = "\"" + word_of(op.engine) + "\"";
  const bool committed = op.committed_at != 0 && op.committed_at <= at;
  return (committed ? "" : "commit_group(" + kind + ") and ") + "wait_group(0, " + kind +
         (op.stores ? ", read=True)" : ")");
}

std::string Machine::advice_at_end(const Started& op) const {
  return (op.barrier != nullptr
              ? "wait for phase " + std::to_string(op.phase) + " of `" + op.barrier->name + "`"
              : group_wait(op, count_)) +
         " before the kernel ends";
}

// A copy that came when its phase had ended, and that no phase counts, belongs to the phase before.
std::string Machine::advice_to_wait(const Actor& actor, const Access& access,
                                    const Started& copy) const {
  const std::string& name = copy.barrier->name;
  const auto seen = actor.seen.find(copy.barrier);
  if (copy.phase > 0 && !copy.expected && seen != actor.seen.end() &&
      seen->second.first == copy.phase - 1) {
    const bool arrives = copy.engine == Engine::kCpAsync;
    return "let phase " + std::to_string(copy.phase - 1) + " of `" + name + "` " +
           (arrives ? "count the arrival" : "expect the bytes") + " of the copy at line " +
           std::to_string(copy.place.line) + " too: it ended before that copy";
  }
  return "wait for phase " + std::to_string(copy.phase) + " of `" + name + "` before " +
         line_of(access) + ", by a wait with parity " + std::to_string(copy.phase & 1);
}

// Another worker has to come to a barrier after its access, and this one has to wait for that.
std::string Machine::advice_to_pass_on(const Actor& actor, const Access& access,
                                       const Access& earlier) const {
  const Who& other = workers_.at(earlier.worker);
  using Row = std::pair<const std::pair<std::uint32_t, std::string>, Arrived>;
  const Row* after = nullptr;   // The first arrival since its access,
  const Row* before = nullptr;  // and the last one before it.
  for (const Row& row : other.arrived) {
    const std::uint64_t at = row.second.at;
    if (at >= earlier.at && (after == nullptr || at < after->second.at)) {
      after = &row;
    }
    if (at < earlier.at && (before == nullptr || at > before->second.at)) {
      before = &row;
    }
  }
  const Row* const arrival = after != nullptr ? after : before;
  const bool engine = earlier.engine != Engine::kNone;
  if (arrival != nullptr) {
    const auto& [line, object] = arrival->first;
    const std::string there = "line " + std::to_string(line);
    if (!actor.known.knows(earlier.worker, arrival->second.epoch)) {
      return "wait for " + object + " before " + line_of(access) + ": " + other.name +
             " arrives there at " + there;
    }
    if (after != nullptr && engine) {
      return group_wait(started_.at(earlier.op / 2), arrival->second.at) + " before " + there +
             ", where " + other.name + " arrives at " + object;
    }
    if (!arrival->second.waits && !engine) {
      return "let " + other.name + " arrive at " + object + " after " + line_of(earlier) +
             ", not at " + there;
    }
  }
  const bool meets = arrival != nullptr && arrival->second.waits;
  return "let " + other.name + " arrive at a barrier" +
         (meets ? " such as " + arrival->first.second : "") + " after " +
         (engine ? "the operation of " + line_of(earlier) + " is complete" : line_of(earlier)) +
         ", and wait for it before " + line_of(access);
}

std::string Machine::advice(const Actor& actor, const Access& access, const Access& earlier) const {
  const Started* const op =
      earlier.engine == Engine::kNone ? nullptr : &started_.at(earlier.op / 2);
  if (op != nullptr && op->barrier != nullptr) {
    return advice_to_wait(actor, access, *op);
  }
  if (earlier.worker != access.worker) {
    return advice_to_pass_on(actor, access, earlier);
  }
  return group_wait(*op, count_) + " before " + line_of(access) +
         "; other workers also need a barrier after it";
}

}  // namespace ws::ir
