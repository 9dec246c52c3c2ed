#include "server/look/standing_text.h"

#include <algorithm>
#include <vector>

#include "server/text_format.h"

namespace ws::server {
namespace {

constexpr std::size_t kVerdictWidth = 16;
constexpr std::size_t kSpeedWidth = 26;
constexpr std::size_t kBarWidth = 24;
constexpr std::size_t kMostReason = 120;

std::string times(double ratio) {
  return decimal(ratio, 2) + "x";
}

}  // namespace

double speed_of(const ListedStanding& standing) {
  return standing.passed && standing.speed && standing.speed->total ? *standing.speed->total : 0;
}

double most_speed(const std::vector<ListedKernel>& kernels) {
  double most = 0;
  for (const ListedKernel& kernel : kernels) {
    for (const ListedStanding& standing : kernel.standings) {
      most = std::max(most, speed_of(standing));
    }
  }
  return most;
}

std::string speed_words(const ListedStanding& standing) {
  if (!standing.speed) {
    return {};
  }
  const ListedSpeed& speed = *standing.speed;
  std::string words = times(speed.ratio.value_or(speed.least));
  if (speed.low && speed.high) {
    words += " (" + decimal(*speed.low, 2) + " to " + decimal(*speed.high, 2) + ")";
  }
  return speed.against == "reference" ? words : words + " of " + one_line(speed.against, kBarWidth);
}

std::string standing_text(const Terminal& terminal, const ListedStanding& standing, double most) {
  const std::string verdict = column(name_of(standing.verdict), kVerdictWidth);
  if (!standing.passed) {
    return inked(terminal, TextColour::kBad, verdict) + one_line(standing.message, kMostReason);
  }
  const double speed = speed_of(standing);
  return inked(terminal, TextColour::kGood, verdict) + column(speed_words(standing), kSpeedWidth) +
         (most > 0 ? bar(terminal, speed / most, kBarWidth) : std::string());
}

}  // namespace ws::server
