#include "tests/conformance/fixture_texts.h"

#include <string_view>

#include "server/protocol/base64.h"
#include "tests/conformance/fixture.h"

namespace ws::conformance {
namespace {

using server::InputNeeded;
using server::OrderedJson;
using server::PromptAnswer;
using server::RpcResult;

constexpr const char* kPrompts = R"([
    {"name": "test_input_required_result_prompt", "description": "Asks for a context first"},
    {"name": "test_prompt_with_arguments", "description": "Has two arguments", "arguments": [
        {"name": "arg1", "description": "The first argument", "required": true},
        {"name": "arg2", "description": "The second argument", "required": true}]},
    {"name": "test_prompt_with_embedded_resource", "description": "Has a resource", "arguments": [
        {"name": "resourceUri", "description": "The resource's address", "required": true}]},
    {"name": "test_prompt_with_image", "description": "Has an image"},
    {"name": "test_simple_prompt", "description": "Has a text"}])";

constexpr const char* kContextForm =
    R"({"user_context": {"method": "elicitation/create", "params": {
    "mode": "form", "message": "What context should the prompt use?", "requestedSchema": {
        "type": "object", "properties": {"context": {"type": "string"}},
        "required": ["context"]}}}})";

constexpr const char* kStaticText = "test://static-text";
constexpr const char* kStaticBinary = "test://static-binary";
constexpr const char* kWatched = "test://watched-resource";

Json message(const Json& content) {
  return {{"role", "user"}, {"content", content}};
}

PromptAnswer prompt(const Json& messages) {
  return OrderedJson{{"messages", messages}};
}

}  // namespace

OrderedJson FixturePrompts::list(server::Revision /*revision*/) const {
  return OrderedJson::parse(kPrompts);
}

RpcResult<PromptAnswer> FixturePrompts::get(const std::string& name, const Json& arguments,
                                            const server::Inputs& inputs) const {
  const auto argument = [&arguments](const char* key) {
    return arguments.is_object() ? arguments.value(key, std::string()) : std::string();
  };
  if (name == "test_simple_prompt") {
    return prompt(Json::array({message(text_block("This is a simple prompt for testing."))}));
  }
  if (name == "test_prompt_with_arguments") {
    return prompt(
        Json::array({message(text_block("Prompt with arguments: arg1='" + argument("arg1") +
                                        "', arg2='" + argument("arg2") + "'"))}));
  }
  if (name == "test_prompt_with_embedded_resource") {
    return prompt(Json::array({message(resource_block(argument("resourceUri"), "text/plain",
                                                      "Embedded resource content for testing.")),
                               message(text_block("Please process the resource above."))}));
  }
  if (name == "test_prompt_with_image") {
    const Json image = {{"type", "image"}, {"data", kPng}, {"mimeType", "image/png"}};
    return prompt(
        Json::array({message(image), message(text_block("Please analyze the image above."))}));
  }
  if (name != "test_input_required_result_prompt") {
    return server::rpc_fail(server::rpc::kInvalidParams, "there is no such prompt");
  }
  const Json requests = Json::parse(kContextForm);
  if (const Json open = inputs.unanswered(requests); !open.empty()) {
    return InputNeeded{open};
  }
  return prompt(
      Json::array({message(text_block("The context is " + server::to_line(inputs.responses)))}));
}

std::vector<std::string> FixtureCompletions::complete(const Json& /*ref*/,
                                                      const std::string& /*argument*/,
                                                      const std::string& value,
                                                      const Json& /*chosen*/) const {
  std::vector<std::string> fitting;
  for (const std::string word : {"test", "testing", "text"}) {
    if (word.starts_with(value)) {
      fitting.push_back(word);
    }
  }
  return fitting;
}

Result<ResourceText> FixtureResources::read(const std::string& uri) {
  constexpr std::string_view kStart = "test://template/";
  constexpr std::string_view kEnd = "/data";
  if (uri == kStaticText) {
    return ResourceText{uri, "text/plain", "This is the content of the static text resource."};
  }
  if (uri == kStaticBinary) {
    return ResourceText{uri, "image/png", *server::from_base64(kPng)};
  }
  if (uri == kWatched) {
    return ResourceText{uri, "text/plain", "This resource can be watched."};
  }
  if (uri.size() > kStart.size() + kEnd.size() && uri.starts_with(kStart) && uri.ends_with(kEnd)) {
    const std::string id = uri.substr(kStart.size(), uri.size() - kStart.size() - kEnd.size());
    const Json text = {{"id", id}, {"templateTest", true}, {"data", "Data for ID: " + id}};
    return ResourceText{uri, "application/json", text.dump()};
  }
  return fail(ErrorCode::kNotFound, "there is no resource " + uri);
}

Json FixtureResources::templates() const {
  return Json::parse(R"([{"uriTemplate": "test://template/{id}/data", "name": "template",
      "description": "Says which id it was read by", "mimeType": "application/json"}])");
}

Json FixtureResources::rows() const {
  return Json::parse(R"([
      {"uri": "test://static-text", "name": "static-text", "description": "A text",
       "mimeType": "text/plain"},
      {"uri": "test://static-binary", "name": "static-binary", "description": "An image",
       "mimeType": "image/png"},
      {"uri": "test://watched-resource", "name": "watched-resource",
       "description": "Can be subscribed to", "mimeType": "text/plain"}])");
}

bool FixtureResources::is_binary(const std::string& uri) const {
  return uri == kStaticBinary;
}

const server::SkillShelf& fixture_skills() {
  static const server::SkillShelf shelf = [] {
    server::Skill skill = *server::skill_of(
        "---\nname: test-skill\ndescription: A skill for the suite, with a reference.\n---\n\n"
        "# Test\n\nRead references/more.md.\n");
    skill.files.push_back({"references/more.md", "text/markdown", "# More\n"});
    return server::SkillShelf({std::move(skill)});
  }();
  return shelf;
}

}  // namespace ws::conformance
