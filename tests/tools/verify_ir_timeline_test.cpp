// The events before a finding, as verify_ir answers them.
#include <doctest/doctest.h>

#include "runtime/reference/host_job.h"
#include "tests/ir/program_bench.h"
#include "tests/support/cuir_forms.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// examples/cuir/gemm_tma.cuir with its sizes, and with one text replaced.
std::string product_with(const std::string& old, const std::string& now) {
  const std::string sized = replaced(ir::repository_file("examples/cuir/gemm_tma.cuir"), "A, B, C,",
                                     "A: f16[128, 256], B: f16[64, 256], C: f32[128, 64],");
  return replaced(sized, old, now);
}

Json verified(const std::string& program, Json more = Json::object()) {
  more["ir"] = program;
  return tools().result("verify_ir", more);
}

/// "consumer(1) product acc" of an event of the timeline.
std::string event_words(const Json& timeline, const char* key) {
  const Json event = timeline["events"].at(timeline[key].get<std::size_t>());
  return timeline["workers"].at(event[0].get<std::size_t>()).get<std::string>() + " " +
         event[1].get<std::string>() + " " + event[2].get<std::string>();
}

}  // namespace

TEST_SUITE("tools.verify_ir_timeline") {
  TEST_CASE("a race comes with the events before it, and both places that conflict") {
    const Json output =
        verified(product_with("            self.full[s].wait(p // self.STAGES % 2)\n", ""));
    REQUIRE(output["verdict"] == "read_before_wait");
    const Json finding = output["findings"][0];
    const Json timeline = output["timeline"];
    REQUIRE(timeline["at"] >= 0);
    REQUIRE(timeline["other"] >= 0);
    CHECK(timeline["other"] < timeline["at"]);
    CHECK(event_words(timeline, "at") == finding["worker"].get<std::string>() + " product acc");
    CHECK(event_words(timeline, "other").starts_with("producer(0) cop"));
    CHECK(timeline["events"][timeline["at"].get<std::size_t>()][3] == finding["line"]);
    CHECK(timeline["events"][timeline["other"].get<std::size_t>()][3] == finding["other_line"]);
    CHECK(timeline.dump().size() < 3000);
  }

  TEST_CASE("a deadlock ends with the wait that nobody ends") {
    const Json output = verified(product_with("self.empty.init(2)", "self.empty.init(3)"));
    REQUIRE(output["verdict"] == "deadlock");
    const Json timeline = output["timeline"];
    REQUIRE(timeline["at"] >= 0);
    CHECK(event_words(timeline, "at")
              .starts_with(output["findings"][0]["worker"].get<std::string>() + " wait "));
    CHECK(timeline["other"] == -1);
    const Json full = verified(product_with("self.empty.init(2)", "self.empty.init(3)"),
                               {{"detail", "full"}})["timeline"];
    CHECK(full["events"].size() > timeline["events"].size());
    CHECK(full["events"].size() <= 64);
  }

  TEST_CASE("a program without a finding has no timeline") {
    CHECK_FALSE(verified(kDoubling).contains("timeline"));
  }

  TEST_CASE("events keep their form on their way from a worker; those of nobody are left out") {
    HostReply reply;
    reply.findings.push_back(
        {.kind = "race",
         .message = "m",
         .line = 3,
         .other_line = 2,
         .object = "s",
         .worker = "a",
         .fix = {},
         .schedule = {},
         .block = 0,
         .program = 0,
         .events = {{0, "write", "s", 2}, {1, "read", "s", 3}, {2, "read", "s", 3}},
         .workers = {"a", "b"}});
    const auto decoded = decode_host_reply(encode(reply));
    REQUIRE(decoded.has_value());
    const ProgramFinding& finding = decoded->findings.front();
    CHECK(finding.workers == std::vector<std::string>{"a", "b"});
    REQUIRE(finding.events.size() == 2);
    CHECK(finding.events[1].worker == 1);
    CHECK(finding.events[1].kind == "read");
    CHECK(finding.events[1].object == "s");
    CHECK(finding.events[1].line == 3);
  }
}

}  // namespace ws::test
