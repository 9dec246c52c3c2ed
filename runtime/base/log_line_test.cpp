#include "runtime/base/log_line.h"

#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/base/request_id.h"
#include "runtime/base/test_stderr.h"

namespace ws {
namespace {

std::string json_of(std::string_view text, std::string_view request = {}) {
  return json_line({"T", LogLevel::kInfo, "request", text, request});
}

}  // namespace

TEST_SUITE("base.log_line") {
  TEST_CASE("the keys of a line are the members of an object, and the rest is its message") {
    CHECK(json_of("client=127.0.0.1 method=tools/call id=\"a b\" status=ok ms=0.31", "r1") ==
          R"({"time":"T","level":"info","module":"request","client":"127.0.0.1",)"
          R"("method":"tools/call","id":"a b","status":"ok","ms":"0.31","request_id":"r1"})"
          "\n");
    CHECK(json_of("listening on http://127.0.0.1:1/mcp") ==
          R"({"time":"T","level":"info","module":"request",)"
          R"("message":"listening on http://127.0.0.1:1/mcp"})"
          "\n");
    CHECK(json_of("job=job_1 not recorded: A=b") ==
          R"({"time":"T","level":"info","module":"request","job":"job_1",)"
          R"("message":"not recorded: A=b"})"
          "\n");
  }

  TEST_CASE("a field of a client cannot take the place of the line's own, nor end the line") {
    CHECK(json_of(R"(level=error time=now name="x\ny=z status=ok")") ==
          R"({"time":"T","level":"info","module":"request","name":"x\ny=z status=ok"})"
          "\n");
    // A worker's output has escapes that JSON does not know, and a cut may leave no last quote.
    CHECK(json_of(R"(output="one\n2026: \x22status=ok\n")") ==
          R"({"time":"T","level":"info","module":"request",)"
          R"("output":"one\\n2026: \\x22status=ok\\n"})"
          "\n");
    CHECK(json_of("output=\"ends early\\") ==
          R"({"time":"T","level":"info","module":"request","output":"ends early\\"})"
          "\n");
    CHECK(json_of("a\nb\xff c") ==
          "{\"time\":\"T\",\"level\":\"info\",\"module\":\"request\","
          "\"message\":\"a b\xEF\xBF\xBD c\"}\n");
  }

  TEST_CASE("however long the text is, the line is one object and short enough") {
    for (const std::string& text :
         {std::string(10000, 'x'), "reason=\"" + std::string(10000, '\t') + "\" client=c",
          "reason=" + std::string(4090, '\\')}) {
      const std::string line = json_of(text, "id");
      CHECK(line.size() <= kMaxLogLine);
      const auto form = nlohmann::json::parse(line, nullptr, false);
      REQUIRE(form.is_object());
      CHECK(form["request_id"] == "id");
    }
    const std::string line =
        text_line({"T", LogLevel::kError, "m", std::string(5000, 'x'), "some-id"});
    CHECK(line.size() == kMaxLogLine);
    CHECK(line.ends_with("x... request_id=some-id\n"));
  }

  TEST_CASE("a line bears the id of the request that its thread works for") {
    const StderrPipe pipe;
    {
      const RequestScope outer("outer");
      {
        const RequestScope inner("inner");
        log(LogLevel::kError, "test", "in");
        std::thread([] { log(LogLevel::kError, "test", "beside"); }).join();
      }
      set_log_format(LogFormat::kJson);
      log(LogLevel::kError, "test", "out=1");
      set_log_format(LogFormat::kText);
    }
    log(LogLevel::kError, "test", "after");
    const std::string text = pipe.text();
    CHECK(text.find(" error test: in request_id=inner\n") != std::string::npos);
    CHECK(text.find(" error test: beside\n") != std::string::npos);
    CHECK(text.find(R"("module":"test","out":"1","request_id":"outer"})"
                    "\n") != std::string::npos);
    CHECK(text.ends_with(" error test: after\n"));
    CHECK(current_request_id().empty());
    const RequestScope lengthy(std::string(100, 'a'));
    CHECK(current_request_id().size() == kMaxRequestId);
  }
}

}  // namespace ws
