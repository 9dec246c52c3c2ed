#include "runtime/compile/paused_entries.h"

#include <doctest/doctest.h>

namespace ws {
namespace {

/// Fails until it is told not to.
class FailingPlace : public EntryPlace {
 public:
  Result<std::optional<std::string>> find(const std::string& /*key*/) override {
    ++asked;
    return fails ? Result<std::optional<std::string>>(fail(ErrorCode::kIo, "it is away"))
                 : std::optional<std::string>("kernel");
  }

  Status put(const std::string& /*key*/, std::string_view /*bytes*/) override {
    ++asked;
    return fails ? Status(fail(ErrorCode::kIo, "it is away")) : Status();
  }

  bool fails = true;
  int asked = 0;
};

constexpr std::chrono::hours kLong{24 * 365};

}  // namespace

TEST_SUITE("compile.paused_entries") {
  TEST_CASE("a place that failed is left alone, and has nothing meanwhile") {
    const auto place = std::make_shared<FailingPlace>();
    PausedEntries entries(place, kLong);
    REQUIRE_FALSE(entries.find("a").has_value());
    place->fails = false;
    CHECK_FALSE(entries.find("a").value().has_value());
    CHECK(entries.put("a", "kernel").has_value());
    CHECK(place->asked == 1);
  }

  TEST_CASE("an entry that cannot be put is an error too") {
    const auto place = std::make_shared<FailingPlace>();
    PausedEntries entries(place, kLong);
    REQUIRE_FALSE(entries.put("a", "kernel").has_value());
    CHECK_FALSE(entries.find("a").value().has_value());
    CHECK(place->asked == 1);
  }

  TEST_CASE("a place is asked again after the pause, and always where nothing fails") {
    const auto place = std::make_shared<FailingPlace>();
    PausedEntries entries(place, std::chrono::milliseconds(0));
    REQUIRE_FALSE(entries.find("a").has_value());
    place->fails = false;
    CHECK(entries.find("a").value() == "kernel");
    CHECK(entries.put("a", "kernel").has_value());
    CHECK(place->asked == 3);
  }
}

}  // namespace ws
