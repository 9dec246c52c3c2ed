#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

#include "tests/conformance/fixture.h"
#include "tests/conformance/fixture_tools.h"

namespace ws::conformance {
namespace {

using server::Content;
using server::ContentAnswer;
using server::ContentContext;
using server::InputNeeded;
using server::Inputs;
using server::RpcResult;
using server::TakesLong;

void work_for(const ContentContext& context, double seconds) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, context.stop, std::chrono::duration<double>(seconds), [] { return false; });
}

RpcResult<ContentAnswer> greet(const Json& arguments, const Inputs& /*inputs*/,
                               const ContentContext& /*context*/) {
  return text_answer("Hello, " + arguments["name"].get<std::string>() + "!");
}

RpcResult<ContentAnswer> slow_compute(const Json& arguments, const Inputs& /*inputs*/,
                                      const ContentContext& context) {
  const double seconds = arguments["seconds"];
  if (seconds > 0 && !context.may_take_long) {
    return TakesLong{};
  }
  work_for(context, seconds);
  return text_answer("It took " + server::to_line(arguments["seconds"]) + " s");
}

RpcResult<ContentAnswer> failing_job(const Json& /*arguments*/, const Inputs& /*inputs*/,
                                     const ContentContext& context) {
  if (!context.may_take_long) {
    return TakesLong{.only_as_task = true};
  }
  work_for(context, 1);
  return Content{.blocks = Json::array({text_block("The job has failed")}), .is_error = true};
}

RpcResult<ContentAnswer> protocol_error_job(const Json& /*arguments*/, const Inputs& /*inputs*/,
                                            const ContentContext& context) {
  if (!context.may_take_long) {
    return TakesLong{};
  }
  return server::rpc_fail(server::rpc::kInternal, "the job ends with an error of the protocol");
}

/// Asks as a task until all of it is answered.
RpcResult<ContentAnswer> ask_in_task(const Json& requests, const Inputs& inputs,
                                     const ContentContext& context) {
  if (!context.may_take_long) {
    return TakesLong{};
  }
  if (const Json open = inputs.unanswered(requests); !open.empty()) {
    return InputNeeded{open};
  }
  return text_answer("The answers were " + server::to_line(inputs.responses));
}

RpcResult<ContentAnswer> confirm_delete(const Json& arguments, const Inputs& inputs,
                                        const ContentContext& context) {
  const std::string message = "Delete " + arguments["filename"].get<std::string>() + "?";
  return ask_in_task({{"confirm", small_form(message, "confirm", "boolean")}}, inputs, context);
}

RpcResult<ContentAnswer> multi_input(const Json& /*arguments*/, const Inputs& inputs,
                                     const ContentContext& context) {
  return ask_in_task({{"first", small_form("The first name?", "name", "string")},
                      {"second", small_form("The second name?", "name", "string")}},
                     inputs, context);
}

RpcResult<ContentAnswer> ask_then_work(const Json& /*arguments*/, const Inputs& inputs,
                                       const ContentContext& context) {
  const Json requests = {{"user_name", small_form("What is your name?", "name", "string")}};
  if (const Json open = inputs.unanswered(requests); !open.empty()) {
    return InputNeeded{open};
  }
  if (!context.may_take_long) {
    return TakesLong{.only_as_task = true};
  }
  return text_answer("The answers were " + server::to_line(inputs.responses));
}

const ToolRow kLongRows[] = {
    {"confirm_delete", "Asks in a task",
     R"({"properties": {"filename": {"type": "string"}}, "required": ["filename"]})",
     confirm_delete},
    {"failing_job", "Fails in a task", "{}", failing_job},
    {"greet", "Greets", R"({"properties": {"name": {"type": "string"}}, "required": ["name"]})",
     greet},
    {"multi_input", "Asks for two things in a task", "{}", multi_input},
    {"protocol_error_job", "Ends with an error of the protocol", "{}", protocol_error_job},
    {"slow_compute", "Takes some seconds",
     R"({"properties": {"seconds": {"type": "number"}, "label": {"type": "string"}},
         "required": ["seconds"]})",
     slow_compute},
    {"test_tool_with_task", "Asks, then goes on as a task", "{}", ask_then_work},
};

}  // namespace

void add_long_tools(ToolRegistry& registry) {
  for (const ToolRow& row : kLongRows) {
    add_tool(registry, row);
  }
}

}  // namespace ws::conformance
