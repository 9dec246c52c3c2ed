// Tests of a GPU worker's answers, and of what the server makes of bytes that no worker of ours
// sends.
#include "runtime/device/cuda/worker/protocol.h"

#include <cstring>
#include <limits>

#include <doctest/doctest.h>

namespace ws::cuda {
namespace {

/// Where a reply says how many samples follow.
constexpr std::size_t kCountAt = sizeof(RunReply);
constexpr std::size_t kDigestCountAt = kCountAt + sizeof(std::uint64_t);
constexpr std::size_t kSamplesAt = kDigestCountAt + sizeof(std::uint64_t);

TimingOutcome three_samples() {
  TimingOutcome outcome;
  outcome.samples = {{.us = 4.25, .sm_mhz = 1980, .throttled = false},
                     {.us = 4.5, .sm_mhz = 1200, .throttled = true},
                     {.us = 0, .sm_mhz = 0, .throttled = false}};
  OutputDigest digest{.launch = 4, .buffer = 1};
  digest.parts[3] = {.signed_sum = -2.5, .squares = 9};
  outcome.digests = {OutputDigest{}, digest};
  outcome.kept = 2;
  outcome.empty_us = 1.5;
  outcome.memory_mhz = 2619;
  outcome.throttle_reasons = {"power_cap"};
  outcome.processes = 3;
  outcome.run.text = "hello\n";
  return outcome;
}

template <typename T>
std::string with(std::string frame, std::size_t at, T value) {
  std::memcpy(frame.data() + at, &value, sizeof value);
  return frame;
}

std::string refusal(std::string_view frame) {
  const Result<TimingOutcome> outcome = decode_reply(frame);
  return outcome ? "" : outcome.error().message;
}

}  // namespace

TEST_SUITE("cuda.protocol") {
  TEST_CASE("a reply says all that was measured") {
    const auto read = decode_reply(encode_reply(three_samples()));
    REQUIRE(read.has_value());
    REQUIRE(read->samples.size() == 3);
    CHECK(read->samples[0].us == 4.25);
    CHECK(read->samples[0].sm_mhz == 1980);
    CHECK_FALSE(read->samples[0].throttled);
    CHECK(read->samples[1].us == 4.5);
    CHECK(read->samples[1].throttled);
    CHECK_FALSE(read->samples[2].throttled);
    REQUIRE(read->digests.size() == 2);
    CHECK(read->digests[0].launch == 0);
    CHECK(read->digests[1].launch == 4);
    CHECK(read->digests[1].buffer == 1);
    CHECK(read->digests[1].parts[3].signed_sum == -2.5);
    CHECK(read->digests[1].parts[3].squares == 9);
    CHECK(read->kept == 2);
    CHECK(read->empty_us == 1.5);
    CHECK(read->memory_mhz == 2619);
    CHECK(read->throttle_reasons == std::vector<std::string>{"power_cap"});
    CHECK(read->processes == 3);
    CHECK(read->run.text == "hello\n");
    CHECK(read->run.ok());
  }

  TEST_CASE("a reply to a run has no samples, an error arrives as it is") {
    const auto run = decode_reply(encode_reply(TimingOutcome{}));
    REQUIRE(run.has_value());
    CHECK(run->samples.empty());
    CHECK(refusal(encode_reply(fail(ErrorCode::kInvalidArgument, "no memory"))) == "no memory");
  }

  TEST_CASE("a reply that our workers never send is refused") {
    const std::string frame = encode_reply(three_samples());
    CHECK(refusal("") == "a reply of a GPU worker that is too short");
    CHECK(refusal(frame.substr(0, kSamplesAt - 1)) == "a reply of a GPU worker that is too short");
    CHECK(refusal(frame.substr(0, kSamplesAt)) == "a reply of a GPU worker that is too short");
    CHECK(refusal(with(frame, kCountAt, std::numeric_limits<std::uint64_t>::max())) ==
          "a reply of a GPU worker that is too short");
    CHECK(refusal(with(frame, kDigestCountAt, std::numeric_limits<std::uint64_t>::max())) ==
          "a reply of a GPU worker that is too short");
    CHECK(refusal(with(frame, kDigestCountAt, std::uint64_t{1})) ==
          "a malformed reply of a GPU worker");
    CHECK(refusal(with(frame, kCountAt, std::uint64_t{2})) == "a malformed reply of a GPU worker");
    CHECK(refusal(frame.substr(0, frame.size() - 1)) == "a malformed reply of a GPU worker");
    CHECK(refusal(with(frame, 0, std::uint32_t{99})) ==
          "a reply of a GPU worker with an unknown status");
    CHECK(refusal(with(frame, kSamplesAt, std::numeric_limits<double>::quiet_NaN())) ==
          "a malformed timing");
    CHECK(refusal(with(frame, kSamplesAt + sizeof(double),
                       std::numeric_limits<double>::infinity())) == "a malformed timing");
  }
}

}  // namespace ws::cuda
