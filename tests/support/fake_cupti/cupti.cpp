// A CUPTI for tests, without a GPU: libws_fake_cupti.so. It counts passes and ranges, and answers
// an error (kBadOrder) to calls that come in an order that the real one refuses.
//
// The file's own name scripts it, so that a test needs a link only:
//   *.refuse_CODE.so  enabling the range profiler answers CODE
//   *.passes_N.so     N passes are needed; else 3
//   *.lacks_PART.so   the chip has no metric with PART in its name
//
// The value of each metric is its place among those asked for, plus 100 times the ranges counted.
#include <cstdlib>
#include <cstring>
#include <string>

#include <dlfcn.h>

#include "runtime/device/cuda/driver/cupti_types.h"

namespace {

using namespace ws::cuda;

constexpr CuptiResult kBadOrder = 7;
constexpr CuptiResult kNoMetric = 1;
constexpr std::size_t kImageBytes = 16;

struct State {
  std::size_t metrics = 0;
  std::size_t passes = 0;
  std::size_t ranges = 0;
  bool enabled = false;
  bool configured = false;
  bool started = false;
  bool pushed = false;
  bool decoded = false;
};

State& state() {
  static State now;
  return now;
}

/// The text after `word` in the file's name, up to the next dot; "" when it is not there.
std::string script(const std::string& word) {
  Dl_info info{};
  ::dladdr(reinterpret_cast<void*>(&state), &info);
  const std::string name = info.dli_fname == nullptr ? "" : info.dli_fname;
  const std::size_t at = name.rfind("." + word + "_");
  if (at == std::string::npos) {
    return {};
  }
  const std::size_t from = at + word.size() + 2;
  return name.substr(from, name.find('.', from) - from);
}

std::size_t number(const std::string& word, std::size_t otherwise) {
  const std::string text = script(word);
  return text.empty() ? otherwise : std::strtoul(text.c_str(), nullptr, 10);
}

CuptiResult ok_if(bool right) {
  return right ? kCuptiSuccess : kBadOrder;
}

}  // namespace

extern "C" {

CuptiResult cuptiProfilerInitialize(CuptiInitialize* /*block*/) {
  state() = State{};
  return kCuptiSuccess;
}

CuptiResult cuptiProfilerGetCounterAvailability(CuptiCounterAvailability* block) {
  if (block->image == nullptr) {
    block->image_bytes = kImageBytes;
    return kCuptiSuccess;
  }
  return ok_if(block->image_bytes == kImageBytes);
}

CuptiResult cuptiDeviceGetChipName(CuptiChipName* block) {
  block->name = "FAKE100";
  return kCuptiSuccess;
}

CuptiResult cuptiProfilerHostInitialize(CuptiHostInitialize* block) {
  static int host = 0;
  block->host = reinterpret_cast<CuptiHost*>(&host);
  return ok_if(std::string(block->chip) == "FAKE100" && block->availability != nullptr);
}

CuptiResult cuptiProfilerHostDeinitialize(CuptiHostDeinitialize* /*block*/) {
  return kCuptiSuccess;
}

CuptiResult cuptiProfilerHostConfigAddMetrics(CuptiAddMetrics* block) {
  const std::string lacking = script("lacks");
  for (std::size_t i = 0; i < block->count; ++i) {
    if (!lacking.empty() && std::strstr(block->names[i], lacking.c_str()) != nullptr) {
      return kNoMetric;
    }
  }
  state().metrics += block->count;
  return kCuptiSuccess;
}

CuptiResult cuptiProfilerHostGetConfigImageSize(CuptiConfigImageSize* block) {
  block->bytes = kImageBytes;
  return kCuptiSuccess;
}

CuptiResult cuptiProfilerHostGetConfigImage(CuptiConfigImage* block) {
  std::memset(block->image, 1, block->bytes);
  return ok_if(block->bytes == kImageBytes);
}

CuptiResult cuptiProfilerHostGetNumOfPasses(CuptiPasses* block) {
  block->passes = number("passes", 3);
  return ok_if(block->image_bytes == kImageBytes && block->image[0] == 1);
}

CuptiResult cuptiRangeProfilerEnable(CuptiEnable* block) {
  static int ranges = 0;
  block->ranges = reinterpret_cast<CuptiRanges*>(&ranges);
  state().enabled = true;
  return static_cast<CuptiResult>(number("refuse", 0));
}

CuptiResult cuptiRangeProfilerDisable(CuptiRangesOnly* /*block*/) {
  const bool was = state().enabled;
  state().enabled = false;
  return ok_if(was);
}

CuptiResult cuptiRangeProfilerGetCounterDataSize(CuptiCounterDataSize* block) {
  block->bytes = kImageBytes;
  return ok_if(block->count == state().metrics && block->most_ranges == 1);
}

CuptiResult cuptiRangeProfilerCounterDataImageInitialize(CuptiCounterDataInitialize* block) {
  std::memset(block->data, 2, block->bytes);
  return ok_if(state().enabled);
}

CuptiResult cuptiRangeProfilerSetConfig(CuptiSetConfig* block) {
  state().configured = block->config[0] == 1 && block->data[0] == 2 &&
                       block->range == kCuptiUserRange && block->replay == kCuptiUserReplay;
  return ok_if(state().configured);
}

CuptiResult cuptiRangeProfilerStart(CuptiRangesOnly* /*block*/) {
  const bool right = state().configured && !state().started;
  state().started = true;
  return ok_if(right);
}

CuptiResult cuptiRangeProfilerPushRange(CuptiPush* /*block*/) {
  const bool right = state().started && !state().pushed;
  state().pushed = true;
  return ok_if(right);
}

CuptiResult cuptiRangeProfilerPopRange(CuptiRangesOnly* /*block*/) {
  const bool right = state().pushed;
  state().pushed = false;
  ++state().ranges;
  return ok_if(right);
}

CuptiResult cuptiRangeProfilerStop(CuptiStop* block) {
  const bool right = state().started && !state().pushed;
  state().started = false;
  ++state().passes;
  block->all_passes = state().passes >= number("passes", 3) ? 1 : 0;
  return ok_if(right);
}

CuptiResult cuptiRangeProfilerDecodeData(CuptiDecode* /*block*/) {
  state().decoded = state().passes >= number("passes", 3) && !state().started;
  return ok_if(state().decoded);
}

CuptiResult cuptiProfilerHostEvaluateToGpuValues(CuptiEvaluate* block) {
  for (std::size_t i = 0; i < block->count; ++i) {
    block->values[i] = static_cast<double>(i + 100 * state().ranges);
  }
  return ok_if(state().decoded && block->count == state().metrics && block->range == 0);
}

}  // extern "C"
