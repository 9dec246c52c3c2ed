#include "runtime/device/fault_report.h"

#include <algorithm>
#include <csignal>
#include <cstring>

#include "runtime/device/barrier_fault.h"
#include "runtime/device/cpu/abi.h"
#include "runtime/device/driver_fault.h"
#include "runtime/device/fault_words.h"

namespace ws {
namespace {

/// The last line table row at or before a code offset.
Site line_at(const Image& image, std::uint64_t offset) {
  const auto after =
      std::upper_bound(image.lines.begin(), image.lines.end(), offset,
                       [](std::uint64_t value, const auto& row) { return value < row.first; });
  return offset == 0 || after == image.lines.begin() ? Site{} : std::prev(after)->second;
}

void set_place(Fault& fault, const Site& site) {
  fault.file = site.region;
  fault.line = site.line;
  fault.column = site.column;
}

/// How a kernel stopped itself, or was stopped at a texture.
void describe_trap(Fault& fault, const RunReply& reply, const std::string& at) {
  struct Row {
    std::string_view kind;
    std::string_view message;
    std::string_view hint;
  };

  static constexpr std::array kRows = {
      Row{"trap", "the kernel trapped", {}},
      Row{"assertion_failed", "an assertion failed", {}},
      Row{"integer_division_by_zero", "integer division by zero", {}},
      Row{"bad_texture", "a texture object that the launch did not pass was read",
          "pass it as an argument of the launch, and hand it on as it is"},
      Row{"bad_texture", "a texture was read as elements of another type or number",
          "the type in tex2D<type>() has the texture's `channels`, and the type of its buffer: "
          "`float` for f16 and for `normalized_float`"},
      Row{"bad_texture", "a texture was read by a function for textures of another kind",
          "tex1Dfetch() takes one with `fetch`, tex2D() one with `height`, tex3D() one with "
          "`depth`, "
          "tex2DLayered() one with `layers`"},
      Row{"bad_texture", "a level beyond the only one of a texture was read",
          "a plan's textures have no mipmaps: read level 0"},
  };
  const Row& row = kRows.at(std::min<std::size_t>(reply.detail, kRows.size() - 1));
  fault.kind = row.kind;
  fault.message = std::string(row.message) + at + who(fault);
  if (!row.hint.empty()) {
    fault.message += ": " + std::string(row.hint);
  }
}

/// The object that an out-of-bounds access was aimed at.
struct Aim {
  std::string name;
  std::size_t element_bytes = 1;
  std::string unit = "bytes";
};

Aim aim_at_buffer(const BufferSpec& buffer) {
  return {buffer.name, size_of(buffer.type), "elements"};
}

Aim aim_of(const RunReply& reply, const Image& image, const ResolvedPlan& plan) {
  switch (static_cast<cpu_abi::Object>(reply.object)) {
    case cpu_abi::Object::kArgument:
      if (reply.step < plan.steps.size() && reply.object_id < plan.steps[reply.step].args.size()) {
        const int buffer = plan.steps[reply.step].args[reply.object_id].buffer;
        if (buffer >= 0) {
          return aim_at_buffer(plan.buffers[static_cast<std::size_t>(buffer)]);
        }
        return {plan.steps[reply.step].args[reply.object_id].text, 1, "bytes"};
      }
      break;
    case cpu_abi::Object::kUnknown:
      if (reply.object_id < plan.buffers.size()) {
        return aim_at_buffer(plan.buffers[reply.object_id]);
      }
      break;
    case cpu_abi::Object::kVariable:
    case cpu_abi::Object::kDynamicShared:
      if (reply.object_id < image.objects.size()) {
        return {image.objects[reply.object_id], std::max<std::size_t>(reply.access_bytes, 1),
                "elements"};
      }
      break;
    case cpu_abi::Object::kLocal:
      return {"a local array", std::max<std::size_t>(reply.access_bytes, 1), "elements"};
  }
  return {"memory", 1, "bytes"};
}

std::int64_t floor_div(std::int64_t value, std::size_t by) {
  const auto divisor = static_cast<std::int64_t>(by);
  return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
}

void describe_out_of_bounds(Fault& fault, const RunReply& reply, const Image& image,
                            const ResolvedPlan& plan) {
  const Aim aim = aim_of(reply, image, plan);
  fault.verdict = Verdict::kOutOfBounds;
  fault.access = reply.write != 0 ? "write" : "read";
  fault.kind = fault.access + "_out_of_bounds";
  fault.buffer = aim.name;
  fault.index = floor_div(reply.offset, aim.element_bytes);
  fault.message = "out-of-bounds " + fault.access + " of " + std::to_string(reply.access_bytes) +
                  " bytes at " + place_text(site_at(image, reply.site)) + who(fault) + ": " +
                  aim.name + "[" + std::to_string(*fault.index) + "], but it has " +
                  std::to_string(floor_div(reply.length, aim.element_bytes)) + " " + aim.unit;
}

void describe_misaligned(Fault& fault, const RunReply& reply, const Image& image,
                         const ResolvedPlan& plan) {
  const Aim aim = aim_of(reply, image, plan);
  const auto object = static_cast<cpu_abi::Object>(reply.object);
  const bool buffer = object == cpu_abi::Object::kArgument || object == cpu_abi::Object::kUnknown;
  fault.access = reply.write != 0 ? "write" : "read";
  fault.kind = "misaligned_address";
  fault.buffer = aim.name;
  fault.message = "misaligned " + fault.access + " of " + std::to_string(reply.access_bytes) +
                  " bytes at " + place_text(site_at(image, reply.site)) + who(fault) + ": ";
  if (buffer) {
    fault.index = floor_div(reply.offset, aim.element_bytes);
    fault.message += aim.name + "[" + std::to_string(*fault.index) + "]";
  } else {
    fault.message += "byte " + std::to_string(reply.offset) + " of " + aim.name;
  }
  fault.message += " is not at a multiple of " + std::to_string(reply.access_bytes) + " bytes";
}

void describe_signal(Fault& fault, int signal) {
  fault.verdict = Verdict::kRuntimeError;
  fault.signal = signal;
  const char* text = signal == SIGFPE ? "integer division by zero or overflow"
                     : (signal == SIGSEGV || signal == SIGBUS)
                         ? "access to memory that does not exist"
                         : "the kernel crashed";
  fault.kind = signal == SIGFPE                          ? "integer_division_by_zero"
               : (signal == SIGSEGV || signal == SIGBUS) ? "invalid_address"
                                                         : "crash";
  fault.message = text;
}

void describe_reply(Fault& fault, const RunReply& reply, const Image& image,
                    const ResolvedPlan& plan) {
  const Site line = line_at(image, reply.code_offset);
  set_place(fault, reply.site != kNoPlace ? site_at(image, reply.site) : line);
  const std::string at = " at " + place_text(Site{fault.file, fault.line, fault.column});
  switch (reply.status) {
    case RunStatus::kOutOfBounds:
      describe_out_of_bounds(fault, reply, image, plan);
      return;
    case RunStatus::kMisaligned:
      describe_misaligned(fault, reply, image, plan);
      break;
    case RunStatus::kBarrierDivergence:
    case RunStatus::kDeadlock:
    case RunStatus::kGridDivergence:
    case RunStatus::kNotCooperative:
    case RunStatus::kBadBarrier:
      describe_barrier(fault, reply, image);
      return;
    case RunStatus::kDivideByZero:
    case RunStatus::kTrap:
      describe_trap(fault, reply, at);
      break;
    case RunStatus::kStackOverflow:
      fault.kind = "stack_overflow";
      fault.message = "a thread ran out of stack" + at + who(fault) +
                      ": endless recursion, or local arrays beyond 128 KiB";
      break;
    default:
      describe_signal(fault, reply.signal);
      fault.message += at + who(fault);
      break;
  }
  fault.verdict = Verdict::kRuntimeError;
}

Fault describe_finding(const TileFinding& finding) {
  struct Row {
    std::string_view kind;
    Verdict verdict;
  };

  constexpr std::array<Row, 9> kVerdicts = {{{"out_of_bounds", Verdict::kOutOfBounds},
                                             {"tile_outside", Verdict::kOutOfBounds},
                                             {"undetermined_value", Verdict::kUninitialisedRead},
                                             {"uninitialised_read", Verdict::kUninitialisedRead},
                                             {"block_conflict", Verdict::kDataRace},
                                             {"duplicate_index", Verdict::kDataRace},
                                             {"input_modified", Verdict::kInputModified},
                                             {"step_budget", Verdict::kTimeout},
                                             {"executor_limit", Verdict::kUnsupported}}};
  const auto* const row = std::find_if(kVerdicts.begin(), kVerdicts.end(),
                                       [&](const Row& each) { return each.kind == finding.kind; });
  Fault fault;
  fault.verdict = row == kVerdicts.end() ? Verdict::kRuntimeError : row->verdict;
  fault.kind = finding.kind;
  fault.buffer = finding.object;
  fault.file = finding.line > 0 ? "source" : "";
  fault.line = finding.line;
  fault.block = {static_cast<std::uint32_t>(finding.block), 0, 0};
  fault.message = finding.message;
  if (finding.line > 0) {
    fault.message = "line " + std::to_string(finding.line) + ": " + fault.message;
  }
  if (!finding.fix.empty()) {
    fault.message += "; " + finding.fix;
  }
  return fault;
}

}  // namespace

std::string text_of_triple(const std::array<std::uint32_t, 3>& at) {
  return "(" + std::to_string(at[0]) + "," + std::to_string(at[1]) + "," + std::to_string(at[2]) +
         ")";
}

Fault describe_fault(const RunOutcome& outcome, const Image& image, const ResolvedPlan& plan,
                     std::chrono::milliseconds limit) {
  if (!outcome.findings.empty()) {
    return describe_finding(outcome.findings.front());
  }
  Fault fault;
  const RunReply& reply = outcome.reply;
  if (reply.has_block != 0) {
    fault.block = reply.block;
  }
  if (reply.has_thread != 0) {
    fault.thread = reply.thread;
  }
  if (outcome.end == RunOutcome::End::kReplied && reply.status == RunStatus::kDriverError) {
    describe_driver_fault(fault, outcome, image, plan);
  } else if (outcome.end == RunOutcome::End::kReplied && reply.status == RunStatus::kTampered) {
    fault.verdict = Verdict::kSuspect;
    fault.kind = "tampering";
    fault.message = "a launch wrote to memory of the worker that no argument points into";
  } else if (outcome.end == RunOutcome::End::kRestless) {
    fault.verdict = Verdict::kSuspect;
    fault.kind = "tampering";
    fault.message = "the kernel's worker process worked while no launch was running";
  } else if (outcome.end == RunOutcome::End::kReplied) {
    describe_reply(fault, reply, image, plan);
  } else if (outcome.end == RunOutcome::End::kTimedOut) {
    const Site line = line_at(image, reply.code_offset);
    set_place(fault, line);
    fault.verdict = Verdict::kTimeout;
    fault.kind = "timeout";
    fault.message = "the kernel ran past its limit of " + std::to_string(limit.count()) + " ms";
    fault.message += line.region.empty() ? "" : "; it was at " + place_text(line) + who(fault);
  } else {
    describe_signal(fault, outcome.signal);
    fault.message = "the kernel's worker process died" +
                    (outcome.signal != 0 ? " with signal " + std::to_string(outcome.signal)
                                         : std::string(" without a word"));
  }
  return fault;
}

}  // namespace ws
