// The twelve attention variants as edits of one program: O = norm(mask(score(S))) V.
#include "tests/ir/variants.h"

#include <algorithm>
#include <cmath>

#include "tests/ir/program_bench.h"

namespace ws::ir {
namespace {

double masked(bool seen, double score) {
  return seen ? score : -INFINITY;
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

// From the line that starts with `first` to the one that starts with `last`, both in whole. A text
// that has them not is emptied: no test takes it.
void replace_lines(std::string& text, const std::string& first, const std::string& last,
                   const std::string& with) {
  const std::size_t from = text.find(first);
  if (from == std::string::npos) {
    text.clear();
    return;
  }
  const std::size_t to = text.find('\n', text.find(last, from));
  text.replace(from, to - from, with);
}

}  // namespace

const std::vector<Variant>& variants() {
  static const std::vector<Variant> rows = {
      {"relative position", "x = x + (i - k)",
       [](double s, auto i, auto k) { return s + static_cast<double>(i - k); }},
      {"softcap", "x = 20.0 * tanh(x / 20.0)",
       [](double s, auto, auto) { return 20 * std::tanh(s / 20); }},
      {"ALiBi", "x = x - 0.25 * (i - k).to('f32')",
       [](double s, auto i, auto k) { return s - 0.25 * static_cast<double>(i - k); }},
      {"causal", "x = where(k <= i, x, -inf)",
       [](double s, auto i, auto k) { return masked(k <= i, s); }},
      {"sliding window", "x = where((i - 20 <= k) & (k <= i), x, -inf)",
       [](double s, auto i, auto k) { return masked(i - 20 <= k && k <= i, s); }},
      {"prefix", "x = where((k <= 40) | (k <= i), x, -inf)",
       [](double s, auto i, auto k) { return masked(k <= 40 || k <= i, s); }},
      {"global window", "x = where((abs(i - k) <= 16) | (i < 4) | (k < 4), x, -inf)",
       [](double s, auto i, auto k) { return masked(std::abs(i - k) <= 16 || i < 4 || k < 4, s); }},
      {"shared question",
       "x = where((k <= i) & ((k < 64) | ((i - 64) // 32 == (k - 64) // 32)), x, -inf)",
       [](double s, auto i, auto k) {
         const bool own = k < 64 || (i >= 64 && (i - 64) / 32 == (k - 64) / 32);
         return masked(k <= i && own, s);
       }},
      {"causal blockwise", "x = where((k <= i) & ((i // 48 == k // 48) | (i >= 192)), x, -inf)",
       [](double s, auto i, auto k) {
         return masked(k <= i && (i / 48 == k / 48 || i >= 192), s);
       }},
      {"ReLU", "", [](double s, auto, auto) { return s; }, "relu(x) / 256.0",
       [](double x) { return std::max(x, 0.0) / 256; }},
      {"sigmoid", "", [](double s, auto, auto) { return s; }, "sigmoid(x) / 256.0",
       [](double x) { return sigmoid(x) / 256; }},
      {"prefix, softcap and sigmoid",
       "x = where((k <= 40) | (k <= i), 20.0 * tanh(x / 20.0), -inf)",
       [](double s, auto i, auto k) { return masked(k <= 40 || k <= i, 20 * std::tanh(s / 20)); },
       "sigmoid(x) / 256.0", [](double x) { return sigmoid(x) / 256; }},
  };
  return rows;
}

std::string variant_source() {
  return repository_file("examples/cuir/attention_fa2.cuir");
}

std::string program_of(const Variant& variant) {
  std::string text = variant_source();
  replace_lines(text, "            if self.causal", "                x = where",
                "            k = j * self.BN + arange(self.BN)[None, :]\n            " +
                    std::string(*variant.lines == 0 ? "pass" : variant.lines));
  if (variant.weight != nullptr) {
    replace_lines(text, "            new = maximum", "            m = new",
                  "            p = " + std::string(variant.weight) + "\n            scale = 1.0");
    replace_lines(text, "        l = zeros", "        l = zeros",
                  "        l = ones((self.BM, 1), \"f32\")");
  }
  return text;
}

}  // namespace ws::ir
