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

}  // namespace ws::cpu
