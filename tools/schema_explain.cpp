#include "tools/schema_explain.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <mutex>
#include <regex>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/nearest.h"
#include "tools/schema_homes.h"
#include "tools/schema_words.h"

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestMatched = 512;  // std::regex recurses once a character.
constexpr std::size_t kLongPattern = 80;      // Nobody reads it.
constexpr std::size_t kMostFound = 64;        // A list is not looked through after that many.
constexpr std::size_t kMostTold = 12;
constexpr int kMaxHops = 16;  // $ref and combinators between two steps into the value.

/// A mismatch and how far into the value it lies: of two branches the deeper one tells more.
struct Mismatch {
  std::size_t depth = 0;
  std::string text;
  std::string path;
};

using Found = std::vector<Mismatch>;

void append(Found& all, Found more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// Where the walk is, and the schema that `$ref` starts from. Spelt out only for a mismatch: most
/// values have none, and every call pays for the walk.
struct SchemaPlace {
  const Json* root = nullptr;
  const SchemaPlace* above = nullptr;
  const Json* object = nullptr;             // The schema of the object above that has this field.
  const std::string* field_name = nullptr;  // Null: an item, or the same place once more.
  std::optional<std::size_t> index;
  std::size_t depth = 0;
  int hops = 0;

  [[nodiscard]] SchemaPlace field(const std::string& name, const Json* schema = nullptr) const {
    return {root, this, schema, &name, {}, depth + 1, 0};
  }

  [[nodiscard]] SchemaPlace item(std::size_t at) const {
    return {root, this, nullptr, nullptr, at, depth + 1, 0};
  }

  [[nodiscard]] SchemaPlace same() const {
    return {root, this, nullptr, nullptr, {}, depth, hops + 1};
  }

  /// As in "launches[0].grid".
  [[nodiscard]] std::string path() const {
    std::string text = above == nullptr ? "" : above->path();
    if (field_name != nullptr) {
      text += (text.empty() ? "" : ".") + *field_name;
    }
    return index ? text + "[" + std::to_string(*index) + "]" : text;
  }

  [[nodiscard]] std::string name() const {
    const std::string text = path();
    return text.empty() ? "the arguments" : "`" + text + "`";
  }
};

Found walk(const Json& schema, const Json& value, const SchemaPlace& place);

Found expected(const SchemaPlace& place, const std::string& what, const Json& value) {
  return {Mismatch{place.depth, place.name() + " must " + what + ", got " + kind_of(value),
                   place.path()}};
}

/// The array that a schema has under a keyword; an empty one when it has none.
const Json& list_in(const Json& schema, const char* keyword) {
  static const Json none = Json::array();
  const auto found = schema.find(keyword);
  return found == schema.end() ? none : *found;
}

bool has_type(const Json& value, const std::string& type) {
  return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
         (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
         (type == "integer" && value.is_number_integer()) ||
         (type == "number" && value.is_number()) || (type == "null" && value.is_null());
}

Found walk_type(const Json& types, const Json& value, const SchemaPlace& place) {
  if (types.is_string() && has_type(value, types.get_ref<const std::string&>())) {
    return {};
  }
  std::string what;
  for (const Json& type : types.is_array() ? types : Json::array({types})) {
    if (has_type(value, type.get_ref<const std::string&>())) {
      return {};
    }
    what += (what.empty() ? "be " : " or ") + with_article(type.get<std::string>());
  }
  return expected(place, what, value);
}

/// " "a", "b"".
std::string listed(const Json& choices) {
  std::string text;
  for (const Json& choice : choices) {
    text += (text.empty() ? " " : ", ") + choice.dump();
  }
  return text;
}

Found walk_enum(const Json& allowed, const Json& value, const SchemaPlace& place) {
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) {
    return {};
  }
  return expected(place, (allowed.size() == 1 ? "be" : "be one of") + listed(allowed), value);
}

/// "it belongs into `kernel`", where a field has its place in one of those beside it, or in the
/// object around them; the same of a field that it may mean; else nothing.
std::string home_of(const std::string& name, const Json& properties, const SchemaPlace& place) {
  const std::string path = place.path();
  if (const std::string home = home_within(name, properties, *place.root, path); !home.empty()) {
    return "it belongs into `" + home + "`";
  }
  for (const SchemaPlace* at = &place; at != nullptr; at = at->above) {
    if (at->object != nullptr && has_property(*at->object, name)) {
      return "it belongs beside `" + at->path() + "`, not into it";
    }
  }
  const std::string meant = meant_within(name, properties, *place.root, path);
  return meant.empty() ? std::string() : "did you mean `" + meant + "`?";
}

/// @param meant  Gets the known field that was meant, if there is one.
Mismatch unknown_field(const std::string& name, const Json& properties, const SchemaPlace& place,
                       std::vector<std::string>& meant) {
  const std::vector<std::string> known = names_in(properties);
  std::string hint = suggest(name, known);
  if (const std::string near = meant_in(name, known); !near.empty()) {
    meant.push_back(near);
  } else if (const std::string home = home_of(name, properties, place); !home.empty()) {
    hint = home;
  }
  const std::string path = shown_name(place.field(name).path());
  return {place.depth + 1,
          "unknown field `" + path + "`; " + (hint.empty() ? "no field is known here" : hint),
          path};
}

/// Compiling a pattern costs more than all else here, and there are only as many as our schemas
/// have.
bool matches(const std::string& pattern, const std::string& text) {
  static std::mutex mutex;
  static std::map<std::string, std::regex> compiled;  // guarded by mutex
  if (text.size() > kLongestMatched) {
    return false;
  }
  const std::lock_guard lock(mutex);
  auto known = compiled.find(pattern);
  if (known == compiled.end()) {
    known = compiled.emplace(pattern, std::regex(pattern)).first;
  }
  return std::regex_search(text, known->second);
}

const Json* pattern_property(const Json& schema, const std::string& name) {
  const auto patterns = schema.find("patternProperties");
  if (patterns == schema.end()) {
    return nullptr;
  }
  for (const auto& row : patterns->items()) {
    if (matches(row.key(), name)) {
      return &row.value();
    }
  }
  return nullptr;
}

/// The schema of one member; null when the member is not allowed.
const Json* member_schema(const Json& schema, const Json& properties, const std::string& name) {
  static const Json anything = true;
  if (const auto known = properties.find(name); known != properties.end()) {
    return &*known;
  }
  if (const Json* known = pattern_property(schema, name)) {
    return known;
  }
  const auto others = schema.find("additionalProperties");
  if (others == schema.end()) {
    return &anything;
  }
  return *others == false ? nullptr : &*others;
}

/// The fields that an object should not have, and those that it lacks.
Found walk_names(const Json& schema, const Json& properties, const Json& value,
                 const SchemaPlace& place) {
  Found all;
  std::vector<std::string> meant;
  for (const auto& member : value.items()) {
    if (member_schema(schema, properties, member.key()) == nullptr) {
      all.push_back(unknown_field(member.key(), properties, place, meant));
    }
  }
  for (const Json& item : list_in(schema, "required")) {
    const auto& name = item.get_ref<const std::string&>();
    // A misspelt field is unknown and, under its right name, missing: the first says more.
    if (!value.contains(name) && std::find(meant.begin(), meant.end(), name) == meant.end()) {
      const std::string path = place.field(name).path();
      const Json& field = properties.contains(name) ? properties[name] : Json::object();
      const Json choices = field.is_object() ? field.value("enum", Json::array()) : Json::array();
      all.push_back(
          {place.depth + 1,
           "missing field `" + path + "`" + (choices.empty() ? "" : ": one of" + listed(choices)),
           path});
    }
  }
  return all;
}

Found walk_object(const Json& schema, const Json& value, const SchemaPlace& place) {
  static const Json none = Json::object();
  const auto found = schema.find("properties");
  const Json& properties = found == schema.end() ? none : *found;
  Found all = walk_names(schema, properties, value, place);
  if (value.size() < schema.value("minProperties", std::size_t{0})) {
    append(all,
           expected(place, "have at least " + schema["minProperties"].dump() + " fields", value));
  }
  if (value.size() > schema.value("maxProperties", value.size())) {
    append(all,
           expected(place, "have at most " + schema["maxProperties"].dump() + " fields", value));
  }
  for (const auto& member : value.items()) {
    if (const Json* inner = member_schema(schema, properties, member.key())) {
      append(all, walk(*inner, member.value(), place.field(member.key(), &schema)));
    }
  }
  return all;
}

Found walk_array(const Json& schema, const Json& value, const SchemaPlace& place) {
  const auto count = std::to_string(value.size());
  if (value.size() < schema.value("minItems", std::size_t{0})) {
    return {Mismatch{
        place.depth,
        place.name() + " must have at least " + schema["minItems"].dump() + " items, got " + count,
        place.path()}};
  }
  if (value.size() > schema.value("maxItems", value.size())) {
    return {Mismatch{
        place.depth,
        place.name() + " must have at most " + schema["maxItems"].dump() + " items, got " + count,
        place.path()}};
  }
  const auto items = schema.find("items");
  if (items == schema.end() || items->is_array()) {
    return {};
  }
  Found all;
  for (std::size_t i = 0; i < value.size() && all.size() < kMostFound; ++i) {
    append(all, walk(*items, value[i], place.item(i)));
  }
  return all;
}

std::size_t characters(const std::string& text) {
  std::size_t count = 0;
  for (const char c : text) {
    count += (static_cast<unsigned char>(c) & 0xC0U) == 0x80U ? 0 : 1;
  }
  return count;
}

Found walk_string(const Json& schema, const Json& value, const SchemaPlace& place) {
  const auto& text = value.get_ref<const std::string&>();
  const std::size_t length = characters(text);
  const auto wrong_length = [&](const char* limit, const char* key) {
    return Found{Mismatch{place.depth,
                          place.name() + " must have at " + limit + " " + schema[key].dump() +
                              " characters, got " + std::to_string(length),
                          place.path()}};
  };
  if (length < schema.value("minLength", std::size_t{0})) {
    return wrong_length("least", "minLength");
  }
  if (length > schema.value("maxLength", length)) {
    return wrong_length("most", "maxLength");
  }
  const auto pattern = schema.find("pattern");
  if (pattern != schema.end() && !matches(pattern->get<std::string>(), text)) {
    const bool named = schema.contains("description") &&
                       pattern->get_ref<const std::string&>().size() > kLongPattern;
    return expected(place,
                    named ? "be " + schema["description"].get<std::string>()
                          : "match " + pattern->get<std::string>(),
                    value);
  }
  return {};
}

Found walk_number(const Json& schema, const Json& value, const SchemaPlace& place) {
  const auto low = schema.find("minimum");
  const auto high = schema.find("maximum");
  const auto above = schema.find("exclusiveMinimum");
  const bool too_low = low != schema.end() && value < *low;
  const bool too_high = high != schema.end() && value > *high;
  if ((too_low || too_high) && low != schema.end() && high != schema.end()) {
    return expected(place, "be " + low->dump() + " to " + high->dump(), value);
  }
  if (too_low) {
    return expected(place, "be at least " + low->dump(), value);
  }
  if (too_high) {
    return expected(place, "be at most " + high->dump(), value);
  }
  if (above != schema.end() && value <= *above) {
    return expected(place, "be more than " + above->dump(), value);
  }
  return {};
}

/// Whether a branch tells more of a value than another: the value came further with it, or has
/// fewer mistakes there.
bool tells_more(const Found& branch, const Found& other) {
  const std::size_t depth = branch.front().depth;
  const std::size_t least = other.front().depth;
  return depth > least || (depth == least && branch.size() < other.size());
}

/// The value must meet one of `branches`: tells of the one that it came furthest with. When all
/// fail at the value itself, all that would do are named.
Found walk_any(const Json& branches, const Json& value, const SchemaPlace& place) {
  Found best;
  std::string types;
  for (const Json& branch : branches) {
    Found found = walk(branch, value, place.same());
    if (found.empty()) {
      return {};
    }
    const Json& whole = resolved(branch, *place.root);
    const Json type = whole.is_object() ? whole.value("type", Json()) : Json();
    const std::string kind = type.is_string() ? with_article(type.get<std::string>()) : "";
    if (types.find(kind) == std::string::npos) {
      types += (types.empty() ? "be " : " or ") + kind;
    }
    const bool same_type = type.is_string() && has_type(value, type.get<std::string>());
    found.front().depth += same_type ? 1 : 0;  // The branch that the client meant.
    if (best.empty() || tells_more(found, best)) {
      best = std::move(found);
    }
  }
  if (!best.empty() && best.front().depth == place.depth && !types.empty()) {
    return expected(place, types, value);
  }
  return best;
}

Found walk_reference(const Json& schema, const Json& value, const SchemaPlace& place) {
  const auto& target = schema["$ref"].get_ref<const std::string&>();
  if (target.empty() || target.front() != '#') {
    return {};
  }
  const Json::json_pointer pointer(target.substr(1));
  return place.root->contains(pointer) ? walk(place.root->at(pointer), value, place.same())
                                       : Found{};
}

Found walk_combined(const Json& schema, const Json& value, const SchemaPlace& place) {
  Found all;
  if (schema.contains("$ref")) {
    append(all, walk_reference(schema, value, place));
  }
  for (const Json& part : list_in(schema, "allOf")) {
    append(all, walk(part, value, place.same()));
  }
  for (const char* key : {"anyOf", "oneOf"}) {
    if (schema.contains(key)) {
      append(all, walk_any(schema[key], value, place));
    }
  }
  return all;
}

Found walk_by_type(const Json& schema, const Json& value, const SchemaPlace& place) {
  if (value.is_object()) {
    return walk_object(schema, value, place);
  }
  if (value.is_array()) {
    return walk_array(schema, value, place);
  }
  if (value.is_string()) {
    return walk_string(schema, value, place);
  }
  return value.is_number() ? walk_number(schema, value, place) : Found{};
}

Found walk(const Json& schema, const Json& value, const SchemaPlace& place) {
  if (!schema.is_object() || place.hops > kMaxHops) {
    return {};
  }
  if (const auto types = schema.find("type"); types != schema.end()) {
    if (Found mismatch = walk_type(*types, value, place); !mismatch.empty()) {
      return mismatch;
    }
  }
  if (const auto allowed = schema.find("enum"); allowed != schema.end()) {
    if (Found mismatch = walk_enum(*allowed, value, place); !mismatch.empty()) {
      return mismatch;
    }
  }
  if (const auto only = schema.find("const"); only != schema.end() && *only != value) {
    return expected(place, "be " + only->dump(), value);
  }
  Found all = walk_by_type(schema, value, place);
  for (Mismatch& more : walk_combined(schema, value, place)) {
    const auto same = [&](const Mismatch& known) { return known.path == more.path; };
    if (std::none_of(all.begin(), all.end(), same)) {
      all.push_back(std::move(more));
    }
  }
  return all;
}

}  // namespace

std::vector<SchemaFault> schema_faults(const Json& schema, const Json& value,
                                       const std::string& name) {
  SchemaPlace place;
  place.root = &schema;
  const SchemaPlace named = place.field(name);
  std::vector<SchemaFault> faults;
  for (Mismatch& mismatch : walk(schema, value, name.empty() ? place : named)) {
    faults.push_back({std::move(mismatch.path), std::move(mismatch.text)});
  }
  return faults;
}

std::string faults_text(const std::vector<SchemaFault>& faults) {
  if (faults.size() == 1) {
    return faults.front().text;
  }
  std::string text = std::to_string(faults.size()) + " mistakes:";
  for (std::size_t i = 0; i < faults.size() && i < kMostTold; ++i) {
    text += "\n- " + faults[i].text;
  }
  return faults.size() > kMostTold
             ? text + "\n- and " + std::to_string(faults.size() - kMostTold) + " more"
             : text;
}

std::optional<std::string> explain_mismatch(const Json& schema, const Json& value) {
  const std::vector<SchemaFault> faults = schema_faults(schema, value);
  return faults.empty() ? std::nullopt : std::optional(faults_text(faults));
}

}  // namespace ws
