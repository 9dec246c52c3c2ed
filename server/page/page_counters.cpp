#include "server/page/page_counters.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace ws::server {
namespace {

constexpr std::size_t kMostColumns = 16;
constexpr std::size_t kMostCounterRows = 4000;
constexpr const char* kProfileKind = "profile";

constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kColumnWords = {
    {{"instructions_percent", "instructions, %"},
     {"latency_percent", "waiting, %"},
     {"sectors_per_request", "sectors a request"},
     {"ideal_sectors_per_request", "ideal"},
     {"shared_passes_per_request", "cycles of shared memory a request"},
     {"ideal_shared_passes_per_request", "ideal"},
     {"divergent_percent", "divergent branches, %"},
     {"bytes", "bytes"},
     {"used_percent", "elements used, %"},
     {"sectors_per_ideal_sector", "sectors for each ideal one"},
     {"flops", "operations"}}};

bool is_counter_row(const Json& row, std::size_t columns) {
  return row.is_array() && row.size() == columns && row[0].is_number_integer() &&
         std::all_of(row.begin(), row.end(),
                     [](const Json& value) { return value.is_number() || value.is_null(); });
}

/// Archives may be imported: what is not as a profile writes it is not shown.
bool are_counters(const Json& lines) {
  if (!lines.is_object() || !lines.contains("columns") || !lines.contains("rows")) {
    return false;
  }
  const Json& columns = lines["columns"];
  const Json& rows = lines["rows"];
  return columns.is_array() && !columns.empty() && columns.size() <= kMostColumns &&
         std::all_of(columns.begin(), columns.end(),
                     [](const Json& name) { return name.is_string(); }) &&
         rows.is_array() && rows.size() <= kMostCounterRows &&
         std::all_of(rows.begin(), rows.end(),
                     [&](const Json& row) { return is_counter_row(row, columns.size()); });
}

Json counters_form(const EvidenceRow& evidence) {
  Json form = {{"evidence_id", evidence.id},
               {"device", evidence.device},
               {"created_at", evidence.created_at},
               {"columns", Json::array()},
               {"rows", Json::array()}};
  const Json record = Json::parse(evidence.json, nullptr, false);
  if (record.is_object() && record.contains("lines") && are_counters(record["lines"])) {
    form["columns"] = record["lines"]["columns"];
    form["rows"] = record["lines"]["rows"];
  }
  return form;
}

}  // namespace

Result<Json> counters_of(ArchiveListing& listing, const std::string& kernel_id,
                         const std::string& evidence_id) {
  if (evidence_id.empty()) {
    WS_TRY(const std::optional<EvidenceRow> newest, listing.latest(kernel_id, kProfileKind));
    return newest ? counters_form(*newest) : Json(nullptr);
  }
  WS_TRY(const EvidenceRow row, listing.evidence(evidence_id));
  if (row.kernel_id != kernel_id || row.kind != kProfileKind) {
    return fail(ErrorCode::kNotFound, "`" + evidence_id + "` is no profile of that kernel",
                "leave it out for the newest one");
  }
  return counters_form(row);
}

std::string_view words_of_column(std::string_view column) {
  for (const auto& [name, words] : kColumnWords) {
    if (name == column) {
      return words;
    }
  }
  return {};
}

}  // namespace ws::server
