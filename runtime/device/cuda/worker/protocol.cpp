#include "runtime/device/cuda/worker/protocol.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <nlohmann/json.hpp>

#include "runtime/base/message.h"

namespace ws {

using Json = nlohmann::json;

// nlohmann finds these by argument-dependent look-up, each in the namespace of its type.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Error, code, message, hint, source)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TimingOutcome, kept, empty_us, memory_mhz, throttle_reasons,
                                   processes)  // And samples, and digests.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HardwareCounters, values, missing, passes)

namespace cuda {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AttachRequest, device, visible, library, nvml, cupti, apart,
                                   lazy)  // And helpers.

namespace {

Json parse(std::string_view text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

/// A TimingSample with each of its bytes said: as text, a doorbell's samples would take longer to
/// write and read than two of its launches, and the GPU waits for both.
struct SampleBytes {
  double us;
  double sm_mhz;
  std::uint64_t throttled;
};

/// The start of an answer to a doorbell; its samples and digests follow.
struct ReplyHead {
  RunReply reply;
  std::uint64_t samples = 0;
  std::uint64_t digests = 0;
};

std::string encode_samples(const std::vector<TimingSample>& samples) {
  std::string bytes;
  bytes.reserve(samples.size() * sizeof(SampleBytes));
  for (const TimingSample& sample : samples) {
    const SampleBytes row{sample.us, sample.sm_mhz, sample.throttled ? 1U : 0U};
    bytes.append(reinterpret_cast<const char*>(&row), sizeof row);
  }
  return bytes;
}

/// @param bytes  A multiple of a sample's.
/// @errors kInternal: a time or a clock is no number.
Result<std::vector<TimingSample>> decode_samples(std::string_view bytes) {
  std::vector<TimingSample> samples;
  samples.reserve(bytes.size() / sizeof(SampleBytes));
  for (; !bytes.empty(); bytes.remove_prefix(sizeof(SampleBytes))) {
    SampleBytes row{};
    std::memcpy(&row, bytes.data(), sizeof row);
    if (!std::isfinite(row.us) || !std::isfinite(row.sm_mhz)) {
      return fail(ErrorCode::kInternal, "a malformed timing");
    }
    samples.push_back({row.us, row.sm_mhz, row.throttled != 0});
  }
  return samples;
}

std::string encode_digests(const std::vector<OutputDigest>& digests) {
  return {reinterpret_cast<const char*>(digests.data()), digests.size() * sizeof(OutputDigest)};
}

/// @param bytes  A multiple of a digest's. Their numbers may be anything: the judge looks at them.
std::vector<OutputDigest> decode_digests(std::string_view bytes) {
  std::vector<OutputDigest> digests(bytes.size() / sizeof(OutputDigest));
  std::memcpy(static_cast<void*>(digests.data()), bytes.data(), bytes.size());
  return digests;
}

/// {"error": {...}}, which is how a worker refuses.
Status error_in(const Json& json) {
  if (!json.is_object() || !json.contains("error")) {
    return {};
  }
  WS_TRY(Error error, value_of<Error>(json["error"], "error of a GPU worker"));
  if (error.code > ErrorCode::kInternal) {
    error.code = ErrorCode::kInternal;
  }
  return fail(std::move(error));
}

}  // namespace

std::string encode_attach(const AttachRequest& request) {
  return encode_message(request, {request.helpers});
}

Result<AttachRequest> decode_attach(std::string_view frame) {
  const MessageParts parts = split_message(frame);
  WS_TRY(AttachRequest request, parse_value<AttachRequest>(parts.json, "attach request"));
  request.helpers = parts.blobs.value_or("");
  return request;
}

std::string encode_attached(const Result<std::vector<CudaDevice>>& devices) {
  return devices ? encode_devices(*devices) : json_line(Json{{"error", devices.error()}});
}

Result<std::vector<CudaDevice>> decode_attached(std::string_view frame) {
  WS_CHECK(error_in(parse(frame)));
  return decode_devices(frame);
}

std::string encode_addresses(const std::vector<std::uint64_t>& addresses) {
  return json_line(Json(addresses));
}

Result<std::vector<std::uint64_t>> decode_addresses(std::string_view frame) {
  return parse_value<std::vector<std::uint64_t>>(frame, "addresses of a GPU worker");
}

Status refusal_in(std::string_view frame) {
  return error_in(parse(frame));
}

std::string encode_loaded(const Status& status) {
  return status ? std::string() : json_line(Json{{"error", status.error()}});
}

Status decode_loaded(std::string_view frame) {
  if (frame.empty()) {
    return {};
  }
  WS_CHECK(error_in(parse(frame)));
  return fail(ErrorCode::kInternal, "a malformed answer of a GPU worker");
}

std::string encode_counters(const Result<HardwareCounters>& counters) {
  return counters ? json_line(Json(*counters)) : json_line(Json{{"error", counters.error()}});
}

Result<HardwareCounters> decode_counters(std::string_view frame) {
  const Json json = parse(frame);
  WS_CHECK(error_in(json));
  return value_of<HardwareCounters>(json, "answer of a GPU worker that counts");
}

std::string encode_reply(const Result<TimingOutcome>& outcome) {
  if (!outcome) {
    return json_line(Json{{"error", outcome.error()}});
  }
  const ReplyHead head{outcome->run.reply, outcome->samples.size(), outcome->digests.size()};
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) +
         encode_samples(outcome->samples) + encode_digests(outcome->digests) +
         json_line(Json{{"text", outcome->run.text}, {"timing", *outcome}});
}

Result<TimingOutcome> decode_reply(std::string_view frame) {
  if (frame.starts_with('{')) {  // No RunStatus looks like that.
    WS_CHECK(error_in(parse(frame)));
  }
  ReplyHead head{};
  if (frame.size() < sizeof head) {
    return fail(ErrorCode::kInternal, "a reply of a GPU worker that is too short");
  }
  std::memcpy(&head, frame.data(), sizeof head);
  frame.remove_prefix(sizeof head);
  constexpr std::array kKnown = {RunStatus::kOk, RunStatus::kDriverError, RunStatus::kTampered,
                                 RunStatus::kOutOfBounds};
  if (std::ranges::find(kKnown, head.reply.status) == kKnown.end()) {
    return fail(ErrorCode::kInternal, "a reply of a GPU worker with an unknown status");
  }
  if (head.samples > frame.size() / sizeof(SampleBytes) ||
      head.digests > (frame.size() - head.samples * sizeof(SampleBytes)) / sizeof(OutputDigest)) {
    return fail(ErrorCode::kInternal, "a reply of a GPU worker that is too short");
  }
  const std::size_t samples_bytes = head.samples * sizeof(SampleBytes);
  const std::size_t digests_bytes = head.digests * sizeof(OutputDigest);
  const Json json = parse(frame.substr(samples_bytes + digests_bytes));
  if (!json.is_object() || !json.contains("text") || !json["text"].is_string() ||
      !json.contains("timing")) {
    return fail(ErrorCode::kInternal, "a malformed reply of a GPU worker");
  }
  WS_TRY(TimingOutcome outcome, value_of<TimingOutcome>(json["timing"], "timing"));
  WS_TRY(outcome.samples, decode_samples(frame.substr(0, samples_bytes)));
  outcome.digests = decode_digests(frame.substr(samples_bytes, digests_bytes));
  outcome.run.reply = head.reply;
  outcome.run.text = json["text"].get<std::string>().substr(0, RunOutcome::kMaxText);
  return outcome;
}

}  // namespace cuda
}  // namespace ws
