// Two launches of a problem whose outputs have no order, for the tests of this folder.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/judge/test_buffers.h"
#include "runtime/judge/unordered.h"

namespace ws {

/// One output of a launch. Rows of more than one column have their elements one after the other.
struct LaunchOutput {
  std::string name;
  DType type;
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

/// Two launches of one problem.
class Launches {
 public:
  /// @param count  The output that counts rows. Others after the first belong to that one.
  explicit Launches(std::string count = {})
      : count_(std::move(count)) {}

  void add(const LaunchOutput& got, const std::vector<double>& want) {
    ArgSpec arg;
    arg.name = got.name;
    arg.type = got.type;
    arg.role = Role::kOut;
    if (got.name != count_) {
      const bool first = problem_.args.empty();
      arg.unordered = Unordered{count_, first ? "" : problem_.args.front().name};
    }
    problem_.args.push_back(arg);
    BufferSpec spec = dense_spec(got.type, got.shape);
    spec.name = got.name;
    specs_.push_back(spec);
    got_.push_back(filled(spec, got.values));
    want_.push_back(filled(spec, want));
  }

  [[nodiscard]] SortedRows sorted_got() const {
    return sorted_rows(problem_, specs_, 0, bytes_of(got_));
  }

  [[nodiscard]] RowsComparison compared(const ErrorBound& bound = {},
                                        const Poison* poison = nullptr,
                                        std::int64_t most_compared = kMostCompared) const {
    const SortedRows want = sorted_rows(problem_, specs_, 0, bytes_of(want_));
    const auto bounds = bounds_of_rows(problem_, specs_, want, [&](auto&&) { return bound; });
    return compare_rows(problem_.args.front(), sorted_got(), want, bounds, poison, most_compared);
  }

  [[nodiscard]] std::string said(const ErrorBound& bound = {}, const Poison* poison = nullptr,
                                 std::int64_t most_compared = kMostCompared) const {
    const RowsComparison rows = compared(bound, poison, most_compared);
    CHECK((rows.agreement == Agreement::kSame) == rows.pattern.text.empty());
    CHECK((rows.agreement == Agreement::kOther) == !rows.comparison.passed());
    return rows.agreement == Agreement::kSame ? "passed" : rows.pattern.text;
  }

  /// Sets an output of whole numbers of 64 bits, bit for bit.
  void set_whole(const std::string& name, const std::vector<std::uint64_t>& got,
                 const std::vector<std::uint64_t>& want) {
    const auto output = static_cast<std::size_t>(
        std::ranges::find(specs_, name, &BufferSpec::name) - specs_.begin());
    std::memcpy(got_[output].bytes.data(), got.data(), got_[output].bytes.size());
    std::memcpy(want_[output].bytes.data(), want.data(), want_[output].bytes.size());
  }

  TestBuffer& got(std::size_t output) { return got_[output]; }

 private:
  static TestBuffer filled(const BufferSpec& spec, const std::vector<double>& values) {
    TestBuffer buffer(spec);
    for (std::size_t i = 0; i < values.size(); ++i) {
      buffer.set(static_cast<std::int64_t>(i), values[i]);
    }
    return buffer;
  }

  static BufferBytes bytes_of(const std::vector<TestBuffer>& buffers) {
    return [&buffers](std::size_t i) { return buffers[i].view(); };
  }

  std::string count_;
  Problem problem_;
  std::vector<BufferSpec> specs_;
  std::vector<TestBuffer> got_;
  std::vector<TestBuffer> want_;
};

}  // namespace ws
