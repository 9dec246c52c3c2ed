#include "runtime/device/cpu/block_worker.h"

#include <algorithm>

#include "runtime/base/keyed_stream.h"
#include "runtime/base/mix64.h"
#include "runtime/device/cpu/fault.h"
#include "runtime/device/cpu/leftovers.h"
#include "runtime/device/cpu/races/race_watch.h"

namespace ws::cpu {
namespace {

/// Every second one of the blocks that start first has its threads take turns: enough to find what
/// a kernel does in all its blocks, few enough to cost little. The others run thread by thread.
constexpr std::uint64_t kInterleavedTurns = 32;
/// Blocks that run while one is held.
constexpr int kNestedBlocks = 4;
/// OS threads that have leftovers of their own, as a power of two.
constexpr unsigned kThreadBits = 16;

}  // namespace

BlockWorker::BlockWorker(Launch& launch, BlockRunner& runner, const BlockSpace& memory,
                         std::size_t thread, WarpProfiler* profiler, RaceWatch* watch)
    : launch_(launch),
      runner_(runner),
      memory_(memory),
      thread_(thread),
      profiler_(profiler),
      watch_(watch),
      order_(launch.block_order, launch.order_seed, launch.turns),
      some_(launch.blocks),
      sample_(launch.blocks, threads_of(*launch.step)) {}

void BlockWorker::run() {
  const KernelScope scope;
  if (launch_.live != 0) {
    run_live();
    runner_.take_over();
  } else {
    run_one_after_another();
  }
}

void BlockWorker::run_one_after_another() {
  fill(0);
  runner_.tell(watch_);
  runner_.use_local(local_in(space(0)));
  cpu_abi::Block block = in_memory(space(0));
  while (const std::optional<std::uint64_t> turn = claim(/*tells=*/true)) {
    if (watch_ != nullptr && watch_->tired()) {
      break;
    }
    const std::uint64_t index = index_of(*turn);
    place(block, index);
    const bool counted = profiler_ != nullptr && !profiler_->tired() && sample_.has(index);
    runner_.count_into(counted ? profiler_ : nullptr,
                       profiler_ == nullptr ? nullptr : &profiler_->work_of());
    if (watch_ != nullptr) {
      watch_->start_block(block, 0);
    }
    runner_.interleave(interleaves(*turn));
    runner_.hold(runner_.interleaves() && launch_.nests);
    run_block(runner_, block, *turn);
    if (profiler_ != nullptr) {
      profiler_->block_done(counted, runner_.work());
    }
  }
}

bool BlockWorker::interleaves(std::uint64_t turn) const {
  return launch_.yields && turn < kInterleavedTurns && turn % 2 == 0;
}

std::optional<std::uint64_t> BlockWorker::claim(bool tells) {
  if (turn_ == last_) {
    if (tells) {
      KernelScope::at_block(launch_.next);
    }
    turn_ = launch_.next.fetch_add(launch_.chunk);
    last_ = std::min(turn_ + launch_.chunk, launch_.turns);
    if (turn_ >= launch_.turns) {
      last_ = turn_;
      return std::nullopt;
    }
    if (tells) {
      KernelScope::at_block(turn_);
    }
  }
  return turn_++;
}

BlockSpace BlockWorker::space(std::size_t block) const {
  const BlockBytes& bytes = launch_.block_bytes;
  return {.shared = memory_.shared + block * bytes.shared,
          .local = memory_.local + block * bytes.local + launch_.local_shift,
          .carried = memory_.carried + block * bytes.carried};
}

LocalMemory BlockWorker::local_in(const BlockSpace& memory) const {
  LocalMemory local = launch_.local;
  local.base = memory.local;
  return local;
}

void BlockWorker::fill(std::size_t block) {
  const BlockSpace memory = space(block);
  const LocalMemory local = local_in(memory);
  if (launch_.zeros) {
    zero_leftovers(local, launch_.threads_at_once, {memory.shared, launch_.shared_bytes});
    return;
  }
  const std::uint64_t number = block << kThreadBits | thread_;
  poison_shared(memory.shared, launch_.shared_bytes, derive_key(launch_.poison, "shared", number));
  poison_local(local, launch_.threads_at_once, derive_key(launch_.poison, "local", number));
}

cpu_abi::Block BlockWorker::in_memory(const BlockSpace& memory) const {
  const RunStep& step = *launch_.step;
  cpu_abi::Block block{};
  block.block_dim = step.block;
  block.grid_dim = step.grid;
  block.dynamic_shared_bytes = step.dynamic_shared_bytes;
  block.shared = memory.shared;
  block.arg_bounds = launch_.bounds.data();
  block.shared_bytes = launch_.shared_bytes;
  block.local = memory.local;
  block.cooperative = step.cooperative ? 1 : 0;
  // Without fibers the threads have the same local memory, one after another.
  block.local_stride = launch_.block == nullptr ? launch_.local.stride : 0;
  if (launch_.phases.turn != nullptr) {
    place_phase_memory(*launch_.phases.code, memory.carried, block);
  }
  return block;
}

void BlockWorker::place(cpu_abi::Block& block, std::uint64_t index) const {
  const auto& grid = launch_.step->grid;
  block.block_idx = {static_cast<std::uint32_t>(index % grid[0]),
                     static_cast<std::uint32_t>(index / grid[0] % grid[1]),
                     static_cast<std::uint32_t>(index / grid[0] / grid[1])};
}

std::uint64_t BlockWorker::index_of(std::uint64_t turn) const {
  const std::uint64_t place = order_.block_at(turn);
  return launch_.sparse ? some_.block_at(place) : place;
}

void BlockWorker::run_block(BlockRunner& runner, cpu_abi::Block& block, std::uint64_t turn) {
  void** const args = launch_.args.data();
  runner.use_order(launch_.order, mix64(launch_.order_seed ^ mix64(index_of(turn))));
  runner.start_clock(launch_.clock);
  const bool barriers = launch_.block == nullptr;
  // Without fibers the threads have the same local memory, one after another.
  block.local_stride = barriers || runner.interleaves() ? launch_.local.stride : 0;
  const bool ascending = launch_.order == RunOrder::kAscending;
  const bool cut = barriers ? launch_.phases.turn != nullptr && !runner.interleaves()
                            : launch_.phases.rows != nullptr && ascending;
  if (cut) {
    runner.run_phases(launch_.phases, block, args);
  } else if (!barriers && ascending) {
    runner.run_loop(launch_.block, block, args);
  } else if (!barriers && !runner.interleaves()) {
    runner.run_turns(launch_.thread, block, args);
  } else {
    runner.start_fibers(launch_.thread, block, args, launch_.stack);
    int nested = 0;
    while (!runner.ended() && runner.go_on() != Progress::kEnded) {
      // It may end beside the other block.
      runner.hold(++nested <= kNestedBlocks && run_nested());
    }
  }
}

bool BlockWorker::run_nested() {
  const std::optional<std::uint64_t> turn = claim(/*tells=*/false);
  if (!turn) {
    return false;
  }
  if (!nested_) {
    fill(1);
    nested_ = std::make_unique<BlockRunner>();
    nested_->run_beside(runner_);
    nested_->use_local(local_in(space(1)));
    nested_block_ = in_memory(space(1));
  }
  place(nested_block_, index_of(*turn));
  nested_->take_over();
  run_block(*nested_, nested_block_, *turn);
  runner_.take_over();
  return true;
}

}  // namespace ws::cpu
