#include "tests/support/test_tools.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "tools/typed_tool.h"

namespace ws {
namespace {

using Body = std::function<Result<Json>(const Json& arguments, CallContext& context)>;

class FunctionTool : public Tool {
 public:
  FunctionTool(ToolSpec spec, Body body)
      : spec_(std::move(spec)),
        body_(std::move(body)) {}

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) override {
    return guarded([&] { return body_(arguments, context); });
  }

 private:
  ToolSpec spec_;
  Body body_;
};

/// Waits for `ms`; false when the call was stopped before.
bool pause(const CallContext& context, int ms) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, context.stop, std::chrono::milliseconds(ms), [] { return false; });
  return !context.stop.stop_requested();
}

Result<Json> refuse(const Json& arguments, CallContext& /*context*/) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    if (word(static_cast<ErrorCode>(code)) == arguments["code"]) {
      return fail(static_cast<ErrorCode>(code), "it was asked to fail", "ask for something else");
    }
  }
  return fail(ErrorCode::kInvalidArgument, "there is no such code");
}

Result<Json> steps(const Json& arguments, CallContext& context) {
  const int count = arguments["count"];
  for (int i = 0; i < count; ++i) {
    context.report(static_cast<double>(i) / count, "step " + std::to_string(i));
    if (!pause(context, arguments.value("gap_ms", 0))) {
      return fail(ErrorCode::kCancelled, "the call was cancelled");
    }
  }
  return Json{{"summary", "done"}};
}

std::atomic<int> g_waiting = 0;

Result<Json> waiting(const Json& /*arguments*/, CallContext& /*context*/) {
  return Json{{"summary", std::to_string(g_waiting.load())}};
}

Result<Json> wait(const Json& arguments, CallContext& context) {
  ++g_waiting;
  const bool whole = pause(context, arguments["ms"]);
  --g_waiting;
  if (!whole) {
    return fail(ErrorCode::kCancelled, "the call was cancelled");
  }
  return Json{{"summary", "waited"}};
}

Result<Json> misbehave(const Json& arguments, CallContext& /*context*/) {
  if (arguments["how"] == "throw") {
    return Json{{"summary", arguments.at("nothing")}};
  }
  return arguments["how"] == "schema" ? Json{{"summary", 3}} : Json{{"summary", "caf\xe9"}};
}

Result<Json> linked(const Json& /*arguments*/, CallContext& /*context*/) {
  return Json{{"summary", "two links"},
              {"links",
               {{{"rel", "source"}, {"uri", "kernel://krn_a/source"}},
                {{"rel", "log"}, {"uri", "job://job_b/log"}}}}};
}

struct Row {
  const char* name;
  const char* properties;  ///< The properties of the input schema.
  const char* required;
  Result<Json> (*body)(const Json&, CallContext&);
};

Result<Json> echo(const Json& arguments, CallContext& /*context*/) {
  return Json{{"summary", arguments["text"]}};
}

// clang-format off
const Row kRows[] = {
    {"echo", R"({"text": {"type": "string", "maxLength": 2000000}})", R"(["text"])", echo},
    {"linked", "{}", "[]", linked},
    {"refuse", R"({"code": {"type": "string"}})", R"(["code"])", refuse},
    {"steps", R"({"count": {"type": "integer"}, "gap_ms": {"type": "integer"}})", R"(["count"])", steps},
    {"wait", R"({"ms": {"type": "integer", "minimum": 0, "maximum": 600000}})", R"(["ms"])", wait},
    {"waiting", "{}", "[]", waiting},
    {"break", R"({"how": {"enum": ["throw", "schema", "bytes"]}})", R"(["how"])", misbehave},
};
// clang-format on

}  // namespace

void add_test_tools(ToolRegistry& registry) {
  const Json output = Json::parse(
      R"({"type": "object", "required": ["summary"], "properties":
          {"summary": {"type": "string"}, "links": {"type": "array"}}})");
  for (const Row& row : kRows) {
    const Json input = {{"type", "object"},
                        {"additionalProperties", false},
                        {"properties", Json::parse(row.properties)},
                        {"required", Json::parse(row.required)}};
    ToolSpec spec;
    spec.name = row.name;
    spec.json = {{"name", row.name},
                 {"title", "A test tool"},
                 {"description", "For tests."},
                 {"inputSchema", input},
                 {"outputSchema", output}};
    registry.add(std::make_unique<FunctionTool>(std::move(spec), row.body));
  }
}

}  // namespace ws
