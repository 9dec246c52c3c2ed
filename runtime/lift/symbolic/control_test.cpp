#include "runtime/lift/symbolic/control.h"

#include <doctest/doctest.h>

namespace ws::lift {

TEST_SUITE("lift.control") {
  TEST_CASE("each function has variables of its own, and forgets those that are gone") {
    Control control;
    control.enter({});
    CHECK(control.is_in_kernel());
    control.bind(3, 7);
    control.bind(4, 8);
    control.enter({{1, 0}, 2});
    CHECK_FALSE(control.is_in_kernel());
    CHECK(control.frame().guards == Guards::State{{1, 0}, 2});
    CHECK(control.find(3) == kNone);
    control.bind(3, 9);
    CHECK(control.find(3) == 9);
    control.forget_from(8);
    CHECK(control.find(3) == kNone);
    control.frame().result.type = 5;
    CHECK(control.leave().type == 5);
    CHECK(control.depth() == 1);
    CHECK(control.find(3) == 7);
    CHECK(control.find(4) == kNone);
  }

  TEST_CASE("a statement is in a loop's body, but not in branches and functions there") {
    Control control;
    control.enter({});
    CHECK_FALSE(control.is_in_body(0));
    control.enter_body(1);
    CHECK(control.is_in_body(1));
    CHECK_FALSE(control.is_in_body(2));
    control.enter({});
    CHECK_FALSE(control.is_in_body(1));
    control.leave();
    control.enter_body(4);
    CHECK_FALSE(control.is_in_body(1));
    CHECK(control.leave_body() == 4);
    CHECK(control.is_in_body(1));
  }

  TEST_CASE("what ends a statement is remembered until somebody has followed it") {
    Control control;
    CHECK(control.flow() == Flow::kNext);
    control.go(Flow::kBreak);
    CHECK(control.flow() == Flow::kBreak);
  }
}

}  // namespace ws::lift
