#include "runtime/evaluate/validate/conditioning.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "runtime/base/keyed_stream.h"
#include "runtime/judge/layout.h"

namespace ws {
namespace {

constexpr std::uint64_t kNudges = 4;  // One may leave a near tie by chance as it was.
/// For rows that may be what rounding left of zeros: one nudge of three leaves such a row as it
/// was.
constexpr std::uint64_t kMoreNudges = 10;
/// A first nudge moves some row by this share of an error that is far, or that is no rounding.
constexpr double kShareOfFar = 1.0 / 64;
constexpr std::uint64_t kDraws = 8;  // All of them are near zero by chance once in 10^8.

void nudge_inputs(const Reference& reference, double relative, std::uint64_t seed) {
  const std::vector<BufferSpec>& buffers = reference.plan().buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].role == BufferRole::kIn || buffers[i].role == BufferRole::kInout) {
      nudge(buffers[i], reference.arena().buffer(i), relative,
            derive_seed(seed, "nudge " + buffers[i].name));
    }
  }
}

/// Changes every other column of inputs that have as many columns as the output; false: there are
/// none.
bool change_odd_columns(const Reference& reference, const BufferSpec& output) {
  const std::vector<BufferSpec>& buffers = reference.plan().buffers;
  bool changed = false;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const bool read = buffers[i].role == BufferRole::kIn || buffers[i].role == BufferRole::kInout;
    if (read && RowView(buffers[i]).columns() == RowView(output).columns()) {
      scale_odd_columns(buffers[i], reference.arena().buffer(i));
      changed = true;
    }
  }
  return changed;
}

/// The outputs of a reference, put back when this ends.
class KeptOutputs {
 public:
  explicit KeptOutputs(const Reference& reference)
      : reference_(reference) {
    const std::vector<BufferSpec>& buffers = reference.plan().buffers;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (is_output(buffers[i])) {
        const std::span<const std::byte> bytes = reference.arena().buffer(i);
        kept_.emplace(i, std::vector<std::byte>(bytes.begin(), bytes.end()));
      }
    }
  }

  ~KeptOutputs() {
    for (const auto& [index, bytes] : kept_) {
      std::copy(bytes.begin(), bytes.end(), reference_.arena().buffer(index).begin());
    }
  }

  KeptOutputs(const KeptOutputs&) = delete;
  KeptOutputs& operator=(const KeptOutputs&) = delete;

 private:
  const Reference& reference_;
  std::map<std::size_t, std::vector<std::byte>> kept_;
};

/// Draws the request's inputs again, with a seed of its own.
Status fill_again(const Reference& reference, const Problem& problem, const NudgeRequest& request,
                  std::uint64_t seed) {
  return fill_inputs(problem, reference.plan(), request.distribution, seed,
                     request.reduction_length, reference.arena());
}

/// Adds what the reference's own formula costs in f32 on the inputs that are in its arena.
/// @return  False: it went wrong.
Result<bool> add_rounding(const Reference& reference, Reference& coarse,
                          const NudgeRequest& request, Slacks& slacks,
                          const std::stop_token& stop) {
  copy_inputs(reference.plan(), reference.arena(), coarse.arena());
  WS_TRY(const Reference::Ran ran, coarse.run(request.seed, request.limit, stop));
  for (auto& [index, slack] : slacks) {
    if (ran.message.empty()) {
      slack.add(coarse.arena().buffer(index));
    }
  }
  return ran.message.empty();
}

/// Nudges inputs until each row that is small by its size has shown whether rounding made it.
/// @return  False: the reference went wrong.
Result<bool> add_more_moves(Reference& reference, const Problem& problem,
                            const NudgeRequest& request, RowSlack& slack,
                            const std::stop_token& stop) {
  for (std::uint64_t k = 0; k < kMoreNudges && slack.is_undecided(); ++k) {
    WS_CHECK(fill_again(reference, problem, request, request.seed));
    nudge_inputs(reference, backward_error(request.doubt.type, request.doubt.reduction_length),
                 derive_seed(request.seed, "nudge", kNudges + k));
    WS_TRY(const Reference::Ran ran, reference.run(request.seed, request.limit, stop));
    if (!ran.message.empty()) {
      return false;
    }
    slack.add_moves(reference.arena().buffer(request.doubt.buffer));
  }
  return true;
}

/// Adds what rounding may cost in rows that are sums over their columns.
/// @return  False: the reference went wrong.
Result<bool> add_long_rows(Reference& reference, const Problem& problem,
                           const NudgeRequest& request, RowSlack& slack,
                           const std::stop_token& stop) {
  const std::size_t index = request.doubt.buffer;
  const BufferSpec& output = reference.plan().buffers[index];
  WS_CHECK(fill_again(reference, problem, request, request.seed));
  if (RowView(output).columns() < kTellingElements || !change_odd_columns(reference, output)) {
    return true;
  }
  WS_TRY(const Reference::Ran ran, reference.run(request.seed, request.limit, stop));
  if (ran.message.empty()) {
    slack.add_sums(reference.arena().buffer(index));
  }
  return ran.message.empty();
}

}  // namespace

Result<Slacks> slacks_of(Reference& reference, const Problem& problem, const NudgeRequest& request,
                         const std::stop_token& stop) {
  const KeptOutputs kept(reference);
  const std::vector<BufferSpec>& buffers = reference.plan().buffers;
  Slacks slacks;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (is_output(buffers[i])) {
      slacks.emplace(i, RowSlack(buffers[i], reference.arena().buffer(i)));
    }
  }
  const bool far = request.doubt.far;
  Reference* coarse = nullptr;
  if (!far) {
    WS_TRY(coarse, reference.in_f32(stop));
  }
  for (std::uint64_t k = 0; k < kNudges; ++k) {
    WS_CHECK(fill_again(reference, problem, request, request.seed));
    nudge_inputs(reference, backward_error(request.doubt.type, request.doubt.reduction_length),
                 derive_seed(request.seed, "nudge", k));
    if (coarse != nullptr) {
      WS_TRY(const bool ran, add_rounding(reference, *coarse, request, slacks, stop));
      coarse = ran ? coarse : nullptr;
    }
    WS_TRY(const Reference::Ran ran, reference.run(request.seed, request.limit, stop));
    if (!ran.message.empty()) {
      return Slacks();
    }
    for (auto& [index, slack] : slacks) {
      slack.add(reference.arena().buffer(index));
    }
    const std::vector<double>& rows = slacks.at(request.doubt.buffer).rows();
    if (far && std::ranges::max(rows) < kShareOfFar * request.doubt.error) {
      return Slacks();
    }
  }
  RowSlack& doubted = slacks.at(request.doubt.buffer);
  WS_TRY(const bool moved, add_more_moves(reference, problem, request, doubted, stop));
  if (!moved) {
    return Slacks();
  }
  WS_TRY(const bool right, add_long_rows(reference, problem, request, doubted, stop));
  return right ? std::move(slacks) : Slacks();
}

Result<UsualSizes> sizes_of(Reference& reference, const Problem& problem,
                            const NudgeRequest& request, const std::stop_token& stop) {
  const KeptOutputs kept(reference);
  const std::vector<BufferSpec>& buffers = reference.plan().buffers;
  UsualSizes sizes;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (is_output(buffers[i]) && !shows_usual_size(buffers[i], reference.arena().buffer(i))) {
      sizes[i] = 0;
    }
  }
  for (std::uint64_t k = 0; k < kDraws && !sizes.empty(); ++k) {
    const std::uint64_t seed = derive_seed(request.seed, "usual size", k);
    WS_CHECK(fill_again(reference, problem, request, seed));
    WS_TRY(const Reference::Ran ran, reference.run(seed, request.limit, stop));
    if (!ran.message.empty()) {
      break;
    }
    for (auto& [index, size] : sizes) {
      size = std::max(size, largest_finite(buffers[index], reference.arena().buffer(index)));
    }
  }
  return sizes;
}

Result<bool> couples_columns(Reference& reference, const Problem& problem,
                             const NudgeRequest& request, const std::string& output,
                             const std::stop_token& stop) {
  const KeptOutputs kept(reference);
  const std::vector<BufferSpec>& buffers = reference.plan().buffers;
  const auto named = std::find_if(buffers.begin(), buffers.end(),
                                  [&](const BufferSpec& buffer) { return buffer.name == output; });
  if (named == buffers.end()) {
    return false;
  }
  const auto index = static_cast<std::size_t>(named - buffers.begin());
  NudgeRequest declared = request;
  declared.distribution = Distribution::kDeclared;
  WS_CHECK(fill_again(reference, problem, declared, request.seed));
  WS_TRY(const Reference::Ran drawn, reference.run(request.seed, request.limit, stop));
  if (!drawn.message.empty()) {
    return false;
  }
  RowSlack moved(*named, reference.arena().buffer(index));
  WS_CHECK(fill_again(reference, problem, declared, request.seed));
  if (!change_odd_columns(reference, *named)) {
    return false;
  }
  WS_TRY(const Reference::Ran changed, reference.run(request.seed, request.limit, stop));
  if (changed.message.empty()) {
    moved.add_sums(reference.arena().buffer(index));
  }
  return std::any_of(moved.rows().begin(), moved.rows().end(),
                     [](double slack) { return slack > 0; });
}

bool is_explained(const ResolvedPlan& plan, const Slacks& slacks, const Mismatch& mismatch,
                  const Doubt& doubt) {
  const auto slack = slacks.find(doubt.buffer);
  if (slack == slacks.end() || mismatch.output != plan.buffers[doubt.buffer].name) {
    return false;
  }
  const std::vector<std::int64_t>& shape = plan.buffers[doubt.buffer].shape;
  std::int64_t row = 0;
  for (std::size_t i = 0; i + 1 < mismatch.worst.index.size(); ++i) {
    row = row * shape[i] + mismatch.worst.index[i];
  }
  return std::abs(mismatch.worst.got - mismatch.worst.want) <=
         slack->second.rows().at(static_cast<std::size_t>(row));
}

}  // namespace ws
