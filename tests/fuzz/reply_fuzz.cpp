// Answers of a worker that a kernel has taken over: the first byte says in place of which
// one. Each is read, or refused with a reason.
#include <array>

#include "runtime/device/cuda/library/library_wire.h"
#include "runtime/device/cuda/torch/torch_wire.h"
#include "runtime/device/cuda/worker/protocol.h"
#include "runtime/device/tile/tile_image.h"
#include "runtime/device/vulkan/device_facts.h"
#include "runtime/lift/tree/tree.h"
#include "runtime/reference/host_job.h"
#include "tests/fuzz/must.h"

namespace {

using ws::fuzz::must;

template <typename T>
void check(const ws::Result<T>& result) {
  must(result || !result.error().message.empty());
}

void check_tree(std::string_view frame) {
  const auto tree = ws::lift::decode_tree(frame);
  check(tree);
  if (tree) {
    const std::string once = ws::lift::encode(*tree);
    const auto again = ws::lift::decode_tree(once);
    must(again && ws::lift::encode(*again) == once);
  }
}

void check_host_reply(std::string_view frame) {
  const auto reply = ws::decode_host_reply(frame);
  check(reply);
  if (reply) {
    must(ws::decode_host_reply(ws::encode(*reply)).has_value());
  }
}

void check_tile_image(std::string_view frame) {
  const auto image = ws::decode_tile_image(frame);
  check(image);
  if (image) {
    const auto again = ws::decode_tile_image(ws::encode(*image));
    must(again && ws::encode(*again) == ws::encode(*image));
  }
}

constexpr std::array<void (*)(std::string_view), 9> kAnswers = {
    check_tree,
    check_host_reply,
    check_tile_image,
    [](std::string_view frame) { check(ws::cuda::decode_attached(frame)); },
    [](std::string_view frame) { check(ws::cuda::decode_counters(frame)); },
    [](std::string_view frame) { check(ws::cuda::decode_reply(frame)); },
    [](std::string_view frame) { check(ws::cuda::decode_facts(frame)); },
    [](std::string_view frame) { check(ws::cuda::decode_torch_ready(frame)); },
    [](std::string_view frame) { check(ws::vulkan::decode_attached(frame)); },
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0) {
    kAnswers[*data % kAnswers.size()](ws::fuzz::text_of(data + 1, size - 1));
  }
  return 0;
}
