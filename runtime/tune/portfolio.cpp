#include "runtime/tune/portfolio.h"

#include <algorithm>
#include <utility>

namespace ws::tune {
namespace {

constexpr double kReward = 1.0;  // The credit for a new best.
constexpr double kFade = 0.98;   // All credit fades by this with each result.

}  // namespace

Portfolio::Portfolio(std::vector<Member> members, std::uint64_t seed)
    : members_(std::move(members)),
      credit_(members_.size(), 0),
      random_(seed) {}

std::optional<Point> Portfolio::ask() {
  std::vector<double> weights;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    weights.push_back(members_[i].share * (1 + credit_[i]));
  }
  // A strategy that has nothing to ask for is passed over; in the end all have been asked.
  for (std::size_t left = members_.size(); left > 0; --left) {
    double sum = 0;
    for (const double weight : weights) {
      sum += weight;
    }
    double at = pick_share(random_) * sum;
    std::size_t chosen = 0;
    while (chosen + 1 < weights.size() && (weights[chosen] == 0 || at >= weights[chosen])) {
      at -= weights[chosen++];
    }
    if (std::optional<Point> point = members_[chosen].strategy->ask()) {
      asked_by_.emplace(*point, chosen);
      return point;
    }
    weights[chosen] = 0;
  }
  return std::nullopt;
}

void Portfolio::tell(const Point& point, const Features& features, double score) {
  for (double& credit : credit_) {
    credit *= kFade;
  }
  const auto asker = asked_by_.find(point);
  if (asker != asked_by_.end() && score < best_) {
    credit_[asker->second] += kReward;
  }
  best_ = std::min(best_, score);
  for (Member& member : members_) {
    member.strategy->tell(point, features, score);
  }
}

double Portfolio::promise(const Point& point, const Features& features) const {
  return members_.front().strategy->promise(point, features);
}

}  // namespace ws::tune
