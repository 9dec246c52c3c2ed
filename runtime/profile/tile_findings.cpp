// The causes of lost time in a kernel of tiles.
#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/base/numbers.h"
#include "runtime/profile/causes.h"

namespace ws {
namespace {

double cycles(const Model& model, Part part) {
  return model.cycles[static_cast<std::size_t>(part)];
}

/// Arithmetic of the busiest SM.
double arithmetic(const Model& model) {
  return std::max(cycles(model, Part::kArithmetic), cycles(model, Part::kIssue));
}

Finding scattered_tiles(const CauseContext& context) {
  const auto wasted = [](const Counts& counts) {
    return std::max(0.0, counts.sectors - counts.ideal_sectors);
  };
  double waste = 0;
  for (const LineCounts& line : context.input.counts.lines) {
    waste += wasted(line.counts);
  }
  const Counts& total = context.total();
  Finding finding;
  finding.lines = heaviest(context, wasted);
  finding.metric = "sectors_per_ideal_sector";
  finding.value = quotient(total.sectors, total.ideal_sectors);
  finding.unit = "sectors of 32 bytes";
  finding.meaning = "tiles touch " + three_digits(finding.value) +
                    " times the sectors that their elements would fill: " +
                    percent_text(quotient(waste, total.sectors)) + " of the traffic is not used";
  finding.advice = at_lines(finding.lines) +
                   "let the longer side of the tile run along the dimension whose elements lie "
                   "next to each other in memory; transpose the tile after it was loaded";
  finding.may_explain = context.share(waste / kHopper.sectors);
  return finding;
}

/// The share of the elements of loaded and stored tiles that lie inside arrays and masks.
double used_share(const ProfileInput& input) {
  double elements = 0;
  double used = 0;
  for (const TileWork& row : input.tiles) {
    elements += is_access(row.kind) ? row.elements : 0;
    used += is_access(row.kind) ? row.used : 0;
  }
  return elements > 0 ? used / elements : 1;
}

Finding masked_elements(const CauseContext& context) {
  std::vector<std::pair<double, int>> lines;
  for (const TileWork& row : context.input.tiles) {
    if (is_access(row.kind) && row.line > 0 && row.elements > row.used) {
      lines.emplace_back(row.used - row.elements, static_cast<int>(row.line));
    }
  }
  std::sort(lines.begin(), lines.end());
  Finding finding;
  for (const auto& [unused, line] : lines) {
    if (finding.lines.size() < Finding::kMostLines) {
      finding.lines.push_back(line);
    }
  }
  const double idle = 1 - used_share(context.input);
  finding.metric = "used_percent";
  finding.value = 100 * (1 - idle);
  finding.unit = "%";
  finding.meaning = percent_text(idle) +
                    " of the elements of the tiles lie beyond the edge of an array or are masked: "
                    "they are computed with, and thrown away";
  finding.advice = at_lines(finding.lines) +
                   "choose tile sizes that divide the sizes of the problem, or smaller ones; skip "
                   "tiles that are wholly masked";
  finding.may_explain = idle * context.model.share(arithmetic(context.model));
  return finding;
}

Finding repeated_loads(const CauseContext& context) {
  const Model& model = context.model;
  const auto loaded = [](const Counts& counts) { return counts.ideal_sectors; };
  const double moved = kSectorBytes * context.total().ideal_sectors * context.input.scale;
  Finding finding;
  finding.lines = heaviest(context, loaded);
  finding.metric = "bytes_moved_per_byte_needed";
  finding.value = quotient(moved, model.bytes);
  finding.unit = "bytes";
  finding.meaning = "blocks load and store " + three_digits(finding.value) +
                    " bytes for each byte that has to be moved once: the same data comes from the "
                    "L2 cache again and again";
  finding.advice = at_lines(finding.lines) +
                   "larger tiles, so that each element is loaded by fewer blocks; keep what one "
                   "block needs twice in a tile";
  const double l2 = cycles(model, Part::kL2);
  const double needless = finding.value > 1 ? 1 - 1 / finding.value : 0;
  finding.may_explain =
      std::min(model.share(l2 * needless), model.share(l2 - next_longest(model, {Part::kL2})));
  return finding;
}

Finding idle_sms(const CauseContext& context) {
  const Model& model = context.model;
  double blocks = 0;
  double places = 0;
  for (const LaunchShape& launch : context.input.launches) {
    blocks += launch.blocks;
    places += std::ceil(launch.blocks / kHopper.sms) * kHopper.sms;
  }
  double longest = 1;  // The longest block over the mean one, where an SM has only that one.
  for (const StepCounts& step : context.input.counts.steps) {
    longest = std::max(longest, step.blocks <= kHopper.sms ? step.longest : 1);
  }
  const double idle = 1 - quotient(blocks, places) / longest;
  Finding finding;
  finding.metric = "blocks_per_launch";
  finding.value = quotient(blocks, static_cast<double>(context.input.launches.size()));
  finding.unit = "blocks";
  finding.meaning = three_digits(finding.value) + " blocks on " + three_digits(kHopper.sms) +
                    " SMs: " + percent_text(idle) + " of the SMs' time nothing is left to do";
  finding.advice =
      "smaller tiles, more than one block for a long row or a long sum (split it, and add the "
      "parts in a second launch), or a number of blocks that fills whole rounds";
  finding.may_explain = idle * quotient(model.work_us, model.total_us);
  return finding;
}

Finding busy_arithmetic(const CauseContext& context) {
  const Model& model = context.model;
  const auto busiest = static_cast<std::size_t>(model.busiest);
  const double busy = arithmetic(model);
  // The elements that are masked are another cause.
  const double useful = busy * used_share(context.input);
  const double others = next_longest(model, {Part::kIssue, Part::kArithmetic});
  Finding finding;
  finding.lines =
      heaviest(context, [&](const Counts& counts) { return counts.instructions[busiest]; });
  finding.metric = "flops_per_byte";
  finding.value = quotient(model.flops, model.bytes);
  finding.unit = "operations per byte";
  finding.meaning = std::string("arithmetic sets the pace (") + kInstrClassNames.at(busiest) +
                    " most): memory alone would take " + percent_text(quotient(others, busy)) +
                    " of that time";
  const bool tensor = model.busiest == InstrClass::kTensor;
  finding.advice =
      at_lines(finding.lines) +
      (tensor ? "narrower factors of the product (f16, bf16, f8), or less to multiply: skip tiles "
                "that are masked"
              : "do less: hoist repeated work out of the loop, let a product of tiles (dot, mma) "
                "take the place of multiply and sum, use exp2 and one division for many");
  finding.may_explain = model.share(useful - others);
  return finding;
}

constexpr std::array kTileRules = {
    CauseRule{"uncoalesced", scattered_tiles},   CauseRule{"masked_elements", masked_elements},
    CauseRule{"repeated_loads", repeated_loads}, CauseRule{"idle_sms", idle_sms},
    CauseRule{"launch_bound", launch_bound},     CauseRule{"compute_bound", busy_arithmetic},
};

}  // namespace

std::span<const CauseRule> tile_rules() {
  return kTileRules;
}

}  // namespace ws
