#include "runtime/lift/symbolic/block.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/support/small_kernel.h"

namespace ws::lift {
namespace {

constexpr std::int64_t kWarp = 32;
constexpr const char* kWait = "cp.async.wait_all;";

/// Each of eight threads copies four elements of `in` to shared memory, at `bits` beside their own
/// place.
NodeId copies(SmallKernel& kernel, std::int64_t bits) {
  const NodeId place =
      kernel.binary(COperator::kAdd, kernel.address(),
                    kernel.binary(COperator::kMultiply, kernel.thread(), kernel.number(16)));
  const NodeId to =
      bits == 0 ? place : kernel.binary(COperator::kBitXor, place, kernel.number(bits));
  const NodeId from = kernel.sum(
      kernel.in(), kernel.binary(COperator::kMultiply, kernel.thread(), kernel.number(4)));
  return kernel.copy(to, from);
}

/// out[thread] = s[thread + by]
NodeId result(SmallKernel& kernel, std::int64_t by) {
  const NodeId index = kernel.binary(COperator::kAdd, kernel.thread(), kernel.number(by));
  return kernel.assign(kernel.element(kernel.out(), kernel.thread()),
                       kernel.element(kernel.shared(), index));
}

}  // namespace

TEST_SUITE("lift.block") {
  TEST_CASE("what cp.async copies is there when the thread has waited and others met it") {
    struct Case {
      bool waits;
      bool meets;
      const char* error;
    };

    const Case cases[] = {
        {true, true, ""},
        {false, true, "`s` is read while a copy to it may be under way"},
        {true, false, "`s` is read by a thread before a barrier makes another one's write visible"},
    };
    for (const Case& c : cases) {
      SmallKernel kernel(kWarp / 4);
      kernel.add(copies(kernel, 0));
      if (c.waits) {
        kernel.add(kernel.assembly(kWait));
      }
      if (c.meets) {
        kernel.add(kernel.barrier());
      }
      kernel.add(result(kernel, 8));
      const SmallKernel::Outcome done = kernel.run(false);
      CHECK(done.error == c.error);
      if (done.error.empty()) {
        REQUIRE(done.events.stores.size() == 1);
        CHECK(kernel.stored(done, 0, 0) == 8);
        CHECK(kernel.stored(done, 0, 7) == 15);
      }
    }
  }

  TEST_CASE("copies are committed and waited for by all threads, and each place is written once") {
    SmallKernel some(kWarp / 4);
    some.add(copies(some, 0));
    some.add(some.branch(some.binary(COperator::kLess, some.thread(), some.number(2)),
                         some.assembly("cp.async.commit_group;")));
    CHECK(some.run(false).error == "copies are committed by some threads only");
    SmallKernel twice(kWarp / 4);
    twice.add(copies(twice, 0));
    twice.add(copies(twice, 0));
    CHECK(twice.run(false).error == "`s` is written while a copy to it may be under way");
  }

  TEST_CASE("an address in shared memory is one through sums and exclusive ors") {
    SmallKernel kernel(kWarp / 4);
    kernel.add(copies(kernel, 16));
    kernel.add(kernel.assembly(kWait));
    kernel.add(kernel.barrier());
    kernel.add(result(kernel, 0));
    const SmallKernel::Outcome done = kernel.run(false);
    REQUIRE(done.error.empty());
    CHECK(kernel.stored(done, 0, 0) == 4);  // Neighbours have changed places.
    CHECK(kernel.stored(done, 0, 4) == 0);
    SmallKernel unknown(kWarp / 4);
    unknown.add(unknown.copy(unknown.binary(COperator::kBitXor, unknown.address(), unknown.block()),
                             unknown.in()));
    CHECK(unknown.run(false).error == "`^` of an address by bits that are not known");
  }

  TEST_CASE("threads return by a condition of the block, of themselves, or not within a warp") {
    const auto leaves = [](bool by_thread, bool together) {
      SmallKernel kernel(kWarp);
      const NodeId index = by_thread
                               ? kernel.binary(COperator::kAdd, kernel.block(), kernel.thread())
                               : kernel.block();
      kernel.add(kernel.branch(kernel.binary(COperator::kGreater, index, kernel.number(5)),
                               kernel.leave()));
      kernel.add(kernel.assign(kernel.element(kernel.out(), kernel.thread()),
                               kernel.element(kernel.in(), kernel.thread())));
      SmallKernel::Outcome done = kernel.run(together);
      REQUIRE(done.error.empty());
      REQUIRE(done.events.stores.size() == 1);
      return std::to_string(done.events.exits) + " exits, " +
             std::to_string(done.events.stores[0].events.at(0).masks.size()) + " masks";
    };
    CHECK(leaves(false, true) == "1 exits, 0 masks");
    CHECK(leaves(true, false) == "0 exits, 1 masks");
    CHECK(leaves(true, true) == "0 exits, 0 masks");  // The warp stays together.
  }

  TEST_CASE("threads of a warp that return by what they read may all do so") {
    SmallKernel kernel(kWarp);
    const NodeId read = kernel.element(kernel.in(), kernel.thread());
    kernel.add(
        kernel.branch(kernel.binary(COperator::kGreater, read, kernel.number(5)), kernel.leave()));
    kernel.add(kernel.assign(kernel.element(kernel.out(), kernel.thread()),
                             kernel.element(kernel.in(), kernel.thread())));
    CHECK(kernel.run(true).error == "threads end by a condition that may differ between them");
    CHECK(kernel.run(false).error.empty());
  }

  TEST_CASE("a round may read what the one before has copied, if all rounds do so") {
    // out[thread] = what the round before has copied to s; @param from  The first one's element.
    const auto lifted = [](std::int64_t from, int period) {
      SmallKernel kernel(kWarp / 4);
      const auto element_of = [&](NodeId round, std::int64_t first) {
        const NodeId at = kernel.binary(COperator::kMultiply, round, kernel.number(8));
        return kernel.element(
            kernel.in(),
            kernel.binary(COperator::kAdd, kernel.binary(COperator::kAdd, at, kernel.number(first)),
                          kernel.thread()));
      };
      const auto own = [&] { return kernel.element(kernel.shared(), kernel.thread()); };
      kernel.add(kernel.assign(own(), element_of(kernel.number(0), from)));
      kernel.add(kernel.loop([&](VariableId i) {
        const NodeId next = kernel.binary(COperator::kAdd, kernel.variable(i), kernel.number(1));
        const NodeId place =
            kernel.binary(COperator::kAdd,
                          kernel.binary(COperator::kMultiply, kernel.variable(i), kernel.number(8)),
                          kernel.thread());
        return kernel.several({kernel.assign(kernel.element(kernel.out(), place), own()),
                               kernel.assign(own(), element_of(next, 0))});
      }));
      SmallKernel::Outcome done = kernel.run(false, {.period = period,
                                                     .inside = 0,
                                                     .after = 0,
                                                     .peeled = false,
                                                     .first = false,
                                                     .last = false});
      const bool stores = done.error.empty() && done.events.stores.size() == 1;
      return stores ? kernel.stored_text(done, 0, 0) : done.error;
    };
    CHECK(lifted(0, 1) == "i_step * 8");
    CHECK(lifted(0, 2) == "i_step * 8");
    // The first round works on something else.
    CHECK(lifted(3, 1) == "a loop whose rounds follow no known rule");
  }
}

}  // namespace ws::lift
