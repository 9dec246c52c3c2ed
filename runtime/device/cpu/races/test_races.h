// Kernels of a few lines whose races are compared as short texts.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {

struct RaceCase {
  const char* name;
  const char* body;  ///< Its first line is line 2 of the source; x, y: 1024 ints; n: 64.
                     ///< meet(b, n), arrive(b, n): bar.sync, bar.arrive.
  const char* want;  ///< "write 3 read 5 block": kinds and lines of both, and what they share.
  std::int64_t threads = 64;
  std::int64_t blocks = 1;
  bool cooperative = false;
};

/// "write 3 read 5 block"; "read 5 unwritten".
inline std::string text_of(const SanitizerRecord& record) {
  const std::string text = record.access + " " + std::to_string(record.at.line);
  if (record.kind != SanitizerRecord::Kind::kRace) {
    return text + " unwritten";
  }
  const bool block = record.block == record.other_block;
  return text + " " + record.other_access + " " + std::to_string(record.other->line) +
         (record.same_warp ? " warp"
          : block          ? " block"
                           : " grid");
}

inline std::vector<SanitizerRecord> records_of(const RaceCase& c) {
  EngineRun run{
      .source =
          "#include <cuda/atomic>\n#include <cooperative_groups.h>\n"
          "#include <cuda/barrier>\n#include <cuda/pipeline>\n#include <cuda_fp16.h>\n"
          "__device__ inline void meet(int b, int n) {\n"
          "  asm volatile(\"bar.sync %0, %1;\" :: \"r\"(b), \"r\"(n) : \"memory\");\n}\n"
          "__device__ inline void arrive(int b, int n) {\n"
          "  asm volatile(\"bar.arrive %0, %1;\" :: \"r\"(b), \"r\"(n) : \"memory\");\n}\n#line 1\n"
          "__global__ void k(int* x, int* y, int n) {\n" +
          std::string(c.body) + "\n}",
      .entry = "k",
      .build = Build::kWatched,
      .grid = {c.blocks, 1, 1},
      .block = {c.threads, 1, 1},
      .buffers = {buffer_of("x", DType::kI32, 1024), buffer_of("y", DType::kI32, 1024)},
      .cooperative = c.cooperative};
  run.args = buffers_and_number(2, 64);
  return run_engine(run).records;
}

/// The records of one kind as one text, sorted and separated by ", ".
inline std::string races_of(const RaceCase& c,
                            SanitizerRecord::Kind kind = SanitizerRecord::Kind::kRace) {
  std::vector<std::string> lines;
  for (const SanitizerRecord& record : records_of(c)) {
    if (record.kind == kind) {
      lines.push_back(text_of(record));
    }
  }
  std::ranges::sort(lines);
  std::string all;
  for (const std::string& line : lines) {
    all += (all.empty() ? "" : ", ") + line;
  }
  return all;
}

/// Runs each of them.
inline void check_races(std::span<const RaceCase> cases) {
  for (const RaceCase& c : cases) {
    INFO(std::string(c.name));
    CHECK(races_of(c) == c.want);
  }
}

}  // namespace ws::test
