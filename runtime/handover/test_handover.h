// Examples as they are handed over, for tests.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "runtime/handover/handover.h"
#include "runtime/kernel/form/forms.h"
#include "tests/support/golden.h"

namespace ws::test {

/// A problem and a kernel with everything that a hand-over needs. The ranges are the declared ones.
class HandedExample {
 public:
  HandedExample(Problem problem, Kernel kernel)
      : problem_(std::move(problem)),
        kernel_(std::move(kernel)) {
    const auto all = expand_workloads(problem_);
    REQUIRE(all.has_value());
    const auto covered = cover(problem_, kernel_, *all, kernel_.defaults);
    REQUIRE(covered.has_value());
    const auto first = smallest_workload(problem_, covered->run);
    REQUIRE(first.has_value());
    workload_ = *first;
  }

  /// @param path  "vadd/naive", or "../tiles/vadd/vadd_triton" with its problem "vadd".
  static HandedExample of(const std::string& folder, const std::string& path) {
    const std::filesystem::path kernels = source_dir() / "examples" / "kernels";
    const auto problem_text = read_file(kernels / folder / "problem.json");
    const auto kernel_text = read_file(kernels / (path + ".json"));
    REQUIRE(problem_text.has_value());
    REQUIRE(kernel_text.has_value());
    return of_texts(*problem_text, *kernel_text);
  }

  static HandedExample of_texts(const std::string& problem_text, const std::string& kernel_text) {
    auto problem = parse_problem(problem_text);
    REQUIRE_MESSAGE(problem.has_value(), to_text(problem.error()));
    auto kernel = parse_kernel(kernel_text, *problem);
    REQUIRE_MESSAGE(kernel.has_value(), to_text(kernel.error()));
    return {*std::move(problem), *std::move(kernel)};
  }

  [[nodiscard]] Result<std::vector<HandoverFile>> as(HandoverForm form) const {
    Proof proof;
    proof.ranges = ranges_of(problem_, {}, kernel_.specialize, workload_);
    return hand_over({.problem = problem_,
                      .kernel = kernel_,
                      .params = kernel_.defaults,
                      .workload = workload_,
                      .proof = proof},
                     form);
  }

  /// REQUIREs the files and writes them to `folder`.
  [[nodiscard]] std::vector<HandoverFile> written(HandoverForm form,
                                                  const std::filesystem::path& folder) const {
    const auto files = as(form);
    REQUIRE_MESSAGE(files.has_value(), to_text(files.error()));
    for (const HandoverFile& file : *files) {
      REQUIRE(write_file(folder / file.path, file.text).has_value());
    }
    return *files;
  }

  /// The text of the refusal. REQUIREs one.
  [[nodiscard]] std::string refusal(HandoverForm form) const {
    const auto files = as(form);
    REQUIRE_FALSE(files.has_value());
    return to_text(files.error());
  }

  [[nodiscard]] const std::string& id() const { return kernel_.id; }

 private:
  Problem problem_;
  Kernel kernel_;
  Workload workload_;
};

}  // namespace ws::test
