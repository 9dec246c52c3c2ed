// Tests of a kernel's source with its counters, and of the compile cache, as the page has them.
#include <string>

#include <doctest/doctest.h>

#include "runtime/base/metrics.h"
#include "server/page/test_page.h"

namespace ws::server {
namespace {

const Json kCounters = {{"columns", {"line", "sectors_per_request", "ideal_sectors_per_request"}},
                        {"rows", {{1, 32, 4}, {2, nullptr, nullptr}}}};

/// The id of a profile of a kernel whose record has these lines.
std::string profiled(const PageBench& bench, const std::string& kernel, const Json& lines) {
  EvidenceRow row;
  row.kernel_id = kernel;
  row.device = "cpu:0";
  row.kind = "profile";
  row.verdict = Verdict::kProfiled;
  row.json = Json{{"lines", lines}}.dump();
  const auto id = bench.filled.archive().add_evidence(row);
  REQUIRE(id.has_value());
  return *id;
}

std::string error_at(const PageBench& bench, const std::string& path) {
  const HttpReply reply = bench.get(path);
  CHECK(reply.status == 404);
  return Json::parse(reply.body)["error"];
}

}  // namespace

TEST_SUITE("server.page.source") {
  TEST_CASE("the newest profile's counters stand beside the source, or those of the one named") {
    const PageBench bench;
    CHECK(bench.data("kernel/fast/counters") == nullptr);
    const std::string first = profiled(bench, "fast", kCounters);
    Json other = kCounters;
    other["rows"][0][1] = 8;
    const std::string second = profiled(bench, "fast", other);
    const Json newest = bench.data("kernel/fast/counters");
    CHECK(newest["evidence_id"] == second);
    CHECK(newest["device"] == "cpu:0");
    CHECK(newest["rows"] == other["rows"]);
    const Json named = bench.data("kernel/fast/counters?evidence=" + first);
    CHECK(named["columns"] == kCounters["columns"]);
    CHECK(named["rows"] == kCounters["rows"]);
  }

  TEST_CASE("only a profile of that kernel has counters for it") {
    const PageBench bench;
    const std::string id = profiled(bench, "fast", kCounters);
    const std::string judged = bench.data("kernel/fast/evidence")["rows"][1]["id"];
    for (const char* folder :
         {"/page/data/kernel/slow/counters?evidence=", "/page/plain/source/slow/"}) {
      CAPTURE(std::string(folder));
      CHECK(error_at(bench, folder + id) ==
            "not_found: `" + id +
                "` is no profile of that kernel; leave it out for the newest one");
    }
    CHECK(error_at(bench, "/page/data/kernel/fast/counters?evidence=" + judged) ==
          "not_found: `" + judged +
              "` is no profile of that kernel; leave it out for the newest one");
    CHECK(error_at(bench, "/page/plain/source/krn_0") ==
          "not_found: no kernel `krn_0`; ids come from compile_kernel");
  }

  TEST_CASE("lines that no profile has written are not shown") {
    const PageBench bench;
    Json letters = kCounters;
    letters["rows"][0][1] = "<b>";
    Json halves = kCounters;
    halves["rows"][0][0] = 1.5;
    Json narrow = kCounters;
    narrow["rows"][1] = {2};
    Json many = kCounters;
    many["columns"] = std::vector<std::string>(17, "line");
    for (const Json& lines : {letters, halves, narrow, many, Json("x"), Json({{"rows", {{1}}}}),
                              Json{{"columns", {1, 2}}, {"rows", {{1, 2}}}}}) {
      CAPTURE(lines.dump());
      profiled(bench, "fast", lines);
      const Json counters = bench.data("kernel/fast/counters");
      CHECK(counters["columns"] == Json::array());
      CHECK(counters["rows"] == Json::array());
      CHECK(bench.get("/page/plain/source/fast").body.find("counted nothing by line") !=
            std::string::npos);
    }
  }

  TEST_CASE("the source without scripts has a row for each line, and no markup of an author") {
    const PageBench bench;
    bench.filled.put("evil", "prb_mm", "a</code><script>\nb;\n");
    const std::string bare = bench.get("/page/plain/source/evil").body;
    CHECK(bare.find("It was not profiled") != std::string::npos);
    CHECK(bare.find("<tr><td>2<td><code>b;</code></tr>") != std::string::npos);
    Json lines = kCounters;
    lines["columns"].push_back("<i>");
    lines["rows"] = {{1, 32, 4, 0.5}};
    profiled(bench, "evil", lines);
    const std::string body = bench.get("/page/plain/source/evil").body;
    CHECK(body.find("<th>line<th>sectors a request<th>ideal<th>&lt;i&gt;<th>source</tr>") !=
          std::string::npos);
    CHECK(body.find(
              "<tr><td>1<td>32<td>4<td>0.5<td><code>a&lt;/code&gt;&lt;script&gt;</code></tr>") !=
          std::string::npos);
    CHECK(body.find("<tr><td>2<td><td><td><td><code>b;</code></tr>") != std::string::npos);
  }

  TEST_CASE("a job that was promised to a client shows its answer, or why it failed") {
    const PageBench bench;
    Archive& archive = bench.filled.archive();
    const auto put = [&](const std::string& id, const std::string& status, const Json& outcome) {
      JobRow row;
      row.id = id;
      row.tool = "verify_ir";
      row.status = status;
      row.json = outcome.dump();
      REQUIRE(archive.put_job(row).has_value());
    };
    put("job_1", "done", {{"output", {{"verdict", "race"}}}});
    put("job_2", "failed", {{"code", 1}, {"error", "<b>no</b>"}});
    put("job_3", "running", {{"output", nullptr}});
    CHECK(bench.data("job/job_1")["output"] == Json{{"verdict", "race"}});
    CHECK(bench.data("job/job_1")["tool"] == "verify_ir");
    CHECK(bench.data("job/job_2")["error"] == "<b>no</b>");
    CHECK_FALSE(bench.data("job/job_2").contains("output"));
    CHECK(bench.data("job/job_3")["status"] == "running");
    const Json timeline = {
        {"workers", {"<b>w"}},
        {"events", {{0, "write", "s", 2}, {0, "read", "s", 3}, {7, "x", 1, nullptr}}},
        {"at", 1},
        {"other", 0}};
    put("job_5", "done", {{"output", {{"summary", "a race"}, {"timeline", timeline}}}});
    const std::string body = bench.get("/page/plain/job/job_5").body;
    CHECK(body.find("<h1>verify_ir: done</h1>") != std::string::npos);
    CHECK(body.find("<p>a race</p>") != std::string::npos);
    CHECK(body.find("<td>&lt;b&gt;w<td>read<td>s<td>3<td>here it was noticed</tr>") !=
          std::string::npos);
    CHECK(body.find("<td>7<td>x<td>1<td>null<td></tr>") != std::string::npos);
    CHECK(bench.get("/page/plain/job/job_2").body.find("<p>&lt;b&gt;no&lt;/b&gt;</p>") !=
          std::string::npos);
    CHECK(error_at(bench, "/page/data/job/job_4") ==
          "not_found: no job `job_4`; finished jobs are kept for 24 h; call the tool again");
  }

  TEST_CASE("a folder shows what its compile cache holds, and no hits, which nobody counts") {
    const PageBench bench;
    CHECK(bench.data("cache") ==
          Json{{"running", false}, {"entries", 0}, {"bytes", 0}, {"damaged", 0}});
    const std::string body = bench.get("/page/plain/cache").body;
    CHECK(body.find("<tr><th>entries on disk<td>0</tr>") != std::string::npos);
    CHECK(body.find("compiled") == std::string::npos);
    CHECK(bench.get("/page/plain").body.find("<a href=\"/page/plain/cache\">") !=
          std::string::npos);
  }

  TEST_CASE("a server counts what its compile cache answers") {
    const test::Filled filled;
    auto page =
        Page::open(filled.archive(), filled.folder().path(),
                   {.devices = [] { return Json::array(); }, .work = {}, .wait_for_change = {}});
    REQUIRE(page.has_value());
    const auto look = [&] {
      return Json::parse((*page)->reply({.method = "GET", .path = "/page/data/cache"}).body);
    };
    const Json before = look();
    CHECK(before["running"] == true);
    metric_cell(Metric::kCacheHits, {"disk"}).add(3);
    metric_cell(Metric::kCacheMisses).add(1);
    const Json after = look();
    CHECK(after["hits"]["disk"] == before["hits"]["disk"].get<int>() + 3);
    CHECK(after["hits"]["memory"] == before["hits"]["memory"]);
    CHECK(after["misses"] == before["misses"].get<int>() + 1);
    CHECK(after["hit_percent"] > 0);
    const std::string body = (*page)->reply({.method = "GET", .path = "/page/plain/cache"}).body;
    CHECK(body.find("<tr><th>compiled<td>" + after["misses"].dump() + "</tr>") !=
          std::string::npos);
  }
}

}  // namespace ws::server
