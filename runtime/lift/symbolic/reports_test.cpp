#include "runtime/lift/symbolic/reports.h"

#include <string>

#include <doctest/doctest.h>

namespace ws::lift {
namespace {

/// Writes a letter for each event.
struct Letters : Sink {
  std::string seen;

  Status store(const StoreGroup& /*group*/) override { return note('s'); }

  Result<std::optional<Logical>> stage(const StoreGroup& /*group*/) override {
    seen += 't';
    return std::optional(Logical());
  }

  Status sync(const Range& /*range*/) override { return note('b'); }

  Status leave(TermId /*condition*/, const Range& /*range*/) override { return note('l'); }

  Status begin_loop(const LoopEvent& /*loop*/, const std::vector<Update>& /*initial*/) override {
    return note('<');
  }

  Status update(const std::vector<Update>& /*updates*/, const Range& /*range*/) override {
    return note('u');
  }

  Status end_loop() override { return note('>'); }

 private:
  Status note(char letter) {
    seen += letter;
    return {};
  }
};

/// Reports one event of each kind. @return  Whether a tile stays a buffer.
bool report_all(Reports& reports) {
  CHECK(reports.begin_loop({}, {}));
  CHECK(reports.store({}));
  CHECK(reports.sync({}));
  CHECK(reports.update({}, {}));
  CHECK(reports.leave(kNone, {}));
  CHECK(reports.end_loop());
  const Result<std::optional<Logical>> staged = reports.stage({});
  return staged && staged->has_value();
}

}  // namespace

TEST_SUITE("lift.reports") {
  TEST_CASE("events are passed on, but for those of a trial") {
    Letters letters;
    Reports reports(letters);
    CHECK(report_all(reports));
    CHECK(letters.seen == "<sbul>t");
    CHECK_FALSE(reports.set_trial(true));
    CHECK(reports.is_trial());
    CHECK_FALSE(report_all(reports));
    CHECK(letters.seen == "<sbul>t");
    CHECK(reports.set_trial(false));
    CHECK(report_all(reports));
    CHECK(letters.seen == "<sbul>t<sbul>t");
  }
}

}  // namespace ws::lift
