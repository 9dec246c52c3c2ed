// Imports of many lines: stopped half way, and gone on with.
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/archive/sqlite.h"
#include "runtime/archive/test_search.h"
#include "runtime/archive/transfer.h"
#include "runtime/kernel/forms.h"
#include "runtime/kernel/test_forms.h"

namespace ws::test {
namespace {

using Json = nlohmann::json;

std::int64_t count(const TestFolder& folder, const std::string& table) {
  auto file = Connection::open((folder.path() / "archive.db").string(), true);
  auto row = file->prepare("SELECT count(*) FROM " + table);
  REQUIRE(row->step().has_value());
  return row->integer(0);
}

/// A problem, then kernels of it with a record each.
std::string lines_of(int kernels) {
  const Problem problem = read_problem(matmul_problem());
  std::string text =
      Json{{"type", "problem"}, {"id", problem.id}, {"form", matmul_problem()}}.dump() + "\n";
  for (int i = 0; i < kernels; ++i) {
    const Json form = patched(matmul_kernel(), "/source", "int x" + std::to_string(i) + ";");
    const Kernel kernel = read_kernel(form, problem);
    const Json lines[] = {
        {{"type", "kernel"}, {"id", kernel.id}, {"problem_id", problem.id}, {"form", form}},
        {{"type", "evidence"},
         {"id", "evd_" + std::to_string(i)},
         {"kernel_id", kernel.id},
         {"device", "d"},
         {"kind", "validate"},
         {"verdict", "passed"}}};
    text += lines[0].dump() + "\n" + lines[1].dump() + "\n";
  }
  return text;
}

ImportReport imported(Archive& archive, const std::string& lines) {
  std::istringstream in(lines);
  const Result<ImportReport> report = import_lines(archive, in);
  REQUIRE_MESSAGE(report.has_value(), to_text(report.error()));
  return *report;
}

}  // namespace

TEST_SUITE("archive.import") {
  TEST_CASE("an import that was stopped half way goes on, and holds nothing twice") {
    constexpr int kKernels = 1500;
    const TestFolder folder;
    const auto archive = open_archive(folder);
    const std::string lines = lines_of(kKernels);
    const std::string half = lines.substr(0, lines.size() / 2);
    const ImportReport first = imported(*archive, half);
    CHECK(first.refused == 1);  // The line in which it was cut.
    CHECK(first.added == first.lines - 1);
    const ImportReport second = imported(*archive, lines);
    CHECK(second.lines == 2 * kKernels + 1);
    CHECK(second.refused == 0);
    CHECK(second.known == first.added);
    CHECK(second.added == second.lines - first.added);
    CHECK(count(folder, "kernels") == kKernels);
    CHECK(count(folder, "claims") == kKernels);
    CHECK(count(folder, "indexed_kernels") == kKernels);
    CHECK(count(folder, "fingerprints") == 1);  // They differ by a name.
    CHECK(count(folder, "evidence") == 0);
  }

  TEST_CASE("two imports of the same lines at once hold nothing twice") {
    const TestFolder folder;
    const auto first = open_archive(folder);
    const auto second = open_archive(folder);
    const std::string lines = lines_of(300);
    std::thread other([&] { imported(*second, lines); });
    const ImportReport report = imported(*first, lines);
    other.join();
    CHECK(report.added + report.known == 601);
    CHECK(count(folder, "kernels") == 300);
    CHECK(count(folder, "claims") == 300);
  }

  TEST_CASE("a line that no reader foresaw is refused by its number, and the rest goes on") {
    const TestFolder folder;
    const auto archive = open_archive(folder);
    imported(*archive, lines_of(1));
    const Problem problem = read_problem(matmul_problem());
    const std::string id = read_kernel(patched(matmul_kernel(), "/source", "int x0;"), problem).id;
    REQUIRE(archive->set_ref("best@main", id).has_value());
    constexpr std::size_t kBrackets = 200000;
    const ImportReport report = imported(
        *archive,
        R"({"type":"evidence","x":)" + std::string(kBrackets, '[') + std::string(kBrackets, ']') +
            "}\n" + R"({"name":"d","axes":7,"reference":""})" + "\n" +
            R"({"name":"d","axes":{"b":{"type":"var"}},"reference":""})" + "\n" +
            R"({"definition":"d","workload":{"axes":[1]}})" + "\n" +
            R"({"type":"label","kernel_id":"best@main","kind":"tag","text":"mine"})" + "\n");
    CHECK(report.refusals ==
          std::vector<std::string>{"line 1: invalid_argument: nested deeper than 100",
                                   "line 2: invalid_argument: line.axes: expected an object, got 7",
                                   "line 4: invalid_argument: line.workload.axes: expected an "
                                   "object, got a list of 1 item"});
    CHECK(report.added == 1);
    CHECK(archive->labels(id)->back().text == "mine");
  }

  TEST_CASE("progress is told while lines are read") {
    const TestFolder folder;
    const auto archive = open_archive(folder);
    std::istringstream in(lines_of(600));
    std::vector<std::uint64_t> told;
    REQUIRE(import_lines(*archive, in, [&](const ImportReport& report) {
              told.push_back(report.lines);
            }).has_value());
    CHECK(told == std::vector<std::uint64_t>{500, 1000});
  }

  TEST_CASE("tuning results become claims, one for each configuration") {
    const TestFolder folder;
    const auto archive = open_archive(folder);
    imported(*archive, lines_of(1));
    const Problem problem = read_problem(matmul_problem());
    const std::string id = read_kernel(patched(matmul_kernel(), "/source", "int x0;"), problem).id;
    const std::string cache = R"({"device_name":"X","tune_params_keys":["BM","BN"],"cache":{
        "16,16":{"BM":16,"BN":16,"time":1.5}, "32,16":{"BM":32,"BN":16,"time":"InvalidConfig"}}})";
    const Result<ImportReport> report = import_tuning(*archive, cache, id);
    REQUIRE(report.has_value());
    CHECK(report->added == 2);
    CHECK(import_tuning(*archive, cache, id)->known == 2);
    const std::string t4 =
        R"({"results":[{"configuration":{"BM":16},"times":{}},{"configuration":{"BX":1}},7]})";
    const Result<ImportReport> results = import_tuning(*archive, t4, id);
    REQUIRE(results.has_value());
    CHECK(results->added == 1);
    CHECK(results->refusals ==
          std::vector<std::string>{"line 2: invalid_argument: " + id + " has no parameter `BX`",
                                   "line 3: invalid_argument: it names no tuning parameter"});
  }
}

}  // namespace ws::test
