#include "runtime/base/log_line.h"

#include <array>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/base/request_id.h"
#include "runtime/base/test_stderr.h"

namespace ws {
namespace {

std::string json_of(std::string_view text, std::string_view request = {}) {
  std::string line;
  append_json_line(line, {0, LogLevel::kInfo, "request", text, request});
  return line;
}

}  // namespace

TEST_SUITE("base.log_line") {
  TEST_CASE("the keys of a line are the members of an object, and the rest is its message") {
    CHECK(
        json_of("client=127.0.0.1 method=tools/call id=\"a b\" status=ok ms=0.31", "r1") ==
        R"({"time":"1970-01-01T00:00:00.000Z","level":"info","module":"request","client":"127.0.0.1",)"
        R"("method":"tools/call","id":"a b","status":"ok","ms":"0.31","request_id":"r1"})"
        "\n");
    CHECK(json_of("listening on http://127.0.0.1:1/mcp") ==
          R"({"time":"1970-01-01T00:00:00.000Z","level":"info","module":"request",)"
          R"("message":"listening on http://127.0.0.1:1/mcp"})"
          "\n");
    CHECK(json_of("job=job_1 not recorded: A=b") ==
          R"({"time":"1970-01-01T00:00:00.000Z","level":"info","module":"request","job":"job_1",)"
          R"("message":"not recorded: A=b"})"
          "\n");
  }

  TEST_CASE("a field of a client cannot take the place of the line's own, nor end the line") {
    CHECK(
        json_of(R"(level=error time=now name="x\ny=z status=ok")") ==
        R"({"time":"1970-01-01T00:00:00.000Z","level":"info","module":"request","name":"x\ny=z status=ok"})"
        "\n");
    // A worker's output has escapes that JSON does not know, and a cut may leave no last quote.
    CHECK(json_of(R"(output="one\n2026: \x22status=ok\n")") ==
          R"({"time":"1970-01-01T00:00:00.000Z","level":"info","module":"request",)"
          R"("output":"one\\n2026: \\x22status=ok\\n"})"
          "\n");
    CHECK(
        json_of("output=\"ends early\\") ==
        R"({"time":"1970-01-01T00:00:00.000Z","level":"info","module":"request","output":"ends early\\"})"
        "\n");
    CHECK(json_of("a\nb\xff c") ==
          "{\"time\":\"1970-01-01T00:00:00.000Z\",\"level\":\"info\",\"module\":\"request\","
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
    std::string line;
    append_text_line(line, {0, LogLevel::kError, "m", std::string(5000, 'x'), "some-id"});
    CHECK(line.size() == kMaxLogLine);
    CHECK(line.ends_with("x... request_id=some-id\n"));
  }

  TEST_CASE("a field is a plain word, or quoted, and cut where it is long") {
    const std::string lengthy(250, 'y');
    const std::array fields = {LogField{"client", "10.0.0.7 agent"},
                               LogField{"id", "7"},
                               LogField{"empty", ""},
                               LogField{"sign", "a=b"},
                               LogField{"hostile", "x\ny level=error \xff\""},
                               LogField{"long", lengthy}};
    const LogEvent event{0, LogLevel::kInfo, "request", {}, "r1", fields};
    std::string line;
    append_text_line(line, event);
    CHECK(line ==
          "1970-01-01T00:00:00.000Z info request: client=\"10.0.0.7 agent\" id=7 empty=\"\" "
          "sign=\"a=b\" hostile=\"x\\ny level=error \xef\xbf\xbd\\\"\" long=\"" +
              std::string(200, 'y') + "...\" request_id=r1\n");
    line.clear();
    append_json_line(line, event);
    CHECK(line == R"({"time":"1970-01-01T00:00:00.000Z","level":"info","module":"request",)"
                  R"("client":"10.0.0.7 agent","id":"7","empty":"","sign":"a=b",)"
                  "\"hostile\":\"x\\ny level=error \xef\xbf\xbd\\\"\",\"long\":\"" +
                      std::string(200, 'y') + "...\",\"request_id\":\"r1\"}\n");
    const std::string controls(200, '\x01');
    std::vector<LogField> many(8, LogField{"key", controls});
    line.clear();
    append_text_line(line, {0, LogLevel::kInfo, "m", {}, "r1", many});
    CHECK(line.size() == kMaxLogLine);
    CHECK(line.ends_with("... request_id=r1\n"));
    for (std::size_t i = 0; i < many.size(); ++i) {
      many[i].key = std::string_view("abcdefgh").substr(i, 1);
    }
    line.clear();
    append_json_line(line, {0, LogLevel::kInfo, "m", {}, "r1", many});
    CHECK(line.size() <= kMaxLogLine);
    CHECK(nlohmann::json::parse(line, nullptr, false)["request_id"] == "r1");
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
