#include "runtime/evaluate/admission/examination.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "runtime/base/keyed_stream.h"

namespace ws {
namespace {

constexpr std::chrono::milliseconds kLimit{30'000};

constexpr std::array kMixtures = {Distribution::kDeclared, Distribution::kNormalRowScale,
                                  Distribution::kExactIntegers, Distribution::kUniform,
                                  Distribution::kSparse};
constexpr std::array kPlain = {Distribution::kDeclared, Distribution::kDeclared,
                               Distribution::kDeclared};

constexpr std::array kTied = {Distribution::kDeclared, Distribution::kTies,
                              Distribution::kDeclared};

/// As a validation draws them.
std::span<const Distribution> draws_of(const Problem& problem) {
  if (takes_mixtures(problem)) {
    return kMixtures;
  }
  return takes_ties(problem) ? kTied : kPlain;
}

}  // namespace

Suspicions Examination::everything() const {
  Suspicions all{
      .models = null_models(error_model_.problem(), reference_.plan()), .empty = {}, .inputs = {}};
  for (std::size_t i = 0; i < buffers().size(); ++i) {
    if (is_output(buffers()[i])) {
      all.empty.push_back(i);
    }
    // An inout argument may start from zeros, and its first values may be overwritten.
    if (buffers()[i].role == BufferRole::kIn) {
      all.inputs.push_back({.buffer = i});
    }
  }
  return all;
}

Result<bool> Examination::refute(Suspicions& suspicions) {
  std::erase_if(suspicions.empty,
                [this](std::size_t output) { return buffers()[output].elements > 0; });
  NullDraw drawn;
  for (const Distribution distribution : draws_of(error_model_.problem())) {
    WS_TRY(const bool usable, draw_once(distribution, drawn));
    if (!usable) {
      return false;
    }
    std::erase_if(suspicions.models, [&](NullModel& model) {
      return !passes(model, reference_.plan(), error_model_, drawn);
    });
  }
  std::vector<IdleInput> idle;
  for (const IdleInput& input : suspicions.inputs) {
    WS_TRY(const auto found, examine_input(input.buffer));
    if (found) {
      idle.push_back({.buffer = input.buffer, .varies = input.varies || found->varies});
    }
  }
  suspicions.inputs = std::move(idle);
  return true;
}

Result<bool> Examination::draw_once(Distribution distribution, NullDraw& into) {
  into.distribution = distribution;
  into.previous = std::move(into.outputs);
  const DrawRequest how{
      .secret = secret_,
      .run = {.workload = 0, .distribution = distribution, .seed_index = draws_++},
      .limit = kLimit,
      .on_inputs = [this, &into](const Reference&) { into.inputs = contents(/*written=*/false); }};
  WS_TRY(const Drawn drawn, draw(reference_, error_model_, how, stop_));
  last_seed_ = drawn.seed;
  into.outputs = contents(/*written=*/true);
  for (const auto& [output, bytes] : into.outputs) {
    into.largest[output] = largest_magnitude(buffers()[output], bytes);
  }
  return drawn.message.empty();
}

/// @param written  The buffers that the reference writes, or those that it reads.
Contents Examination::contents(bool written) const {
  Contents kept;
  for (std::size_t i = 0; i < buffers().size(); ++i) {
    const bool read =
        buffers()[i].role == BufferRole::kIn || buffers()[i].role == BufferRole::kInout;
    if (written ? is_output(buffers()[i]) : read) {
      const auto bytes = reference_.arena().buffer(i);
      kept.emplace(i, std::vector<std::byte>(bytes.begin(), bytes.end()));
    }
  }
  return kept;
}

Status Examination::fill_again(Distribution distribution, std::uint64_t seed) {
  return fill_inputs(error_model_.problem(), reference_.plan(), distribution, seed,
                     error_model_.longest_reduction(buffers()), reference_.arena());
}

Result<std::optional<Contents>> Examination::results_of(std::uint64_t seed) {
  WS_TRY(const Reference::Ran ran, reference_.run(seed, kLimit, stop_));
  return ran.message.empty() ? std::optional(contents(/*written=*/true)) : std::nullopt;
}

/// Draws one input again, integers so that they tie, and leaves the others as they are.
/// @return  Whether it has other values now.
Result<bool> Examination::fill_another(std::size_t input, std::uint64_t seed) {
  const Contents before = contents(/*written=*/false);
  WS_CHECK(fill_again(Distribution::kTies, derive_seed(seed, "another input")));
  for (const auto& [index, kept] : before) {
    if (index != input) {
      std::copy(kept.begin(), kept.end(), reference_.arena().buffer(index).begin());
    }
  }
  const auto bytes = reference_.arena().buffer(input);
  const std::vector<std::byte>& as_drawn = before.at(input);
  return !std::equal(as_drawn.begin(), as_drawn.end(), bytes.begin());
}

/// @return  Nothing where the input matters.
Result<std::optional<IdleInput>> Examination::examine_input(std::size_t input) {
  constexpr int kTries = 3;  // One may leave the results as they are by chance.
  IdleInput idle{.buffer = input};
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t seed =
        derive_seed(secret_, "input " + buffers()[input].name, static_cast<std::uint64_t>(i));
    WS_CHECK(fill_again(Distribution::kDeclared, seed));
    WS_TRY(const auto as_drawn, results_of(seed));
    WS_CHECK(fill_again(Distribution::kDeclared, seed));
    WS_TRY(const bool other, fill_another(input, seed));
    WS_TRY(const auto changed, results_of(seed));
    idle.varies = idle.varies || other;
    if (!as_drawn || !changed || (other && *as_drawn != *changed)) {
      return std::optional<IdleInput>();
    }
  }
  return std::optional(idle);
}

/// An output that differs; nothing where all are the same within the tolerance.
std::optional<std::size_t> Examination::difference(const Contents& first,
                                                   const Contents& second) const {
  const auto bytes_of = [](const Contents& contents) {
    return [&contents](std::size_t i) { return std::span<const std::byte>(contents.at(i)); };
  };
  for (const auto& [index, bytes] : second) {
    if (error_model_.agreement(buffers(), index, bytes_of(second), bytes_of(first),
                               Distribution::kDeclared) == Agreement::kOther) {
      return index;
    }
  }
  return std::nullopt;
}

Result<std::optional<std::size_t>> Examination::unsteady_output() {
  constexpr int kRepeats = 3;
  std::optional<Contents> before;
  std::optional<std::size_t> differs;
  for (int i = 0; i <= kRepeats; ++i) {
    WS_CHECK(fill_again(Distribution::kDeclared, last_seed_));
    WS_TRY(std::optional<Contents> results, results_of(last_seed_));
    if (!results) {
      return std::optional<std::size_t>();
    }
    if (before) {
      differs = difference(*before, *results);
      if (!differs) {
        return std::optional<std::size_t>();
      }
    }
    before = std::move(results);
  }
  return differs;
}

}  // namespace ws
