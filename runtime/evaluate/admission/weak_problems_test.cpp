// Problems on which a kernel passes without the work, and the sentences that say so.
#include <cmath>

#include <doctest/doctest.h>

#include "runtime/evaluate/admission/test_problems.h"

namespace ws {
namespace {

struct Weak {
  Problem problem;
  SheetFunction reference;
  Weaknesses found;
};

using Value = std::function<double(double x, std::size_t i)>;

const std::string kSizes = R"("n": [64, 100])";
const std::string kX = f32_arg("x", R"("n")", "in");
const std::string kY = f32_arg("y", R"("n")", "out");
const std::string kZ = f32_arg("z", R"("n")", "out");

/// Sets each element of y, the buffer 1, by that of x.
SheetFunction each(Value y) {
  return [y = std::move(y)](const Sheet& sheet) {
    for (std::size_t i = 0; i < sheet.size(1); ++i) {
      sheet.set(1, i, y(sheet.get(0, i), i));
    }
  };
}

/// The same, and z, the buffer 2.
SheetFunction both(Value y, Value z) {
  return [y = std::move(y), z = std::move(z)](const Sheet& sheet) {
    for (std::size_t i = 0; i < sheet.size(1); ++i) {
      sheet.set(1, i, y(sheet.get(0, i), i));
      sheet.set(2, i, z(sheet.get(0, i), i));
    }
  };
}

double squared(double x, std::size_t /*i*/) {
  return x * x;
}

double same(double x, std::size_t /*i*/) {
  return x;
}

double index(double /*x*/, std::size_t i) {
  return static_cast<double>(i);
}

Value constant(double value) {
  return [value](double /*x*/, std::size_t /*i*/) { return value; };
}

Problem one_output(const std::string& more = "") {
  return sheet_problem(kSizes, kX + "," + kY, more);
}

Problem two_outputs() {
  return sheet_problem(kSizes, kX + "," + kY + "," + kZ);
}

std::vector<Weak> problems_of_one_output() {
  return {
      {one_output(),
       each([](double x, std::size_t) { return -x; }),
       {"`x` with the sign changed would pass as `y`"}},
      // The tolerance hides what the sine adds.
      {one_output(R"("tolerance": {"rtol": 0.01, "atol": 0.01},)"),
       each([](double x, std::size_t i) { return x * (0.5 + 1e-4 * std::sin(i)); }),
       {"`x` times 0.5 would pass as `y`"}},
      {sheet_problem(R"("n": [64])", kX + "," + kY),
       each([](double x, std::size_t i) { return i < 32 ? x * x : 1e-8 * x; }),
       {"zeros would pass as the second half of `y`"}},
      {sheet_problem(R"("n": [64])", kX + "," + kY),
       each([](double x, std::size_t i) { return i < 32 ? x + 1e-6 * x * std::sin(i) : x * x; }),
       {"a copy of `x` would pass as the first half of `y`"}},
      {one_output(),
       each(index),
       {"the results for other inputs would pass as `y`", "`x` does not change its results"}},
      {one_output(),
       each([](double x, std::size_t) { return x > 1000 ? 1.0 : 0.0; }),
       {"zeros would pass as `y`", "one number for all elements would pass as `y`",
        "the results for other inputs would pass as `y`", "`x` does not change its results"}},
      {one_output(R"("tolerance": {"rtol": 0.2},)"),
       each(squared),
       {"the tolerance of `y` is larger than 0.1"}},
  };
}

std::vector<Weak> problems_of_two_outputs() {
  const Value nearly = [](double x, std::size_t i) { return x * (1 + 3e-6 * std::sin(i)); };
  return {
      {two_outputs(),
       both(same, constant(1)),
       {"a copy of `x` would pass as `y`", "ones would pass as `z`",
        "one number for all elements would pass as `z`",
        "the results for other inputs would pass as `z`"}},
      {two_outputs(),
       both(squared, constant(0)),
       {"zeros would pass as `z`", "one number for all elements would pass as `z`",
        "the results for other inputs would pass as `z`"}},
      {two_outputs(), both(squared, index), {"the results for other inputs would pass as `z`"}},
      // The tolerance makes it a copy.
      {two_outputs(), both(nearly, squared), {"a copy of `x` would pass as `y`"}},
      {sheet_problem(kSizes, kX + "," + kY + "," + f32_arg("z", R"("n")", "inout")),
       both(squared, [](double, std::size_t) { return 0.0; }),
       {"zeros would pass as `z`", "one number for all elements would pass as `z`",
        "the results for other inputs would pass as `z`"}},
      {sheet_problem(kSizes, kX + "," + kY + "," + f32_arg("z", R"("n")", "inout")),
       each(squared),
       {"a copy of `z` would pass as `z`"}},
      {sheet_problem(kSizes, kX + "," + kY + "," + f32_arg("w", R"("n")", "in")),
       each(squared),
       {"`w` does not change its results"}},
      {sheet_problem(kSizes, kX + "," + kY + "," + f32_arg("w", R"("n")", "in", R"("zeros")")),
       each(squared),
       {"`w` always has the same values"}},
      {sheet_problem(kSizes, kX + "," + kY + "," + f32_arg("z", R"("n - n")", "out")),
       each(squared),
       {"`z` has no elements"}},
  };
}

void check(const std::vector<Weak>& problems) {
  for (std::size_t i = 0; i < problems.size(); ++i) {
    CAPTURE(i);
    const auto found = weaknesses_with(problems[i].problem, problems[i].reference);
    REQUIRE(found.has_value());
    REQUIRE(found->has_value());
    CHECK(lines_of(**found) == lines_of(problems[i].found));
  }
}

}  // namespace

TEST_SUITE("evaluate.admission") {
  TEST_CASE("an output that an answer without work passes is named with that answer") {
    check(problems_of_one_output());
  }

  TEST_CASE("each output is judged by itself") {
    check(problems_of_two_outputs());
  }

  TEST_CASE("the cheapest size is examined, and a larger one where there is one") {
    const std::string args = kX + "," + kY;
    const auto sizes = [&args](const std::string& n) {
      std::vector<std::int64_t> found;
      for (const Workload& workload :
           workloads_to_examine(sheet_problem(R"("n": )" + n, args), /*emulated=*/true, 7)
               .value()) {
        found.push_back(workload.dims.at("n"));
      }
      return found;
    };
    using Sizes = std::vector<std::int64_t>;
    CHECK(sizes("[64]") == Sizes{64});
    CHECK(sizes("[100, 64, 128]") == Sizes{64, 128});
    CHECK(sizes("[64, 1000, 1000000000]") == Sizes{64, 1000});
    const Sizes open = sizes(R"({"values": [64], "min": 1, "max": 4096})");
    REQUIRE(open.size() == 2);
    CHECK(open[0] == 64);
    CHECK(open[1] > 64);
  }
}

}  // namespace ws
