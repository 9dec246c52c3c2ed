#include "runtime/device/cuda/torch/torch_wire.h"

#include <exception>
#include <limits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/base/message.h"
#include "runtime/base/text.h"
#include "runtime/device/bind.h"
#include "runtime/device/cuda/measure/fresh_inputs.h"
#include "runtime/device/cuda/measure/launch_schedule.h"
#include "runtime/device/cuda/measure/output_digests.h"

namespace ws::cuda {

// nlohmann finds this by argument-dependent look-up.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TorchStart, interpreter, scratch, device, visible, compiles,
                                   digests)

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxMessage = 2000;

bool is_output(const BufferSpec& spec) {
  return spec.role == BufferRole::kOut || spec.role == BufferRole::kInout;
}

std::string message_of(const Json& form) {
  std::string text =
      form.contains("error") && form["error"].is_string() ? form["error"].get<std::string>() : "";
  text.resize(utf8_cut(text, kMaxMessage));
  return text;
}

Error no_answer() {
  return {ErrorCode::kDeviceLost, "the worker that runs the module gave no answer", {}, {}};
}

/// The keys of the digests of a launch, by buffer; null where none is taken.
Json keys_of(const std::vector<RunRange>& buffers, const ScheduledLaunch& launch) {
  Json keys = Json::array();
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const bool taken = launch.shared && buffers[i].digested;
    keys.push_back(taken ? Json(digest_key(launch.inputs, i)) : Json());
  }
  return keys;
}

Json rotations_form(const std::vector<RunRange>& buffers, std::uint64_t seed) {
  Json elements = Json::array();
  const std::vector<std::uint64_t> rotations = rotations_of(buffers, seed);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    elements.push_back(rotations[i] / size_of(buffers[i].type));
  }
  return elements;
}

OutputDigest digest_of(const Json& form, const ResolvedPlan& plan) {
  OutputDigest digest{.launch = form.at("launch").get<std::uint64_t>(),
                      .buffer = form.at("buffer").get<std::uint64_t>()};
  [[maybe_unused]] const BufferSpec& is_there = plan.buffers.at(digest.buffer);
  for (std::size_t part = 0; part < kDigestParts; ++part) {
    const Json& pair = form.at("parts").at(part);
    // Not finite: JSON has no word for it.
    const auto number = [](const Json& value) {
      return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
    };
    digest.parts.at(part) = {number(pair.at(0)), number(pair.at(1))};
  }
  return digest;
}

TimingOutcome times_of(const Json& form, const ResolvedPlan& plan) {
  TimingOutcome timing;
  for (const Json& us : form.at("us")) {
    timing.samples.push_back({.us = us.get<double>()});
  }
  for (const Json& digest : form.at("digests")) {
    timing.digests.push_back(digest_of(digest, plan));
  }
  return timing;
}

}  // namespace

std::string encode(const TorchStart& start) {
  return json_line(Json(start));
}

Result<TorchStart> decode_torch_start(std::string_view frame) {
  return parse_value<TorchStart>(frame, "start of a module's worker");
}

Result<TorchReady> decode_torch_ready(std::string_view frame) {
  const Json form = Json::parse(frame, nullptr, /*allow_exceptions=*/false);
  if (!form.is_object()) {
    return fail(no_answer());
  }
  return TorchReady{.error = message_of(form), .no_library = form.contains("no_library")};
}

std::string encode_module(const ModuleRun& module, const ResolvedPlan& plan, const Arena& arena) {
  Json buffers = Json::array();
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferSpec& spec = plan.buffers[i];
    buffers.push_back({{"name", spec.name},
                       {"type", name_of(spec.type)},
                       {"shape", spec.shape},
                       {"output", is_output(spec)},
                       {"offset", arena.offset(i)},
                       {"bytes", arena.buffer(i).size()}});
  }
  return json_line({{"source", module.source},
                    {"mode", name_of(module.mode)},
                    {"arena_bytes", arena.bytes()},
                    {"buffers", std::move(buffers)}});
}

TorchLaunches encode_launches(const TimingRequest& request, const ResolvedPlan& plan,
                              const Arena& arena, std::mt19937_64& draws) {
  const std::vector<RunRange> buffers = bind_buffers(plan, arena);
  const std::vector<ScheduledLaunch> schedule = schedule_launches(request, draws);
  TorchLaunches launches;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    launches.kept = schedule[i].kept ? static_cast<std::uint32_t>(i) : launches.kept;
  }
  Json rows = Json::array();
  for (const ScheduledLaunch& launch : schedule) {
    rows.push_back({{"rotations", rotations_form(buffers, launch.inputs)},
                    {"shared", launch.shared ? Json(*launch.shared) : Json()},
                    {"keys", keys_of(buffers, launch)}});
  }
  launches.message = json_line(
      {{"hot", request.hot != 0}, {"kept", launches.kept}, {"launches", std::move(rows)}});
  return launches;
}

Result<TimingOutcome> decode_torch_times(std::string_view frame, const ResolvedPlan& plan) {
  const Json form = Json::parse(frame, nullptr, /*allow_exceptions=*/false);
  if (!form.is_object()) {
    return fail(no_answer());
  }
  if (const std::string error = message_of(form); !error.empty()) {
    return fail(ErrorCode::kUnsupported, "the module cannot be timed: " + error);
  }
  try {
    return times_of(form, plan);
  } catch (const std::exception&) {  // It has another shape than ours, or names no buffer of ours.
    return fail(no_answer());
  }
}

}  // namespace ws::cuda
