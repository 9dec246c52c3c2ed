#include "tools/profile/groups.h"

#include <algorithm>

#include "tools/answer/envelope.h"

namespace ws {
namespace {

constexpr std::size_t kConciseLines = 8;
constexpr std::size_t kMostLaunches = 8;
constexpr std::size_t kMostTiles = 16;

std::size_t index(MemorySpace space) {
  return static_cast<std::size_t>(space);
}

/// The GPU's own counters whose names do, or do not, begin with "stall_"; null where there are
/// none.
Json hardware_form(const Profile& profile, bool stalls) {
  if (!profile.hardware) {
    return nullptr;
  }
  Json form = Json::object();
  for (const HardwareMetric& row : kHardwareMetrics) {
    const auto at = profile.hardware->values.find(row.name);
    if (at != profile.hardware->values.end() && at->first.starts_with("stall_") == stalls) {
      form[row.name] = rounded(at->second);
    }
  }
  return form;
}

/// Null where nothing was counted.
Json quotient(double a, double b) {
  return b > 0 ? Json(rounded(a / b)) : Json(nullptr);
}

Json speed_of_light(const Profile& profile, bool /*full*/) {
  Json form = {{"model", kHopper.name}};
  for (std::size_t i = 0; i < kParts; ++i) {
    form[std::string(kPartNames[i]) + "_percent"] =
        rounded(kPercent * profile.model.share(profile.model.cycles[i]));
  }
  form["launch_percent"] = quotient(kPercent * profile.model.launch_us, profile.model.total_us);
  form["total_us"] = rounded(profile.model.total_us);
  if (profile.input.measured_us) {
    form["measured_us"] = rounded(*profile.input.measured_us);
    form["hardware"] = hardware_form(profile, false);
  }
  return form;
}

Json memory(const Profile& profile, bool /*full*/) {
  const Counts& total = profile.input.counts.total;
  Json bytes = Json::object();
  Json requests = Json::object();
  for (std::size_t i = 0; i < kMemorySpaces; ++i) {
    bytes[kMemorySpaceNames[i]] = rounded(total.bytes[i]);
    requests[kMemorySpaceNames[i]] = rounded(total.requests[i]);
  }
  const double global = total.requests[index(MemorySpace::kGlobal)];
  const double shared = total.requests[index(MemorySpace::kShared)];
  return {{"bytes", bytes},
          {"requests", requests},
          {"sectors", rounded(total.sectors)},
          {"sectors_per_request", quotient(total.sectors, global)},
          {"ideal_sectors_per_request", quotient(total.ideal_sectors, global)},
          {"shared_passes_per_request", quotient(total.passes, shared)},
          {"ideal_shared_passes_per_request", quotient(total.ideal_passes, shared)},
          {"bank_conflicts", rounded(total.passes - total.ideal_passes)}};
}

Json compute(const Profile& profile, bool /*full*/) {
  const Counts& total = profile.input.counts.total;
  Json classes = Json::object();
  for (std::size_t i = 0; i < kInstrClasses; ++i) {
    if (total.instructions[i] > 0) {
      classes[kInstrClassNames[i]] = rounded(total.instructions[i]);
    }
  }
  return {{"warp_instructions", classes},
          {"flops", rounded(total.flops)},
          {"threads_per_warp", quotient(total.thread_instructions, total.warp_instructions)},
          {"branches", rounded(total.branches)},
          {"divergent_branches", rounded(total.divergent_branches)}};
}

Json launch(const Profile& profile, bool /*full*/) {
  Json rows = Json::array();
  const std::vector<LaunchShape>& launches = profile.input.launches;
  for (std::size_t i = 0; i < std::min(launches.size(), kMostLaunches); ++i) {
    rows.push_back({{"entry", quoted(launches[i].entry, 60)},
                    {"blocks", launches[i].blocks},
                    {"threads", launches[i].threads},
                    {"shared_bytes", launches[i].shared_bytes}});
  }
  return {{"launches", launches.size()},
          {"first", rows},
          {"blocks_run", profile.input.counts.blocks},
          {"blocks_counted", profile.input.counts.sampled}};
}

Json occupancy(const Profile& profile, bool /*full*/) {
  Json rows = Json::array();
  const std::vector<LaunchShape>& launches = profile.input.launches;
  for (std::size_t i = 0; i < std::min(launches.size(), kMostLaunches); ++i) {
    const LaunchShape& shape = launches[i];
    Json row = {{"entry", quoted(shape.entry, 60)},
                {"occupancy", shape.occupancy ? Json(rounded(*shape.occupancy)) : Json(nullptr)},
                {"registers", shape.registers < 0 ? Json(nullptr) : Json(shape.registers)}};
    if (!shape.occupancy_limit.empty()) {
      row["limited_by"] = shape.occupancy_limit;
    }
    rows.push_back(std::move(row));
  }
  return {{"launches", rows},
          {"sms", rounded(profile.model.sms)},
          {"resident_warps", rounded(profile.model.resident_warps)}};
}

Json stalls(const Profile& profile, bool /*full*/) {
  if (profile.hardware) {
    return {{"measured", true},
            {"unit", "warps that wait for it, for each instruction issued"},
            {"warps", hardware_form(profile, true)}};
  }
  return {
      {"measured", false},
      {"why", quoted(profile.no_hardware)},
      {"latency_percent",
       rounded(kPercent * profile.model.share(
                              profile.model.cycles[static_cast<std::size_t>(Part::kLatency)]))}};
}

Json source(const Profile& profile, bool full) {
  std::vector<const LineCounts*> lines;
  for (const LineCounts& line : profile.input.counts.lines) {
    if (!line.region.empty()) {
      lines.push_back(&line);
    }
  }
  const Counts& total = profile.input.counts.total;
  if (!full) {  // Those that issue or wait for most.
    std::stable_sort(lines.begin(), lines.end(), [](const auto* a, const auto* b) {
      return a->counts.latency_cycles > b->counts.latency_cycles;
    });
    lines.resize(std::min(lines.size(), kConciseLines));
  }
  Json rows = Json::array();
  for (const LineCounts* line : lines) {
    const Counts& counts = line->counts;
    rows.push_back(
        {{"region", quoted(line->region, 60)},
         {"line", line->line},
         {"instructions_percent",
          quotient(kPercent * counts.warp_instructions, total.warp_instructions)},
         {"latency_percent", quotient(kPercent * counts.latency_cycles, total.latency_cycles)},
         {"sectors_per_request",
          quotient(counts.sectors, counts.requests[index(MemorySpace::kGlobal)])},
         {"shared_passes_per_request",
          quotient(counts.passes, counts.requests[index(MemorySpace::kShared)])},
         {"divergent_percent", quotient(kPercent * counts.divergent_branches, counts.branches)}});
  }
  return {{"lines", rows}, {"lines_total", profile.input.counts.lines.size()}};
}

/// The work of a kernel of tiles, by line; null for others.
Json tiles(const Profile& profile, bool full) {
  std::vector<const TileWork*> rows;
  for (const TileWork& row : profile.input.tiles) {
    if (full || is_access(row.kind) || row.kind == TileWorkKind::kProduct) {
      rows.push_back(&row);
    }
  }
  if (rows.empty()) {
    return nullptr;
  }
  rows.resize(full ? rows.size() : std::min(rows.size(), kMostTiles));
  Json list = Json::array();
  for (const TileWork* row : rows) {
    Json form = {{"line", row->line},
                 {"work", kTileWorkNames.at(static_cast<std::size_t>(row->kind))},
                 {"type", name_of(row->type)},
                 {"tiles", row->times},
                 {"elements_per_tile", quotient(row->elements, row->times)}};
    if (is_access(row->kind)) {
      form["bytes"] = row->used * static_cast<double>(size_of(row->type));
      form["used_percent"] = quotient(kPercent * row->used, row->elements);
      form["sectors_per_ideal_sector"] = quotient(row->sectors, row->ideal_sectors);
    } else {
      form["flops"] = row->flops;
    }
    list.push_back(std::move(form));
  }
  return {{"lines", list}};
}

struct Group {
  const char* name;
  Json (*form)(const Profile&, bool);
};

/// The schema has the same names.
constexpr std::array kGroups = {
    Group{"speed_of_light", speed_of_light},
    Group{"memory", memory},
    Group{"compute", compute},
    Group{"launch", launch},
    Group{"occupancy", occupancy},
    Group{"stalls", stalls},
    Group{"source", source},
    Group{"tiles", tiles},
};

}  // namespace

Json findings_form(const Profile& profile) {
  Json rows = Json::array();
  for (const Finding& finding : profile.findings) {
    rows.push_back({{"cause", finding.cause},
                    {"metric", finding.metric},
                    {"value", rounded(finding.value)},
                    {"unit", finding.unit},
                    {"meaning", finding.meaning},
                    {"try", finding.advice},
                    {"lines", finding.lines},
                    {"may_explain_percent", rounded(kPercent * finding.may_explain)}});
  }
  return rows;
}

Json roofline_form(const Profile& profile) {
  const Model& model = profile.model;
  if (profile.roofline) {
    return {{"intensity", quotient(model.flops, model.bytes)},
            {"bound", profile.roofline->bound == "copy" ? "memory" : "compute"},
            {"percent", rounded(profile.roofline->percent)}};
  }
  return {{"intensity", quotient(model.flops, model.bytes)},
          {"bound", model.memory_roof ? "memory" : "compute"},
          {"percent", quotient(kPercent * model.roof_us, model.total_us)}};
}

Json group_form(const Profile& profile, const std::string& name, bool full) {
  const auto* const group = std::find_if(kGroups.begin(), kGroups.end(),
                                         [&](const Group& row) { return row.name == name; });
  return group == kGroups.end() ? Json(nullptr) : group->form(profile, full);
}

}  // namespace ws
