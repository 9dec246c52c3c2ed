#include "runtime/device/cpu/launcher.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "runtime/base/keyed_stream.h"
#include "runtime/device/cpu/block_runner.h"
#include "runtime/device/cpu/block_sample.h"
#include "runtime/device/cpu/block_worker.h"
#include "runtime/device/cpu/fault.h"
#include "runtime/device/cpu/textures.h"

namespace ws::cpu {
namespace {

/// Chunks per thread: enough to even out uneven blocks, few enough to keep neighbours together.
constexpr std::uint64_t kChunksPerThread = 16;
/// A clock that has run for days, and whose differences a double holds.
constexpr unsigned kClockUnusedBits = 14;

/// Whether each warp lies along the x axis, and begins at a multiple of its size there.
bool has_aligned_warps(const RunStep& step) {
  const auto [x, y, z] = step.block;
  return x % kWarpSize == 0 || std::uint64_t{y} * z == 1;
}

}  // namespace

Launcher::Launcher(LoadedImage& image, const Image& description, const RunPlan& plan,
                   Region& region, int arena)
    : image_(image),
      description_(description),
      plan_(plan),
      region_(region),
      arena_(plan, arena) {}

Launcher::~Launcher() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
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

Status Launcher::run(const Doorbell& doorbell) {
  if (doorbell.elsewhere != 0) {
    WS_CHECK(place_arena());
  }
  if (doorbell.keep_variables == 0) {
    image_.restore_data();
  }
  fill_symbols();
  if (calls("ws_rt_watch")) {
    watch_ = std::make_unique<RaceWatch>(plan_, arena_, image_.data(), image_.data_bytes());
  }
  for (const RunRange& buffer : plan_.buffers) {
    if (buffer.zero) {
      std::memset(arena_.at(buffer.low), 0, buffer.high - buffer.low);
    }
  }
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    fault_scope().step = static_cast<std::uint32_t>(i);
    for (const auto& profiler : profilers_) {
      profiler->start_step(i);
    }
    if (watch_) {
      watch_->start_step(static_cast<std::uint32_t>(i));
    }
    run_step(plan_.steps[i], derive_seed(doorbell.poison, "step", i), doorbell);
  }
  return {};
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

bool Launcher::calls(std::string_view function) const {
  return std::any_of(description_.imports.begin(), description_.imports.end(),
                     [function](const auto& import) { return import.second == function; });
}

bool Launcher::nests() const {
  // One that waits for the block that is held would wait for ever.
  return calls("ws_rt_yield") && !calls("ws_rt_look_again") && !calls("ws_rt_barrier_of_grid");
}

void Launcher::fill_symbols() {
  for (const RunSymbol& symbol : plan_.symbols) {
    std::memcpy(image_.at(symbol.image_offset), arena_.at(symbol.arena_offset), symbol.bytes);
  }
}

void Launcher::bind_arguments(const RunStep& step, Launch& launch) const {
  for (const RunArg& arg : step.args) {
    const bool address = arg.pointer && !arg.null;
    const std::uint64_t low = address ? reinterpret_cast<std::uint64_t>(arena_.at(arg.low)) : 0;
    launch.values.push_back(arg.texture >= 0 ? texture_object(arg.texture)
                            : arg.null       ? 0
                            : address        ? low + (arg.value - arg.low)
                                             : arg.value);
    launch.bounds.push_back(low);
    launch.bounds.push_back(address ? low + (arg.high - arg.low) : 0);
  }
  for (std::size_t i = 0; i < step.args.size(); ++i) {
    const std::vector<std::uint8_t>& bytes = step.args[i].bytes;
    // Read only: the wrapper copies a struct for each thread.
    launch.args.push_back(bytes.empty() ? static_cast<void*>(&launch.values[i])
                                        : const_cast<std::uint8_t*>(bytes.data()));
  }
}

void Launcher::run_step(const RunStep& step, std::uint64_t poison, const Doorbell& doorbell) {
  const CompiledEntry& entry = description_.entries.at(step.entry);
  Launch launch;
  launch.step = &step;
  launch.thread = reinterpret_cast<cpu_abi::ThreadFn>(image_.at(entry.thread_offset));
  launch.block =
      entry.barriers ? nullptr : reinterpret_cast<cpu_abi::BlockFn>(image_.at(entry.block_offset));
  if (const PhasedCode& phases = entry.phases;
      phases.turn_offset != 0 && (!phases.aligned || has_aligned_warps(step))) {
    launch.phases.turn = reinterpret_cast<cpu_abi::TurnFn>(image_.at(phases.turn_offset));
    launch.phases.rows = phases.rows_offset == 0
                             ? nullptr
                             : reinterpret_cast<cpu_abi::RowsFn>(image_.at(phases.rows_offset));
    launch.phases.code = &phases;
  }
  bind_arguments(step, launch);
  launch.block_bytes = block_bytes(step);
  launch.shared_bytes = shared_bytes(step);
  launch.stack = {.kernel = entry.stack_bytes, .tool = tool_stack_bytes()};
  launch.local = local_memory(step);
  launch.yields = calls("ws_rt_yield") && doorbell.order == RunOrder::kRandom;
  launch.threads_at_once = threads_at_once(step, launch.yields);
  launch.nests = launch.yields && nests();
  launch.poison = poison;
  launch.zeros = doorbell.zero_memory != 0;
  launch.order = doorbell.order;
  launch.block_order = doorbell.ascending_blocks != 0 ? RunOrder::kAscending : doorbell.order;
  launch.order_seed = derive_seed(poison, "order");
  launch.local_shift = derive_seed(poison, "place") %
                       (kMostLocalShift / cpu_abi::kLocalAlignment + 1) * cpu_abi::kLocalAlignment;
  launch.clock = derive_seed(poison, "clock") >> kClockUnusedBits;
  launch.blocks = blocks_of(step);
  launch.sparse = doorbell.sparse != 0 && !step.cooperative;
  launch.turns = launch.sparse ? SparseBlocks(launch.blocks).count() : launch.blocks;
  const std::uint64_t threads = helpers_.size() + 1;
  launch.chunk = std::clamp<std::uint64_t>(launch.turns / (threads * kChunksPerThread), 1, 64);
  if (launch.nests) {
    // A thread that holds a block has another one to run meanwhile, however many threads there are.
    launch.chunk += launch.chunk % 2;
  }
  launch.live = live_blocks(step, running(static_cast<unsigned>(threads)));
  if (launch.live != 0) {
    launch.grid_barrier.start(launch.blocks);
    launch.chunk = step.cooperative ? launch.live : 1;
  }
  if (watch_) {
    work(launch, helpers_.size());  // By one OS thread: it watches the blocks one after another.
    return;
  }
  share_out(launch);
}

void Launcher::share_out(Launch& launch) {
  if (helpers_.empty() || launch.turns <= launch.chunk) {
    work(launch, helpers_.size());
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    launch_ = &launch;
    ++generation_;
  }
  changed_.notify_all();
  work(launch, helpers_.size());
  std::unique_lock lock(mutex_);
  launch_ = nullptr;  // A helper that has not come yet would find nothing left.
  done_.wait(lock, [this] { return busy_helpers_ == 0; });
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
      if (launch == nullptr) {
        continue;
      }
      ++busy_helpers_;
    }
    work(*launch, index);
    const std::lock_guard lock(mutex_);
    if (--busy_helpers_ == 0) {
      done_.notify_one();
    }
  }
}

void Launcher::work(Launch& launch, std::size_t thread) {
  BlockWorker(launch, *current_runner(), memory_.at(thread), thread, profiler_of(thread),
              watch_.get())
      .run();
}

}  // namespace ws::cpu
