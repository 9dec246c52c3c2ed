#include "runtime/archive/postgres/statement.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "runtime/archive/postgres/connection.h"
#include "runtime/base/text.h"

namespace ws {
namespace {

// Types by their numbers in PostgreSQL's catalog pg_type.
constexpr Oid kBool = 16;
constexpr Oid kBytes = 17;
constexpr Oid kInteger = 20;
constexpr Oid kText = 25;
constexpr Oid kReal = 701;

template <typename Number>
Number number_in(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Bytes as PostgreSQL writes them: \x and two digits each.
std::string bytes_in(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t at = 2; at + 1 < text.size(); at += 2) {
    bytes += static_cast<char>(digit(text[at]) * 16 + digit(text[at + 1]));
  }
  return bytes;
}

/// A database whose texts are UTF-8 takes nothing else, and no zero byte.
bool is_text(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = bytes[at] == '\0' ? 0 : utf8_length(bytes, at);
    if (length == 0) {
      return false;
    }
    at += length;
  }
  return true;
}

}  // namespace

PostgresStatement::~PostgresStatement() {
  forget();
}

void PostgresStatement::forget() {
  if (!name_.empty()) {
    connection_.forget(std::exchange(name_, {}), generation_);
  }
}

PostgresStatement::Value& PostgresStatement::value_at(int place) {
  const auto index = static_cast<std::size_t>(place - 1);
  if (values_.size() <= index) {
    values_.resize(index + 1);
  }
  return values_[index];
}

void PostgresStatement::bind_text(int place, std::string_view text) {
  value_at(place) = {kText, true, std::string(text)};
}

void PostgresStatement::bind_integer(int place, std::int64_t value) {
  value_at(place) = {kInteger, false, std::to_string(value)};
}

void PostgresStatement::bind_real(int place, double value) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  value_at(place) = {kReal, false, std::string(digits.data(), end)};
}

void PostgresStatement::bind_null(int place) {
  value_at(place) = {};
}

void PostgresStatement::bind_blob(int place, const void* bytes, std::size_t size) {
  value_at(place) = {kBytes, true, std::string(static_cast<const char*>(bytes), size)};
}

void PostgresStatement::reset() {
  cursor_.clear();  // The end of the reads closes it.
  rows_.reset();
  row_ = -1;
}

void PostgresStatement::clear() {
  reset();
  values_.clear();
}

Result<bool> PostgresStatement::step() {
  const bool at_end = rows_ != nullptr && row_ + 1 >= PQntuples(rows_.get());
  if (rows_ == nullptr ? reads_table() : at_end && !cursor_.empty()) {
    WS_CHECK(fetch());
  } else if (rows_ == nullptr) {
    WS_TRY(rows_, connection_.run(*this));
  }
  const int count = PQntuples(rows_.get());
  row_ = std::min(row_ + 1, count);
  return row_ < count;
}

bool PostgresStatement::reads_table() const {
  return connection_.reads_one_state() && text_.parameters == 0 && !text_.viewer &&
         text_.sql.starts_with("SELECT");
}

Status PostgresStatement::fetch() {
  constexpr int kAtOnce = 200;
  if (cursor_.empty()) {
    const std::string name = connection_.next_name();
    WS_CHECK(connection_.execute("DECLARE " + name + " NO SCROLL CURSOR FOR " + text_.sql));
    cursor_ = name;
  }
  WS_TRY(rows_, connection_.query("FETCH " + std::to_string(kAtOnce) + " FROM " + cursor_));
  row_ = -1;
  if (PQntuples(rows_.get()) < kAtOnce) {
    WS_CHECK(connection_.execute("CLOSE " + std::exchange(cursor_, {})));
  }
  return {};
}

Result<std::int64_t> PostgresStatement::insert(const char* number) {
  if (returning_.empty()) {
    returning_ = std::string(" RETURNING ") + number;
    forget();  // It may have been prepared without.
  }
  WS_TRY([[maybe_unused]] const bool row, step());
  return integer(0);
}

const char* PostgresStatement::cell(int column) const {
  const bool there = rows_ != nullptr && row_ >= 0 && row_ < PQntuples(rows_.get()) &&
                     column < PQnfields(rows_.get()) && PQgetisnull(rows_.get(), row_, column) == 0;
  return there ? PQgetvalue(rows_.get(), row_, column) : nullptr;
}

std::string PostgresStatement::text(int column) const {
  const char* const value = cell(column);
  if (value == nullptr) {
    return {};
  }
  const std::string_view whole(value,
                               static_cast<std::size_t>(PQgetlength(rows_.get(), row_, column)));
  return PQftype(rows_.get(), column) == kBytes ? bytes_in(whole) : std::string(whole);
}

std::int64_t PostgresStatement::integer(int column) const {
  const char* const value = cell(column);
  if (value == nullptr) {
    return 0;
  }
  return PQftype(rows_.get(), column) == kBool ? std::int64_t{*value == 't'}
                                               : number_in<std::int64_t>(value);
}

std::optional<double> PostgresStatement::real(int column) const {
  const char* const value = cell(column);
  return value == nullptr ? std::nullopt : std::optional<double>(number_in<double>(value));
}

bool PostgresStatement::fits() const {
  if (name_.empty() || types_.size() != values_.size()) {
    return false;
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    // NULL has the kind of what was there before it.
    if (values_[i].type != 0 && values_[i].type != types_[i]) {
      return false;
    }
  }
  return true;
}

Status PostgresStatement::prepare(Link& link) {
  if (link.generation() == generation_ && fits()) {
    return {};
  }
  forget();
  types_.clear();
  for (const Value& value : values_) {
    types_.push_back(value.type);
  }
  const std::string name = connection_.next_name();
  WS_TRY([[maybe_unused]] const Rows prepared,
         link.checked(Rows(PQprepare(link.get(), name.c_str(), (text_.sql + returning_).c_str(),
                                     static_cast<int>(types_.size()), types_.data())),
                      "PQprepare"));
  name_ = name;
  generation_ = link.generation();
  return {};
}

Result<Rows> PostgresStatement::execute(Link& link) {
  if (text_.parameters > 0) {
    value_at(text_.parameters);  // One that was not bound is NULL.
  }
  if (text_.viewer) {
    bind_text(text_.parameters + 1, link.target().viewer());
  }
  // The database's own error would end the transaction.
  if (std::any_of(values_.begin(), values_.end(), [](const Value& value) {
        return value.type == kText && !is_text(value.bytes);
      })) {
    return fail(ErrorCode::kInvalidArgument,
                "the archive `" + link.target().name + "` takes no text with such a byte in it",
                "leave zero bytes out, and write UTF-8");
  }
  WS_CHECK(prepare(link));
  std::vector<const char*> bytes;
  std::vector<int> lengths;
  std::vector<int> formats;
  for (const Value& value : values_) {
    bytes.push_back(value.type == 0 ? nullptr : value.bytes.c_str());
    lengths.push_back(static_cast<int>(value.bytes.size()));
    formats.push_back(value.is_binary ? 1 : 0);
  }
  return link.checked(
      Rows(PQexecPrepared(link.get(), name_.c_str(), static_cast<int>(values_.size()), bytes.data(),
                          lengths.data(), formats.data(), 0)),
      "PQexecPrepared");
}

}  // namespace ws
