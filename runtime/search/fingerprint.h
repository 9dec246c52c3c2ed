// How alike two kernels are: the share of token runs that they have in common (Jaccard), estimated
// from a short MinHash signature, and found without comparing all by bands of it (LSH).
//
// A. Broder, On the resemblance and containment of documents, 1997; the bands: Leskovec, Rajaraman,
// Ullman, Mining of Massive Datasets, section 3.4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ws {

/// Two kernels of which 0.5 is common meet in one band of these with 0.79, of 0.7 with 0.998.
inline constexpr std::size_t kBands = 24;
inline constexpr std::size_t kBandRows = 4;
inline constexpr std::size_t kSignatureLength = kBands * kBandRows;

/// The low 16 bits of each minimum: two that differ agree by chance once in 65,536.
using Signature = std::array<std::uint16_t, kSignatureLength>;

/// Hashes of the runs of five tokens, ascending, each once; of a shorter source one run of all.
std::vector<std::uint64_t> token_runs(std::string_view source);

/// Common runs over all runs; 0 when either is empty.
double jaccard(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b);

/// @param runs  Not empty.
Signature signature_of(const std::vector<std::uint64_t>& runs);

/// A signature from its bytes as they are in memory; nothing of another number of bytes.
std::optional<Signature> signature_from(std::string_view bytes);

/// Estimates jaccard(); its standard error is at most 0.05.
double likeness(const Signature& a, const Signature& b);

/// One key for each band; equal keys are worth a comparison. Of 32 bits: they are what an archive
/// holds most of, and a million kernels share one by chance in less than a hundredth of the bands.
std::array<std::uint32_t, kBands> bands_of(const Signature& signature);

/// Equal for sources that differ only in what tokens leave out. @param runs  As of token_runs().
std::int64_t runs_hash(const std::vector<std::uint64_t>& runs);

}  // namespace ws
