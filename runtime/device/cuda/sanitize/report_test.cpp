// Reports as compute-sanitizer 2025.3 writes them on an H100, read into records.
#include "runtime/device/cuda/sanitize/report.h"

#include <doctest/doctest.h>

namespace ws::cuda {
namespace {

using Kind = SanitizerRecord::Kind;

/// Two buffers: 4000 bytes at 0x1000000 and 32 at 0x2000000.
RunPlan two_buffers() {
  RunPlan plan;
  plan.buffers = {{.low = 4096, .high = 8096}, {.low = 16384, .high = 16416}};
  return plan;
}

std::vector<SanitizerRecord> read(SanitizerTool tool, std::string_view report) {
  return read_report(tool, report, two_buffers(), {0x1000000, 0x2000000});
}

SanitizerRecord only(SanitizerTool tool, std::string_view report) {
  const std::vector<SanitizerRecord> records = read(tool, report);
  REQUIRE(records.size() == 1);
  return records.front();
}

using Triple = std::array<std::uint32_t, 3>;

}  // namespace

TEST_SUITE("device.cuda.sanitizer_report") {
  TEST_CASE("an access past a buffer names it, its thread and its line") {
    const SanitizerRecord record = only(SanitizerTool::kMemcheck, R"(========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at oob+0xc0 in source:3
=========     by thread (232,0,0) in block (3,1,2)
=========     Access to 0x1000fa0 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x1000000 of size 4,000 bytes
========= 
========= ERROR SUMMARY: 1 error
)");
    CHECK(record.kind == Kind::kOutOfBounds);
    CHECK(record.access == "write");
    CHECK(record.space == "global");
    CHECK(record.access_bytes == 4);
    CHECK(record.entry == "oob");
    CHECK(record.at.file == "source");
    CHECK(record.at.line == 3);
    CHECK(*record.thread == Triple{232, 0, 0});
    CHECK(*record.block == Triple{3, 1, 2});
    CHECK(record.buffer == 0);
    CHECK(record.offset == 4000);
    CHECK(record.text == "Invalid __global__ write of size 4 bytes");
  }

  TEST_CASE("an access before a buffer has a negative offset") {
    const SanitizerRecord record = only(SanitizerTool::kMemcheck,
                                        R"(========= Invalid __global__ read of size 4 bytes
=========     at neg+0xc0 in macros:4
=========     by thread (0,0,0) in block (0,0,0)
=========     Access to 0x1fffffc is out of bounds
=========     and is 4 bytes before the nearest allocation at 0x2000000 of size 32 bytes
)");
    CHECK(record.buffer == 1);
    CHECK(record.offset == -4);
    CHECK(record.access == "read");
    CHECK(record.at.file == "macros");
  }

  TEST_CASE("one mistake of many threads is one record, by the first of them") {
    const SanitizerRecord record = only(SanitizerTool::kMemcheck,
                                        R"(========= Invalid __shared__ write of size 4 bytes
=========     at sh+0xb0 in source:7
=========     by thread (4,0,0) in block (0,0,0)
=========     Access to 0x500 is out of bounds
========= 
========= Invalid __shared__ write of size 4 bytes
=========     at sh+0xb0 in source:7
=========     by thread (5,0,0) in block (0,0,0)
=========     Access to 0x504 is out of bounds
========= 
========= ERROR SUMMARY: 60 errors
========= ERROR SUMMARY: 58 errors were not printed. Use --print-limit option to adjust the number of printed errors
)");
    CHECK(record.kind == Kind::kOutOfBounds);
    CHECK(record.space == "shared");
    CHECK(record.count == 2);
    CHECK((*record.thread)[0] == 4);
    CHECK_FALSE(record.buffer.has_value());
  }

  TEST_CASE("a misaligned access inside a buffer") {
    const SanitizerRecord record = only(SanitizerTool::kMemcheck,
                                        R"(========= Invalid __global__ write of size 8 bytes
=========     at mis+0x50 in source:6
=========     by thread (0,0,0) in block (0,0,0)
=========     Access to 0x1000004 is misaligned
=========     and is inside the nearest allocation at 0x1000000 of size 4,000 bytes
)");
    CHECK(record.kind == Kind::kMisaligned);
    CHECK(record.buffer == 0);
    CHECK(record.offset == 4);
  }

  TEST_CASE("the kernel's line is shown where a header's function made the access") {
    const SanitizerRecord record = only(SanitizerTool::kMemcheck,
                                        R"(========= Invalid __global__ atomic of size 4 bytes
=========     at atomicAdd+0xa0 in device_atomic_functions.hpp:107
=========     by thread (1,0,0) in block (0,0,0)
=========     Access to 0x2000020 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x2000000 of size 32 bytes
=========         Device Frame: k+0xa0 in source:10
)");
    CHECK(record.access == "atomic");
    CHECK(record.entry == "k");
    CHECK(record.at.file == "source");
    CHECK(record.at.line == 10);
  }

  TEST_CASE("a race has two places") {
    const SanitizerRecord record = only(SanitizerTool::kRacecheck, R"(========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at race+0xb0 in source:12
=========     and Read access at race+0xc0 in source:13 [1024 hazards]
========= 
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
)");
    CHECK(record.kind == Kind::kRace);
    CHECK(record.entry == "race");
    CHECK(record.access == "write");
    CHECK(record.at.line == 12);
    CHECK(record.other_access == "read");
    REQUIRE(record.other.has_value());
    CHECK(record.other->line == 13);
    CHECK(record.count == 1024);
  }

  TEST_CASE("a read of memory that nobody wrote") {
    const SanitizerRecord record =
        only(SanitizerTool::kInitcheck,
             R"(========= Uninitialized __global__ memory read of size 4 bytes
=========     at uni+0xf0 in source:9
=========     by thread (2,0,0) in block (0,0,0)
=========     Address 0x2000008
========= 
========= ERROR SUMMARY: 100 errors
)");
    CHECK(record.kind == Kind::kUninitialised);
    CHECK(record.access == "read");
    CHECK(record.buffer == 1);
    CHECK(record.offset == 8);
  }

  TEST_CASE("a barrier that not all threads reach") {
    const SanitizerRecord record =
        only(SanitizerTool::kSynccheck,
             R"(========= Barrier error detected. Divergent thread(s) in warp.
=========     at sync1+0x70 in source:11
=========     by thread (0,0,0) in block (0,0,0)
========= 
========= ERROR SUMMARY: 13 errors
)");
    CHECK(record.kind == Kind::kDivergentBarrier);
    CHECK(record.at.line == 11);
  }

  TEST_CASE("what is not known is kept as its text, and a clean report has no records") {
    const SanitizerRecord record = only(SanitizerTool::kSynccheck,
                                        "========= Barrier error detected. Invalid arguments.\n"
                                        "=========     at k+0x70 in source:2\n");
    CHECK(record.kind == Kind::kOther);
    CHECK(record.text == "Barrier error detected. Invalid arguments.");
    CHECK(read(SanitizerTool::kMemcheck,
               "========= COMPUTE-SANITIZER\n0\n"
               "========= ERROR SUMMARY: 0 errors\n")
              .empty());
    CHECK(read(SanitizerTool::kMemcheck,
               "========= Error: Target application terminated before first instrumented API "
               "call\n")
              .empty());
    CHECK(read(SanitizerTool::kMemcheck, "").empty());
    CHECK(read(SanitizerTool::kMemcheck, "=========").empty());
  }
}

}  // namespace ws::cuda
