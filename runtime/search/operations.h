// How alike two kernels are by what they compute: the operations of their lifted programs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ws {

/// A histogram: how often a program does each kind of operation, by its name.
using OperationCounts = std::map<std::string, std::uint32_t>;

/// As an archive keeps it; equal ones give equal texts.
std::string operations_text(const OperationCounts& counts);
/// Nothing of a text that is no histogram.
OperationCounts operations_from_text(std::string_view text);

/// Each operation with how often it came before, as a hash, ascending: jaccard() of two is the sum
/// of what both have over the sum of what either has, and signature_of() leads to those that are
/// alike. Of one kind at most the first 64.
std::vector<std::uint64_t> operation_runs(const OperationCounts& counts);

}  // namespace ws
