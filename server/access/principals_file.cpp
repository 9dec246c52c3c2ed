#include "server/access/principals_file.h"

#include <utility>

#include "runtime/base/nearest.h"
#include "server/access/principal_table.h"
#include "server/access/principals_toml.h"
#include "server/access/private_file.h"

namespace ws::server {
namespace {

constexpr std::size_t kLongestFile = std::size_t{1} << 20U;

class PrincipalsReader {
 public:
  explicit PrincipalsReader(const std::string& file)
      : file_(file) {}

  Result<PrincipalsFile> read(std::string_view text) {
    const toml::parse_result parsed = toml::parse(text);
    if (!parsed) {
      return bad(parsed.error().source(), std::string(parsed.error().description()));
    }
    for (const auto& [key, node] : parsed.table()) {
      if (key == "principal") {
        WS_CHECK(add_all(node));
      } else if (key == "failed-logins-per-minute") {
        WS_TRY(result_.failed_logins_per_minute, positive_integer(file_, key.str(), node));
      } else if (key == "oauth") {
        WS_CHECK(take_issued(node));
      } else {
        return bad(key.source(), "no setting `" + std::string(key.str()) + "`",
                   suggest(key.str(), {"principal", "failed-logins-per-minute", "oauth"}));
      }
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] tl::unexpected<Error> bad(const toml::source_region& at, const std::string& why,
                                          std::string hint = {}) const {
    return bad_place(file_, at, why, std::move(hint));
  }

  Status add_all(const toml::node& node) {
    const auto* tables = node.as_array();
    if (tables == nullptr) {
      return bad(node.source(), "a principal is a table of its own: [[principal]]");
    }
    for (const toml::node& one : *tables) {
      const auto* table = one.as_table();
      if (table == nullptr) {
        return bad(one.source(), "a principal is a table of its own: [[principal]]");
      }
      WS_TRY(PrincipalEntry entry, read_principal(*table, file_, result_.entries));
      result_.entries.push_back(std::move(entry));
    }
    return {};
  }

  /// The limits of each who comes with an access token.
  Status take_issued(const toml::node& node) {
    const auto* table = node.as_table();
    if (table == nullptr) {
      return bad(node.source(), "`oauth` is a table: [oauth]");
    }
    for (const auto& [key, limit] : *table) {
      WS_TRY(const bool taken, take_limit(file_, result_.issued_limits, key, limit));
      if (!taken) {
        return bad(key.source(), "[oauth] has no `" + std::string(key.str()) + "`",
                   suggest(key.str(), limit_keys()));
      }
    }
    return {};
  }

  const std::string& file_;
  PrincipalsFile result_;
};

}  // namespace

Result<PrincipalsFile> parse_principals(std::string_view text, const std::string& file) {
  return PrincipalsReader(file).read(text);
}

Result<std::string> read_principals_text(const std::filesystem::path& file) {
  WS_TRY(std::string text, read_private_file(file, "principals file", kLongestFile + 1));
  if (text.size() > kLongestFile) {
    return fail(ErrorCode::kInvalidArgument,
                "the principals file " + file.string() + " is longer than 1 MiB");
  }
  return text;
}

Result<PrincipalsFile> read_principals(const std::filesystem::path& file) {
  WS_TRY(const std::string text, read_principals_text(file));
  return parse_principals(text, file.string());
}

}  // namespace ws::server
