#include "runtime/ir/diff/compare_steps.h"

#include <algorithm>
#include <map>

namespace ws::ir {
namespace {

// A step without a partner, and what the other side has where it would be.
struct Loose {
  const Step* step = nullptr;
  SourcePlace beside;
  std::size_t hunk = 0;  // Between which pairs.
  bool told = false;
};

class Comparison {
 public:
  Comparison(const Outline& source, const Outline& target)
      : source_(source),
        target_(target) {}

  Result<StepComparison> run(const Pairs& rows) {
    std::vector<std::string> from;
    std::vector<std::string> to;
    for (const Step& step : source_.steps) {
      from.push_back(step.text);
    }
    for (std::size_t i = 0; i < target_.steps.size(); ++i) {
      if (target_.steps[i].allowed == Rules()) {
        counted_.push_back(i);
        to.push_back(target_.steps[i].text);
      }
    }
    WS_TRY(const Pairs pairs, align_texts(from, to, partners(rows)));
    split(pairs);
    tell();
    return std::move(result_);
  }

 private:
  // For each step of the source, the one of the target that stands in an equal row.
  [[nodiscard]] std::vector<std::size_t> partners(const Pairs& rows) const {
    std::map<std::size_t, std::size_t>
        first_of_row;  // Row of the target -> its first counted step.
    for (std::size_t i = counted_.size(); i-- > 0;) {
      first_of_row[target_.steps[counted_[i]].row] = i;
    }
    std::vector<std::size_t> partner(source_.steps.size(), SIZE_MAX);
    for (const auto& [a, b] : rows) {
      const OutlineRow& row = source_.rows[a];
      const auto found = first_of_row.find(b);
      for (std::size_t i = 0; i < row.steps && found != first_of_row.end(); ++i) {
        partner[row.first_step + i] = found->second + i;
      }
    }
    return partner;
  }

  void split(const Pairs& pairs) {
    const std::size_t a_size = source_.steps.size();
    result_.source_kept.assign(source_.steps.size(), false);
    result_.target_kept.assign(target_.steps.size(), false);
    std::size_t i = 0;
    std::size_t j = 0;
    for (std::size_t hunk = 0; hunk <= pairs.size(); ++hunk) {
      const auto [a, b] = hunk < pairs.size() ? pairs[hunk] : std::pair(a_size, counted_.size());
      const SourcePlace at = i > 0 ? source_.steps[i - 1].place : source_.place;
      const SourcePlace beside = j > 0 ? target_.steps[counted_[j - 1]].place : target_.place;
      for (; i < a; ++i) {
        gone_.push_back({&source_.steps[i], beside, hunk, false});
      }
      for (; j < b; ++j) {
        added_.push_back({&target_.steps[counted_[j]], at, hunk, false});
      }
      if (hunk < pairs.size()) {
        result_.source_kept[i++] = true;
        result_.target_kept[counted_[j++]] = true;
      }
    }
  }

  void breach(const std::string& what, SourcePlace source, SourcePlace target) {
    result_.breaches.push_back(
        {Rule::kKeepStructure, what + " `" + source_.name + "`", source, target});
  }

  // Tells of pairs that `same` puts together.
  template <typename Same>
  void tell_pairs(const Same& same, const char* verb) {
    for (Loose& gone : gone_) {
      const auto found = std::find_if(added_.begin(), added_.end(), [&](const Loose& added) {
        return !gone.told && !added.told && !added.step->block && same(gone, added);
      });
      if (gone.step->block || found == added_.end()) {
        continue;
      }
      const bool moved = gone.step->text == found->step->text;
      breach("`" + gone.step->text + "` " + verb + (moved ? "" : " `" + found->step->text + "`") +
                 " in",
             gone.step->place, found->step->place);
      gone.told = found->told = true;
    }
  }

  void tell() {
    tell_pairs([](const Loose& a, const Loose& b) { return a.step->text == b.step->text; },
               "moved");
    tell_pairs([](const Loose& a, const Loose& b) { return a.hunk == b.hunk; }, "became");
    for (const Loose& gone : gone_) {
      if (!gone.told && gone.step->text != "end") {
        breach("`" + gone.step->text + "` is gone from", gone.step->place, gone.beside);
      }
    }
    for (const Loose& added : added_) {
      if (!added.told && added.step->text != "end") {
        breach("`" + added.step->text + "` is new in", added.beside, added.step->place);
      }
    }
    if (result_.breaches.empty() && !(gone_.empty() && added_.empty())) {
      const SourcePlace source = gone_.empty() ? added_[0].beside : gone_[0].step->place;
      breach("a block ends elsewhere in", source,
             added_.empty() ? gone_[0].beside : added_[0].step->place);
    }
    std::sort(
        result_.breaches.begin(), result_.breaches.end(), [](const Breach& a, const Breach& b) {
          return std::pair(a.source.line, a.target.line) < std::pair(b.source.line, b.target.line);
        });
  }

  const Outline& source_;
  const Outline& target_;
  std::vector<std::size_t> counted_;  // Steps of the target that have to have a partner.
  std::vector<Loose> gone_;
  std::vector<Loose> added_;
  StepComparison result_;
};

}  // namespace

Result<StepComparison> compare_steps(const Outline& source, const Outline& target,
                                     const Pairs& rows) {
  return Comparison(source, target).run(rows);
}

}  // namespace ws::ir
