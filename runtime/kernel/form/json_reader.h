// Reading one JSON value with its path, so that each error says where, what was expected and what
// came: "kernel.launches[0].grid: expected a list of 1 to 3 items, got a list of 4 items".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "runtime/base/result.h"
#include "runtime/kernel/dtype.h"

namespace ws {

using Names = std::vector<std::string>;

/// A JSON value, which must outlive the form, and where it stands. All readers fail with
/// kInvalidArgument.
class JsonReader {
 public:
  JsonReader(const nlohmann::json& value, std::string path)
      : value_(&value),
        path_(std::move(path)) {}

  [[nodiscard]] const nlohmann::json& json() const { return *value_; }

  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] bool is_object() const;
  [[nodiscard]] bool is_list() const;
  [[nodiscard]] bool is_text() const;
  [[nodiscard]] bool is_integer() const;

  /// An object with no other fields than `known`; the error names the nearest known one.
  [[nodiscard]] Status check_fields(const Names& known) const;

  /// A field of an object; nothing when it is absent.
  [[nodiscard]] std::optional<JsonReader> find(const std::string& key) const;
  [[nodiscard]] Result<JsonReader> require(const std::string& key) const;

  [[nodiscard]] Result<std::vector<JsonReader>> items(std::size_t least, std::size_t most) const;
  /// The fields of an object in name order.
  [[nodiscard]] Result<std::vector<std::pair<std::string, JsonReader>>> members(
      std::size_t most) const;

  /// Text of 1 to `limit` bytes without NUL.
  [[nodiscard]] Result<std::string> text(std::size_t limit) const;
  /// Text that may be empty.
  [[nodiscard]] Result<std::string> any_text(std::size_t limit) const;
  [[nodiscard]] Result<std::string> identifier() const;
  [[nodiscard]] Result<DType> dtype() const;
  [[nodiscard]] Result<bool> boolean() const;
  /// A whole number in [low, high]; 4.0 is one too.
  [[nodiscard]] Result<std::int64_t> integer(std::int64_t low, std::int64_t high) const;
  [[nodiscard]] Result<double> number() const;

  /// An expression over `names`, as text; a JSON integer is one too.
  [[nodiscard]] Result<std::string> expression(const Names& names) const;
  [[nodiscard]] Result<std::vector<std::string>> expressions(const Names& names, std::size_t least,
                                                             std::size_t most) const;

  /// "<path>: expected <what>, got <this value>".
  [[nodiscard]] tl::unexpected<Error> expected(const std::string& what,
                                               std::string hint = {}) const;
  /// "<path>: <message>".
  [[nodiscard]] tl::unexpected<Error> error(const std::string& message,
                                            std::string hint = {}) const;
  /// "<path>: <what> is not supported yet", kUnsupported.
  [[nodiscard]] tl::unexpected<Error> unsupported(const std::string& what,
                                                  std::string hint = {}) const;

 private:
  const nlohmann::json* value_;
  std::string path_;
};

/// The error with "<path>: " before its message.
tl::unexpected<Error> at_path(const std::string& path, Error error);

/// A value in a few words: "null", "3.5", "\"abc\"", "a list of 2 items", "an object".
std::string describe(const nlohmann::json& value);

}  // namespace ws
