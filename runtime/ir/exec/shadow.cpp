#include "runtime/ir/exec/shadow.h"

#include <functional>
#include <numeric>

#include "runtime/base/units.h"

namespace ws::ir {
namespace {

bool happened_before(const Access& earlier, const Access& access, const Knowledge& known) {
  if (earlier.engine == Engine::kNone) {
    return known.knows(earlier.worker, earlier.epoch);
  }
  // Products of one worker run in order: to accumulate into the same registers needs no wait.
  const bool in_order = earlier.engine == Engine::kWgmma && access.engine == Engine::kWgmma &&
                        earlier.worker == access.worker && earlier.write && access.write &&
                        contains(earlier.box, access.box) && contains(access.box, earlier.box);
  return in_order || known.knows_op(earlier.op);
}

// A plain write is visible to TMA and wgmma only after a fence.
bool is_fenced(const Access& earlier, const Access& access, const Knowledge& known) {
  if (!earlier.write || earlier.async_proxy() || !access.async_proxy()) {
    return true;
  }
  return earlier.engine == Engine::kNone ? known.fenced(earlier.worker, earlier.epoch)
                                         : known.fenced_op(earlier.op);
}

std::int64_t elements_of(const Box& box) {
  return std::accumulate(box.count.begin(), box.count.end(), std::int64_t{1}, std::multiplies<>());
}

bool same_part(const Access& a, const Access& b) {
  return contains(a.box, b.box) && contains(b.box, a.box) && a.axes == b.axes;
}

// Which thread of a worker has which element of a tile is left open. Two accesses to the same part,
// seen the same way, may have the same threads, and what fits a warp may be that of one warp. A
// number is for all threads.
bool same_threads(const Access& a, const Access& b) {
  const bool tiles = !a.axes.empty() && !b.axes.empty();
  const bool small = tiles && elements_of(a.box) <= kWarpSize && elements_of(b.box) <= kWarpSize;
  return !a.gathers && !b.gathers && (small || same_part(a, b));
}

// cp.async is done by threads: each waits for its own copies, and knows of its own reads only, and
// of those products that it waited for itself.
bool is_apart(const Access& earlier, const Access& access, const Knowledge& agreed) {
  if (earlier.worker != access.worker) {
    return false;  // The worker that passed it on came to a barrier.
  }
  if (earlier.engine == Engine::kCpAsync && earlier.write) {
    return !agreed.knows_op(earlier.op);
  }
  const bool known = earlier.engine == Engine::kNone ? agreed.knows(earlier.worker, earlier.epoch)
                                                     : agreed.knows_op(earlier.op);
  const bool copied = access.engine == Engine::kCpAsync && access.write;
  // One thread starts a store by TMA and waits for it, and each warp its own part of a product.
  const bool taken =
      earlier.engine == Engine::kNone && earlier.write && !access.write && access.async_proxy();
  const bool refilled =
      earlier.async_proxy() && !earlier.write && access.write && access.engine == Engine::kNone;
  const bool exchanged = earlier.engine == Engine::kNone && access.engine == Engine::kNone &&
                         !same_threads(earlier, access);
  return (copied || taken || refilled || exchanged) && !known;
}

std::optional<Clash> clash_of(const Access& earlier, const Access& access, const Knowledge& known,
                              const Knowledge* agreed) {
  if (access.commutes(earlier) || !overlap(earlier.box, access.box)) {
    return std::nullopt;
  }
  if (!happened_before(earlier, access, known)) {
    return Clash::kUnordered;
  }
  if (!is_fenced(earlier, access, known)) {
    return Clash::kUnfenced;
  }
  if (agreed != nullptr && is_apart(earlier, access, *agreed)) {
    return Clash::kThreads;
  }
  return earlier.write && !access.write && earlier.swizzle != access.swizzle
             ? std::optional(Clash::kLayout)
             : std::nullopt;
}

// Every worker that is ordered after `access` is ordered after `earlier` too: only one has to be
// kept. @param known    The knowledge of the worker of `access`.
//       @param threads  The worker has several warps, whose threads are told apart.
bool replaces(const Access& access, const Access& earlier, const Knowledge& known, bool threads) {
  if (!contains(access.box, earlier.box)) {
    return false;
  }
  // An engine's reads of one worker, which had waited for the earlier one.
  const bool read_again = !access.write && !earlier.write && access.engine != Engine::kNone &&
                          access.engine == earlier.engine && access.worker == earlier.worker &&
                          known.knows_op(earlier.op);
  const bool same_worker = access.engine == Engine::kNone && earlier.engine == Engine::kNone &&
                           access.worker == earlier.worker;
  const bool covers = !threads || (same_part(access, earlier) && access.gathers >= earlier.gathers);
  return read_again || (same_worker && access.commutes(earlier) && covers) ||
         (access.write && access.atomic == Atomic::kNone);
}

Replaced replaced_by(const Access& access, const std::vector<Access>& accesses) {
  Replaced replaced;
  for (const Access& earlier : accesses) {
    if (earlier.write && earlier.at >= replaced.at && contains(access.box, earlier.box)) {
      replaced = {true, earlier.engine, earlier.worker, earlier.epoch, earlier.op, earlier.at, 0};
    }
  }
  for (const Access& earlier : accesses) {
    if (!earlier.write && earlier.at > replaced.at && overlap(access.box, earlier.box)) {
      replaced.readers |= std::uint64_t{1} << (earlier.worker % 64);
    }
  }
  return replaced;
}

}  // namespace

bool Access::came_too_early(const Knowledge& known, std::size_t reader) const {
  const bool knew = replaced.engine == Engine::kNone ? known.knows(replaced.worker, replaced.epoch)
                                                     : known.knows_op(replaced.op);
  return reader != worker && replaced.some && knew && (replaced.readers >> (reader % 64) & 1U) == 0;
}

bool overlap(const Box& a, const Box& b) {
  for (std::size_t i = 0; i < a.first.size(); ++i) {
    if (a.first[i] + a.count[i] <= b.first[i] || b.first[i] + b.count[i] <= a.first[i]) {
      return false;
    }
  }
  return true;
}

bool contains(const Box& outer, const Box& inner) {
  for (std::size_t i = 0; i < outer.first.size(); ++i) {
    if (inner.first[i] < outer.first[i] ||
        inner.first[i] + inner.count[i] > outer.first[i] + outer.count[i]) {
      return false;
    }
  }
  return true;
}

std::optional<Conflict> Shadow::add(const Access& access, const Knowledge& known,
                                    const Knowledge* agreed) {
  std::optional<Conflict> conflict;
  for (const Access& earlier : accesses_) {
    const std::optional<Clash> clash = clash_of(earlier, access, known, agreed);
    // The latest one that is not ordered says most.
    if (clash && (!conflict || *clash <= conflict->clash)) {
      conflict = Conflict{*clash, earlier};
    }
  }
  const Replaced replaced = access.write ? replaced_by(access, accesses_) : Replaced();
  std::erase_if(accesses_, [&](const Access& earlier) {
    return replaces(access, earlier, known, agreed != nullptr);
  });
  accesses_.push_back(access);
  accesses_.back().replaced = replaced;
  return conflict;
}

std::optional<Access> Shadow::written_since(const Box& box, std::size_t worker,
                                            std::uint64_t at) const {
  std::optional<Access> found;
  for (const Access& access : accesses_) {
    if (access.write && access.engine == Engine::kNone && access.worker == worker &&
        access.at > at && overlap(access.box, box)) {
      found = access;
    }
  }
  return found;
}

}  // namespace ws::ir
