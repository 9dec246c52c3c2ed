#include "runtime/device/driver_fault.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "runtime/device/fault_words.h"

namespace ws {
namespace {

struct FaultOfCode {
  std::uint32_t code;
  Verdict verdict;
  const char* kind;
  const char* message;
};

constexpr const char* kSeeCpu = "; run validate on cpu:0, which names the line";

constexpr std::array kRows = {
    FaultOfCode{1, Verdict::kLaunchError, "invalid_launch",
                "the driver refused the launch: an extent or a size is out of range"},
    FaultOfCode{
        2, Verdict::kResourceLimit, "out_of_memory",
        "the GPU has no memory left for the launch: its local memory is for all threads that the "
        "device can hold"},
    FaultOfCode{209, Verdict::kLaunchError, "wrong_architecture", "the binary is not for this GPU"},
    FaultOfCode{700, Verdict::kRuntimeError, "illegal_address",
                "a thread read or wrote an address where no buffer is, or its stack overflowed"},
    FaultOfCode{701, Verdict::kResourceLimit, "launch_out_of_resources",
                "a block needs more registers than a multiprocessor has: use fewer threads, or "
                "__launch_bounds__"},
    FaultOfCode{702, Verdict::kTimeout, "watchdog", "the display's watchdog stopped the kernel"},
    FaultOfCode{710, Verdict::kRuntimeError, "assertion_failed", "an assertion failed"},
    FaultOfCode{714, Verdict::kRuntimeError, "stack_overflow",
                "a thread's stack overflowed: endless recursion, or large local arrays"},
    FaultOfCode{715, Verdict::kRuntimeError, "illegal_instruction",
                "the kernel trapped, or ran an illegal instruction"},
    FaultOfCode{
        716, Verdict::kRuntimeError, "misaligned_address",
        "a thread used an address that is no multiple of the access's size: a cast to float4 or "
        "the like needs 16 bytes alignment"},
    FaultOfCode{717, Verdict::kRuntimeError, "invalid_address_space",
                "an instruction for shared or local memory was given an address elsewhere"},
    FaultOfCode{
        718, Verdict::kRuntimeError, "invalid_program_counter",
        "the kernel jumped to where no code is: a stack that was overwritten, or a bad function "
        "pointer"},
    FaultOfCode{
        719, Verdict::kRuntimeError, "launch_failed",
        "the GPU stopped the kernel: a trap, a stack overflow, or shared memory used out of its "
        "range"},
    FaultOfCode{720, Verdict::kResourceLimit, "cooperative_launch_too_large",
                "a cooperative launch has more blocks than the device can hold at once"},
    FaultOfCode{721, Verdict::kRuntimeError, "tensor_memory_leak",
                "the kernel ended with tensor memory allocated: free what tcgen05.alloc took"},
};

/// VkResult without its sign.
constexpr std::array kVulkanRows = {
    FaultOfCode{1, Verdict::kResourceLimit, "out_of_memory",
                "the Vulkan driver has no memory left on the host"},
    FaultOfCode{2, Verdict::kResourceLimit, "out_of_memory",
                "the device has no memory left for the launch"},
    FaultOfCode{4, Verdict::kRuntimeError, "device_lost",
                "the device was lost: the shader crashed it, or ran for too long"},
};

constexpr FaultOfCode kOther = {0, Verdict::kRuntimeError, "driver_error",
                                "the driver reported an error"};

template <typename Rows>
const FaultOfCode& row_of(const Rows& rows, std::uint32_t code) {
  const auto at = std::find_if(rows.begin(), rows.end(),
                               [&](const FaultOfCode& row) { return row.code == code; });
  return at == rows.end() ? kOther : *at;
}

std::string launch_text(std::uint32_t step, const ResolvedPlan& plan) {
  std::string text = "launches[" + std::to_string(step) + "]";
  return step < plan.steps.size() ? text + " (`" + plan.steps[step].entry + "`)" : text;
}

/// "source:4: void k(int *): block: [0,0,0], thread: [1,0,0] Assertion `x > 0` failed."
struct Assertion {
  Site place;
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> thread{};
  std::string condition;
};

std::optional<Assertion> find_assertion(const std::string& text) {
  constexpr std::string_view kBlock = ": block: [";
  constexpr std::string_view kCondition = "Assertion `";
  const std::size_t at = text.find(kBlock);
  const std::size_t from = text.find(kCondition, at == std::string::npos ? at : at + 1);
  const std::size_t to = text.find("` failed", from);
  if (at == std::string::npos || from == std::string::npos || to == std::string::npos) {
    return std::nullopt;
  }
  Assertion found;
  auto& [bx, by, bz] = found.block;
  auto& [tx, ty, tz] = found.thread;
  const std::size_t line_start = text.rfind('\n', at) + 1;  // npos + 1 is the text's start.
  const std::size_t colon = text.find(':', line_start);
  // Whole numbers of a fixed form; sscanf says how many of them there are.
  if (std::sscanf(text.c_str() + at, ": block: [%u,%u,%u], thread: [%u,%u,%u]", &bx, &by, &bz, &tx,
                  &ty, &tz) != 6 ||
      std::sscanf(text.c_str() + colon, ":%d", &found.place.line) != 1) {
    return std::nullopt;
  }
  // The compiler's files have absolute names.
  const std::size_t name = text[line_start] == '/' ? line_start + 1 : line_start;
  found.place.region = text.substr(name, colon - name);
  found.condition = text.substr(from + kCondition.size(), to - from - kCondition.size());
  return found;
}

void describe_assertion(Fault& fault, const Assertion& assertion) {
  fault.file = assertion.place.region;
  fault.line = assertion.place.line;
  fault.block = assertion.block;
  fault.thread = assertion.thread;
  fault.message = "the assertion `" + assertion.condition + "` failed at " + fault.file + ":" +
                  std::to_string(fault.line) + " by thread " + text_of_triple(assertion.thread) +
                  " of block " + text_of_triple(assertion.block);
}

void describe_endless_loop(Fault& fault, const Site& site) {
  fault.verdict = Verdict::kTimeout;
  fault.kind = "endless_loop";
  fault.file = site.region;
  fault.line = site.line;
  fault.column = site.column;
  fault.message = "a thread was in the loop at " + place_text(site) +
                  " after 65,535 turns of all its loops, where lavapipe ends them: the loop never "
                  "ends, or the thread has too much to do for this device";
}

}  // namespace

void describe_driver_fault(Fault& fault, const RunOutcome& outcome, const Image& image,
                           const ResolvedPlan& plan) {
  const RunReply& reply = outcome.reply;
  const bool vulkan = (reply.detail & kVulkanCode) != 0;
  const std::uint32_t code = reply.detail & ~(kHipCode | kVulkanCode);
  const FaultOfCode& row = vulkan ? row_of(kVulkanRows, code) : row_of(kRows, code);
  fault.verdict = row.verdict;
  fault.kind = row.kind;
  if (const auto assertion = find_assertion(outcome.text);
      assertion && fault.kind == "assertion_failed") {
    describe_assertion(fault, *assertion);
    return;
  }
  if (vulkan && code == kEndlessLoop) {
    describe_endless_loop(fault, site_at(image, reply.site));
    return;
  }
  if (vulkan && code == kEndlessCompile) {
    fault.verdict = Verdict::kTimeout;
    fault.kind = "endless_compile";
    fault.message = "the driver did not compile the shader within " +
                    std::to_string(kDriverCompileLimit.count()) +
                    " s: large local arrays and whole unrolled loops take long";
    return;
  }
  if (vulkan) {
    fault.message = launch_text(reply.step, plan) + ": " + row.message + " (Vulkan error -" +
                    std::to_string(code) + ")";
    return;
  }
  fault.message = launch_text(reply.step, plan) + ": " + row.message +
                  (code == reply.detail ? " (CUDA error " : " (HIP error ") + std::to_string(code) +
                  ")";
  fault.message += fault.verdict == Verdict::kRuntimeError ? kSeeCpu : "";
}

}  // namespace ws
