#include "runtime/device/fault_report.h"

#include <csignal>

#include <doctest/doctest.h>

#include "runtime/device/cpu/abi.h"
#include "tests/support/engine_bench.h"

namespace ws {

TEST_SUITE("device.fault_report") {
  using test::buffer_of;

  Image two_sites() {
    Image image;
    image.sites = {Site{"source", 7, 3}, Site{"macros", 2, 1}};
    image.lines = {{16, Site{"source", 4, 1}}, {64, Site{"source", 5, 1}}};
    image.objects = {"tile"};
    return image;
  }

  ResolvedPlan one_buffer() {
    ResolvedPlan plan;
    plan.buffers = {buffer_of("x", DType::kF32, 10)};
    LaunchArg arg;
    arg.kind = LaunchArg::Kind::kBuffer;
    arg.buffer = 0;
    LaunchArg null;
    null.kind = LaunchArg::Kind::kNull;
    null.text = "null";
    LaunchStep step;
    step.args = {arg, null};
    plan.steps = {step};
    return plan;
  }

  std::string message_of(const RunOutcome& outcome) {
    return describe_fault(outcome, two_sites(), one_buffer(), std::chrono::milliseconds(250))
        .message;
  }

  RunOutcome replied(RunStatus status) {
    RunOutcome outcome;
    outcome.reply.status = status;
    outcome.reply.site = 0;
    return outcome;
  }

  TEST_CASE("an access is described against what it was aimed at") {
    struct Row {
      cpu_abi::Object object;
      std::uint32_t id;
      const char* aim;
    };

    constexpr Row kRows[] = {
        {cpu_abi::Object::kArgument, 0, "x[-2], but it has 10 elements"},
        {cpu_abi::Object::kArgument, 1, "null[-8], but it has 40 bytes"},
        {cpu_abi::Object::kArgument, 9, "memory[-8], but it has 40 bytes"},
        {cpu_abi::Object::kUnknown, 0, "x[-2], but it has 10 elements"},
        {cpu_abi::Object::kUnknown, 5, "memory[-8], but it has 40 bytes"},
        {cpu_abi::Object::kVariable, 0, "tile[-2], but it has 10 elements"},
        {cpu_abi::Object::kVariable, 3, "memory[-8], but it has 40 bytes"},
        {cpu_abi::Object::kLocal, 0, "a local array[-2], but it has 10 elements"},
    };
    for (const Row& row : kRows) {
      RunOutcome outcome = replied(RunStatus::kOutOfBounds);
      outcome.reply.object = static_cast<std::uint32_t>(row.object);
      outcome.reply.object_id = row.id;
      outcome.reply.offset = -8;
      outcome.reply.length = 40;
      outcome.reply.access_bytes = 4;
      CHECK(message_of(outcome) ==
            std::string("out-of-bounds read of 4 bytes at source:7: ") + row.aim);
    }
  }

  TEST_CASE("a misaligned access is named by the buffer's element, or by bytes") {
    struct Row {
      cpu_abi::Object object;
      std::uint32_t id;
      const char* aim;
    };

    constexpr Row kRows[] = {
        {cpu_abi::Object::kArgument, 0, "x[2]"},
        {cpu_abi::Object::kUnknown, 0, "x[2]"},
        {cpu_abi::Object::kVariable, 0, "byte 8 of tile"},
        {cpu_abi::Object::kVariable, kNoPlace, "byte 8 of memory"},
        {cpu_abi::Object::kLocal, 0, "byte 8 of a local array"},
    };
    for (const Row& row : kRows) {
      RunOutcome outcome = replied(RunStatus::kMisaligned);
      outcome.reply.object = static_cast<std::uint32_t>(row.object);
      outcome.reply.object_id = row.id;
      outcome.reply.offset = 8;
      outcome.reply.access_bytes = 16;
      outcome.reply.write = 1;
      CHECK(message_of(outcome) == std::string("misaligned write of 16 bytes at source:7: ") +
                                       row.aim + " is not at a multiple of 16 bytes");
    }
  }

  TEST_CASE("a reply that names no known place is described without one") {
    RunOutcome outcome = replied(RunStatus::kOutOfBounds);
    outcome.reply.site = 99;
    outcome.reply.step = 99;
    outcome.reply.access_bytes = 0;
    CHECK(message_of(outcome) ==
          "out-of-bounds read of 0 bytes at an unknown line: memory[0], but it has 0 bytes");
  }

  TEST_CASE("a worker's end and its kernel's end are distinguished") {
    RunOutcome died;
    died.end = RunOutcome::End::kDied;
    CHECK(message_of(died) == "the kernel's worker process died without a word");
    died.signal = SIGKILL;
    CHECK(message_of(died) == "the kernel's worker process died with signal 9");
    RunOutcome late;
    late.end = RunOutcome::End::kTimedOut;
    CHECK(message_of(late) == "the kernel ran past its limit of 250 ms");
    late.reply.code_offset = 70;
    late.reply.has_block = 1;
    late.reply.block = {1, 2, 3};
    CHECK(message_of(late) ==
          "the kernel ran past its limit of 250 ms; it was at source:5 in block (1,2,3)");
    const Fault fault =
        describe_fault(late, two_sites(), one_buffer(), std::chrono::milliseconds(250));
    CHECK(fault.verdict == Verdict::kTimeout);
    CHECK(fault.line == 5);
  }

  TEST_CASE("what the executor of tiles cannot run proves nothing about the kernel") {
    RunOutcome outcome;
    outcome.findings = {{.kind = "executor_limit",
                         .message = "a grid of (70000, 1, 1) blocks: the executor runs 1 to 65536",
                         .fix = "run it on smaller shapes",
                         .object = {}}};
    const Fault fault =
        describe_fault(outcome, two_sites(), one_buffer(), std::chrono::milliseconds(250));
    CHECK(fault.verdict == Verdict::kUnsupported);
    CHECK_FALSE(facts_of(fault.verdict).proves_wrong);
    CHECK(fault.message ==
          "a grid of (70000, 1, 1) blocks: the executor runs 1 to 65536; run it on smaller shapes");
  }

  TEST_CASE("signals have words of their own") {
    struct Row {
      int signal;
      const char* kind;
      const char* message;
    };

    constexpr Row kRows[] = {
        {SIGSEGV, "invalid_address", "access to memory that does not exist at source:7"},
        {SIGFPE, "integer_division_by_zero", "integer division by zero or overflow at source:7"},
        {SIGILL, "crash", "the kernel crashed at source:7"},
    };
    for (const Row& row : kRows) {
      RunOutcome outcome = replied(RunStatus::kSignal);
      outcome.reply.signal = row.signal;
      const Fault fault =
          describe_fault(outcome, two_sites(), one_buffer(), std::chrono::milliseconds(1));
      CHECK(fault.verdict == Verdict::kRuntimeError);
      CHECK(fault.kind == row.kind);
      CHECK(fault.message == row.message);
      CHECK(fault.signal == row.signal);
    }
  }
}

}  // namespace ws
