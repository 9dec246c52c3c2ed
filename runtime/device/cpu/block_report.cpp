// BlockRunner's part for the time when a kernel goes wrong: where its threads are.
#include "runtime/device/cpu/block_runner.h"
#include "runtime/device/cpu/fault.h"

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
  RunReply reply;
  reply.status = status;
  reply.block = block_->block_idx;
  reply.has_block = 1;
  for (const Fiber& fiber : fibers_) {
    const bool waits =
        fiber.state == FiberState::kAtBarrier || fiber.state == FiberState::kAtWarpOp;
    if (!waits) {
      continue;
    }
    if (reply.site == kNoPlace) {
      reply.site = fiber.site;
      reply.thread = fiber.thread;
      reply.has_thread = 1;
    }
    if (fiber.site == reply.site) {
      ++reply.waiting;
    } else {
      reply.other_site = reply.other_site == kNoPlace ? fiber.site : reply.other_site;
      ++reply.other_waiting;
    }
  }
  report_and_exit(reply);
}

}  // namespace ws::cpu
