#include "runtime/base/timestamp.h"

#include <doctest/doctest.h>

#include "runtime/base/clock.h"

namespace ws {
TEST_SUITE("base.timestamp") {
  TEST_CASE("a time has its milliseconds, also after another one of the same second") {
    CHECK(timestamp_of(0) == "1970-01-01T00:00:00.000Z");
    CHECK(timestamp_of(1'795'946'400'007) == "2026-11-29T10:00:00.007Z");
    CHECK(timestamp_of(1'795'946'400'120) == "2026-11-29T10:00:00.120Z");
    CHECK(timestamp_of(1'795'946'401'999) == "2026-11-29T10:00:01.999Z");
    CHECK(timestamp_of(1'795'946'400'000) == "2026-11-29T10:00:00.000Z");
    CHECK(timestamp_of(-1) == "1969-12-31T23:59:59.999Z");
  }

  TEST_CASE("a time is appended") {
    std::string text = "at ";
    append_timestamp(text, 86'399'001);
    append_timestamp(text, 86'399'002);
    CHECK(text == "at 1970-01-01T23:59:59.001Z1970-01-01T23:59:59.002Z");
  }
}

}  // namespace ws
