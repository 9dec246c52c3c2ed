#include "runtime/evaluate/validate/conditioning.h"

#include <algorithm>

#include "runtime/base/keyed_stream.h"

namespace ws {
namespace {

constexpr std::uint64_t kNudges = 4;  // One may leave a near tie by chance as it was.

void nudge_inputs(const Reference& reference, double relative, std::uint64_t seed) {
  const std::vector<BufferSpec>& buffers = reference.plan().buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].role == BufferRole::kIn || buffers[i].role == BufferRole::kInout) {
      nudge(buffers[i], reference.arena().buffer(i), relative,
            derive_seed(seed, "nudge " + buffers[i].name));
    }
  }
}

}  // namespace

Result<Slacks> slacks_of(Reference& reference, const Problem& problem, const NudgeRequest& request,
                         const std::stop_token& stop) {
  const std::vector<BufferSpec>& buffers = reference.plan().buffers;
  Slacks slacks;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (is_output(buffers[i])) {
      slacks.emplace(i, RowSlack(buffers[i], reference.arena().buffer(i)));
    }
  }
  bool right = true;
  for (std::uint64_t k = 0; k < kNudges && right; ++k) {
    WS_CHECK(fill_inputs(problem, reference.plan(), request.distribution, request.seed,
                         request.reduction_length, reference.arena()));
    nudge_inputs(reference, backward_error(request.doubt.type, request.doubt.reduction_length),
                 derive_seed(request.seed, "nudge", k));
    WS_TRY(const Reference::Ran ran, reference.run(request.seed, request.limit, stop));
    right = ran.message.empty();
    for (auto& [index, slack] : slacks) {
      if (right) {
        slack.add(reference.arena().buffer(index));
      }
    }
  }
  for (const auto& [index, slack] : slacks) {
    std::copy(slack.want().begin(), slack.want().end(), reference.arena().buffer(index).begin());
  }
  return right ? std::move(slacks) : Slacks();
}

}  // namespace ws
