#include "runtime/device/cpu/launcher.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "runtime/base/keyed_stream.h"
#include "runtime/base/mix64.h"
#include "runtime/device/cpu/block_runner.h"
#include "runtime/device/cpu/block_sample.h"
#include "runtime/device/cpu/fault.h"
#include "runtime/device/cpu/leftovers.h"
#include "runtime/device/cpu/runtime.h"

namespace ws::cpu {
namespace {

/// Chunks per thread: enough to even out uneven blocks, few enough to keep neighbours together.
constexpr std::uint64_t kChunksPerThread = 16;
/// Every second one of the blocks that start first has its threads take turns: enough to find what
/// a kernel does in all its blocks, few enough to cost little. The others run thread by thread.
constexpr std::uint64_t kInterleavedTurns = 32;
/// A clock that has run for days, and whose differences a double holds.
constexpr unsigned kClockUnusedBits = 14;

}  // namespace

/// One step while it runs; shared by all threads.
struct Launcher::Launch {
  const RunStep* step = nullptr;
  cpu_abi::ThreadFn thread = nullptr;
  cpu_abi::BlockFn block = nullptr;  ///< Null: the kernel needs fibers.
  std::vector<void*> args;
  std::vector<std::uint64_t> values;
  std::vector<std::uint64_t> bounds;
  std::uint64_t shared_bytes = 0;
  std::uint64_t stack_bytes = 0;
  LocalMemory local;  ///< Without its base.
  std::uint64_t threads_at_once =
      1;                ///< The threads of a block that have local memory at one time.
  bool yields = false;  ///< Threads may take turns: they have what fibers need.
  std::uint64_t poison = 0;
  bool zeros = false;  ///< In place of the poison.
  RunOrder order = RunOrder::kAscending;
  RunOrder block_order = RunOrder::kAscending;
  std::uint64_t order_seed = 0;
  std::uint64_t clock = 0;  ///< The clock of each block at its start.
  std::uint64_t blocks = 0;
  std::uint64_t chunk = 1;
  std::atomic<std::uint64_t> next = 0;
};

Launcher::Launcher(LoadedImage& image, const Image& description, const RunPlan& plan, char* arena)
    : image_(image),
      description_(description),
      plan_(plan),
      arena_(arena) {
  const auto base = reinterpret_cast<std::uint64_t>(arena);
  std::vector<KnownRange> ranges;
  for (const RunRange& buffer : plan.buffers) {
    ranges.push_back({base + buffer.low, base + buffer.high});
  }
  const auto image_base = reinterpret_cast<std::uint64_t>(image.base());
  for (const ImageSymbol& symbol : description.symbols) {
    ranges.push_back({image_base + symbol.offset, image_base + symbol.offset + symbol.bytes});
  }
  set_known_ranges(std::move(ranges));
}

Launcher::~Launcher() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
}

std::uint64_t Launcher::shared_bytes(const RunStep& step) const {
  const CompiledEntry& entry = description_.entries.at(step.entry);
  return static_cast<std::uint64_t>(entry.shared_bytes) + step.dynamic_shared_bytes;
}

LocalMemory Launcher::local_memory(const RunStep& step) const {
  const CompiledEntry& entry = description_.entries.at(step.entry);
  const bool calls = entry.stack_bytes == 0;
  return {.base = nullptr,
          .stride = entry.private_bytes + (calls ? cpu_abi::kCallLocalBytes : 0),
          .kernel_bytes = entry.private_bytes};
}

std::uint64_t Launcher::threads_at_once(const RunStep& step) const {
  const bool fibers = description_.entries.at(step.entry).barriers;
  return fibers ? std::uint64_t{step.block[0]} * step.block[1] * step.block[2] : 1;
}

Status Launcher::reserve(Region& region, unsigned threads) {
  std::uint64_t shared = 0;
  std::uint64_t local = 0;
  for (const RunStep& step : plan_.steps) {
    shared = std::max(shared, shared_bytes(step));
    local = std::max(local, local_memory(step).bytes(threads_at_once(step)));
  }
  // The cipher loads parts when it is first used, and can only do so before the sandbox is entered.
  std::array<std::byte, KeyedStream::kBlock> first{};
  KeyedStream({}).read(0, first);
  for (unsigned i = 0; i < threads; ++i) {
    BlockMemory memory;
    WS_TRY(memory.shared, region.take(shared));
    WS_TRY(memory.local, region.take(local));
    memory_.push_back(memory);
  }
  return {};
}

void Launcher::start_threads(unsigned count) {
  for (unsigned i = 0; i <= count && !description_.profile.stretches.empty(); ++i) {
    profilers_.push_back(std::make_unique<WarpProfiler>(description_.profile, plan_.steps.size()));
  }
  for (unsigned i = 0; i < count; ++i) {
    helpers_.emplace_back([this, i] { helper_main(i); });
  }
}

WarpProfiler* Launcher::profiler_of(std::size_t thread) const {
  return thread < profilers_.size() ? profilers_[thread].get() : nullptr;
}

ProfileCounters Launcher::counters() const {
  ProfileCounters sums(description_.profile, plan_.steps.size());
  for (const auto& profiler : profilers_) {
    sums.add(profiler->counters());
  }
  return sums;
}

void Launcher::run(const Doorbell& doorbell) {
  if (doorbell.keep_variables == 0) {
    image_.restore_data();
  }
  fill_symbols();
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    fault_scope().step = static_cast<std::uint32_t>(i);
    for (const auto& profiler : profilers_) {
      profiler->start_step(i);
    }
    run_step(plan_.steps[i], derive_seed(doorbell.poison, "step", i), doorbell);
  }
}

std::uint32_t Launcher::changed_variable() const {
  for (std::uint32_t i = 0; i < description_.symbols.size(); ++i) {
    const bool filled = std::any_of(plan_.symbols.begin(), plan_.symbols.end(),
                                    [i](const RunSymbol& symbol) { return symbol.symbol == i; });
    const ImageSymbol& symbol = description_.symbols[i];
    if (!filled && !image_.as_at_first(symbol.offset, symbol.bytes)) {
      return i;
    }
  }
  return kNoPlace;
}

bool Launcher::has_yields() const {
  return std::any_of(description_.imports.begin(), description_.imports.end(),
                     [](const auto& import) { return import.second == "ws_rt_yield"; });
}

void Launcher::fill_symbols() {
  for (const RunSymbol& symbol : plan_.symbols) {
    std::memcpy(image_.at(symbol.image_offset), arena_ + symbol.arena_offset, symbol.bytes);
  }
}

void Launcher::run_step(const RunStep& step, std::uint64_t poison, const Doorbell& doorbell) {
  const CompiledEntry& entry = description_.entries.at(step.entry);
  Launch launch;
  launch.step = &step;
  launch.thread = reinterpret_cast<cpu_abi::ThreadFn>(image_.at(entry.thread_offset));
  launch.block =
      entry.barriers ? nullptr : reinterpret_cast<cpu_abi::BlockFn>(image_.at(entry.block_offset));
  const auto base = reinterpret_cast<std::uint64_t>(arena_);
  for (const RunArg& arg : step.args) {
    const bool address = arg.pointer && !arg.null;
    launch.values.push_back(arg.null ? 0 : arg.value + (address ? base : 0));
    launch.bounds.push_back(address ? base + arg.low : 0);
    launch.bounds.push_back(address ? base + arg.high : 0);
  }
  for (std::uint64_t& value : launch.values) {
    launch.args.push_back(&value);
  }
  launch.shared_bytes = shared_bytes(step);
  launch.stack_bytes = entry.stack_bytes;
  launch.local = local_memory(step);
  launch.threads_at_once = threads_at_once(step);
  if (!profilers_.empty() && entry.stack_bytes != 0) {
    launch.stack_bytes += WarpProfiler::kStackBytes;
  }
  launch.yields = has_yields() && doorbell.order == RunOrder::kRandom &&
                  (entry.barriers || launch.local.stride == 0);
  launch.poison = poison;
  launch.zeros = doorbell.zero_memory != 0;
  launch.order = doorbell.order;
  launch.block_order = doorbell.ascending_blocks != 0 ? RunOrder::kAscending : doorbell.order;
  launch.order_seed = derive_seed(poison, "order");
  launch.clock = derive_seed(poison, "clock") >> kClockUnusedBits;
  launch.blocks = std::uint64_t{step.grid[0]} * step.grid[1] * step.grid[2];
  const std::uint64_t threads = helpers_.size() + 1;
  launch.chunk = std::clamp<std::uint64_t>(launch.blocks / (threads * kChunksPerThread), 1, 64);
  {
    const std::lock_guard lock(mutex_);
    launch_ = &launch;
    ++generation_;
    busy_helpers_ = static_cast<unsigned>(helpers_.size());
  }
  changed_.notify_all();
  work(launch, helpers_.size());
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return busy_helpers_ == 0; });
  launch_ = nullptr;
}

void Launcher::helper_main(std::size_t index) {
  install_signal_stack();
  BlockRunner runner;
  std::uint64_t seen = 0;
  for (;;) {
    Launch* launch = nullptr;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || generation_ != seen; });
      if (stopping_) {
        return;
      }
      seen = generation_;
      launch = launch_;
    }
    work(*launch, index);
    {
      const std::lock_guard lock(mutex_);
      --busy_helpers_;
    }
    changed_.notify_all();
  }
}

void Launcher::work(Launch& launch, std::size_t thread) {
  const RunStep& step = *launch.step;
  const BlockMemory& memory = memory_.at(thread);
  WarpProfiler* profiler = profiler_of(thread);
  BlockRunner& runner = *current_runner();
  LocalMemory local = launch.local;
  local.base = memory.local;
  if (launch.zeros) {
    zero_leftovers(local, launch.threads_at_once, {memory.shared, launch.shared_bytes});
  } else {
    poison_shared(memory.shared, launch.shared_bytes, derive_key(launch.poison, "shared", thread));
    poison_local(local, launch.threads_at_once, derive_key(launch.poison, "local", thread));
  }
  runner.use_local(local);
  cpu_abi::Block block{};
  block.block_dim = step.block;
  block.grid_dim = step.grid;
  block.dynamic_shared_bytes = step.dynamic_shared_bytes;
  block.shared = memory.shared;
  block.arg_bounds = launch.bounds.data();
  block.shared_bytes = launch.shared_bytes;
  block.local = local.base;
  // Without fibers the threads have the same local memory, one after another.
  block.local_stride = launch.block == nullptr ? local.stride : 0;
  const BlockSample sample(launch.blocks,
                           std::uint64_t{step.block[0]} * step.block[1] * step.block[2]);
  const BlockOrder order(launch.block_order, launch.order_seed, launch.blocks);
  const KernelScope scope;
  for (;;) {
    KernelScope::at_block(launch.next);
    const std::uint64_t first = launch.next.fetch_add(launch.chunk);
    if (first >= launch.blocks) {
      return;
    }
    KernelScope::at_block(first);
    const std::uint64_t last = std::min(first + launch.chunk, launch.blocks);
    for (std::uint64_t turn = first; turn < last; ++turn) {
      const std::uint64_t index = order.block_at(turn);
      block.block_idx = {static_cast<std::uint32_t>(index % step.grid[0]),
                         static_cast<std::uint32_t>(index / step.grid[0] % step.grid[1]),
                         static_cast<std::uint32_t>(index / step.grid[0] / step.grid[1])};
      const bool counted = profiler != nullptr && !profiler->tired() && sample.has(index);
      runner.count_into(counted ? profiler : nullptr);
      runner.use_order(launch.order, mix64(launch.order_seed ^ mix64(index)));
      runner.start_clock(launch.clock);
      const bool interleaves = launch.yields && turn < kInterleavedTurns && turn % 2 == 0;
      runner.interleave(interleaves);
      if (launch.block != nullptr && launch.order == RunOrder::kAscending) {
        runner.run_loop(launch.block, block, launch.args.data());
      } else if (launch.block != nullptr && !interleaves) {
        runner.run_turns(launch.thread, block, launch.args.data());
      } else {
        runner.run_fibers(launch.thread, block, launch.args.data(), launch.stack_bytes);
      }
      if (profiler != nullptr) {
        profiler->block_done(counted);
      }
    }
  }
}

}  // namespace ws::cpu
