#include "tools/profile/line_counters.h"

#include <array>
#include <map>

#include "tools/answer/envelope.h"

namespace ws {
namespace {

constexpr std::size_t kMostCountedLines = 2000;

/// Null where nothing was counted.
Json ratio_form(double part, double whole) {
  return whole > 0 ? Json(rounded(part / whole)) : Json(nullptr);
}

double requests_of(const Counts& counts, MemorySpace space) {
  return counts.requests[static_cast<std::size_t>(space)];
}

struct LineColumn {
  const char* name;
  Json (*value)(const Counts& line, const Counts& total);
};

constexpr std::array kLineColumns = {
    LineColumn{"instructions_percent",
               [](const Counts& line, const Counts& total) {
                 return ratio_form(kPercent * line.warp_instructions, total.warp_instructions);
               }},
    LineColumn{"latency_percent",
               [](const Counts& line, const Counts& total) {
                 return ratio_form(kPercent * line.latency_cycles, total.latency_cycles);
               }},
    LineColumn{"sectors_per_request",
               [](const Counts& line, const Counts&) {
                 return ratio_form(line.sectors, requests_of(line, MemorySpace::kGlobal));
               }},
    LineColumn{"ideal_sectors_per_request",
               [](const Counts& line, const Counts&) {
                 return ratio_form(line.ideal_sectors, requests_of(line, MemorySpace::kGlobal));
               }},
    LineColumn{"shared_passes_per_request",
               [](const Counts& line, const Counts&) {
                 return ratio_form(line.passes, requests_of(line, MemorySpace::kShared));
               }},
    LineColumn{"ideal_shared_passes_per_request",
               [](const Counts& line, const Counts&) {
                 return ratio_form(line.ideal_passes, requests_of(line, MemorySpace::kShared));
               }},
    LineColumn{"divergent_percent",
               [](const Counts& line, const Counts&) {
                 return ratio_form(kPercent * line.divergent_branches, line.branches);
               }},
};

Json thread_lines(const PlanCounts& counts) {
  Json columns = Json::array({"line"});
  for (const LineColumn& column : kLineColumns) {
    columns.push_back(column.name);
  }
  Json rows = Json::array();
  for (const LineCounts& line : counts.lines) {
    if (line.region == "source" && line.line > 0 && rows.size() < kMostCountedLines) {
      Json row = Json::array({line.line});
      for (const LineColumn& column : kLineColumns) {
        row.push_back(column.value(line.counts, counts.total));
      }
      rows.push_back(std::move(row));
    }
  }
  return {{"columns", std::move(columns)}, {"rows", std::move(rows)}};
}

/// All work of one line of a kernel of tiles.
struct TileLine {
  double bytes = 0;
  double elements = 0;  ///< This and the next three: of accesses.
  double used = 0;
  double sectors = 0;
  double ideal_sectors = 0;
  double flops = 0;
};

Json tile_lines(const std::vector<TileWork>& work) {
  std::map<std::int64_t, TileLine> lines;
  for (const TileWork& one : work) {
    if (one.line <= 0) {
      continue;
    }
    TileLine& line = lines[one.line];
    line.flops += one.flops;
    if (is_access(one.kind)) {
      line.bytes += one.used * static_cast<double>(size_of(one.type));
      line.elements += one.elements;
      line.used += one.used;
      line.sectors += one.sectors;
      line.ideal_sectors += one.ideal_sectors;
    }
  }
  Json rows = Json::array();
  for (const auto& [number, line] : lines) {
    if (rows.size() < kMostCountedLines) {
      rows.push_back({number, rounded(line.bytes), ratio_form(kPercent * line.used, line.elements),
                      ratio_form(line.sectors, line.ideal_sectors), rounded(line.flops)});
    }
  }
  return {{"columns", {"line", "bytes", "used_percent", "sectors_per_ideal_sector", "flops"}},
          {"rows", std::move(rows)}};
}

}  // namespace

Json line_counters(const Profile& profile) {
  Json form = profile.input.tiles.empty() ? thread_lines(profile.input.counts)
                                          : tile_lines(profile.input.tiles);
  return form["rows"].empty() ? Json(nullptr) : form;
}

}  // namespace ws
