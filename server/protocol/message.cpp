#include "server/protocol/message.h"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "runtime/base/text.h"

namespace ws::server {
namespace {

constexpr int kTooLarge = 413;

/// Counted from 1, as nlohmann does.
std::string at_byte(std::size_t position) {
  return " at byte " + std::to_string(position);
}

/// The mistake in the bytes; nothing when they are UTF-8 and nested no deeper than allowed.
/// @param keys  Set to the number of keys of all objects, if the text is JSON.
std::optional<std::string> scan(std::string_view text, std::size_t& keys) {
  keys = 0;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (static_cast<std::uint8_t>(c) >= 0x80) {
      const std::size_t length = utf8_length(text, i);
      if (length == 0) {
        return "the message is not valid UTF-8" + at_byte(i + 1);
      }
      i += length;
      continue;
    }
    if (in_string) {
      in_string = c != '"';
      const bool escape = c == '\\' && i + 1 < text.size();
      i += escape && static_cast<std::uint8_t>(text[i + 1]) < 0x80 ? 1U : 0U;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxJsonDepth) {
        return "the message is nested deeper than " + std::to_string(kMaxJsonDepth) + " levels" +
               at_byte(i + 1);
      }
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == ':') {
      ++keys;
    }
    ++i;
  }
  return {};
}

/// Asked only about a text that did not parse: where, and at what.
class ErrorPlace : public nlohmann::json_sax<Json> {
 public:
  // The names and types are nlohmann's.
  bool null() override { return true; }

  bool boolean(bool /*value*/) override { return true; }

  bool number_integer(number_integer_t /*value*/) override { return true; }

  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }

  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }

  bool string(string_t& /*value*/) override { return true; }

  bool binary(binary_t& /*value*/) override { return true; }

  bool start_object(std::size_t /*count*/) override { return true; }

  bool key(string_t& /*value*/) override { return true; }

  bool end_object() override { return true; }

  bool start_array(std::size_t /*count*/) override { return true; }

  bool end_array() override { return true; }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    position_ = position;
    return false;
  }

  [[nodiscard]] std::size_t position() const { return position_; }

 private:
  std::size_t position_ = 0;
};

/// Asked only about a text that has a key twice in one object: which.
class RepeatedKey : public ErrorPlace {
 public:
  bool start_object(std::size_t /*count*/) override {
    open_.emplace_back();
    return true;
  }

  bool key(string_t& value) override {
    if (open_.back().insert(value).second) {
      return true;
    }
    found_ = value;
    return false;
  }

  bool end_object() override {
    open_.pop_back();
    return true;
  }

  [[nodiscard]] const std::string& found() const { return found_; }

 private:
  std::vector<std::set<std::string>> open_;  // The keys so far of each object that is open.
  std::string found_;
};

std::size_t count_keys(const Json& value) {
  std::size_t keys = value.is_object() ? value.size() : 0;
  if (value.is_structured()) {
    for (const Json& part : value) {
      keys += count_keys(part);
    }
  }
  return keys;
}

bool is_id(const Json& id) {
  return (id.is_string() && id.get_ref<const std::string&>().size() <= kMaxIdBytes) ||
         id.is_number_integer();
}

tl::unexpected<RpcError> invalid(std::string message) {
  return rpc_fail(rpc::kInvalidRequest, std::move(message), kBadRequest);
}

}  // namespace

RpcResult<Json> parse_json(std::string_view text) {
  if (text.size() > kMaxBodyBytes) {
    return rpc_fail(rpc::kParseError, "the message is larger than 16 MiB", kTooLarge);
  }
  std::size_t keys = 0;
  if (auto problem = scan(text, keys)) {
    return rpc_fail(rpc::kParseError, *std::move(problem), kBadRequest);
  }
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) {
    ErrorPlace place;
    Json::sax_parse(text, &place);
    return rpc_fail(rpc::kParseError, "the message is not JSON: error" + at_byte(place.position()),
                    kBadRequest);
  }
  if (count_keys(value) != keys) {  // The parser keeps one of equal keys: another reader the other.
    RepeatedKey repeated;
    Json::sax_parse(text, &repeated);
    return rpc_fail(rpc::kInvalidRequest,
                    "the key `" + quoted(repeated.found(), 64) + "` stands twice in one object",
                    kBadRequest);
  }
  return value;
}

Json usable_id(const Json& value) {
  if (value.is_object() && value.contains("id") && is_id(value["id"])) {
    return value["id"];
  }
  return nullptr;
}

RpcResult<Message> to_message(Json value) {
  if (!value.is_object()) {
    return invalid("a message must be a JSON object");
  }
  if (value.value("jsonrpc", Json()) != "2.0") {
    return invalid("`jsonrpc` must be \"2.0\"");
  }
  Message message;
  if (const auto id = value.find("id"); id != value.end()) {
    if (!is_id(*id)) {
      return invalid("`id` must be an integer, or a string of at most " +
                     std::to_string(kMaxIdBytes) + " bytes");
    }
    message.id = *id;
  }
  const auto method = value.find("method");
  if (method == value.end() && (value.contains("result") || value.contains("error"))) {
    return invalid("a response came in, but this server sends no requests");
  }
  if (method == value.end() || !method->is_string() ||
      method->get_ref<const std::string&>().size() > kMaxMethodBytes) {
    return invalid("`method` must be a string of at most " + std::to_string(kMaxMethodBytes) +
                   " bytes");
  }
  message.method = method->get<std::string>();
  if (const auto params = value.find("params"); params != value.end() && !params->is_null()) {
    if (!params->is_object()) {
      return invalid("`params` must be an object");
    }
    message.params = std::move(*params);
  }
  return message;
}

}  // namespace ws::server
