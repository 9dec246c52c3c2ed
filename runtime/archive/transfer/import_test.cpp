// Imports of many lines: stopped half way, and gone on with.
#include <algorithm>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/archive/search/test_search.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/archive/transfer/transfer.h"
#include "runtime/base/viewer.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/form/test_forms.h"

namespace ws::test {
namespace {

using Json = nlohmann::json;

std::int64_t count(const TestPlace& folder, const std::string& table) {
  auto file = folder.connection();
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

std::string first_kernel() {
  const Problem problem = read_problem(matmul_problem());
  return read_kernel(patched(matmul_kernel(), "/source", "int x0;"), problem).id;
}

std::string exported(Archive& archive) {
  std::string text;
  REQUIRE(archive
              .export_lines([&](std::string_view line) -> Status {
                text += std::string(line) + "\n";
                return {};
              })
              .has_value());
  return text;
}

}  // namespace

TEST_SUITE("archive.import") {
  TEST_CASE("an export of more rows than are read at once has each of them, in order") {
    const TestPlace from;
    const auto archive = open_archive(from);
    CHECK(imported(*archive, lines_of(130)).added == 261);
    const std::string text = exported(*archive);
    CHECK(std::count(text.begin(), text.end(), '\n') == 262);  // With one that says what it is.
    const TestPlace to;
    const auto copy = open_archive(to);
    CHECK(imported(*copy, text).added == 261);
    CHECK(exported(*copy) == text);
  }

  TEST_CASE("rows keep their owners through an export and an import") {
    const auto viewer = [](const std::string& owner) {
      return std::make_shared<const Viewer>(
          Viewer{.owner = owner, .sees_all = false, .shares = false});
    };
    const TestPlace from;
    const auto archive = open_archive(from);
    {
      const ViewerScope alice(viewer("alice"));
      CHECK(imported(*archive, lines_of(1)).refused == 0);
      REQUIRE(archive->put_label({first_kernel(), "note", "mine"}).has_value());
      REQUIRE(archive->set_ref("mm@main", first_kernel()).has_value());
    }
    const std::string lines = exported(*archive);
    const TestPlace to;
    const auto other = open_archive(to);
    CHECK(imported(*other, lines).refused == 0);
    CHECK(imported(*other, lines).refused == 0);
    CHECK(exported(*other) == lines);
    {
      const ViewerScope bob(viewer("bob"));
      CHECK_FALSE(other->kernel(first_kernel()).has_value());
    }
    const ViewerScope alice(viewer("alice"));
    CHECK(other->ref("mm@main").value_or("") == first_kernel());
    CHECK(other->labels(first_kernel(), 9)->size() == 2);
  }

  TEST_CASE("owners that cannot be are refused") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    for (const Json& owners : {Json("ann"), Json{{"a b", 0}}, Json{{"ann", 2}}}) {
      const Json line = {{"type", "ref"}, {"name", "a@b"}, {"kernel_id", "x"}, {"owners", owners}};
      const ImportReport report = imported(*archive, line.dump() + "\n");
      REQUIRE(report.refusals.size() == 1);
      CHECK(report.refusals[0] ==
            "line 1: invalid_argument: line.owners: expected up to 1000 names of principals, each "
            "0 or 1, got " +
                std::string(owners.is_object() ? "an object" : "\"ann\""));
    }
  }

  TEST_CASE("an import that was stopped half way goes on, and holds nothing twice") {
    constexpr int kKernels = 1500;
    const TestPlace folder;
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
    const TestPlace folder;
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
    const TestPlace folder;
    const auto archive = open_archive(folder);
    imported(*archive, lines_of(1));
    const std::string id = first_kernel();
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
          std::vector<std::string>{
              "line 1: invalid_argument: nested deeper than 100",
              "line 2: invalid_argument: line.axes: expected an object, got 7",
              "line 4: invalid_argument: workload.axes: expected an "
              "object, got a list of 1 item",
              "end: invalid_argument: definition `d`: no workload gave it sizes"});
    CHECK(report.added == 1);
    CHECK(archive->labels(id, 9)->front().text == "mine");
  }

  TEST_CASE("progress is reported while lines are read") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    std::istringstream in(lines_of(600));
    std::vector<std::uint64_t> told;
    REQUIRE(import_lines(*archive, in, [&](const ImportReport& report) {
              told.push_back(report.lines);
            }).has_value());
    CHECK(told == std::vector<std::uint64_t>{500, 1000});
  }

  TEST_CASE("what an import says of a kernel is marked, and a tag of it must be one") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    imported(*archive, lines_of(1));
    const std::string id = first_kernel();
    const auto label = [&](const std::string& kind, const std::string& text) {
      return Json{{"type", "label"}, {"kernel_id", id}, {"kind", kind}, {"text", text}}.dump() +
             "\n";
    };
    const ImportReport report =
        imported(*archive, label("tag", "Best of all!") + label("tag", "good") +
                               label("note", "Well done") + label("note", std::string(2001, 'x')));
    CHECK(report.refusals ==
          std::vector<std::string>{
              "line 1: invalid_argument: a tag has 1 to 64 lower-case letters, digits and _ . -",
              "line 4: invalid_argument: a note has 1 to 2000 bytes, got 2001"});
    REQUIRE(archive->put_label({id, "tag", "good"}).has_value());
    const auto labels = archive->labels(id, 9);
    REQUIRE(labels->size() == 2);
    CHECK((*labels)[0].imported);
    CHECK_FALSE((*labels)[1].imported);  // Somebody here said so too.
  }

  TEST_CASE("a definition that no workload gives sizes is named at the end") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    const ImportReport report =
        imported(*archive, R"({"name":"gemm_n","axes":{"n":{"type":"var"}},"reference":""})"
                           "\n");
    CHECK(report.refusals ==
          std::vector<std::string>{
              "end: invalid_argument: definition `gemm_n`: no workload gave it sizes"});
    CHECK(report.refused == 1);
  }

  TEST_CASE("definitions that wait are bounded in bytes") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    std::string lines;
    for (int i = 0; i < 24; ++i) {
      lines += R"({"name":"d)" + std::to_string(i) +
               R"(","axes":{"n":{"type":"var"}},"reference":")" + std::string(3 << 20, 'x') +
               "\"}\n";
    }
    const ImportReport report = imported(*archive, lines);
    CHECK(report.refusals.front() ==
          "line 22: unsupported: too many definitions wait for a workload");
  }

  TEST_CASE("claims of traces, by a ref, and of tuning go out and in again as they are") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    imported(*archive, lines_of(1));
    const std::string id = first_kernel();
    REQUIRE(archive->set_ref("best@main", id).has_value());
    REQUIRE(import_tuning(*archive, R"({"results":[{"configuration":{"BM":16}}]})", id)->added ==
            1);
    const ImportReport report = imported(
        *archive,
        R"({"definition":"d","workload":{"axes":{}},"solution":"best@main","evaluation":{"status":"PASSED","environment":{"hardware":"H100"}}})"
        "\n");
    CHECK(report.added == 1);
    const std::string lines = exported(*archive);
    CHECK(lines.find(R"("device":"H100","id":"evd_)") != std::string::npos);
    CHECK(lines.find(R"("device":"unknown","id":"evd_)") != std::string::npos);
    const TestPlace other;
    const auto second = open_archive(other);
    CHECK(imported(*second, lines).refused == 0);
    CHECK(count(other, "claims") == 3);
    CHECK(exported(*second) == lines);
  }

  TEST_CASE("a tuning file that nests too deep is refused") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    const auto report = import_tuning(
        *archive, R"({"cache":)" + std::string(101, '[') + std::string(101, ']') + "}", "krn_x");
    REQUIRE_FALSE(report.has_value());
    CHECK(to_text(report.error()) == "invalid_argument: nested deeper than 100");
  }

  TEST_CASE("tuning results become claims, one for each configuration") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    imported(*archive, lines_of(1));
    const std::string id = first_kernel();
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
