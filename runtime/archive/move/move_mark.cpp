#include "runtime/archive/move/move_mark.h"

#include <algorithm>
#include <optional>

#include "runtime/archive/store/store.h"
#include "runtime/base/hash.h"

namespace ws::store {
namespace {

constexpr std::size_t kTokenDigits = 16;

/// A mark is a number of the try, a blank, and the name of the source.
std::string source_in(const std::string& mark) {
  return mark.substr(std::min(mark.size(), kTokenDigits + 1));
}

tl::unexpected<Error> half_moved(const std::string& name, const std::string& mark) {
  return fail(ErrorCode::kConflict,
              "the archive in `" + name + "` is incomplete: a move from `" + source_in(mark) +
                  "` has not ended",
              "give the same `warpsmith archive move` again, which goes on with it");
}

}  // namespace

Status check_not_half_moved(Connection& connection, const std::string& name) {
  WS_TRY(const std::optional<std::string> mark, setting(connection, kMoveSetting));
  return mark ? Status(half_moved(name, *mark)) : Status();
}

MoveMark::MoveMark(const std::string& source)
    : source_(source),
      value_(random_hex(kTokenDigits) + " " + source) {}

Status MoveMark::check_source(Connection& target, const std::string& target_name) const {
  WS_TRY(const std::optional<std::string> mark, setting(target, kMoveSetting));
  return mark && source_in(*mark) != source_ ? Status(half_moved(target_name, *mark)) : Status();
}

Status MoveMark::set(Connection& target, const std::string& target_name) const {
  WS_CHECK(check_source(target, target_name));
  return set_setting(target, kMoveSetting, value_);
}

Status MoveMark::check(Connection& target) const {
  WS_TRY(const std::optional<std::string> mark, setting(target, kMoveSetting));
  if (mark == value_) {
    return {};
  }
  return fail(ErrorCode::kConflict,
              "another process has taken over the move from `" + source_ + "`",
              "see how that one ends");
}

Status MoveMark::remove(Connection& target) {
  WS_TRY(Statement gone, target.prepare("DELETE FROM settings WHERE key = ?"));
  return gone.bind(kMoveSetting).run();
}

}  // namespace ws::store
