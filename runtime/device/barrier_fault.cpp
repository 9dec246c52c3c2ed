#include "runtime/device/barrier_fault.h"

#include "runtime/device/fault_words.h"

namespace ws {
namespace {

void describe_waiting(Fault& fault, const RunReply& reply, const Image& image) {
  const bool deadlock = reply.status == RunStatus::kDeadlock;
  fault.verdict = deadlock ? Verdict::kDeadlock : Verdict::kBarrierDivergence;
  fault.kind = name_of(fault.verdict);
  fault.message =
      std::to_string(reply.waiting) + " threads wait at " + place_text(site_at(image, reply.site));
  if (reply.other_site != kNoPlace) {
    fault.message += ", " + std::to_string(reply.other_waiting) + " at " +
                     place_text(site_at(image, reply.other_site));
  }
  fault.message += deadlock ? ": none of them can go on"
                            : ": all threads of a block must reach the same barrier";
}

void describe_grid_barrier(Fault& fault, const RunReply& reply, const Image& image) {
  const std::string place = place_text(site_at(image, reply.site));
  if (reply.status == RunStatus::kNotCooperative) {
    fault.verdict = Verdict::kRuntimeError;
    fault.kind = "not_cooperative";
    fault.message = "a barrier of the whole grid at " + place + who(fault) +
                    ", but the launch is not cooperative: give it `\"cooperative\": true`";
    return;
  }
  const bool blocks = reply.detail == kEndedBlocks;
  fault.verdict = Verdict::kBarrierDivergence;
  fault.kind = name_of(fault.verdict);
  fault.message = std::to_string(reply.waiting) + " threads" +
                  (fault.block ? " of block " + text_of_triple(*fault.block) : std::string()) +
                  " wait for the whole grid at " + place + ", and " +
                  std::to_string(reply.other_waiting) +
                  (blocks ? " blocks" : " threads of the block") +
                  " have ended: all threads of the grid must reach the same number of its barriers";
}

void describe_bad_barrier(Fault& fault, const RunReply& reply, const Image& image) {
  const std::string at = " at " + place_text(site_at(image, reply.site));
  const std::string number = std::to_string(reply.waiting);
  fault.verdict = Verdict::kRuntimeError;
  fault.kind = "invalid_barrier";
  if (reply.detail == kBarrierNumber) {
    fault.message = "barrier " + number + at + who(fault) + ": a block has barriers 0 to 15";
    return;
  }
  fault.message = "a barrier of " + number + " threads" + at + who(fault);
  fault.message += reply.detail == kBarrierCount
                       ? ": the number must be a multiple of 32, and more than 0 for an arrival"
                       : ", but the block has " + std::to_string(reply.other_waiting);
}

}  // namespace

void describe_barrier(Fault& fault, const RunReply& reply, const Image& image) {
  switch (reply.status) {
    case RunStatus::kGridDivergence:
    case RunStatus::kNotCooperative:
      return describe_grid_barrier(fault, reply, image);
    case RunStatus::kBadBarrier:
      return describe_bad_barrier(fault, reply, image);
    default:
      return describe_waiting(fault, reply, image);
  }
}

}  // namespace ws
