// BlockRunner's part for the time when a kernel goes wrong: where its threads are.
#include "runtime/device/cpu/block_runner.h"
#include "runtime/device/cpu/waiting_report.h"

namespace ws::cpu {

void describe_running_thread(RunReply& reply) {
  const BlockRunner* runner = current_runner();
  if (runner == nullptr || runner->block() == nullptr) {
    return;
  }
  reply.block = runner->block()->block_idx;
  reply.has_block = 1;
  if (const Fiber* fiber = runner->running(); fiber != nullptr) {
    reply.thread = fiber->thread;
    reply.has_thread = 1;
  }
}

void BlockRunner::report_waiting(RunStatus status) const {
  WaitingReport report(status, block_->block_idx);
  for (const Fiber& fiber : fibers_) {
    if (fiber.state == FiberState::kAtBarrier || fiber.state == FiberState::kAtWarpOp) {
      report.add(fiber.site, fiber.thread);
    }
  }
  report.send();
}

void BlockRunner::report_grid_divergence(std::uint32_t ended, std::uint64_t count) const {
  RunReply reply;
  reply.status = RunStatus::kGridDivergence;
  reply.detail = ended;
  reply.block = block_->block_idx;
  reply.has_block = 1;
  for (const Fiber& fiber : fibers_) {
    if (fiber.state == FiberState::kAtBarrier) {
      reply.site = fiber.site;
      ++reply.waiting;
    }
  }
  reply.other_waiting = static_cast<std::uint32_t>(count);
  report_and_exit(reply);
}

void BlockRunner::report_ended_blocks(std::uint64_t ended) const {
  report_grid_divergence(kEndedBlocks, ended);
}

}  // namespace ws::cpu
