#include "runtime/evaluate/validate/launch_modes.h"

#include <doctest/doctest.h>

namespace ws {
namespace {

/// "ascending", "descending kept": one word or two for each launch.
std::vector<std::string> words(const std::vector<RunMode>& modes) {
  std::vector<std::string> row;
  for (const RunMode& mode : modes) {
    row.push_back(std::string(name_of(mode.order)) + (mode.keep_variables ? " kept" : "") +
                  (mode.ascending_blocks ? " in a block" : ""));
  }
  return row;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_SUITE("evaluate.launch_modes") {
  TEST_CASE("the first run is plain, and however few runs there are, each order comes") {
    CHECK(words(launch_modes(0, 1, 0, OrderChoice::kInTurn)) ==
          Words{"ascending", "descending kept", "random"});
    CHECK(words(launch_modes(0, 2, 0, OrderChoice::kInTurn)) == Words{"ascending"});
    CHECK(words(launch_modes(1, 2, 1, OrderChoice::kInTurn)) == Words{"descending kept", "random"});
    CHECK(words(launch_modes(2, 3, 0, OrderChoice::kInTurn)) == Words{"random"});
    CHECK(words(launch_modes(7, 20, 3, OrderChoice::kInTurn)) == Words{"descending kept"});
    CHECK(words(launch_modes(8, 20, 4, OrderChoice::kInTurn)) == Words{"random"});
  }

  TEST_CASE("a run may be made in every order") {
    for (const std::size_t index : {0, 1, 4}) {
      CHECK(words(launch_modes(index, 9, 1, OrderChoice::kEvery)) ==
            Words{"ascending kept", "descending", "random kept"});
    }
  }

  TEST_CASE("where blocks keep their order, the threads of a block take turns in all of them") {
    CHECK(words(launch_modes(1, 2, 1, OrderChoice::kAscendingBlocks)) ==
          Words{"descending kept in a block", "random in a block"});
    CHECK(words(launch_modes(3, 9, 1, OrderChoice::kAscendingBlocks)) ==
          Words{"descending kept in a block"});
  }

  TEST_CASE("a kernel that ends in one order of its threads only is told so") {
    CHECK(hang_message(RunOrder::kDescending, "the kernel ran past its limit of 2000 ms") ==
          "whether the kernel ends depends on the order in which the threads of a block run: with "
          "the same inputs it ends in ascending order and not in descending order, in which blocks "
          "began in ascending order too; the kernel ran past its limit of 2000 ms");
  }

  TEST_CASE("one launch of a validation begins with zeros, the last of the first workload") {
    ValidationPlan plan;
    plan.runs = {{2, Distribution::kNormalRowScale, 0},
                 {2, Distribution::kExactIntegers, 1},
                 {2, Distribution::kLarge, 2},
                 {0, Distribution::kDeclared, 3}};
    std::vector<bool> zeros;
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
      zeros.push_back(begins_with_zeros(plan, i));
    }
    CHECK(zeros == std::vector<bool>{false, true, false, false});
    CHECK(zeros_message("output `y`: wrong") ==
          "the result depends on memory that the kernel has not written: with the same inputs it "
          "is right where outputs and scratch hold random bits, and wrong where they are all "
          "zeros, as a fresh process's memory is; output `y`: wrong");
  }

  TEST_CASE("another order that only rounds differently is not said to lack a barrier") {
    CHECK(order_message(RunOrder::kRandom, "output `y`: wrong", false) ==
          "the result depends on the order in which threads or blocks run: with the same inputs it "
          "is right in ascending order and wrong in random order, so a barrier or an atomic is "
          "missing; output `y`: wrong");
    CHECK(order_message(RunOrder::kDescending, "output `y`: wrong", true) ==
          "the result depends on the order in which threads or blocks run: with the same inputs it "
          "is right in ascending order and wrong in descending order, by little: sums that are "
          "rounded in another order are not precise enough; output `y`: wrong");
  }

  TEST_CASE("a kernel that is wrong in other ways in other orders is told so") {
    CHECK(wrong_orders_message("output `y`: wrong") ==
          "the result depends on the order in which threads or blocks run: with the same inputs it "
          "is wrong in ascending order, and other values come out in descending order; output `y`: "
          "wrong");
  }

  TEST_CASE("a message names the variable, and scratch where the plan has some") {
    ResolvedPlan plan;
    Image image;
    image.symbols = {{.name = "done", .offset = 0, .bytes = 4}};
    CHECK(state_message(plan, image, 0, "output `y`: wrong") ==
          "the result depends on the launch before: it is right when the kernel's memory is fresh, "
          "and wrong when `done` keeps what a launch left there; output `y`: wrong");
    CHECK(state_message(plan, image, 0xffffffffU, "bad").find("when a variable keeps") !=
          std::string::npos);
    plan.buffers.resize(2);
    plan.buffers[1].name = "t";
    plan.buffers[1].role = BufferRole::kScratch;
    CHECK(state_message(plan, image, 0, "bad").find("when `done`, `t` keeps") != std::string::npos);
    CHECK(state_message(plan, image, 1, "bad").find("when `t` keeps") != std::string::npos);
  }

  TEST_CASE("a kernel that looks at addresses is noted, and why it is wrong is said") {
    CompileOutcome compiled;
    compiled.image.looks_at_addresses = true;
    CHECK(notes_of(compiled) == std::vector{FindingCode::kLooksAtAddresses});
    compiled.image.imports = {{8, "ws_rt_clock"}};
    CHECK(notes_of(compiled) ==
          std::vector{FindingCode::kReadsClock, FindingCode::kLooksAtAddresses});
    CHECK(
        moved_message(FindingCode::kPlaceDependent, "bad") ==
        "the result depends on where the kernel's memory lies: with the same inputs the kernel is "
        "right in one launch and wrong in another one, whose buffers and local arrays lie "
        "elsewhere; bad");
    CHECK(moved_message(FindingCode::kTimeDependent, "bad") ==
          "the result depends on the time: with the same inputs the kernel is right in one launch "
          "and wrong in another one, whose clock began elsewhere; bad");
  }

  TEST_CASE("a kernel that reads a clock or sleeps is noted, on the CPU engine and in PTX") {
    CompileOutcome compiled;
    CHECK(notes_of(compiled).empty());
    for (const char* function : {"ws_rt_clock", "ws_rt_sleep"}) {
      compiled.image.imports = {{0, "expf"}, {8, function}};
      CHECK(notes_of(compiled) == std::vector{FindingCode::kReadsClock});
    }
    for (const char* line :
         {"mov.u64 \t%rd1, %clock64;", "mov.u32 %r1, %clock_hi;", "mov.u64 %rd2, %globaltimer;",
          "mov.u64 %rd3, %gridid;", "nanosleep.u32 100;"}) {
      CAPTURE(line);
      CompileOutcome ptx;
      ptx.ptx = std::string(".visible .entry k()\n{\n\t") + line + "\n\tret;\n}\n";
      CHECK(notes_of(ptx) == std::vector{FindingCode::kReadsClock});
    }
  }
}

}  // namespace ws
