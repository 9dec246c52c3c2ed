#include "runtime/search/fingerprint.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "runtime/base/hash.h"
#include "runtime/base/mix64.h"
#include "runtime/search/tokens.h"

namespace ws {
namespace {

constexpr std::size_t kRunLength = 5;

/// Odd factors: each is one way to shuffle the runs. Never change them: archives hold signatures.
constexpr std::array<std::uint32_t, kSignatureLength> shuffles() {
  std::array<std::uint32_t, kSignatureLength> factors{};
  for (std::size_t i = 0; i < factors.size(); ++i) {
    factors.at(i) = static_cast<std::uint32_t>(mix64(i)) | 1U;
  }
  return factors;
}

constexpr std::array<std::uint32_t, kSignatureLength> kShuffles = shuffles();

}  // namespace

std::vector<std::uint64_t> token_runs(std::string_view source) {
  const std::vector<std::uint64_t> tokens = normal_tokens(source);
  std::vector<std::uint64_t> runs;
  if (tokens.empty()) {
    return runs;
  }
  const std::size_t length = std::min(kRunLength, tokens.size());
  runs.reserve(tokens.size() - length + 1);
  for (std::size_t first = 0; first + length <= tokens.size(); ++first) {
    std::uint64_t run = 0;
    for (std::size_t i = 0; i < length; ++i) {
      run = mix64(run ^ tokens[first + i]);
    }
    runs.push_back(run);
  }
  std::sort(runs.begin(), runs.end());
  runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
  return runs;
}

double jaccard(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  std::size_t common = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    common += a[i] == b[j] ? 1U : 0U;
    const bool forward_a = a[i] <= b[j];
    const bool forward_b = b[j] <= a[i];
    i += forward_a ? 1U : 0U;
    j += forward_b ? 1U : 0U;
  }
  const std::size_t all = a.size() + b.size() - common;
  return common == 0 ? 0 : static_cast<double>(common) / static_cast<double>(all);
}

Signature signature_of(const std::vector<std::uint64_t>& runs) {
  std::array<std::uint32_t, kSignatureLength> least{};
  least.fill(std::numeric_limits<std::uint32_t>::max());
  for (const std::uint64_t run : runs) {
    const auto low = static_cast<std::uint32_t>(run);
    const auto high = static_cast<std::uint32_t>(run >> 32U);
    for (std::size_t i = 0; i < least.size(); ++i) {
      // A product keeps small inputs small; the fold and the second factor undo that.
      const std::uint32_t product = (low ^ kShuffles[i]) * kShuffles[i] + high;
      const std::uint32_t value = (product ^ (product >> 15U)) * 0x2c1b3c6dU;
      least[i] = std::min(least[i], value);
    }
  }
  Signature signature{};
  for (std::size_t i = 0; i < least.size(); ++i) {
    signature.at(i) = static_cast<std::uint16_t>(mix64(least.at(i)));
  }
  return signature;
}

std::optional<Signature> signature_from(std::string_view bytes) {
  Signature signature{};
  if (bytes.size() != sizeof(signature)) {
    return std::nullopt;
  }
  std::memcpy(signature.data(), bytes.data(), sizeof(signature));
  return signature;
}

double likeness(const Signature& a, const Signature& b) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    equal += a.at(i) == b.at(i) ? 1U : 0U;
  }
  return static_cast<double>(equal) / static_cast<double>(a.size());
}

std::array<std::uint32_t, kBands> bands_of(const Signature& signature) {
  std::array<std::uint32_t, kBands> bands{};
  for (std::size_t band = 0; band < kBands; ++band) {
    std::uint64_t key = mix64(band);
    for (std::size_t row = 0; row < kBandRows; ++row) {
      key = mix64(key ^ signature.at(band * kBandRows + row));
    }
    bands.at(band) = static_cast<std::uint32_t>(key);
  }
  return bands;
}

std::int64_t runs_hash(const std::vector<std::uint64_t>& runs) {
  return static_cast<std::int64_t>(
      fast_hash(runs.data(), runs.size() * sizeof(std::uint64_t), kRunLength));
}

}  // namespace ws
