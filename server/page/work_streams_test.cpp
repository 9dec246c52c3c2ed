// Tests of the streams that tell pages what a server does, without a connection.
#include "server/page/work_streams.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace ws::server {
namespace {

constexpr auto kLong = std::chrono::seconds(10);

/// Keeps what it is sent.
class Kept : public HttpResponder {
 public:
  void reply(HttpReply reply) override { note("reply " + std::to_string(reply.status)); }

  void begin(HttpReply head) override { note("begin " + std::to_string(head.status)); }

  void send(std::string part) override { note(std::move(part)); }

  void finish(std::string part) override { note("end" + part); }

  /// Waits until there are so many parts.
  std::vector<std::string> parts(std::size_t count) {
    std::unique_lock lock(mutex_);
    CHECK(more_.wait_for(lock, kLong, [&] { return parts_.size() >= count; }));
    return parts_;
  }

 private:
  void note(std::string part) {
    const std::lock_guard lock(mutex_);
    parts_.push_back(std::move(part));
    more_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable more_;
  std::vector<std::string> parts_;  // guarded by mutex_
};

/// A server whose jobs the test says.
class Fake {
 public:
  [[nodiscard]] RunningServer running() {
    return {.devices = [] { return Json::array({Json{{"id", "cpu:0"}}}); },
            .work =
                [this] {
                  const std::lock_guard lock(mutex_);
                  const Json lane = {{"name", "cpu:0"}, {"busy_s", ++looks_}};
                  return Json{{"lanes", Json::array({lane})}, {"jobs", jobs_}};
                },
            .wait_for_change =
                [this](std::uint64_t seen, const std::stop_token& stop) {
                  std::unique_lock lock(mutex_);
                  ++waits_;
                  changed_.notify_all();
                  changed_.wait(lock, stop, [&] { return changes_ != seen; });
                  return changes_;
                }};
  }

  void change(Json jobs) {
    const std::lock_guard lock(mutex_);
    jobs_ = std::move(jobs);
    ++changes_;
    changed_.notify_all();
  }

  /// Waits until the thread that looks has seen all changes, and waits for the next one.
  void settle() {
    std::unique_lock lock(mutex_);
    const int before = waits_;
    ++changes_;
    changed_.notify_all();
    CHECK(changed_.wait_for(lock, kLong, [&] { return waits_ > before; }));
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  Json jobs_ = Json::array();  // guarded by mutex_, as all that follows
  std::uint64_t changes_ = 1;
  int looks_ = 0;
  int waits_ = 0;
};

StreamLimits at_once() {
  return {.pause = std::chrono::milliseconds(0)};
}

Json job(const std::string& id, double age) {
  return {{"job_id", id}, {"age_s", age}};
}

struct Opened {
  explicit Opened(WorkStreams& streams, const std::string& principal = "ann")
      : status(streams.open(principal, {}, responder, stop.get_token())) {}

  std::shared_ptr<Kept> responder = std::make_shared<Kept>();
  std::stop_source stop;
  Status status;
};

}  // namespace

TEST_SUITE("server.page_streams") {
  TEST_CASE("a stream begins with all there is, and goes on with what changes but for its times") {
    Fake fake;
    WorkStreams streams(fake.running(), at_once());
    const Opened page(streams);
    REQUIRE(page.status.has_value());
    const auto begun = page.responder->parts(3);
    CHECK(begun[0] == "begin 200");
    CHECK(begun[1] == "event: devices\ndata: [{\"id\":\"cpu:0\"}]\n\n");
    CHECK(begun[2] ==
          "event: work\ndata: {\"jobs\":[],\"lanes\":[{\"busy_s\":1,\"name\":\"cpu:0\"}]}\n\n");
    fake.settle();
    fake.change(Json::array({job("job_1", 0.5)}));
    CHECK(page.responder->parts(4)[3].find("\"job_id\":\"job_1\"") != std::string::npos);
    fake.change(Json::array({job("job_1", 7)}));
    fake.settle();
    fake.settle();
    fake.change(Json::array({job("job_2", 0)}));
    const auto all = page.responder->parts(5);
    CHECK(all.size() == 5);  // The age alone was no change.
    CHECK(all[4].find("job_2") != std::string::npos);
  }

  TEST_CASE("of many jobs the first ones are told, and how many there are beside them") {
    Fake fake;
    Json jobs = Json::array();
    for (int i = 0; i < 203; ++i) {
      jobs.push_back(job("job_" + std::to_string(i), 0));
    }
    fake.change(jobs);
    WorkStreams streams(fake.running(), at_once());
    const Opened page(streams);
    const std::string event = page.responder->parts(3)[2];
    CHECK(event.find("\"jobs_left_out\":3") != std::string::npos);
    CHECK(event.find("job_199") != std::string::npos);
    CHECK(event.find("job_200") == std::string::npos);
  }

  TEST_CASE("a stream whose client has left is told nothing more") {
    Fake fake;
    WorkStreams streams(fake.running(), at_once());
    Opened page(streams);
    page.stop.request_stop();
    CHECK(page.responder->parts(4)[3] == "end");
    fake.change(Json::array({job("job_1", 0)}));
    const Opened next(streams);
    CHECK(next.responder->parts(3)[2].find("job_1") != std::string::npos);
    CHECK(page.responder->parts(4).size() == 4);
  }

  TEST_CASE("a client that has left before its stream begins is forgotten") {
    Fake fake;
    WorkStreams streams(fake.running(), {.streams = 1});
    const auto responder = std::make_shared<Kept>();
    std::stop_source gone;
    gone.request_stop();
    CHECK(streams.open("ann", {}, responder, gone.get_token()).has_value());
    CHECK(responder->parts(4)[3] == "end");
    CHECK(Opened(streams).status.has_value());
  }

  TEST_CASE("there are so many streams, and so many of one principal") {
    Fake fake;
    WorkStreams streams(fake.running(), {.streams = 3, .of_one = 2});
    Opened first(streams);
    const Opened second(streams);
    const Opened third(streams);
    REQUIRE_FALSE(third.status.has_value());
    CHECK(to_text(third.status.error()) ==
          "busy: 2 pages are open that show what this server does; close some, or try again later");
    CHECK(third.responder->parts(0).empty());
    CHECK(Opened(streams, "bob").status.has_value());
    CHECK_FALSE(Opened(streams, "cleo").status.has_value());
    first.stop.request_stop();
    CHECK(Opened(streams).status.has_value());
  }

  TEST_CASE("an old stream ends in place of its next event") {
    Fake fake;
    WorkStreams streams(fake.running(), {.pause = std::chrono::milliseconds(0),
                                         .longest = std::chrono::milliseconds(0)});
    const Opened page(streams);
    fake.settle();
    CHECK(page.responder->parts(3).size() == 3);
    fake.change(Json::array({job("job_1", 0)}));
    CHECK(page.responder->parts(4)[3] == "end");
  }
}

}  // namespace ws::server
