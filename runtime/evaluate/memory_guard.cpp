#include "runtime/evaluate/memory_guard.h"

#include "runtime/base/keyed_stream.h"
#include "runtime/base/parallel.h"

namespace ws {
namespace {

bool holds_input(const BufferSpec& buffer) {
  return buffer.role == BufferRole::kIn || buffer.role == BufferRole::kInout;
}

/// The row offsets that the argument's column indices belong to.
std::optional<OffsetsOf> offsets_of(const Problem& problem, const ResolvedPlan& plan,
                                    const ArgSpec& arg) {
  for (const BufferSpec& buffer : plan.buffers) {
    if (!arg.fill.offsets.empty() && buffer.name == arg.fill.offsets) {
      return OffsetsOf{*problem.find_arg(buffer.name), buffer};
    }
  }
  return std::nullopt;
}

}  // namespace

Status fill_inputs(const Problem& problem, const ResolvedPlan& plan, Distribution distribution,
                   std::uint64_t seed, double reduction_length, const Arena& arena) {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferSpec& buffer = plan.buffers[i];
    const ArgSpec* arg = holds_input(buffer) ? problem.find_arg(buffer.name) : nullptr;
    if (arg == nullptr) {
      continue;
    }
    const auto offsets = offsets_of(problem, plan, *arg);
    WS_CHECK(fill_input(*arg, buffer, distribution, seed, arena.buffer(i), reduction_length,
                        offsets ? &*offsets : nullptr));
  }
  return {};
}

void copy_inputs(const ResolvedPlan& plan, const Arena& from, const Arena& to) {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    if (holds_input(plan.buffers[i])) {
      wide_copy(from.buffer(i), to.buffer(i));
    }
  }
}

BufferBytes bytes_of(const Arena& arena) {
  return [&arena](std::size_t i) { return std::span<const std::byte>(arena.buffer(i)); };
}

std::uint64_t launch_poison(std::uint64_t seed, std::string_view whose, std::uint64_t launch) {
  return derive_seed(seed, "shared memory of the " + std::string(whose), launch) | 1U;
}

MemoryGuard::MemoryGuard(const ResolvedPlan& plan, const Arena& arena, std::uint64_t seed,
                         FirstContents first)
    : plan_(plan),
      arena_(arena),
      hash_seed_(derive_seed(seed, "hash")) {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferSpec& buffer = plan.buffers[i];
    const std::uint64_t own = derive_seed(seed, "contents", i);
    poisons_.push_back(first.zeros         ? Poison::zeros(buffer.type)
                       : first.random_bits ? Poison::random_bits(buffer.type, own)
                                           : Poison(buffer.type, own));
    guard_poisons_.emplace_back(buffer.type, derive_seed(seed, "guards", i));
    const bool kept = first.keep_scratch && buffer.role == BufferRole::kScratch;
    if (!holds_input(buffer) && !kept) {
      poisons_.back().fill(arena.buffer(i));
    } else if (buffer.role == BufferRole::kInout) {
      poisons_.back().fill_gaps(buffer, arena.buffer(i));
    }
    const auto [before, after] = arena.guards(i);
    guard_poisons_.back().fill(before);
    guard_poisons_.back().fill(after);
    const bool constant = buffer.role == BufferRole::kIn;
    hashes_.push_back(constant ? wide_hash(arena.buffer(i), hash_seed_) : 0);
  }
}

const Poison* MemoryGuard::poison(std::size_t index) const {
  const BufferSpec& buffer = plan_.buffers[index];
  const bool poisoned = !holds_input(buffer) || !buffer.contiguous();
  return poisoned ? &poisons_[index] : nullptr;
}

bool MemoryGuard::unwritten(std::size_t index, std::optional<std::int64_t> rows) const {
  const BufferSpec& whole = plan_.buffers[index];
  const BufferSpec buffer = rows ? with_rows(whole, *rows) : whole;
  if (buffer.role != BufferRole::kOut || buffer.elements == 0) {
    return false;
  }
  const std::int64_t untouched =
      poisons_[index].held(buffer, arena_.buffer(index).first(buffer.bytes()));
  // A written element of a narrow type may equal its poison by chance.
  const bool by_chance = size_of(buffer.type) < sizeof(std::uint32_t);
  return untouched > (by_chance ? buffer.elements / 2 : 0);
}

std::optional<MemoryGuard::Damage> MemoryGuard::damage() const {
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    const std::string& name = plan_.buffers[i].name;
    const auto [before, after] = arena_.guards(i);
    if (guard_poisons_[i].first_change(before)) {
      return Damage{Verdict::kOutOfBounds, "memory before `" + name + "` was written", name};
    }
    if (const auto at = guard_poisons_[i].first_change(after)) {
      // The first byte of an element may by chance be what the poison had there.
      const std::size_t element = size_of(plan_.buffers[i].type);
      return Damage{Verdict::kOutOfBounds,
                    "memory " + std::to_string(*at / element * element) +
                        " bytes after the end of `" + name + "` was written",
                    name};
    }
    const bool constant = plan_.buffers[i].role == BufferRole::kIn;
    if (constant && wide_hash(arena_.buffer(i), hash_seed_) != hashes_[i]) {
      return Damage{Verdict::kInputModified, "the input `" + name + "` was written", name};
    }
  }
  return std::nullopt;
}

}  // namespace ws
