// The faults of barriers, in the words of the contract.
#pragma once

#include "runtime/device/fault_report.h"

namespace ws {

/// @param fault  With block, thread and place, as far as they are known. @param reply  Its status
/// is one of a barrier's, or of threads that wait for each other.
void describe_barrier(Fault& fault, const RunReply& reply, const Image& image);

}  // namespace ws
