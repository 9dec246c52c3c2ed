// Two principals of one server: what each tool, resource, list and page shows of the other's.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/archive/search/listing.h"
#include "runtime/base/viewer.h"
#include "server/access/gate.h"
#include "server/cli/completions.h"
#include "server/page/page_data.h"
#include "tests/support/local_http.h"
#include "tests/support/principals_file.h"
#include "tests/support/raw_http.h"
#include "tests/support/test_bench.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

ViewerPtr private_principal(const std::string& name) {
  return std::make_shared<const ws::Viewer>(
      ws::Viewer{.owner = name, .sees_all = false, .shares = false});
}

/// Alice's kernel, which was found correct, with a ref, a note and the evidence.
struct OfAlice {
  OfAlice() {
    const ViewerScope alice(private_principal("alice"));
    Json form = twice_problem();
    form["name"] = "alices_own";
    const Json compiled = bench.result(
        "compile_kernel", {{"problem", form}, {"kernel", good_kernel()}, {"ref", "own@main"}});
    kernel = compiled["kernel_id"];
    problem = compiled["problem_id"];
    evidence = bench.result("validate", {{"kernel_id", kernel}, {"level", "quick"}})["evidence_id"];
    REQUIRE(bench.services().archive->put_label({kernel, "note", "zanzibar"}).has_value());
    const Json waiting = bench.result(
        "validate", {{"kernel_id", kernel}, {"level", "quick"}, {"fresh", true}, {"wait_ms", 0}});
    job = waiting["job_id"];
  }

  ToolBench bench;
  std::string kernel;
  std::string problem;
  std::string evidence;
  std::string job;
};

constexpr const char* kNoKernel = "krn_twice_0000000000000000000000000000";
constexpr const char* kNoProblem = "prb_twice_0000000000000000000000000000";
constexpr const char* kNoJob = "job_00000000000000000000000000000000";

std::string without(std::string text, const std::string& id) {
  for (std::size_t at = text.find(id); at != std::string::npos; at = text.find(id)) {
    text.replace(at, id.size(), "ID");
  }
  return text;
}

/// The arguments with `ID` replaced.
Json naming(const Json& arguments, const std::string& id) {
  std::string text = arguments.dump();
  for (std::size_t at = text.find("\"ID\""); at != std::string::npos; at = text.find("\"ID\"")) {
    text.replace(at, 4, "\"" + id + "\"");
  }
  return Json::parse(text);
}

struct Reading {
  std::string tool;
  Json arguments;  ///< "ID" stands for the id.
};

}  // namespace

TEST_SUITE("visibility") {
  TEST_CASE("each tool that takes an id answers of another's as of one that is not there") {
    OfAlice own;
    const std::vector<Reading> by_kernel = {
        {"validate", {{"kernel_id", "ID"}}},
        {"benchmark", {{"kernel_id", "ID"}}},
        {"evaluate", {{"kernel_id", "ID"}}},
        {"profile", {{"kernel_id", "ID"}}},
        {"tune", {{"kernel_id", "ID"}}},
        {"lift_to_ir", {{"kernel_id", "ID"}}},
        {"compile_kernel", {{"kernel_id", "ID"}}},
        {"compile_kernel", {{"base", "ID"}, {"edits", {{{"op", "delete"}, {"from", 1}}}}}},
        {"apply_transformation", {{"kernel_id", "ID"}}},
        {"search_prior_kernels", {{"like", "ID"}}},
        {"workflow", {{"action", "log"}, {"ref", "ID"}}},
        {"workflow", {{"action", "compare"}, {"a", "ID"}, {"b", "ID"}}},
    };
    const ViewerScope bob(private_principal("bob"));
    const auto refusal = [&](const Reading& reading, const std::string& id) {
      const Result<Json> answer = own.bench.call(reading.tool, naming(reading.arguments, id));
      REQUIRE_MESSAGE(!answer.has_value(), reading.tool << ": " << answer->dump());
      return without(to_text(answer.error()), id);
    };
    for (const Reading& reading : by_kernel) {
      CAPTURE(reading.tool);
      CHECK(refusal(reading, kNoKernel).starts_with("not_found: no kernel `ID`"));
      CHECK(refusal(reading, own.kernel) == refusal(reading, kNoKernel));
    }
    for (const Reading& reading :
         {Reading{"search_prior_kernels", {{"problem_id", "ID"}}},
          Reading{"compile_kernel", {{"problem_id", "ID"}, {"kernel", good_kernel()}}}}) {
      CAPTURE(reading.tool);
      CHECK(refusal(reading, own.problem) == refusal(reading, kNoProblem));
    }
    for (const char* action : {"wait", "status", "cancel"}) {
      const Reading reading{"job", {{"job_id", "ID"}, {"action", action}}};
      CHECK(refusal(reading, own.job) == refusal(reading, kNoJob));
    }
    CHECK(refusal({"validate", {{"kernel_id", "ID"}}}, "own@main") ==
          refusal({"validate", {{"kernel_id", "ID"}}}, "other@main"));
    const ViewerScope alice(private_principal("alice"));
    CHECK(own.bench.result("job", {{"job_id", own.job}, {"action", "wait"}})["status"] == "done");
  }

  TEST_CASE("resources and completions of another's are as those that are not there") {
    OfAlice own;
    server::Completions completions(own.bench.services(), own.bench.registry());
    const Json source = {{"type", "ref/resource"}, {"uri", "kernel://{id}/source"}};
    {
      const ViewerScope alice(private_principal("alice"));
      CHECK_FALSE(completions.complete(source, "id", "krn_", {}).empty());
    }
    const ViewerScope bob(private_principal("bob"));
    CHECK(completions.complete(source, "id", "krn_", {}).empty());
    const auto refusal = [&](const std::string& before, const std::string& id,
                             const std::string& after) {
      const auto read = own.bench.resources().read(before + id + after);
      REQUIRE_FALSE(read.has_value());
      return without(to_text(read.error()), id);
    };
    for (const char* part :
         {"/source", "/log", "/ptx", "/ir", "/report", "/workflow", "/regions"}) {
      CAPTURE(part);
      CHECK(refusal("kernel://", own.kernel, part) == refusal("kernel://", kNoKernel, part));
    }
    CHECK(refusal("problem://", own.problem, "") == refusal("problem://", kNoProblem, ""));
    CHECK(refusal("evidence://", own.evidence, "") == refusal("evidence://", "evd_0", ""));
    CHECK(refusal("profile://", own.evidence, "/report") ==
          refusal("profile://", "evd_0", "/report"));
    CHECK(refusal("job://", own.job, "/log") == refusal("job://", kNoJob, "/log"));
  }

  TEST_CASE("searches and pages leave out what is another's") {
    OfAlice own;
    const auto listing = ArchiveListing::open(own.bench.services().options.data_dir);
    REQUIRE(listing.has_value());
    server::PageData page(**listing, {});
    const auto at = [&](std::vector<std::string> parts,
                        std::map<std::string, std::string> query = {}) {
      return page.answer({.parts = std::move(parts), .query = std::move(query)});
    };
    const auto hits = [&](const std::string& words) {
      return own.bench.result("search_prior_kernels", {{"query", words}})["hits"].size();
    };
    {
      const ViewerScope alice(private_principal("alice"));
      CHECK(hits("zanzibar") == 1);
      CHECK((*at({"problems"}))["rows"].size() == 1);
      CHECK(at({"kernel", own.kernel}).has_value());
    }
    const ViewerScope bob(private_principal("bob"));
    CHECK(hits("zanzibar") == 0);
    CHECK((*at({"problems"}))["rows"].empty());
    CHECK((*at({"search"}, {{"words", "zanzibar"}}))["rows"].empty());
    const auto refusal = [&](std::vector<std::string> parts, const std::string& id) {
      parts[1] = id;
      const auto answer = at(std::move(parts));
      REQUIRE_FALSE(answer.has_value());
      return without(to_text(answer.error()), id);
    };
    CHECK(refusal({"kernel", ""}, own.kernel) == refusal({"kernel", ""}, kNoKernel));
    CHECK(refusal({"kernel", "", "family"}, own.kernel) ==
          refusal({"kernel", "", "family"}, kNoKernel));
    CHECK(refusal({"problem", ""}, own.problem) == refusal({"problem", ""}, kNoProblem));
    CHECK(refusal({"evidence", ""}, own.evidence) == refusal({"evidence", ""}, "evd_0"));
  }

  TEST_CASE("a job that another principal shares can be seen, and not cancelled") {
    ToolBench bench;
    JobRow row;
    row.id = "job_00000000000000000000000000000001";
    row.tool = "validate";
    row.status = "running";
    row.json = "{}";
    row.instance = "gone";
    {
      const ViewerScope carol(std::make_shared<const ws::Viewer>(
          ws::Viewer{.owner = "carol", .sees_all = false, .shares = true}));
      REQUIRE(bench.services().archive->put_job(row).has_value());
    }
    const Json cancel = {{"job_id", row.id}, {"action", "cancel"}};
    {
      const ViewerScope bob(private_principal("bob"));
      CHECK(bench.services().archive->job(row.id)->status == "running");
      CHECK(bench.refusal("job", cancel) ==
            "conflict: the job belongs to another principal; only that one, or an administrator, "
            "can cancel it");
    }
    const ViewerScope carol(private_principal("carol"));
    CHECK(bench.result("job", cancel)["summary"] == "the job is cancelled");
  }

  TEST_CASE("the same question of another is answered by work of its own") {
    OfAlice own;
    const ViewerScope bob(private_principal("bob"));
    Json problem = twice_problem();
    problem["name"] = "alices_own";
    const Json compiled =
        own.bench.result("compile_kernel", {{"problem", problem}, {"kernel", good_kernel()}});
    CHECK(compiled["kernel_id"] == own.kernel);
    const Json validated =
        own.bench.result("validate", {{"kernel_id", own.kernel}, {"level", "quick"}});
    CHECK(validated["verdict"] == "passed");
    CHECK(validated["evidence_id"] != own.evidence);
    CHECK(own.bench.services().archive->labels(own.kernel, 9)->empty());
  }

  TEST_CASE("over HTTP a principal's rows are its own, until the operator shares them") {
    ToolBench bench;
    const std::string file = (bench.folder() / "principals.toml").string();
    std::map<std::string, std::string> tokens;
    for (const char* name : {"alice", "bob"}) {
      tokens[name] = made_token(file, name, "use");
    }
    tokens["root"] = made_token(file, "root", "admin");
    server::McpServer::Options options;
    options.resources = &bench.resources();
    server::McpServer server(bench.registry(), options);
    const auto principals = server::Principals::open({}, file);
    REQUIRE(principals.has_value());
    LocalHttp http(server, {}, {}, std::make_shared<server::Gate>(*principals));
    const auto call = [&](const std::string& who, const std::string& tool, const Json& arguments) {
      HttpConnection connection(http.port());
      connection.send(post_request(call_line(1, tool, arguments),
                                   modern_headers(tool) + bearer(tokens.at(who))));
      return Json::parse(connection.receive().body)["result"];
    };
    const Json compiled =
        call("alice", "compile_kernel", {{"problem", twice_problem()}, {"kernel", good_kernel()}});
    const std::string kernel = compiled["structuredContent"]["kernel_id"];
    const Json ask = {{"kernel_id", kernel}, {"level", "quick"}};
    CHECK(call("alice", "validate", ask)["structuredContent"]["verdict"] == "passed");
    const Json refused = call("bob", "validate", ask);
    CHECK(refused["isError"] == true);
    CHECK(refused["content"][0]["text"].get<std::string>().starts_with("not_found: no kernel `" +
                                                                       kernel + "`"));
    CHECK(call("root", "validate", ask)["structuredContent"]["verdict"] == "passed");
    REQUIRE(bench.services().archive->share(kernel, true).has_value());
    const Json seen = call("bob", "validate", ask);
    CHECK(seen["structuredContent"]["verdict"] == "passed");
    CHECK(seen["structuredContent"]["evidence_id"] ==
          call("alice", "validate", ask)["structuredContent"]["evidence_id"]);
  }
}

}  // namespace ws::test
