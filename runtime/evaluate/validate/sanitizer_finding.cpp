#include "runtime/evaluate/validate/sanitized_check.h"

namespace ws {
namespace {

using Kind = SanitizerRecord::Kind;

std::string text_of(const SanitizerPlace& place) {
  return place.file.empty() ? "an unknown line" : place.file + ":" + std::to_string(place.line);
}

std::string who(const SanitizerRecord& record) {
  return record.thread && record.block ? " by thread " + text_of_triple(*record.thread) +
                                             " of block " + text_of_triple(*record.block)
                                       : "";
}

std::string accesses(std::string_view access) {
  return access == "write" ? "writes" : "reads";
}

/// "out-of-bounds write of 4 bytes at source:3 by thread (1,0,0) of block (0,0,0)"
std::string access_text(std::string_view what, const SanitizerRecord& record) {
  return std::string(what) + " " + (record.access.empty() ? "access" : record.access) + " of " +
         std::to_string(record.access_bytes) + " bytes" +
         (record.space.empty() ? "" : " of " + record.space + " memory") + " at " +
         text_of(record.at) + who(record);
}

/// Names what a race is about: a buffer, or a variable, and its element, where it is known.
void name_element(const SanitizerRecord& record, const ResolvedPlan& plan, Fault& fault) {
  auto bytes = static_cast<std::int64_t>(record.access_bytes);
  if (record.buffer && *record.buffer < plan.buffers.size()) {
    const BufferSpec& buffer = plan.buffers[*record.buffer];
    fault.buffer = buffer.name;
    bytes = static_cast<std::int64_t>(size_of(buffer.type));
  } else {
    fault.buffer = record.variable;
  }
  if (!fault.buffer.empty() && bytes != 0) {
    fault.index = record.offset / bytes;
  }
}

/// How two accesses like these can be ordered.
std::string_view race_advice(const SanitizerRecord& record) {
  if (record.block != record.other_block && record.block_scope) {
    return "an atomic of block scope orders nothing between blocks: use one of the whole device, "
           "such as `atomicAdd` or `cuda::thread_scope_device`";
  }
  if (record.block != record.other_block) {
    return "blocks run at the same time: use atomic operations, or a launch for each of the two";
  }
  return record.same_warp ? "a `__syncwarp()` or `__syncthreads()` must come between them"
                          : "a `__syncthreads()` must come between them";
}

/// A race whose threads are both known. @param fault  Names what it is about.
std::string race_text(const SanitizerRecord& record, const Fault& fault) {
  const bool same_block = record.block == record.other_block;
  const std::string memory = fault.index
                                 ? "`" + fault.buffer + "[" + std::to_string(*fault.index) + "]`"
                                 : record.space + " memory";
  return "thread " + text_of_triple(*record.thread) + " of block " + text_of_triple(*record.block) +
         " " + accesses(record.access) + " " + memory + " at " + text_of(record.at) +
         ", and thread " + text_of_triple(*record.other_thread) +
         (same_block ? "" : " of block " + text_of_triple(*record.other_block)) + " " +
         accesses(record.other_access) + " it at " + text_of(*record.other) +
         ", but nothing orders the two" +
         (record.volatile_only ? ", as `volatile` does not: " : ": ") +
         std::string(race_advice(record));
}

std::string race_text(const SanitizerRecord& record) {
  const SanitizerPlace second = record.other.value_or(record.at);
  return "`" + record.entry + "` " + accesses(record.access) + " shared memory at " +
         text_of(record.at) + " and another thread " + accesses(record.other_access) + " it at " +
         text_of(second) + ", with no barrier between them (" + std::to_string(record.count) +
         " times)";
}

/// Names the buffer's element; false where the record is about no buffer.
bool add_element(const SanitizerRecord& record, const ResolvedPlan& plan, Fault& fault) {
  if (!record.buffer || *record.buffer >= plan.buffers.size()) {
    return false;
  }
  const BufferSpec& buffer = plan.buffers[*record.buffer];
  const auto bytes = static_cast<std::int64_t>(size_of(buffer.type));
  const std::int64_t index =
      record.offset >= 0 ? record.offset / bytes : -((-record.offset + bytes - 1) / bytes);
  fault.buffer = buffer.name;
  fault.index = index;
  fault.message += ": " + buffer.name + "[" + std::to_string(index) + "]";
  return true;
}

/// The verdict, the kind and the sentence of each kind of record.
void describe_kind(const SanitizerRecord& record, const ResolvedPlan& plan, Fault& fault) {
  switch (record.kind) {
    case Kind::kOutOfBounds:
      fault.verdict = Verdict::kOutOfBounds;
      fault.kind = (record.access == "write" ? "write" : "read") + std::string("_out_of_bounds");
      fault.message = access_text("out-of-bounds", record);
      if (add_element(record, plan, fault)) {
        fault.message +=
            ", but it has " + std::to_string(plan.buffers[*record.buffer].span) + " elements";
      }
      return;
    case Kind::kMisaligned:
      fault.verdict = Verdict::kRuntimeError;
      fault.kind = "misaligned_address";
      fault.message = access_text("misaligned", record);
      add_element(record, plan, fault);
      return;
    case Kind::kRace:
      fault.verdict = Verdict::kDataRace;
      fault.kind = name_of(fault.verdict);
      if (record.other_thread) {
        name_element(record, plan, fault);
        fault.message = race_text(record, fault);
      } else {
        fault.message = race_text(record);
      }
      return;
    case Kind::kUninitialised:
      fault.verdict = Verdict::kUninitialisedRead;
      fault.kind = name_of(fault.verdict);
      fault.message = access_text("uninitialised", record);
      if (add_element(record, plan, fault)) {
        fault.message += ", which nobody wrote before";
      }
      return;
    case Kind::kDivergentBarrier:
      fault.verdict = Verdict::kBarrierDivergence;
      fault.kind = name_of(fault.verdict);
      fault.message = "not all threads that must wait at the barrier at " + text_of(record.at) +
                      " reach it together" + (who(record).empty() ? "" : "; seen" + who(record));
      return;
    case Kind::kOther:
      fault.verdict = Verdict::kSanitizer;
      fault.kind = name_of(record.tool);
      fault.message = record.text + " at " + text_of(record.at) + who(record);
      if (record.other && record.other_thread) {
        fault.message += " and at " + text_of(*record.other) + " by thread " +
                         text_of_triple(*record.other_thread) +
                         ": a GPU may wait for ever; call it at one place, where all lanes of the "
                         "mask arrive";
      }
      return;
  }
}

}  // namespace

SanitizerFinding describe(const SanitizerRecord& record, const ResolvedPlan& plan) {
  SanitizerFinding finding{.tool = record.tool,
                           .fault = {},
                           .other = record.other,
                           .other_block = record.other_block,
                           .other_thread = record.other_thread,
                           .count = record.count};
  Fault& fault = finding.fault;
  fault.access = record.access == "read" || record.access == "write" ? record.access : "";
  fault.file = record.at.file;
  fault.line = record.at.line;
  fault.column = record.at.column;
  fault.block = record.block;
  fault.thread = record.thread;
  describe_kind(record, plan, fault);
  return finding;
}

}  // namespace ws
