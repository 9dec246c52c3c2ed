// Parameters of a statement as libpq takes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <libpq-fe.h>

#include "runtime/base/result.h"

namespace ws {

/// Types by their numbers in PostgreSQL's catalog pg_type.
namespace pg_type {
inline constexpr Oid kBool = 16;
inline constexpr Oid kBytes = 17;
inline constexpr Oid kInteger = 20;
inline constexpr Oid kText = 25;
inline constexpr Oid kReal = 701;
}  // namespace pg_type

struct PostgresValue {
  Oid type = 0;  ///< 0: of NULL.
  bool is_binary = false;
  std::string bytes{};
};

using PostgresValues = std::vector<PostgresValue>;

/// @errors kInvalidArgument: a text that the database does not take. Its own error would end the
/// transaction.
Status check_texts(const PostgresValues& values, const std::string& archive);

std::vector<Oid> types_of(const PostgresValues& values);

/// Bytes from PostgreSQL's text of them: \x and two digits each.
std::string bytes_in(std::string_view text);

/// The arrays that libpq's functions get. The values must outlive it.
struct PostgresArguments {
  explicit PostgresArguments(const PostgresValues& values);

  [[nodiscard]] int count() const { return static_cast<int>(bytes.size()); }

  std::vector<const char*> bytes;
  std::vector<int> lengths;
  std::vector<int> formats;
};

}  // namespace ws
