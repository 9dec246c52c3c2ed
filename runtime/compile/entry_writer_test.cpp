#include "runtime/compile/entry_writer.h"

#include <latch>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/base/test_stderr.h"

namespace ws {
namespace {

/// A place whose first entry is written when the test says so.
class SlowPlace {
 public:
  void write(const EntryWriter::Entry& entry) {
    if (keys_.empty()) {
      begun_.count_down();
      allowed_.wait();
    }
    keys_.push_back(entry.key);
  }

  void wait_for_first() { begun_.wait(); }

  void let_go() { allowed_.count_down(); }

  /// While nothing is written.
  [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }

 private:
  std::latch begun_{1};
  std::latch allowed_{1};
  std::vector<std::string> keys_;
};

}  // namespace

TEST_SUITE("compile.entry_writer") {
  TEST_CASE("what waits is written in order, and what comes behind 256 others is told once") {
    SlowPlace place;
    const StderrPipe pipe;
    EntryWriter writer({.place = "the folder a",
                        .write = [&](const EntryWriter::Entry& entry) { place.write(entry); }});
    writer.add({"0", nullptr});
    place.wait_for_first();
    for (std::size_t i = 1; i < EntryWriter::kMaxWaiting + 10; ++i) {
      writer.add({std::to_string(i), nullptr});
    }
    place.let_go();
    writer.flush();
    CHECK(place.keys().size() == 1 + EntryWriter::kMaxWaiting);
    CHECK(place.keys().back() == "256");
    const std::string text = pipe.text();
    CHECK(text.substr(text.find(" warning")) ==
          " warning compile: the folder a is slow: 256 compiled kernels wait to be written to it, "
          "and further ones are not kept there\n");
    writer.add({"later", nullptr});
    writer.flush();
    CHECK(place.keys().back() == "later");
  }

  TEST_CASE("at the end all is written, or only what there is time for") {
    for (const bool patient : {true, false}) {
      CAPTURE(patient);
      SlowPlace place;
      {
        EntryWriter writer(
            {.place = "the folder a",
             .write = [&](const EntryWriter::Entry& entry) { place.write(entry); },
             .patience = patient ? std::nullopt : std::optional(std::chrono::milliseconds(0))});
        writer.add({"first", nullptr});
        writer.add({"second", nullptr});
        place.wait_for_first();
        writer.stop();
        place.let_go();
      }
      CHECK(place.keys().size() == (patient ? 2 : 1));
    }
  }
}

}  // namespace ws
