#include "tools/schema_check.h"

#include <string>

#include <doctest/doctest.h>

#include "tools/schema_explain.h"

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr const char* kSchema = R"({
  "type": "object", "additionalProperties": false, "required": ["kernel_id"],
  "properties": {
    "kernel_id": {"type": "string", "pattern": "^krn_[a-z]{1,8}$"},
    "level": {"enum": ["quick", "standard"]},
    "wait_ms": {"type": "integer", "minimum": 0, "maximum": 600000},
    "share": {"type": "number", "exclusiveMinimum": 0},
    "fresh": {"type": "boolean"},
    "kind": {"const": "normal"},
    "name": {"type": "string", "minLength": 1, "maxLength": 4},
    "params": {"type": "object", "maxProperties": 2, "additionalProperties": {"type": "integer"}},
    "dims": {"type": "object", "patternProperties": {"^[a-z]$": {"type": "integer"}},
             "additionalProperties": false},
    "when": {"type": ["string", "null"]},
    "launches": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"$ref": "#/$defs/launch"}},
    "fill": {"oneOf": [
      {"type": "string"},
      {"type": "object", "required": ["kind"], "additionalProperties": false,
       "properties": {"kind": {"type": "string"}, "mean": {"type": "number"}}}]},
    "not_three": {"not": {"const": 3}}},
  "$defs": {"launch": {
    "type": "object", "additionalProperties": false, "required": ["entry", "grid"],
    "properties": {"entry": {"type": "string"}, "grid": {"type": "array", "items": {"type": "string"}}}}}
})";

struct CheckCase {
  const char* value;  ///< Beside the kernel_id, which each row has unless it says otherwise.
  const char* want;   ///< Empty: it meets the schema.
};

// clang-format off
constexpr CheckCase kCases[] = {
    {R"({})", ""},
    {R"({"level": "quick", "wait_ms": 600000, "share": 0.5, "fresh": true, "kind": "normal"})", ""},
    {R"({"params": {"a": 1}, "dims": {"m": 4}, "when": null, "fill": {"kind": "x"}})", ""},
    {R"({"launches": [{"entry": "f", "grid": ["n"]}], "fill": "normal"})", ""},
    {R"({"kernal_id": "krn_a"})", "unknown field `kernal_id`; did you mean `kernel_id`?"},
    {R"({"launches": [{"entry": "f", "grd": []}]})", "unknown field `launches[0].grd`; did you mean `grid`?"},
    {R"({"dims": {"mm": 4}})", "unknown field `dims.mm`; no field is known here"},
    {R"({"launches": [{"entry": "f"}]})", "missing field `launches[0].grid`"},
    {R"({"launches": [{"entry": "f", "grid": ["n", 3]}]})", "`launches[0].grid[1]` must be a string, got the number 3"},
    {R"({"launches": []})", "`launches` must have at least 1 items, got 0"},
    {R"({"launches": [1, 2, 3]})", "`launches` must have at most 2 items, got 3"},
    {R"({"launches": {}})", "`launches` must be an array, got an object"},
    {R"({"level": "quik"})", R"(`level` must be one of "quick", "standard", got a string "quik")"},
    {R"({"level": 3})", R"(`level` must be one of "quick", "standard", got the number 3)"},
    {R"({"wait_ms": -1})", "`wait_ms` must be 0 to 600000, got the number -1"},
    {R"({"wait_ms": "5"})", "`wait_ms` must be an integer, got a string \"5\""},
    {R"({"wait_ms": 1.5})", "`wait_ms` must be an integer, got the number 1.5"},
    {R"({"share": 0})", "`share` must be more than 0, got the number 0"},
    {R"({"fresh": "yes"})", "`fresh` must be a boolean, got a string \"yes\""},
    {R"({"fresh": null})", "`fresh` must be a boolean, got null"},
    {R"({"kind": false})", "`kind` must be \"normal\", got false"},
    {R"({"name": ""})", "`name` must have at least 1 characters, got 0"},
    {R"({"name": "äöüäö"})", "`name` must have at most 4 characters, got 5"},
    {R"({"kernel_id": "prb_a"})", "`kernel_id` must match ^krn_[a-z]{1,8}$, got a string \"prb_a\""},
    {R"({"params": {"a": 1, "b": 2, "c": 3}})", "`params` must have at most 2 fields, got an object"},
    {R"({"params": {"a": "1"}})", "`params.a` must be an integer, got a string \"1\""},
    {R"({"when": 3})", "`when` must be a string or null, got the number 3"},
    {R"({"fill": 3})", "`fill` must be a string or an object, got the number 3"},
    {R"({"fill": {"kind": 1}})", "`fill.kind` must be a string, got the number 1"},
    {R"({"fill": {"kind": "x", "men": 1}})", "unknown field `fill.men`; did you mean `mean`?"},
    {R"({"wait_ms": "5", "fresh": 1, "levle": "quick"})",
     "3 mistakes:\n- unknown field `levle`; did you mean `level`?\n- `fresh` must be a boolean, got the number 1\n"
     "- `wait_ms` must be an integer, got a string \"5\""},
    {R"({"launches": [{"grid": [1]}, {"grd": []}]})",
     "4 mistakes:\n- missing field `launches[0].entry`\n- `launches[0].grid[0]` must be a string, got the number 1\n"
     "- unknown field `launches[1].grd`; did you mean `grid`?\n- missing field `launches[1].entry`"},
    {R"({"entry": "f"})", "unknown field `entry`; it belongs into `launches[]`"},
    {R"({"launches": [{"entry": "f", "grid": [], "dims": {}}]})",
     "unknown field `launches[0].dims`; it belongs beside `launches`, not into it"},
};
// clang-format on

Json with_id(const char* text) {
  Json value = Json::parse(text);
  if (!value.contains("kernal_id")) {
    value.emplace("kernel_id", "krn_a");
  }
  return value;
}

std::string message(const SchemaCheck& check, const Json& value) {
  const Status met = check.check(value);
  return met ? "" : met.error().message;
}

}  // namespace

TEST_SUITE("tools.schema_check") {
  TEST_CASE("a value meets the schema, or the message names the field") {
    const auto check = SchemaCheck::compile(Json::parse(kSchema));
    REQUIRE(check.has_value());
    for (const CheckCase& c : kCases) {
      CAPTURE(c.value);
      CHECK(message(*check, with_id(c.value)) == c.want);
    }
  }

  TEST_CASE("what is not an object, or lacks a field, is named at the root") {
    const auto check = SchemaCheck::compile(Json::parse(kSchema));
    REQUIRE(check.has_value());
    CHECK(message(*check, Json::array()) == "the arguments must be an object, got an array");
    CHECK(message(*check, Json::object()) == "missing field `kernel_id`");
  }

  TEST_CASE("what the explanation does not know is still refused by valijson") {
    const auto check = SchemaCheck::compile(Json::parse(kSchema));
    REQUIRE(check.has_value());
    const Json three = with_id(R"({"not_three": 3})");
    CHECK_FALSE(explain_mismatch(Json::parse(kSchema), three).has_value());
    CHECK(message(*check, three).find("not_three") != std::string::npos);
  }

  TEST_CASE("a very long string never meets a pattern, and is shown in part") {
    const auto check = SchemaCheck::compile(Json::parse(kSchema));
    REQUIRE(check.has_value());
    const Json value = {{"kernel_id", "krn_" + std::string(1000000, 'a')}};
    CHECK(message(*check, value) == "`kernel_id` must match ^krn_[a-z]{1,8}$, got a string \"krn_" +
                                        std::string(75, 'a') + "...");
  }

  TEST_CASE("a field name from outside is escaped") {
    const auto check = SchemaCheck::compile(Json::parse(kSchema));
    REQUIRE(check.has_value());
    const Json value = {{"kernel_id", "krn_a"}, {"le\nvel", 1}};
    CHECK(message(*check, value) == "unknown field `le\\nvel`; did you mean `level`?");
  }

  TEST_CASE("an invalid schema does not compile") {
    const auto check = SchemaCheck::compile(Json::parse(R"({"type": "object", "required": 3})"));
    REQUIRE_FALSE(check.has_value());
    CHECK(check.error().code == ErrorCode::kInternal);
    CHECK(check.error().message == "a schema does not compile");
  }
}

}  // namespace ws
