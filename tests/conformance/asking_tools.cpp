#include <string>

#include "tests/conformance/fixture.h"
#include "tests/conformance/fixture_tools.h"

namespace ws::conformance {
namespace {

using server::ContentAnswer;
using server::ContentContext;
using server::InputNeeded;
using server::Inputs;
using server::RpcResult;

Json question(const std::string& text, int tokens) {
  const Json message = {{"role", "user"}, {"content", text_block(text)}};
  return {{"method", "sampling/createMessage"},
          {"params", {{"messages", Json::array({message})}, {"maxTokens", tokens}}}};
}

const Json kRoots = {{"method", "roots/list"}, {"params", Json::object()}};
const Json kUserName = small_form("What is your name?", "name", "string");

/// Asks until all of it is answered; then says what the answers were.
ContentAnswer ask(const Json& requests, const Inputs& inputs, const Json& state = nullptr) {
  const bool again = !state.is_null() && inputs.state != state;
  const Json open = again ? requests : inputs.unanswered(requests);
  if (!open.empty()) {
    return InputNeeded{open, state};
  }
  return text_answer("The answers were " + server::to_line(inputs.responses));
}

RpcResult<ContentAnswer> elicitation(const Json& arguments, const Inputs& inputs,
                                     const ContentContext& /*context*/) {
  const Json schema = Json::parse(R"({"type": "object", "properties": {
      "username": {"type": "string", "description": "User's response"},
      "email": {"type": "string", "description": "User's email address"}},
      "required": ["username", "email"]})");
  return ask({{"user", elicit(arguments["message"], schema)}}, inputs);
}

RpcResult<ContentAnswer> defaults(const Json& /*arguments*/, const Inputs& inputs,
                                  const ContentContext& /*context*/) {
  const Json schema = Json::parse(R"({"type": "object", "properties": {
      "name": {"type": "string", "default": "John Doe"},
      "age": {"type": "integer", "default": 30},
      "score": {"type": "number", "default": 95.5},
      "status": {"type": "string", "enum": ["active", "inactive", "pending"],
                 "default": "active"},
      "verified": {"type": "boolean", "default": true}}})");
  return ask({{"user", elicit("Check these values", schema)}}, inputs);
}

RpcResult<ContentAnswer> enums(const Json& /*arguments*/, const Inputs& inputs,
                               const ContentContext& /*context*/) {
  const Json schema = Json::parse(R"({"type": "object", "properties": {
      "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
      "titledSingle": {"type": "string", "oneOf": [
          {"const": "value1", "title": "First Option"},
          {"const": "value2", "title": "Second Option"},
          {"const": "value3", "title": "Third Option"}]},
      "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
                     "enumNames": ["Option One", "Option Two", "Option Three"]},
      "untitledMulti": {"type": "array", "items": {
          "type": "string", "enum": ["option1", "option2", "option3"]}},
      "titledMulti": {"type": "array", "items": {"anyOf": [
          {"const": "value1", "title": "First Choice"},
          {"const": "value2", "title": "Second Choice"},
          {"const": "value3", "title": "Third Choice"}]}}}})");
  return ask({{"user", elicit("Choose some options", schema)}}, inputs);
}

RpcResult<ContentAnswer> sampling(const Json& arguments, const Inputs& inputs,
                                  const ContentContext& /*context*/) {
  return ask({{"reply", question(arguments["prompt"], 100)}}, inputs);
}

RpcResult<ContentAnswer> user_name(const Json& /*arguments*/, const Inputs& inputs,
                                   const ContentContext& /*context*/) {
  return ask({{"user_name", kUserName}}, inputs);
}

RpcResult<ContentAnswer> capital(const Json& /*arguments*/, const Inputs& inputs,
                                 const ContentContext& /*context*/) {
  return ask({{"capital_question", question("What is the capital of France?", 100)}}, inputs);
}

RpcResult<ContentAnswer> roots(const Json& /*arguments*/, const Inputs& inputs,
                               const ContentContext& /*context*/) {
  return ask({{"client_roots", kRoots}}, inputs);
}

RpcResult<ContentAnswer> confirmed(const Json& /*arguments*/, const Inputs& inputs,
                                   const ContentContext& /*context*/) {
  const Json requests = {{"confirm", small_form("Please confirm", "ok", "boolean")}};
  ContentAnswer answer = ask(requests, inputs, {{"asked", "confirm"}});
  return std::holds_alternative<InputNeeded>(answer) ? answer : text_answer("state-ok");
}

const Json kThree = {{"user_name", kUserName},
                     {"greeting", question("Generate a greeting", 50)},
                     {"client_roots", kRoots}};

RpcResult<ContentAnswer> three(const Json& /*arguments*/, const Inputs& inputs,
                               const ContentContext& /*context*/) {
  return ask(kThree, inputs, {{"asked", "three"}});
}

RpcResult<ContentAnswer> what_is_offered(const Json& /*arguments*/, const Inputs& inputs,
                                         const ContentContext& /*context*/) {
  const Json open = inputs.unanswered(kThree);
  if (open.size() == kThree.size()) {
    return InputNeeded{open};
  }
  return text_answer("The answers were " + server::to_line(inputs.responses));
}

RpcResult<ContentAnswer> rounds(const Json& /*arguments*/, const Inputs& inputs,
                                const ContentContext& /*context*/) {
  const Json first = {{"step1", small_form("Step 1: What is your name?", "name", "string")}};
  const Json second = {
      {"step2", small_form("Step 2: What is your favorite color?", "color", "string")}};
  const Json round = inputs.state.is_object() ? inputs.state["round"] : Json(0);
  if (round == 2 && inputs.unanswered(second).empty()) {
    return text_answer("All rounds are done.");
  }
  if (round == 2 || (round == 1 && inputs.unanswered(first).empty())) {
    return InputNeeded{second, {{"round", 2}}};
  }
  return InputNeeded{first, {{"round", 1}}};
}

const ToolRow kAskingRows[] = {
    {"test_elicitation", "Asks for a user's name and address",
     R"({"properties": {"message": {"type": "string"}}, "required": ["message"]})", elicitation},
    {"test_elicitation_sep1034_defaults", "Asks by a form with defaults", "{}", defaults},
    {"test_elicitation_sep1330_enums", "Asks by a form with choices", "{}", enums},
    {"test_input_required_result_capabilities", "Asks for what the client offers", "{}",
     what_is_offered},
    {"test_input_required_result_elicitation", "Asks for a name", "{}", user_name},
    {"test_input_required_result_list_roots", "Asks for the roots", "{}", roots},
    {"test_input_required_result_multi_round", "Asks twice", "{}", rounds},
    {"test_input_required_result_multiple_inputs", "Asks for three things", "{}", three},
    {"test_input_required_result_request_state", "Asks, and keeps a state", "{}", confirmed},
    {"test_input_required_result_sampling", "Asks the client's model", "{}", capital},
    {"test_input_required_result_tampered_state", "Asks, and keeps a state", "{}", confirmed},
    {"test_missing_capability", "Asks the client's model", "{}", capital},
    {"test_sampling", "Asks the client's model",
     R"({"properties": {"prompt": {"type": "string"}}, "required": ["prompt"]})", sampling},
    {"test_streaming_elicitation", "Asks for a name", "{}", user_name},
};

}  // namespace

void add_asking_tools(ToolRegistry& registry) {
  for (const ToolRow& row : kAskingRows) {
    add_tool(registry, row);
  }
}

}  // namespace ws::conformance
