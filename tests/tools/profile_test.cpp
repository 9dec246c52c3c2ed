// profile, from a planted cause to the finding that names it.
#include <algorithm>
#include <fstream>

#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// tests/planted/<name>.json: {first, why, problem, kernel}; first "" = a kernel with no such
/// cause.
Json planted(const std::string& name) {
  std::ifstream file(std::string(WS_SOURCE_DIR) + "/tests/planted/" + name + ".json");
  Json form = Json::parse(file, nullptr, false);
  REQUIRE_MESSAGE(form.is_object(), name);
  return form;
}

Json profile_of(const std::string& name, Json more = Json::object()) {
  const Json form = planted(name);
  more["kernel_id"] = tools().compiled(form["problem"], form["kernel"]);
  return tools().result("profile", more);
}

}  // namespace

TEST_SUITE("tools.profile") {
  TEST_CASE("each planted cause is the first finding, with the lines that make it") {
    struct Case {
      const char* name;
      std::vector<int> lines;
    };

    const Case cases[] = {
        {"uncoalesced", {6}},  {"bank_conflicts", {9}},  {"divergent", {5}},
        {"compute_bound", {}}, {"launch_bound", {}},     {"latency_bound", {5}},
        {"local_memory", {}},  {"shared_occupancy", {}},
    };
    for (const Case& c : cases) {
      CAPTURE(std::string(c.name));
      const Json output = profile_of(c.name);
      REQUIRE(!output["findings"].empty());
      const Json first = output["findings"][0];
      CHECK_MESSAGE(first["cause"] == planted(c.name)["first"], output["findings"].dump());
      if (!c.lines.empty()) {
        CHECK(first["lines"] == Json(c.lines));
      }
    }
  }

  TEST_CASE("a kernel with none of the causes gets no finding") {
    for (const char* name : {"good_add", "good_transpose"}) {
      CAPTURE(std::string(name));
      const Json output = profile_of(name);
      CHECK_MESSAGE(output["findings"].empty(), output["findings"].dump());
      CHECK(output["limiter"] == "memory");
    }
  }

  TEST_CASE("the groups that are asked for come, and no others") {
    const Json names = {"speed_of_light", "memory", "compute", "launch",
                        "occupancy",      "stalls", "source"};
    const Json none = profile_of("good_add");
    const Json all = profile_of("good_add", {{"groups", names}});
    for (const Json& name : names) {
      CAPTURE(name.dump());
      CHECK(!none.contains(name.get<std::string>()));
      CHECK(all[name.get<std::string>()].is_object());
    }
    CHECK(all.dump().size() < 4096);
    CHECK(all["memory"]["sectors_per_request"] == 4);
    CHECK(all["compute"]["flops"] == 4194000);
    CHECK(all["source"]["lines"][0]["region"] == "source");
  }

  TEST_CASE("the report and the roofline can be read, and are cut like other resources") {
    const Json output = profile_of("bank_conflicts");
    const std::string id = output["evidence_id"];
    const auto report = tools().resources().read("profile://" + id + "/report");
    REQUIRE(report.has_value());
    CHECK(report->mime_type == "text/markdown");
    CHECK(report->text.find("- **bank_conflicts** (may explain up to ") != std::string::npos);
    CHECK(report->text.find("| source:9 |") != std::string::npos);
    const auto chart = tools().resources().read("profile://" + id + "/roofline");
    REQUIRE(chart.has_value());
    CHECK(chart->text.starts_with("<svg "));
    CHECK(chart->text.find("<circle ") == std::string::npos);  // It adds and multiplies nothing.
  }

  TEST_CASE("the record has the counters of each line, whatever groups were asked for") {
    const std::string id = profile_of("bank_conflicts")["evidence_id"];
    const auto record = tools().resources().read("evidence://" + id);
    REQUIRE(record.has_value());
    const Json lines = Json::parse(record->text)["lines"];
    CHECK(lines["columns"] == Json{"line", "instructions_percent", "latency_percent",
                                   "sectors_per_request", "ideal_sectors_per_request",
                                   "shared_passes_per_request", "ideal_shared_passes_per_request",
                                   "divergent_percent"});
    const Json& rows = lines["rows"];
    const auto store =
        std::find_if(rows.begin(), rows.end(), [](const Json& row) { return row[0] == 9; });
    REQUIRE(store != rows.end());
    CHECK((*store)[3] == 4);  // It writes whole rows,
    CHECK((*store)[4] == 4);
    CHECK((*store)[5] == 32);  // and reads down a column, whose elements are all in one bank.
    CHECK((*store)[6] == 1);
  }

  TEST_CASE("a kernel that is wrong is not profiled") {
    const std::string id =
        tools().compiled(twice_problem(), twice_kernel("  if (i < n) y[i] = 3 * x[i];"));
    const Json output = tools().result("profile", {{"kernel_id", id}});
    CHECK(output["verdict"] == "invalid");
    CHECK(output["validation"]["verdict"] == "incorrect");
    CHECK(!output.contains("findings"));
  }

  TEST_CASE("bad calls are refused with the whole story") {
    const std::string id = tools().compiled(twice_problem(), good_kernel());
    CHECK(tools().refusal("profile", {{"kernel_id", id}, {"groups", {"memroy"}}}) ==
          "invalid_argument: `groups[0]` must be one of \"speed_of_light\", \"memory\", "
          "\"compute\", \"launch\", \"occupancy\", \"stalls\", \"source\", \"tiles\", got a string "
          "\"memroy\"");
    CHECK(
        tools().refusal("profile", {{"kernel_id", id}, {"workload", {{"n", 99999}}}}) ==
        "invalid_argument: workload: dim `n`: expected a multiple of 1 from 1 to 4096, got 99999");
    const Json validation = tools().result("validate", {{"kernel_id", id}});
    const auto wrong = tools().resources().read(
        "profile://" + validation["evidence_id"].get<std::string>() + "/report");
    REQUIRE(!wrong.has_value());
    CHECK(to_text(wrong.error()) == "not_found: " + validation["evidence_id"].get<std::string>() +
                                        " is evidence of validate, not of profile");
  }
}

}  // namespace ws::test
