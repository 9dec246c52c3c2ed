// The parts of the transports that threads share.
#include <atomic>
#include <chrono>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

#include "runtime/base/files.h"
#include "server/protocol/in_flight.h"
#include "server/protocol/progress.h"
#include "server/transport/growing_pool.h"
#include "server/transport/line_reader.h"
#include "server/transport/outbox.h"

namespace ws::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Pipe {
  Pipe() {
    int ends[2] = {-1, -1};
    REQUIRE(::pipe(ends) == 0);
    read = Fd(ends[0]);
    write = Fd(ends[1]);
  }

  Fd read;
  Fd write;
};

}  // namespace

TEST_SUITE("server.threads") {
  TEST_CASE("the pool has a thread for each waiting task, up to its cap") {
    GrowingPool pool({.max_threads = 8, .max_queued = 4, .idle_time = seconds(5)});
    std::latch all(8);
    std::atomic<int> ended = 0;
    for (int i = 0; i < 8; ++i) {
      while (!pool.submit([&] {
        all.arrive_and_wait();  // Needs all eight at a time.
        ++ended;
      })) {
        std::this_thread::yield();
      }
    }
    CHECK(pool.wait_idle(seconds(5)));
    CHECK(ended == 8);
  }

  TEST_CASE("a full pool refuses, and its end runs what it took") {
    std::atomic<int> ran = 0;
    {
      std::latch go(1);
      GrowingPool pool({.max_threads = 1, .max_queued = 2, .idle_time = seconds(5)});
      std::latch started(1);
      CHECK(pool.submit([&] {
        started.count_down();
        go.wait();
        ++ran;
      }));
      started.wait();
      CHECK(pool.submit([&] { ++ran; }));
      CHECK(pool.submit([&] { ++ran; }));
      CHECK_FALSE(pool.submit([&] { ++ran; }));
      CHECK_FALSE(pool.wait_idle(milliseconds(1)));
      go.count_down();
    }
    CHECK(ran == 3);
  }

  TEST_CASE("what has to start now is refused when no thread is free") {
    std::latch go(1);
    std::atomic<int> ran = 0;
    GrowingPool pool({.max_threads = 2, .max_queued = 4, .idle_time = seconds(5)});
    const auto wait = [&] {
      go.wait();
      ++ran;
    };
    CHECK(pool.submit_now(wait));
    CHECK(pool.submit_now(wait));
    CHECK_FALSE(pool.submit_now(wait));
    CHECK(pool.submit(wait));
    CHECK_FALSE(pool.submit_now(wait));
    go.count_down();
    CHECK(pool.wait_idle(seconds(5)));
    CHECK(ran == 3);
    CHECK(pool.submit_now(wait));
    CHECK(pool.wait_idle(seconds(5)));
    CHECK(ran == 4);
  }

  TEST_CASE("an exception ends its task, not the pool, and idle threads come back") {
    GrowingPool pool({.max_threads = 1, .max_queued = 4, .idle_time = milliseconds(1)});
    CHECK(pool.submit([] { throw std::runtime_error("on purpose"); }));
    CHECK(pool.wait_idle(seconds(5)));
    std::this_thread::sleep_for(milliseconds(20));
    std::atomic<bool> ran = false;
    CHECK(pool.submit([&] { ran = true; }));
    CHECK(pool.wait_idle(seconds(5)));
    CHECK(ran);
  }

  TEST_CASE("lines are cut wherever the reads fall, and long ones are skipped") {
    Pipe pipe;
    const std::string text = "one\n\ntwo\r\n" + std::string(100, 'x') + "\nthree\n12345678\nlast";
    REQUIRE(::write(pipe.write.get(), text.data(), text.size()) ==
            static_cast<ssize_t>(text.size()));
    pipe.write.reset();
    LineReader reader(pipe.read.get(), -1, 8);
    std::vector<std::string> lines;
    LineReader::Event event = reader.next();
    for (; event != LineReader::Event::kEnd; event = reader.next()) {
      lines.emplace_back(event == LineReader::Event::kLine ? reader.line() : "too long");
    }
    CHECK(lines ==
          std::vector<std::string>{"one", "", "two", "too long", "three", "12345678", "last"});
    CHECK(reader.next() == LineReader::Event::kEnd);
  }

  TEST_CASE("a wait for a line ends when it is told to stop") {
    const Pipe input;
    const Pipe stop;
    REQUIRE(::write(stop.write.get(), "x", 1) == 1);
    LineReader reader(input.read.get(), stop.read.get(), 8);
    CHECK(reader.next() == LineReader::Event::kStopped);
  }

  TEST_CASE("a sender never waits for a reader, and lines stay whole and in order") {
    const Pipe pipe;
    const std::string big(100000, 'x');
    Outbox outbox(pipe.write.get());
    for (int i = 0; i < 10; ++i) {
      outbox.send(std::to_string(i) + big);  // More than a pipe holds.
    }
    LineReader reader(pipe.read.get(), -1, 200000);
    for (int i = 0; i < 10; ++i) {
      REQUIRE(reader.next() == LineReader::Event::kLine);
      CHECK(reader.line() == std::to_string(i) + big);
    }
  }

  TEST_CASE("a reader that never comes gets what was queued, one last line and no more") {
    Pipe pipe;
    const std::string big(100000, 'x');  // More than a pipe holds.
    int ended = 0;
    std::size_t sent = 0;
    auto outbox = std::make_unique<Outbox>(
        pipe.write.get(),
        Outbox::Overflow{.most = 1000000, .last_line = "no more", .ended = [&] { ++ended; }});
    for (; ended == 0; ++sent) {
      outbox->send(big);
    }
    CHECK(sent == 10);
    outbox->send(big);
    CHECK(ended == 1);
    LineReader reader(pipe.read.get(), -1, 200000);
    for (std::size_t i = 0; i + 1 < sent; ++i) {
      REQUIRE(reader.next() == LineReader::Event::kLine);
      CHECK(reader.line() == big);
    }
    REQUIRE(reader.next() == LineReader::Event::kLine);
    CHECK(reader.line() == "no more");
    outbox.reset();
    pipe.write.reset();
    CHECK(reader.next() == LineReader::Event::kEnd);
  }

  TEST_CASE("a cancel stops its request, and 1 is not \"1\"") {
    InFlight requests;
    const std::stop_source first;
    const std::stop_source second;
    const auto one = requests.add(1, first);
    REQUIRE(one);
    CHECK_FALSE(requests.add(1, second));
    const auto text = requests.add("1", second);
    REQUIRE(text);
    requests.cancel("1");
    CHECK_FALSE(first.stop_requested());
    CHECK(second.stop_requested());
    CHECK(one->finish());
    CHECK_FALSE(text->finish());
    requests.cancel(1);  // Finished: ignored.
    CHECK_FALSE(first.stop_requested());
  }

  TEST_CASE("the id of a request that is dropped is free again") {
    InFlight requests;
    auto dropped = requests.add(1, {});
    REQUIRE(dropped);
    dropped.reset();
    const auto again = requests.add(1, {});
    REQUIRE(again);
    CHECK(again->finish());
    CHECK(requests.add(1, {}));
  }

  TEST_CASE("the end of a connection stops all, but their answers are sent") {
    InFlight requests;
    const std::stop_source stop;
    const auto request = requests.add(1, stop);
    requests.stop_all();
    CHECK(stop.stop_requested());
    CHECK(request->finish());
  }

  TEST_CASE("progress is throttled, rises even when it stands still, and ends") {
    std::vector<std::string> sent;
    ProgressReporter reporter("t", [&](std::string line) { sent.push_back(std::move(line)); });
    reporter.report({0.5, "a"});
    reporter.report({0.6, "b"});
    CHECK(sent.size() == 1);
    std::this_thread::sleep_for(milliseconds(210));
    reporter.report({0.5, "c"});
    REQUIRE(sent.size() == 2);
    const auto progress = [&](std::size_t i) {
      return Json::parse(sent[i])["params"]["progress"].get<double>();
    };
    CHECK(progress(0) == 0.5);
    CHECK(progress(1) > progress(0));
    reporter.close();
    std::this_thread::sleep_for(milliseconds(210));
    reporter.report({0.9, "d"});
    CHECK(sent.size() == 2);
  }
}

}  // namespace ws::server
