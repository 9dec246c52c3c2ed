#include "runtime/kernel/form/json_reader.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "runtime/base/nearest.h"
#include "runtime/base/text.h"
#include "runtime/kernel/expr/expr.h"

namespace ws {
namespace {

constexpr std::size_t kMaxShown = 40;  // Bytes of a text or of a field's name in a message.

std::string count_of(std::size_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

/// Printable and short, cut between UTF-8 characters.
std::string shown(std::string text) {
  const std::size_t end = utf8_cut(text, kMaxShown);
  const bool cut = end < text.size();
  text.resize(end);
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    c = byte < 0x20U || byte == 0x7fU ? ' ' : c;
  }
  return cut ? text + "..." : text;
}

std::string range_text(std::size_t least, std::size_t most, const std::string& thing) {
  return least == most ? count_of(most, thing)
                       : std::to_string(least) + " to " + count_of(most, thing);
}

}  // namespace

std::string describe(const nlohmann::json& value) {
  if (value.is_string()) {
    return "\"" + shown(value.get_ref<const std::string&>()) + "\"";
  }
  if (value.is_array()) {
    return "a list of " + count_of(value.size(), "item");
  }
  return value.is_object() ? "an object" : value.dump();
}

tl::unexpected<Error> at_path(const std::string& path, Error error) {
  error.message.insert(0, path + ": ");
  return fail(std::move(error));
}

bool JsonReader::is_object() const {
  return value_->is_object();
}

bool JsonReader::is_list() const {
  return value_->is_array();
}

bool JsonReader::is_text() const {
  return value_->is_string();
}

bool JsonReader::is_integer() const {
  return value_->is_number_integer();
}

tl::unexpected<Error> JsonReader::error(const std::string& message, std::string hint) const {
  return fail(ErrorCode::kInvalidArgument, path_ + ": " + message, std::move(hint));
}

tl::unexpected<Error> JsonReader::expected(const std::string& what, std::string hint) const {
  return error("expected " + what + ", got " + describe(*value_), std::move(hint));
}

tl::unexpected<Error> JsonReader::unsupported(const std::string& what, std::string hint) const {
  return fail(ErrorCode::kUnsupported, path_ + ": " + what + " is not supported yet",
              std::move(hint));
}

Status JsonReader::check_fields(const Names& known) const {
  if (!value_->is_object()) {
    return expected("an object");
  }
  for (const auto& field : value_->items()) {
    if (std::find(known.begin(), known.end(), field.key()) == known.end()) {
      return error("unknown field `" + shown(field.key()) + "`", suggest(field.key(), known));
    }
  }
  return {};
}

std::optional<JsonReader> JsonReader::find(const std::string& key) const {
  const auto found = value_->find(key);
  if (found == value_->end()) {
    return std::nullopt;
  }
  return JsonReader(*found, path_ + "." + key);
}

Result<JsonReader> JsonReader::require(const std::string& key) const {
  const std::optional<JsonReader> field = find(key);
  if (!field) {
    return error("field `" + key + "` is missing");
  }
  return *field;
}

Result<std::vector<JsonReader>> JsonReader::items(std::size_t least, std::size_t most) const {
  if (!value_->is_array() || value_->size() < least || value_->size() > most) {
    return expected("a list of " + range_text(least, most, "item"));
  }
  std::vector<JsonReader> list;
  list.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) {
    list.emplace_back((*value_)[i], path_ + "[" + std::to_string(i) + "]");
  }
  return list;
}

Result<std::vector<std::pair<std::string, JsonReader>>> JsonReader::members(
    std::size_t most) const {
  if (!value_->is_object()) {
    return expected("an object");
  }
  if (value_->size() > most) {
    return error("expected at most " + count_of(most, "field") + ", got " +
                 std::to_string(value_->size()));
  }
  std::vector<std::pair<std::string, JsonReader>> fields;
  for (const auto& field : value_->items()) {
    fields.emplace_back(field.key(), JsonReader(field.value(), path_ + "." + shown(field.key())));
  }
  return fields;
}

Result<std::string> JsonReader::any_text(std::size_t limit) const {
  if (!value_->is_string()) {
    return expected("a string");
  }
  const auto& text = value_->get_ref<const std::string&>();
  if (text.size() > limit) {
    return error("expected at most " + count_of(limit, "byte") + ", got " +
                 std::to_string(text.size()));
  }
  if (text.find('\0') != std::string::npos) {
    return error("a NUL character is not allowed");
  }
  return text;
}

Result<std::string> JsonReader::text(std::size_t limit) const {
  WS_TRY(std::string text, any_text(limit));
  return text.empty() ? Result<std::string>(error("may not be empty")) : text;
}

Result<std::string> JsonReader::identifier() const {
  if (!value_->is_string() || !is_identifier(value_->get_ref<const std::string&>())) {
    return expected("a name (letters, digits and _, at most 64, not a word of the expressions)");
  }
  return value_->get<std::string>();
}

Result<DType> JsonReader::dtype() const {
  const auto type = value_->is_string() ? parse_dtype(value_->get_ref<const std::string&>())
                                        : std::optional<DType>();
  if (!type) {
    return expected(
        "an element type",
        "types: f64 f32 tf32 f16 bf16 f8e4m3 f8e5m2 i64 i32 i16 i8 u64 u32 u16 u8 bool");
  }
  return *type;
}

Result<bool> JsonReader::boolean() const {
  if (!value_->is_boolean()) {
    return expected("true or false");
  }
  return value_->get<bool>();
}

Result<std::int64_t> JsonReader::integer(std::int64_t low, std::int64_t high) const {
  const std::string what = "an integer from " + std::to_string(low) + " to " + std::to_string(high);
  constexpr double kExact = 0x1p53;
  std::int64_t result = 0;
  if (value_->is_number_float()) {
    const auto number = value_->get<double>();
    if (std::trunc(number) != number || std::fabs(number) > kExact) {
      return expected(what);
    }
    result = static_cast<std::int64_t>(number);
  } else if (value_->is_number_unsigned()) {
    const auto number = value_->get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(INT64_MAX)) {
      return expected(what);
    }
    result = static_cast<std::int64_t>(number);
  } else if (value_->is_number_integer()) {
    result = value_->get<std::int64_t>();
  } else {
    return expected(what);
  }
  return result < low || result > high ? Result<std::int64_t>(expected(what)) : result;
}

Result<double> JsonReader::number() const {
  if (!value_->is_number() || !std::isfinite(value_->get<double>())) {
    return expected("a finite number");
  }
  return value_->get<double>();
}

Result<std::string> JsonReader::expression(const Names& names) const {
  if (value_->is_number_integer()) {
    return value_->dump();
  }
  if (!value_->is_string()) {
    return expected("an expression (a string) or an integer");
  }
  const auto& text = value_->get_ref<const std::string&>();
  const Result<Expr> expr = parse_expr(text);
  if (!expr) {
    return at_path(path_, expr.error());
  }
  if (const Status known = expr->check_names(names); !known) {
    return at_path(path_, known.error());
  }
  return text;
}

Result<std::vector<std::string>> JsonReader::expressions(const Names& names, std::size_t least,
                                                         std::size_t most) const {
  WS_TRY(const std::vector<JsonReader> list, items(least, most));
  std::vector<std::string> texts;
  for (const JsonReader& item : list) {
    WS_TRY(std::string text, item.expression(names));
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace ws
