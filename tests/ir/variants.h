// The twelve attention variants as edits of one program: O = norm(mask(score(S))) V.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ws::ir {

/// Queries and keys that the variants' constants are made for.
inline constexpr std::int64_t kVariantLength = 256;

struct Variant {
  const char* name;
  const char* lines;  ///< The lines in place of the causal mask; `i` and `k` are the indices.
  std::function<double(double score, std::int64_t i, std::int64_t k)> score;
  const char* weight = nullptr;  ///< Instead of softmax: what a score weighs.
  std::function<double(double)> weigh = nullptr;
};

const std::vector<Variant>& variants();

/// The program that they edit, examples/cuir/attention_fa2.cuir, and one edit of it.
std::string variant_source();
std::string program_of(const Variant& variant);

}  // namespace ws::ir
