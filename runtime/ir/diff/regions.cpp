#include "runtime/ir/diff/regions.h"

#include <algorithm>

namespace ws::ir {
namespace {

constexpr std::size_t kNone = SIZE_MAX;

bool orchestrates(const OutlineRow& row) {
  return row.steps > 0;
}

// The key of each row's region: its mark, or the path of the first row of its run.
std::vector<std::string> keys_of(const Outline& outline) {
  std::vector<std::string> keys;
  std::string run;
  const OutlineRow* before = nullptr;
  for (const OutlineRow& row : outline.rows) {
    const bool same = before != nullptr && !row.mark && !before->mark &&
                      row.parameter == before->parameter &&
                      orchestrates(row) == orchestrates(*before) &&
                      !(orchestrates(row) && (row.closes || before->closes || before->opens));
    run = same ? run : row.path;
    keys.push_back(row.mark ? row.mark->region() : run);
    before = &row;
  }
  return keys;
}

// The rules that a row without a partner uses. One whose orchestration changed uses none: that is
// a breach.
Rules rules_used(const OutlineRow& row, const Outline& outline, const std::vector<bool>& kept) {
  Rules rules;
  for (std::size_t i = row.first_step; i < row.first_step + row.steps; ++i) {
    if (!kept[i] && outline.steps[i].allowed == Rules()) {
      return {};
    }
    rules.add(outline.steps[i].allowed);
  }
  rules.add(row.rules);
  return rules;
}

// Where a new row of the target without a mark belongs: to what it replaces, or to the row next to
// it that is of its kind.
std::size_t neighbour(const Outline& source, const OutlineRow& row, std::size_t before,
                      std::size_t after) {
  const auto fits = [&](std::size_t i) {
    return i < source.rows.size() && !source.rows[i].closes &&
           orchestrates(source.rows[i]) == orchestrates(row);
  };
  for (std::size_t i = before + 1; i < after; ++i) {
    if (fits(i)) {
      return i;
    }
  }
  return fits(before) ? before : fits(after) ? after : kNone;
}

void widen(Lines& lines, const OutlineRow& row) {
  lines.first = lines.first == 0 ? row.place.line : std::min(lines.first, row.place.line);
  lines.last = std::max(lines.last, row.last_line);
}

}  // namespace

Regions::Region& Regions::region(const std::string& key, const std::string& method,
                                 const std::optional<Mark>& mark) {
  const auto [at, fresh] = by_key_.emplace(key, regions_.size());
  if (fresh) {
    regions_.emplace_back();
    regions_.back().diff.region = key;
    regions_.back().diff.method = method;
    regions_.back().mark = mark;
  }
  return regions_[at->second];
}

void Regions::note(Region& into, const OutlineRow& row, bool source, bool loose) {
  bool& any_loose = source ? into.loose_source : into.loose_target;
  const bool first = loose && !any_loose;
  any_loose |= loose;
  (source ? into.in_source : into.in_target) += 1;
  into.untouched |= row.mark && row.mark->rules.has(Rule::kUntouched);
  widen(source ? into.diff.source : into.diff.target, row);
  SourcePlace& place = source ? into.first_source : into.first_target;
  if (place.line == 0 || first) {
    place = row.place;
  }
}

struct Regions::Side {
  const Outline& outline;
  const std::vector<bool>& kept;     // Steps.
  std::vector<std::string> keys;     // By row.
  std::vector<std::size_t> partner;  // By row; kNone: it has none.
};

void Regions::add(const Outline& source, const Outline& target, const Pairs& rows,
                  const StepComparison& steps) {
  Side from{source, steps.source_kept, keys_of(source),
            std::vector<std::size_t>(source.rows.size(), kNone)};
  Side to{target, steps.target_kept, keys_of(target),
          std::vector<std::size_t>(target.rows.size(), kNone)};
  for (const auto& [a, b] : rows) {
    from.partner[a] = b;
    to.partner[b] = a;
  }
  add_source(from, to);
  add_target(from, to);
}

void Regions::add_source(const Side& source, const Side& target) {
  const Outline& outline = source.outline;
  for (std::size_t i = 0; i < outline.rows.size(); ++i) {
    const OutlineRow& row = outline.rows[i];
    if (row.closes) {
      continue;
    }
    Region& into = region(source.keys[i], outline.name, row.mark);
    const std::size_t other = source.partner[i];
    const bool loose = other == kNone || target.outline.rows[other].text != row.text;
    note(into, row, true, loose);
    if (other == kNone) {
      into.rules[row.subject].add(rules_used(row, outline, source.kept));
    } else if (loose) {
      into.rules[row.subject].add(Rule::kIterationDomain);
    }
  }
}

void Regions::add_target(const Side& source, const Side& target) {
  const Outline& from = source.outline;
  const Outline& outline = target.outline;
  std::size_t before = kNone;  // The source's row that was the last partner.
  for (std::size_t j = 0; j < outline.rows.size(); ++j) {
    const OutlineRow& row = outline.rows[j];
    const std::size_t partner = target.partner[j];
    before = partner != kNone ? partner : before;
    if (row.closes) {
      continue;
    }
    if (partner != kNone) {
      note(region(source.keys[partner], from.name, row.mark), row, false,
           from.rows[partner].text != row.text);
      continue;
    }
    const auto next =
        std::find_if(target.partner.begin() + static_cast<std::ptrdiff_t>(j), target.partner.end(),
                     [](std::size_t other) { return other != kNone; });
    const std::size_t after = next == target.partner.end() ? from.rows.size() : *next;
    const std::size_t home = row.mark ? kNone : neighbour(from, row, before, after);
    const std::string key = home != kNone ? source.keys[home]
                            : row.mark    ? target.keys[j]
                                          : target.keys[j] + " of the target";
    Region& into = region(key, outline.name, row.mark);
    note(into, row, false, true);
    into.rules[row.subject].add(rules_used(row, outline, target.kept));
    into.beside = before < from.rows.size()
                      ? Lines{from.rows[before].place.line, from.rows[before].last_line}
                      : Lines{from.place.line, from.place.line};
  }
}

void Regions::finish(ProgramDiff& diff) const {
  for (const Region& region : regions_) {
    RegionDiff row = region.diff;
    row.change = !region.loose_source && !region.loose_target ? Change::kKept
                 : region.in_target == 0                      ? Change::kRemoved
                 : region.in_source == 0                      ? Change::kAdded
                                                              : Change::kChanged;
    for (const auto& [subject, rules] : region.rules) {
      row.rules.add(rules.has(Rule::kNormalisation) ? rules.without(Rule::kComputation) : rules);
    }
    diff.rules.add(row.rules);
    if (row.change != Change::kKept) {
      const Lines& lines = row.change == Change::kAdded ? region.beside : row.source;
      if (lines.first != 0) {
        diff.windows.push_back({"", lines});
      }
      if (region.mark) {
        diff.windows.push_back({region.mark->file, {region.mark->first, region.mark->last}});
      }
      if (region.untouched) {
        diff.breaches.push_back(
            {Rule::kUntouched,
             "region " + row.region + " is marked R7 and was " + std::string(word_of(row.change)),
             region.first_source, region.first_target});
      }
    }
    diff.regions.push_back(std::move(row));
  }
  std::stable_partition(diff.regions.begin(), diff.regions.end(),
                        [](const RegionDiff& row) { return row.change != Change::kAdded; });
}

}  // namespace ws::ir
