#include "tools/evaluate/reward.h"

#include <algorithm>
#include <cmath>

namespace ws {

bool is_valid(const std::string& benchmark_verdict) {
  return benchmark_verdict == "faster" || benchmark_verdict == "slower" ||
         benchmark_verdict == "equivalent" || benchmark_verdict == "inconclusive";
}

double reward(double speedup, double offset) {
  return 1 / (1 + std::exp(offset - 1 - std::max(0.0, speedup)));
}

}  // namespace ws
