#include "runtime/device/cpu/races/race_report.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "runtime/base/message.h"

namespace ws::cpu {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RacingAccess, site, write, strong, narrow, loose, block, thread)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RaceRecord, kind, first, second, scope, shared, object, buffer,
                                   offset, bytes, step, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RaceReport, records, complete)

namespace {

bool is_of(const RaceRecord& record, const Image& image, const RunPlan& plan) {
  const auto objects = static_cast<std::int64_t>(image.objects.size());
  const auto buffers = static_cast<std::int64_t>(plan.buffers.size());
  return record.kind <= RaceKind::kMeeting &&
         std::max(record.first.site, record.second.site) < image.sites.size() &&
         record.object < objects && record.buffer < buffers && record.step < plan.steps.size();
}

SanitizerPlace place_of(const RacingAccess& access, const Image& image) {
  const Site& site = image.sites.at(access.site);
  return {.file = site.region, .line = site.line, .column = site.column};
}

SanitizerRecord::Kind kind_of(RaceKind kind) {
  switch (kind) {
    case RaceKind::kRace:
      return SanitizerRecord::Kind::kRace;
    case RaceKind::kUnwritten:
      return SanitizerRecord::Kind::kUninitialised;
    case RaceKind::kMask:
    case RaceKind::kMeeting:
      break;
  }
  return SanitizerRecord::Kind::kOther;
}

std::string_view word_of(const RacingAccess& access) {
  return access.write ? "write" : "read";
}

}  // namespace

std::string encode(const RaceReport& report) {
  return json_line(report);
}

Result<RaceReport> decode_races(std::string_view frame, const Image& image, const RunPlan& plan) {
  WS_TRY(RaceReport report, parse_value<RaceReport>(frame, "report of races"));
  if (!std::ranges::all_of(report.records,
                           [&](const RaceRecord& record) { return is_of(record, image, plan); })) {
    return fail(ErrorCode::kInternal, "a report of races that does not belong to the kernel");
  }
  return report;
}

std::vector<SanitizerRecord> sanitizer_records(const RaceReport& report, const Image& image,
                                               const RunPlan& plan) {
  std::vector<SanitizerRecord> records;
  for (const RaceRecord& race : report.records) {
    SanitizerRecord record;
    record.tool = SanitizerTool::kEngine;
    record.kind = kind_of(race.kind);
    record.access = word_of(race.first);
    record.space = race.shared ? "shared" : "global";
    record.access_bytes = race.bytes;
    record.entry = image.entries.at(plan.steps.at(race.step).entry).name;
    record.at = place_of(race.first, image);
    record.block = race.first.block;
    record.thread = race.first.thread;
    if (race.kind == RaceKind::kMask) {
      record.text = "the mask of a warp operation lacks the lane that calls it";
    } else if (race.kind == RaceKind::kMeeting) {
      record.text = "lanes that one mask names are in different calls of a warp reduction";
    }
    if (race.kind == RaceKind::kRace || race.kind == RaceKind::kMeeting) {
      record.other = place_of(race.second, image);
      record.other_access = word_of(race.second);
      record.other_block = race.second.block;
      record.other_thread = race.second.thread;
      record.same_warp = race.scope == RaceScope::kWarp;
      record.block_scope = race.first.narrow || race.second.narrow;
      record.volatile_only = race.first.loose && race.second.loose;
    }
    if (race.buffer >= 0) {
      record.buffer = static_cast<std::size_t>(race.buffer);
    } else if (race.object >= 0) {
      record.variable = image.objects.at(static_cast<std::size_t>(race.object));
    }
    record.offset = static_cast<std::int64_t>(race.offset);
    record.count = race.count;
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace ws::cpu
