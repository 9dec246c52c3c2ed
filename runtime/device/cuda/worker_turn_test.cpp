// When a GPU worker waits for the device and when it says that it is done: the frames themselves,
// spoken to a real worker on the fake driver.
#include <memory>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "runtime/device/bind.h"
#include "runtime/device/cuda/worker_source.h"
#include "runtime/queue/frame.h"
#include "tests/support/contract_device.h"

namespace ws::cuda {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSoon{5'000};
/// Long enough for an answer that should not come.
constexpr milliseconds kMeanwhile{50};
constexpr std::uint64_t kPoison = 3;
constexpr TimingRequest kTiming{.poison = 3, .launches = 4, .hot = 0};

/// A worker with add_one over 8 ints loaded.
class Spoken {
 public:
  /// @param script  As fake_gpu().
  explicit Spoken(const std::string& script = "")
      : backend_(test::fake_gpu(script)),
        run_(test::ContractDevice{"fake", backend_.get(), test::fake_image}, {"add_one"}, 8),
        source_(WS_BINARY_DIR "/warpsmith", "cuda",
                {.device = 0,
                 .library = WS_BINARY_DIR +
                            (script.empty() ? "/libws_fake_cuda.so" : "/libfake" + script + ".so"),
                 .nvml = "none"}) {
    auto worker = source_.take({});
    REQUIRE_MESSAGE(worker.has_value(), to_text(worker.error()));
    process_ = std::move(worker->process);
    const auto plan = bind_plan(run_.plan, run_.image, *run_.arena);
    REQUIRE(plan.has_value());
    REQUIRE(send_frame(process_.socket(), encode_load(run_.image, *plan), run_.arena->fd())
                .has_value());
    CHECK(hear() == "");
  }

  template <typename T>
  void ring(const T& doorbell) {
    say({reinterpret_cast<const char*>(&doorbell), sizeof doorbell});
  }

  void say(std::string_view frame) { CHECK(send_frame(process_.socket(), frame).has_value()); }

  /// The next frame; "nothing" when none comes, "gone" when none will.
  std::string hear(milliseconds limit = kSoon) {
    auto frame = receive_frame(process_.socket(), kMaxReplyFrame, Clock::now() + limit);
    if (!frame) {
      return frame.error().code == ErrorCode::kTimeout ? "nothing" : "gone";
    }
    return frame->payload;
  }

  /// The next frame is a reply; returns its samples.
  std::size_t hear_samples() {
    const auto reply = decode_reply(hear());
    REQUIRE_MESSAGE(reply.has_value(), to_text(reply.error()));
    CHECK(reply->run.ok());
    return reply->samples.size();
  }

  [[nodiscard]] int first_value() const { return run_.values()[0]; }

  void set_first_value(int value) { run_.values()[0] = value; }

 private:
  std::unique_ptr<Backend> backend_;
  test::ContractRun run_;
  WorkerSource source_;
  WorkerProcess process_;
};

}  // namespace

TEST_SUITE("device.cuda.turn") {
  TEST_CASE("a run waits for the device, and its reply says that it is done with it") {
    Spoken worker;
    worker.set_first_value(7);
    worker.ring(kPoison);
    CHECK(worker.hear(kMeanwhile) == "nothing");
    CHECK(worker.first_value() == 7);
    worker.say({&kGo, 1});
    CHECK(worker.hear_samples() == 0);
    CHECK(worker.first_value() == 8);
  }

  TEST_CASE("timing waits for the device, and gives it back before the reply") {
    Spoken worker;
    for (int i = 0; i < 3; ++i) {  // The first one finds out more than the others.
      worker.set_first_value(7);
      worker.ring(kTiming);
      CHECK(worker.hear(kMeanwhile) == "nothing");
      CHECK(worker.first_value() == 7);
      worker.say({&kGo, 1});
      CHECK(worker.hear() == std::string(1, kFree));
      CHECK(worker.hear_samples() == 4);
      CHECK(worker.first_value() == 8);
    }
  }

  TEST_CASE("where no memory of the host is pinned, copies are what they are elsewhere") {
    Spoken worker(".unpinned");
    for (int i = 0; i < 2; ++i) {
      worker.set_first_value(7);
      worker.ring(kTiming);
      worker.say({&kGo, 1});
      CHECK(worker.hear() == std::string(1, kFree));
      CHECK(worker.hear_samples() == 4);
      CHECK(worker.first_value() == 8);
    }
  }

  TEST_CASE("a doorbell that is taken back gets no reply, and the next one is answered") {
    Spoken worker;
    worker.set_first_value(7);
    worker.ring(kTiming);
    worker.say({&kNotNow, 1});
    worker.ring(kPoison);
    worker.say({&kNotNow, 1});
    CHECK(worker.hear(kMeanwhile) == "nothing");
    CHECK(worker.first_value() == 7);
    worker.ring(kPoison);
    worker.say({&kGo, 1});
    CHECK(worker.hear_samples() == 0);
    CHECK(worker.first_value() == 8);
  }

  TEST_CASE("what cannot be made ready is said in its turn, or not at all") {
    Spoken worker(".small");
    worker.set_first_value(7);
    worker.ring(kTiming);
    worker.say({&kNotNow, 1});
    CHECK(worker.hear(kMeanwhile) == "nothing");
    worker.ring(kPoison);
    worker.say({&kGo, 1});
    CHECK(worker.hear_samples() == 0);
    CHECK(worker.first_value() == 8);
    worker.ring(kTiming);
    CHECK(worker.hear(kMeanwhile) == "nothing");
    worker.say({&kGo, 1});
    const auto reply = decode_reply(worker.hear());
    REQUIRE_FALSE(reply.has_value());
    CHECK(
        to_text(reply.error()) ==
        "invalid_argument: the buffers need 128 MiB on the GPU, 294 MiB are free, of which 256 are "
        "kept for the driver; choose a smaller workload, or end other programs that use the GPU");
    CHECK(worker.hear() == "gone");
  }

  TEST_CASE("a worker ends when another word than those for a doorbell comes") {
    for (const std::string_view word : {"x", "gg", ""}) {
      CAPTURE(word);
      Spoken worker;
      worker.ring(kPoison);
      worker.say(word);
      CHECK(worker.hear() == "gone");
    }
  }
}

}  // namespace ws::cuda
