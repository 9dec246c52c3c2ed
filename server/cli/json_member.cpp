#include "server/cli/json_member.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace ws::server {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr const char* kByHand = "mend it, or add the lines by hand";

struct Member {
  std::string name;
  std::size_t value_from = 0;
  std::size_t value_end = 0;
};

struct Object {
  std::size_t open = 0;   ///< Where its { is.
  std::size_t close = 0;  ///< Where its } is.
  std::vector<Member> members;
};

/// Walks a text that is known to be JSON with comments.
class Walk {
 public:
  explicit Walk(std::string_view text)
      : text_(text) {}

  /// The first place from `at` on that is neither blank nor comment.
  [[nodiscard]] std::size_t skip_space(std::size_t at) const {
    for (;;) {
      at = std::min(text_.find_first_not_of(kBlanks, at), text_.size());
      if (text_.substr(at, 2) == "//") {
        at = std::min(text_.find('\n', at), text_.size());
      } else if (text_.substr(at, 2) == "/*") {
        at = std::min(text_.find("*/", at + 2), text_.size() - 2) + 2;
      } else {
        return at;
      }
    }
  }

  /// One past the value that begins at `at`.
  [[nodiscard]] std::size_t skip_value(std::size_t at) const {
    if (text_[at] == '"') {
      return skip_string(at);
    }
    if (text_[at] != '{' && text_[at] != '[') {
      return std::min(text_.find_first_of(",]}/ \t\r\n", at), text_.size());
    }
    for (int depth = 0; at < text_.size();) {
      const char c = text_[at];
      if (c == '"') {
        at = skip_string(at);
        continue;
      }
      depth += c == '{' || c == '[' ? 1 : (c == '}' || c == ']' ? -1 : 0);
      if (depth == 0) {
        return at + 1;
      }
      at = skip_space(at + 1);
    }
    return at;
  }

  /// @param at  Where its { is.
  [[nodiscard]] Object object(std::size_t at) const {
    Object found{.open = at, .close = 0, .members = {}};
    at = skip_space(at + 1);
    while (at < text_.size() && text_[at] != '}') {
      const std::size_t name_end = skip_string(at);
      const Json name = Json::parse(text_.substr(at, name_end - at));
      const std::size_t value = skip_space(skip_space(name_end) + 1);  // After the colon.
      const std::size_t end = skip_value(value);
      found.members.push_back({name, value, end});
      at = skip_space(end);
      at = at < text_.size() && text_[at] == ',' ? skip_space(at + 1) : at;
    }
    found.close = at;
    return found;
  }

 private:
  [[nodiscard]] std::size_t skip_string(std::size_t at) const {
    for (++at; at < text_.size() && text_[at] != '"';) {
      at += text_[at] == '\\' ? 2U : 1U;
    }
    return at + 1;
  }

  std::string_view text_;
};

/// The blanks before the first member, where it has a line of its own; else two spaces.
std::string indent_unit(const std::string& text, const Object& root) {
  const std::size_t from = text.find_first_not_of(kBlanks, root.open + 1);
  const std::size_t line = text.rfind('\n', from);
  const bool own_line = line != std::string::npos && line > root.open && from != line + 1;
  return own_line ? text.substr(line + 1, from - line - 1) : "  ";
}

std::string repeated(const std::string& unit, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) {
    all += unit;
  }
  return all;
}

/// `value` as it stands `depth` levels deep, in lines that end and begin as the text's do.
std::string laid_out(const OrderedJson& value, const std::string& unit, std::size_t depth,
                     const std::string& line_end) {
  const std::string plain = value.dump(1, '\t');  // A string's own tabs and line ends are escaped.
  std::string text;
  for (const char c : plain) {
    if (c == '\n') {
      text += line_end + repeated(unit, depth);
    } else {
      text += c == '\t' ? unit : std::string(1, c);
    }
  }
  return text;
}

Result<const Member*> member_named(const Object& object, const std::string& name) {
  const Member* found = nullptr;
  for (const Member& member : object.members) {
    if (member.name == name) {
      WS_CHECK(found == nullptr
                   ? Status()
                   : fail(ErrorCode::kInvalidArgument, "it holds \"" + name + "\" twice", kByHand));
      found = &member;
    }
  }
  return found;
}

/// The new member goes behind the last one, below any comment there.
std::string with_member(std::string text, const Object& object, const std::string& member,
                        const std::string& unit, std::size_t depth, const std::string& line_end) {
  const std::size_t last = text.find_last_not_of(kBlanks, object.close - 1) + 1;
  const bool same_line = text.find('\n', last) >= object.close;
  const std::string after = same_line ? line_end + repeated(unit, depth - 1) : "";
  const std::string added = line_end + repeated(unit, depth) + member + after;
  text.replace(last, same_line ? object.close - last : 0, added);
  if (!object.members.empty()) {
    text.insert(object.members.back().value_end, ",");
  }
  return text;
}

/// The same by the parsed form, to hold the text against.
OrderedJson expected(OrderedJson whole, const std::string& object, const std::string& name,
                     const OrderedJson& value) {
  whole[object][name] = value;
  return whole;
}

Result<OrderedJson> parse_settings(const std::string& text) {
  try {
    OrderedJson whole = OrderedJson::parse(text, nullptr, true, true);
    if (!whole.is_object()) {
      return fail(ErrorCode::kInvalidArgument, "it is not a JSON object", kByHand);
    }
    return whole;
  } catch (const OrderedJson::parse_error& error) {
    return fail(ErrorCode::kInvalidArgument,
                "it is not JSON: error at byte " + std::to_string(error.byte), kByHand);
  } catch (const OrderedJson::out_of_range&) {
    return fail(ErrorCode::kInvalidArgument, "it holds a number that is too large", kByHand);
  }
}

}  // namespace

Result<std::string> put_json_member(const std::string& sent, const std::string& object,
                                    const std::string& name, const OrderedJson& value) {
  const bool empty = sent.find_first_not_of(kBlanks) == std::string::npos;
  const std::string text = empty ? "{}\n" : sent;
  WS_TRY(const OrderedJson whole, parse_settings(text));
  const std::string line_end = text.find("\r\n") == std::string::npos ? "\n" : "\r\n";
  const Walk walk(text);
  const Object root =
      walk.object(walk.skip_space(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0));
  const std::string unit = indent_unit(text, root);
  WS_TRY(const Member* const outer, member_named(root, object));
  std::string changed;
  if (outer == nullptr) {
    const std::string member =
        Json(object).dump() + ": " + laid_out({{name, value}}, unit, 1, line_end);
    changed = with_member(text, root, member, unit, 1, line_end);
  } else if (text[outer->value_from] != '{') {
    return fail(ErrorCode::kInvalidArgument, "its \"" + object + "\" is not an object", kByHand);
  } else {
    const Object inside = walk.object(outer->value_from);
    WS_TRY(const Member* const old, member_named(inside, name));
    const std::string written = laid_out(value, unit, 2, line_end);
    if (old != nullptr) {
      changed = text;
      changed.replace(old->value_from, old->value_end - old->value_from, written);
    } else {
      const std::string member = Json(name).dump() + ": " + written;
      changed = with_member(text, inside, member, unit, 2, line_end);
    }
  }
  if (OrderedJson::parse(changed, nullptr, false, true) != expected(whole, object, name, value)) {
    return fail(ErrorCode::kInvalidArgument, "its form is not one that can be extended", kByHand);
  }
  return changed;
}

}  // namespace ws::server
