// The main job as a table: what `warpsmith demo` sends, and what each answer should be.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "server/protocol/protocol.h"

namespace ws::server {

struct DemoStep {
  std::string_view title;
  std::string_view tool;
  std::string_view kernel;    ///< A name that demo_kernel() knows.
  std::string_view from;      ///< compile_kernel: the kernel it is an edit of; empty: sent whole.
                              ///< benchmark: the baseline, "reference" or a kernel.
  std::string_view expected;  ///< The verdict. A measured speed may be another: that is no failure.
  std::string_view
      shown;             ///< The field that the answer must have besides: a JSON pointer, or empty.
  std::string_view why;  ///< Said when the answer is as expected; empty: nothing to say.
};

inline constexpr std::string_view kWhyTiledIsFast =
    "An element of A or B is fetched once for 16 results, and then lies in shared memory.";
inline constexpr std::string_view kWhyWideTileIsFast =
    "A thread keeps eight results in registers, and each barrier serves all of them.";

inline constexpr std::array kDemoSteps = {
    DemoStep{"naive product, a planted mistake", "compile_kernel", "broken_compile", "",
             "compile_error", "/diagnostics/0/snippet", ""},
    DemoStep{"fixed by a line edit", "compile_kernel", "naive", "broken_compile", "compiled", "",
             ""},
    DemoStep{"is it right?", "validate", "naive", "", "passed", "", ""},
    DemoStep{"against the reference", "benchmark", "naive", "reference", "faster", "",
             "The reference adds up in double precision."},
    DemoStep{"edited: 16x16 shared tiles", "compile_kernel", "tiled16", "naive", "compiled", "",
             ""},
    DemoStep{"is it right?", "validate", "tiled16", "", "passed", "", ""},
    DemoStep{"against the naive one", "benchmark", "tiled16", "naive", "faster", "",
             kWhyTiledIsFast},
    DemoStep{"edited: 32x32, 8 rows a thread", "compile_kernel", "tiled32x8", "tiled16", "compiled",
             "", ""},
    DemoStep{"is it right?", "validate", "tiled32x8", "", "passed", "", ""},
    DemoStep{"against the naive one", "benchmark", "tiled32x8", "naive", "faster", "",
             kWhyWideTileIsFast},
    DemoStep{"broken: a grid rounded down", "compile_kernel", "broken_ragged", "naive", "compiled",
             "", ""},
    DemoStep{"is it caught?", "validate", "broken_ragged", "", "incorrect", "/mismatch/pattern",
             ""},
    DemoStep{"broken: one step too many", "compile_kernel", "broken_bounds", "naive", "compiled",
             "", ""},
    DemoStep{"is it caught?", "validate", "broken_bounds", "", "out_of_bounds", "/fault/thread",
             ""},
};

/// True for a benchmark: its verdict depends on how quiet the machine is.
bool is_measured(const DemoStep& step);

/// The mistake in the answer, or nothing when the step gave the expected one. A benchmark may end
/// in any verdict about speed, but not in `suspect` or `invalid`.
std::string step_failure(const DemoStep& step, const Json& answer);

/// True when the answer has the verdict that the table expects.
bool as_expected(const DemoStep& step, const Json& answer);

/// The part of a step's answer that people should read: diagnostics, the changed lines, the
/// mismatch, the fault, the times. Lines without ends.
///
/// @param arguments  The arguments that were sent.
std::vector<std::string> details_of(const DemoStep& step, const Json& arguments,
                                    const Json& answer);

}  // namespace ws::server
