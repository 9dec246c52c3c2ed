// Launcher's part for memory: of the arena, and of the blocks that each OS thread runs.
#include <algorithm>
#include <array>

#include "runtime/base/keyed_stream.h"
#include "runtime/device/cpu/launcher.h"
#include "runtime/device/cpu/runtime.h"
#include "runtime/device/cpu/textures.h"
#include "runtime/device/live_blocks.h"

namespace ws::cpu {

Status Launcher::place_arena() {
  WS_CHECK(arena_.place(region_));
  std::vector<KnownRange> ranges;
  ranges.reserve(plan_.buffers.size() + description_.symbols.size());
  for (const RunRange& buffer : plan_.buffers) {
    const auto low = reinterpret_cast<std::uint64_t>(arena_.at(buffer.low));
    ranges.push_back({low, low + (buffer.high - buffer.low)});
  }
  const auto image_base = reinterpret_cast<std::uint64_t>(image_.base());
  for (const ImageSymbol& symbol : description_.symbols) {
    ranges.push_back({image_base + symbol.offset, image_base + symbol.offset + symbol.bytes});
  }
  set_known_ranges(std::move(ranges));
  set_textures(plan_, arena_);
  return {};
}

std::uint64_t Launcher::shared_bytes(const RunStep& step) const {
  const CompiledEntry& entry = description_.entries.at(step.entry);
  return static_cast<std::uint64_t>(entry.shared_bytes) + step.dynamic_shared_bytes;
}

LocalMemory Launcher::local_memory(const RunStep& step) const {
  const CompiledEntry& entry = description_.entries.at(step.entry);
  return {.base = nullptr, .stride = local_bytes(entry), .kernel_bytes = entry.private_bytes};
}

std::uint64_t Launcher::live_blocks(const RunStep& step, std::uint64_t threads) const {
  const CompiledEntry& entry = description_.entries.at(step.entry);
  const std::uint64_t blocks = blocks_of(step);
  const bool waits = (step.cooperative && calls("ws_rt_barrier_of_grid")) ||
                     (blocks > 1 && calls("ws_rt_look_again"));
  const bool fibers = entry.barriers && entry.phases.turn_offset == 0;
  if (!waits || !fibers) {
    return 0;
  }
  // A profile build has as many live blocks as others: a kernel may count on them.
  const std::uint64_t tool = calls("ws_rt_watch") ? RaceWatch::kStackBytes : 0;
  const std::uint64_t room =
      kMostLiveBytes / live_block_bytes(entry, threads_of(step), step.dynamic_shared_bytes, tool);
  return live_blocks_of_thread(step.cooperative, blocks, room, threads);
}

std::uint64_t Launcher::threads_at_once(const RunStep& step, bool yields) const {
  return yields || description_.entries.at(step.entry).barriers ? threads_of(step) : 1;
}

BlockBytes Launcher::block_bytes(const RunStep& step) const {
  const PhasedCode& phases = description_.entries.at(step.entry).phases;
  const std::uint64_t local =
      local_memory(step).bytes(threads_at_once(step, calls("ws_rt_yield"))) + kMostLocalShift;
  return {.shared = in_pages(shared_bytes(step)),
          .local = in_pages(local),
          .carried =
              in_pages(phases.turn_offset == 0 ? 0 : phase_memory_bytes(phases, threads_of(step)))};
}

unsigned Launcher::running(unsigned threads) const {
  return calls("ws_rt_watch") ? 1 : threads;
}

std::uint64_t Launcher::tool_stack_bytes() const {
  return calls("ws_rt_watch")                     ? RaceWatch::kStackBytes
         : description_.profile.stretches.empty() ? 0
                                                  : WarpProfiler::kStackBytes;
}

std::uint64_t Launcher::live_bytes(unsigned threads) const {
  const unsigned users = running(threads);
  std::uint64_t most = 0;
  for (const RunStep& step : plan_.steps) {
    const StackNeed need{.kernel = description_.entries.at(step.entry).stack_bytes,
                         .tool = tool_stack_bytes()};
    const std::uint64_t block = threads_of(step) * thread_stack(need).bytes + kLiveRecordBytes;
    most = std::max(most, users * live_blocks(step, users) * block);
  }
  return most;
}

Status Launcher::reserve(unsigned threads) {
  const unsigned users = running(threads);
  BlockBytes most;  // All blocks of one step that live at the same time have so much.
  for (const RunStep& step : plan_.steps) {
    const std::uint64_t live = std::max<std::uint64_t>(live_blocks(step, users), nests() ? 2 : 1);
    const BlockBytes one = block_bytes(step);
    most.shared = std::max(most.shared, live * one.shared);
    most.local = std::max(most.local, live * one.local);
    most.carried = std::max(most.carried, live * one.carried);
  }
  // The cipher loads parts when it is first used, and can only do so before the sandbox is entered.
  std::array<std::byte, KeyedStream::kBlock> first{};
  KeyedStream({}).read(0, first);
  memory_.resize(threads - users);  // Only the last one runs blocks of a watched build.
  for (unsigned i = 0; i < users; ++i) {
    BlockSpace memory;
    WS_TRY(memory.shared, region_.take(most.shared));
    WS_TRY(memory.local, region_.take(most.local));
    WS_TRY(memory.carried, region_.take(most.carried));
    memory_.push_back(memory);
  }
  return place_arena();
}

}  // namespace ws::cpu
