#include "runtime/evaluate/admission/admission.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/base/keyed_stream.h"
#include "runtime/base/numbers.h"
#include "runtime/evaluate/admission/null_models.h"

namespace ws {
namespace {

using Contents = std::map<std::size_t, std::vector<std::byte>>;  // By buffer.

constexpr std::chrono::milliseconds kLimit{30'000};
constexpr double kLargestTolerance = 0.1;
constexpr double kLargestOfBytes = 0.25;  // Types of eight bits are that coarse.

constexpr std::array kMixtures = {Distribution::kDeclared, Distribution::kNormalRowScale,
                                  Distribution::kExactIntegers, Distribution::kUniform,
                                  Distribution::kSparse};
constexpr std::array kPlain = {Distribution::kDeclared, Distribution::kDeclared,
                               Distribution::kDeclared};

/// Examines one problem on one workload.
class Examination {
 public:
  Examination(Reference& reference, const ErrorModel& error_model, std::uint64_t secret,
              const std::stop_token& stop)
      : reference_(reference),
        error_model_(error_model),
        problem_(error_model.problem()),
        secret_(secret),
        stop_(stop),
        alive_(null_models(reference.plan())) {}

  Result<std::optional<Weaknesses>> run() {
    examine_declaration();
    const bool mixtures = takes_mixtures(problem_);
    const std::span<const Distribution> draws =
        mixtures ? std::span<const Distribution>(kMixtures) : std::span<const Distribution>(kPlain);
    for (const Distribution distribution : draws) {
      WS_TRY(const bool usable, draw_once(distribution));
      if (!usable) {
        return std::optional<Weaknesses>();
      }
      try_null_models(distribution);
    }
    for (const NullModel& model : alive_) {
      found_.push_back(model.text(reference_.plan()) + " would pass as its results");
    }
    WS_CHECK(examine_repeat());
    for (std::size_t i = 0; i < buffers().size(); ++i) {
      // An inout argument may start from zeros, and its first values may be overwritten.
      if (buffers()[i].role == BufferRole::kIn) {
        WS_CHECK(examine_input(i));
      }
    }
    return std::optional(std::move(found_));
  }

 private:
  [[nodiscard]] const std::vector<BufferSpec>& buffers() const { return reference_.plan().buffers; }

  /// Adds the weaknesses that show without running it.
  void examine_declaration() {
    for (const ArgSpec& arg : problem_.args) {
      const Tolerance sent = arg.tolerance.value_or(problem_.tolerance.value_or(Tolerance{}));
      const double most = std::max(sent.rtol.value_or(0), sent.atol.value_or(0));
      const bool written = arg.role == Role::kOut || arg.role == Role::kInout;
      const double limit = size_of(arg.type) == 1 ? kLargestOfBytes : kLargestTolerance;
      if (written && is_float(arg.type) && most > limit) {
        found_.push_back("the tolerance of `" + arg.name + "` is larger than " +
                         three_digits(limit));
      }
    }
    for (const BufferSpec& buffer : buffers()) {
      if (is_output(buffer) && buffer.elements == 0) {
        found_.push_back("`" + buffer.name + "` has no elements");
      }
    }
  }

  /// @return  False: the reference gave nothing to judge by.
  Result<bool> draw_once(Distribution distribution) {
    previous_ = outputs();
    const DrawRequest how{
        .secret = secret_,
        .run = {.workload = 0, .distribution = distribution, .seed_index = draws_++},
        .limit = kLimit,
        .on_inputs = [this](const Reference&) { inputs_ = contents(); }};
    WS_TRY(const Drawn drawn, draw(reference_, error_model_, how, stop_));
    last_seed_ = drawn.seed;
    return drawn.message.empty();
  }

  [[nodiscard]] Contents outputs() const {
    Contents kept;
    for (std::size_t i = 0; i < buffers().size(); ++i) {
      if (is_output(buffers()[i])) {
        const auto bytes = reference_.arena().buffer(i);
        kept.emplace(i, std::vector<std::byte>(bytes.begin(), bytes.end()));
      }
    }
    return kept;
  }

  [[nodiscard]] Contents contents() const {
    Contents kept;
    for (std::size_t i = 0; i < buffers().size(); ++i) {
      const auto bytes = reference_.arena().buffer(i);
      kept.emplace(i, std::vector<std::byte>(bytes.begin(), bytes.end()));
    }
    return kept;
  }

  void try_null_models(Distribution distribution) {
    std::erase_if(alive_, [&](const NullModel& model) { return !passes(model, distribution); });
  }

  [[nodiscard]] bool passes(const NullModel& model, Distribution distribution) const {
    // The first draw has none before it.
    if (model.kind == NullModel::Kind::kPrevious && draws_ == 1) {
      return true;
    }
    for (std::size_t i = 0; i < buffers().size(); ++i) {
      if (!is_output(buffers()[i]) || problem_.find_arg(buffers()[i].name) == nullptr) {
        continue;
      }
      const auto got = answer(model, i);
      if (!got ||
          !error_model_.accepts(buffers()[i], *got, reference_.arena().buffer(i), distribution)) {
        return false;
      }
    }
    return true;
  }

  /// An inout argument's own input is what lay there before the reference ran.
  [[nodiscard]] std::optional<std::vector<std::byte>> answer(const NullModel& model,
                                                             std::size_t output) const {
    if (model.kind == NullModel::Kind::kInput && model.input == output) {
      return inputs_.at(output);
    }
    const auto before = previous_.find(output);
    return answer_of(model, reference_, output,
                     before == previous_.end() ? std::vector<std::byte>() : before->second);
  }

  Status fill_again(std::uint64_t seed) {
    return fill_inputs(problem_, reference_.plan(), Distribution::kDeclared, seed,
                       error_model_.longest_reduction(buffers()), reference_.arena());
  }

  Result<std::optional<Contents>> results_of(std::uint64_t seed) {
    WS_TRY(const Reference::Ran ran, reference_.run(seed, kLimit, stop_));
    return ran.message.empty() ? std::optional(outputs()) : std::nullopt;
  }

  /// Draws one input again and leaves the others as they are.
  /// @return  Whether it has other values now.
  Result<bool> fill_another(std::size_t input, std::uint64_t seed) {
    const Contents before = contents();
    WS_CHECK(fill_again(derive_seed(seed, "another input")));
    for (const auto& [index, kept] : before) {
      if (index != input) {
        std::copy(kept.begin(), kept.end(), reference_.arena().buffer(index).begin());
      }
    }
    const auto bytes = reference_.arena().buffer(input);
    const std::vector<std::byte>& as_drawn = before.at(input);
    return !std::equal(as_drawn.begin(), as_drawn.end(), bytes.begin());
  }

  /// An output that differs; nothing where all are the same within the tolerance.
  [[nodiscard]] std::optional<std::size_t> difference(const Contents& first,
                                                      const Contents& second) const {
    for (const auto& [index, bytes] : second) {
      if (!error_model_.accepts(buffers()[index], bytes, first.at(index),
                                Distribution::kDeclared)) {
        return index;
      }
    }
    return std::nullopt;
  }

  /// One disturbed run says nothing, and the answer is kept for good: each run must differ from
  /// the one before it.
  Status examine_repeat() {
    constexpr int kRepeats = 3;
    std::optional<Contents> before;
    std::optional<std::size_t> differs;
    for (int i = 0; i <= kRepeats; ++i) {
      WS_CHECK(fill_again(last_seed_));
      WS_TRY(std::optional<Contents> results, results_of(last_seed_));
      if (!results) {
        return {};
      }
      if (before) {
        differs = difference(*before, *results);
        if (!differs) {
          return {};
        }
      }
      before = std::move(results);
    }
    found_.push_back("its reference gives different `" + buffers()[*differs].name +
                     "` for the same inputs");
    return {};
  }

  Status examine_input(std::size_t input) {
    constexpr int kTries = 3;  // One may leave the results as they are by chance.
    bool varies = false;
    for (int i = 0; i < kTries; ++i) {
      const std::uint64_t seed =
          derive_seed(secret_, "input " + buffers()[input].name, static_cast<std::uint64_t>(i));
      WS_CHECK(fill_again(seed));
      WS_TRY(const auto as_drawn, results_of(seed));
      WS_CHECK(fill_again(seed));
      WS_TRY(const bool other, fill_another(input, seed));
      WS_TRY(const auto changed, results_of(seed));
      varies = varies || other;
      if (!as_drawn || !changed || (other && *as_drawn != *changed)) {
        return {};
      }
    }
    found_.push_back(varies ? "`" + buffers()[input].name + "` does not change its results"
                            : "`" + buffers()[input].name + "` always has the same values");
    return {};
  }

  Reference& reference_;
  const ErrorModel& error_model_;
  const Problem& problem_;
  std::uint64_t secret_;
  const std::stop_token& stop_;
  std::vector<NullModel> alive_;
  std::uint64_t draws_ = 0;
  std::uint64_t last_seed_ = 0;
  Contents inputs_;    ///< All buffers before the reference ran.
  Contents previous_;  ///< The outputs of the draw before.
  Weaknesses found_;
};

}  // namespace

Result<std::optional<Weaknesses>> find_weaknesses(Reference& reference,
                                                  const ErrorModel& error_model,
                                                  std::uint64_t secret,
                                                  const std::stop_token& stop) {
  return Examination(reference, error_model, secret, stop).run();
}

}  // namespace ws
