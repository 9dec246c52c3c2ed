#include "server/protocol/projection.h"

#include <doctest/doctest.h>

namespace ws::server {
namespace {

const Json kFault = {
    {"summary", "krn_a: out_of_bounds: read of b[9] at source:5"},
    {"status", "done"},
    {"message", "read of b[9] at source:5"},
    {"fault", {{"index", 9}, {"line", 5}, {"message", "read of b[9] at source:5"}}},
    {"findings", {{{"kind", "note"}, {"message", "something else"}}}},
    {"diagnostics", {{{"line", 5}, {"message", "source:5"}}}},
    {"links", {{{"rel", "source"}, {"uri", "kernel://krn_a/source"}}}},
    {"next_steps", Json::array()}};

Json result_of(Revision revision, const Json& structured) {
  return Json::parse(call_result(revision, structured));
}

Json text_of(const Json& result) {
  return Json::parse(result["content"][0]["text"].get<std::string>());
}

}  // namespace

TEST_SUITE("protocol.projection") {
  TEST_CASE("the text beside resource links says each sentence and each link once") {
    const Json result = result_of(kModern, kFault);
    CHECK(result["structuredContent"] == kFault);
    const Json want = {{"summary", "krn_a: out_of_bounds: read of b[9] at source:5"},
                       {"status", "done"},
                       {"fault", {{"index", 9}, {"line", 5}}},
                       {"findings", {{{"kind", "note"}, {"message", "something else"}}}},
                       {"diagnostics", {{{"line", 5}, {"message", "source:5"}}}},
                       {"next_steps", Json::array()}};
    CHECK(text_of(result) == want);
    CHECK(result["content"][1] ==
          Json{{"type", "resource_link"}, {"name", "source"}, {"uri", "kernel://krn_a/source"}});
    CHECK(result["content"].size() == 2);
  }

  TEST_CASE("the text is whole where there are no links, or nothing else to read") {
    Json unlinked = kFault;
    unlinked["links"] = Json::array();
    CHECK(text_of(result_of(kModern, unlinked)) == unlinked);
    const Json oldest = result_of(Revision::kMarch2025, kFault);
    CHECK(text_of(oldest) == kFault);
    CHECK_FALSE(oldest.contains("structuredContent"));
  }
}

}  // namespace ws::server
