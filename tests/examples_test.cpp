// The example problems and kernels: each file is read, checked and resolved as a server would.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "runtime/judge/fills.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/plan/workloads.h"
#include "tests/support/golden.h"

namespace ws {

TEST_SUITE("examples.kernels") {
  namespace fs = std::filesystem;

  constexpr std::size_t kHidden = 6;

  const fs::path kFolder = fs::path(WS_SOURCE_DIR) / "examples" / "kernels";

  template <typename T>
  T require(Result<T> result) {
    INFO((result ? std::string() : to_text(result.error())));
    REQUIRE(result.has_value());
    return *std::move(result);
  }

  /// The listed workloads and some hidden ones.
  std::vector<Workload> workloads_of(const Problem& problem) {
    std::vector<Workload> all = require(expand_workloads(problem));
    for (Workload& hidden : require(hidden_workloads(problem, {all.front()}, kHidden, 1))) {
      all.push_back(std::move(hidden));
    }
    return all;
  }

  TEST_CASE("every example has the folder of its problem, and two kernels or more to compare") {
    for (const char* name : {"attention-f16", "compaction", "gemm-f16", "histogram", "layernorm",
                             "matmul", "reduction", "softmax", "spmv", "transpose", "vadd"}) {
      CAPTURE(std::string(name));
      CHECK(fs::exists(kFolder / name / "problem.json"));
      CHECK(sorted_entries(kFolder / name).size() >= 3);
    }
  }

  TEST_CASE("helper files that examples send along are those of the library") {
    const fs::path library = fs::path(WS_SOURCE_DIR) / "skills/transformations/lib";
    for (const fs::path& folder : sorted_entries(kFolder)) {
      const Problem problem = require(parse_problem(require(read_file(folder / "problem.json"))));
      for (const fs::path& file : sorted_entries(folder)) {
        if (file.filename() == "problem.json") {
          continue;
        }
        for (const auto& [name, text] :
             require(parse_kernel(require(read_file(file)), problem)).headers) {
          CHECK_MESSAGE(text == require(read_file(library / name)), file.string() << ": " << name);
        }
      }
    }
  }

  TEST_CASE("every kernel resolves on every listed and hidden workload that it covers") {
    for (const fs::path& folder : sorted_entries(kFolder)) {
      const Problem problem = require(parse_problem(require(read_file(folder / "problem.json"))));
      for (const ArgSpec& arg : problem.args) {
        const Status status = validate_fill(arg);
        CHECK_MESSAGE(status.has_value(), arg.name);
      }
      const std::vector<Workload> workloads = workloads_of(problem);
      const std::size_t listed = require(expand_workloads(problem)).size();
      for (const fs::path& file : sorted_entries(folder)) {
        CAPTURE(file.string());
        if (file.filename() == "problem.json") {
          continue;
        }
        const Kernel kernel = require(parse_kernel(require(read_file(file)), problem));
        CHECK(kernel.name == file.stem().string());
        const Coverage coverage = require(cover(problem, kernel, workloads, kernel.defaults));
        CHECK(coverage.run.size() >= listed);
        for (const Workload& workload : coverage.run) {
          CAPTURE(to_json_text(workload));
          CHECK_FALSE(
              require(resolve_plan(problem, kernel, workload, kernel.defaults)).steps.empty());
          CHECK_FALSE(require(render(kernel, workload, kernel.defaults)).entries.empty());
        }
      }
      for (const Workload& workload : workloads) {
        const Kernel program;  // A reference in Python has no launches.
        require(
            resolve_plan(problem, problem.reference ? *problem.reference : program, workload, {}));
      }
    }
  }
}

}  // namespace ws
