#include "runtime/archive/postgres/statement.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <utility>

#include "runtime/archive/postgres/connection.h"

namespace ws {
namespace {

template <typename Number>
Number number_in(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
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

PostgresValue& PostgresStatement::value_at(int place) {
  const auto index = static_cast<std::size_t>(place - 1);
  if (values_.size() <= index) {
    values_.resize(index + 1);
  }
  return values_[index];
}

void PostgresStatement::bind_text(int place, std::string_view text) {
  value_at(place) = {pg_type::kText, true, std::string(text)};
}

void PostgresStatement::bind_integer(int place, std::int64_t value) {
  value_at(place) = {pg_type::kInteger, false, std::to_string(value)};
}

void PostgresStatement::bind_real(int place, double value) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  value_at(place) = {pg_type::kReal, false, std::string(digits.data(), end)};
}

void PostgresStatement::bind_null(int place) {
  value_at(place) = {};
}

void PostgresStatement::bind_blob(int place, const void* bytes, std::size_t size) {
  value_at(place) = {pg_type::kBytes, true, std::string(static_cast<const char*>(bytes), size)};
}

void PostgresStatement::reset() {
  cursor_.clear();  // The end of the reads closes it.
  rows_.reset();
  row_ = -1;
  queued_.clear();
  answered_.clear();
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

void PostgresStatement::ask_for(const char* number) {
  if (returning_.empty()) {
    returning_ = std::string(" RETURNING ") + number;
    forget();  // It may have been prepared without.
  }
}

Result<std::int64_t> PostgresStatement::insert(const char* number) {
  ask_for(number);
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
  return PQftype(rows_.get(), column) == pg_type::kBytes ? bytes_in(whole) : std::string(whole);
}

std::int64_t PostgresStatement::integer(int column) const {
  const char* const value = cell(column);
  if (value == nullptr) {
    return 0;
  }
  return PQftype(rows_.get(), column) == pg_type::kBool ? std::int64_t{*value == 't'}
                                                        : number_in<std::int64_t>(value);
}

std::optional<double> PostgresStatement::real(int column) const {
  const char* const value = cell(column);
  return value == nullptr ? std::nullopt : std::optional<double>(number_in<double>(value));
}

bool PostgresStatement::fits(const PostgresValues& values) const {
  if (name_.empty() || types_.size() != values.size()) {
    return false;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    // NULL has the kind of what was there before it.
    if (values[i].type != 0 && values[i].type != types_[i]) {
      return false;
    }
  }
  return true;
}

Status PostgresStatement::prepare(Link& link, const PostgresValues& values) {
  if (link.generation() == generation_ && fits(values)) {
    return {};
  }
  forget();
  types_ = types_of(values);
  const std::string name = connection_.next_name();
  WS_TRY([[maybe_unused]] const Rows prepared,
         link.checked(Rows(PQprepare(link.get(), name.c_str(), (text_.sql + returning_).c_str(),
                                     static_cast<int>(types_.size()), types_.data())),
                      "PQprepare"));
  name_ = name;
  generation_ = link.generation();
  return {};
}

void PostgresStatement::complete_values(const Link& link) {
  if (text_.parameters > 0) {
    value_at(text_.parameters);  // One that was not bound is NULL.
  }
  if (text_.viewer) {
    bind_text(text_.parameters + 1, link.target().viewer());
  }
}

Result<Rows> PostgresStatement::execute(Link& link) {
  complete_values(link);
  WS_CHECK(check_texts(values_, link.target().name));
  const PostgresArguments given(values_);
  if (text_.by_words) {
    const std::vector<Oid> types = types_of(values_);
    return link.checked(
        Rows(PQexecParams(link.get(), text_.sql.c_str(), given.count(), types.data(),
                          given.bytes.data(), given.lengths.data(), given.formats.data(), 0)),
        "PQexecParams");
  }
  WS_CHECK(prepare(link, values_));
  return link.checked(
      Rows(PQexecPrepared(link.get(), name_.c_str(), given.count(), given.bytes.data(),
                          given.lengths.data(), given.formats.data(), 0)),
      "PQexecPrepared");
}

void PostgresStatement::queue_run() {
  queued_.push_back(std::exchange(values_, {}));
}

Status PostgresStatement::next_run() {
  if (answered_.empty()) {
    WS_TRY(std::vector<Rows> all, connection_.run_queued(*this));
    std::move(all.begin(), all.end(), std::back_inserter(answered_));
    queued_.clear();
  }
  rows_ = std::move(answered_.front());
  answered_.pop_front();
  row_ = -1;
  return {};
}

Result<std::int64_t> PostgresStatement::next_inserted(const char* number) {
  ask_for(number);
  WS_CHECK(next_run());
  WS_TRY([[maybe_unused]] const bool row, step());
  return integer(0);
}

Result<std::vector<Rows>> PostgresStatement::execute_queued(Link& link) {
  PostgresValues kinds;  // One that is NULL in a run has the kind that it has in another one.
  for (PostgresValues& values : queued_) {
    values_.swap(values);
    complete_values(link);
    values_.swap(values);
    WS_CHECK(check_texts(values, link.target().name));
    kinds.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      kinds[i].type = values[i].type != 0 ? values[i].type : kinds[i].type;
    }
  }
  WS_CHECK(prepare(link, kinds));
  return link.run_together(queued_.size(), [this](PGconn* connection, std::size_t run) {
    const PostgresArguments given(queued_[run]);
    return PQsendQueryPrepared(connection, name_.c_str(), given.count(), given.bytes.data(),
                               given.lengths.data(), given.formats.data(), 0);
  });
}

}  // namespace ws
