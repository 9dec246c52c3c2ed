// Made-up kernels for the figures of search, of about 1.2 KB, half as long again as those of
// examples/. Sixteen near-duplicates follow each other, then comes another kernel. Equal numbers
// give equal kernels.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/archive/store/archive.h"

namespace ws::bench {

inline constexpr std::uint64_t kVariants = 16;  ///< The variants of one kernel.

/// The first of a group, or what was made of it: renamed, retiled, with statements swapped, or with
/// a few statements changed.
std::string synthetic_source(std::uint64_t index);

/// One of `count / 200 + 1` problems of twelve operations.
ProblemRow synthetic_problem(std::uint64_t index);
std::uint64_t synthetic_problem_count(std::uint64_t count);

KernelRow synthetic_kernel(std::uint64_t index, std::uint64_t count);

/// A validation that passed (of nine in ten kernels) or failed, on one of two devices.
EvidenceRow synthetic_validation(std::uint64_t index, const KernelRow& kernel);
EvidenceRow synthetic_benchmark(std::uint64_t index, const KernelRow& kernel);

/// Words that some kernels have: the rarer, the larger `rank`, from 0 to 1999.
std::string synthetic_word(std::uint64_t rank);

}  // namespace ws::bench
