#include "runtime/archive/search/listed_standing.h"

#include <nlohmann/json.hpp>

#include "runtime/archive/search/kernel_status.h"
#include "runtime/archive/search/kernel_traits.h"
#include "runtime/archive/store/visible.h"
#include "runtime/base/text.h"
#include "runtime/base/viewer.h"

namespace ws::store {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostReason = 2000;  // Bytes.
/// A kernel timed against one that was timed against one, and so on.
constexpr int kMostBaselines = 16;

/// A part of a record; null where there is none.
const Json& part_at(const Json& form, const char* path) {
  static const Json nothing;
  const Json::json_pointer pointer(path);
  return form.contains(pointer) ? form[pointer] : nothing;
}

std::optional<double> number_at(const Json& form, const char* path) {
  const Json& part = part_at(form, path);
  return part.is_number() ? std::optional(part.get<double>()) : std::nullopt;
}

std::string text_at_path(const Json& form, const char* path) {
  const Json& part = part_at(form, path);
  return part.is_string() ? part.get<std::string>() : std::string();
}

/// The message of a validation, or the first one of the compiler.
std::string reason_in(const Json& record) {
  const std::string message = text_at_path(record, "/output/message");
  return quoted(message.empty() ? text_at_path(record, "/output/diagnostics/0/message") : message,
                kMostReason);
}

/// The speed-up of a baseline as the viewer sees it, and what it was timed against.
Result<std::optional<ListedSpeed>> speed_on(Connection& connection, const std::string& kernel_id,
                                            const std::string& device) {
  WS_TRY(Statement row,
         connection.prepare(std::string("SELECT ") + kStandingColumns +
                            " FROM indexed_kernels k JOIN standings s ON s.kernel = k.seq WHERE "
                            "k.kernel_id = ? AND s.device = ?" +
                            and_seen("k.kernel_id")));
  WS_TRY(const bool found, row.bind(kernel_id).bind(device).step());
  if (!found) {
    return std::optional<ListedSpeed>();
  }
  WS_TRY(const auto standing, seen_standing(connection, kernel_id, read_standing(row, 0)));
  return standing ? standing->speed : std::nullopt;
}

Result<std::optional<double>> total_of(Connection& connection, const ListedSpeed& speed,
                                       const std::string& device) {
  ListedSpeed timed{.least = speed.least, .against = speed.against};
  for (int i = 0; i < kMostBaselines; ++i) {
    if (timed.against == "reference") {
      return std::optional(timed.least);
    }
    WS_TRY(const std::optional<ListedSpeed> baseline, speed_on(connection, timed.against, device));
    if (!baseline) {
      break;
    }
    timed = {.least = timed.least * baseline->least, .against = baseline->against};
  }
  return std::optional<double>();
}

}  // namespace

Result<std::optional<ListedStanding>> seen_standing(Connection& connection,
                                                    const std::string& kernel_id,
                                                    ListedStanding standing) {
  WS_TRY(const bool seen_evidence, is_seen(connection, standing.evidence_id));
  WS_TRY(const bool seen_baseline,
         is_seen(connection, standing.speed ? standing.speed->against : std::string()));
  if (seen_evidence && seen_baseline) {
    return std::optional(std::move(standing));
  }
  WS_TRY(const auto status, kernel_status_of(connection, kernel_id, standing.device));
  if (!status) {
    return std::optional<ListedStanding>();
  }
  ListedStanding own;
  own.device = std::move(standing.device);
  own.passed = status->state == State::kPassed;
  own.verdict = status->verdict;
  own.evidence_id = status->evidence_id;
  own.at_ms = status->at_ms;
  if (status->ratio) {
    own.speed = ListedSpeed{.least = *status->ratio, .against = status->against};
  }
  return std::optional(std::move(own));
}

ListedStanding read_standing(const Statement& row, int first) {
  ListedStanding standing;
  standing.device = row.text(first);
  standing.passed = row.integer(first + 1) == static_cast<std::int64_t>(State::kPassed);
  standing.verdict = verdict_of_row(row.text(first + 2));
  standing.evidence_id = row.text(first + 3);
  standing.at_ms = row.integer(first + 4);
  if (const std::optional<double> ratio = row.real(first + 5)) {
    standing.speed = ListedSpeed{.least = *ratio, .against = row.text(first + 6)};
  }
  return standing;
}

Status add_evidence_facts(Connection& connection, ListedStanding& standing) {
  if (standing.passed && !standing.speed) {
    return {};
  }
  WS_TRY(Statement row, connection.prepare("SELECT json FROM evidence WHERE id = ?"));
  WS_TRY(const bool found, row.bind(standing.evidence_id).step());
  const Json record = Json::parse(found ? row.text(0) : "", nullptr, false);
  if (!standing.passed) {
    standing.message = reason_in(record);
  }
  if (standing.speed) {
    ListedSpeed& speed = *standing.speed;
    speed.ratio = number_at(record, "/output/ratio");
    speed.low = number_at(record, "/output/ratio_ci/0");
    speed.high = number_at(record, "/output/ratio_ci/1");
    speed.noise_floor = number_at(record, "/output/noise_floor");
    speed.verdict = verdict_of(text_at_path(record, "/output/verdict"));
    WS_TRY(speed.total, total_of(connection, speed, standing.device));
  }
  return {};
}

Result<std::vector<ListedStanding>> whole_standings(Connection& connection,
                                                    const std::string& kernel_id) {
  WS_TRY(Statement rows,
         connection.prepare(std::string("SELECT ") + kStandingColumns +
                            " FROM indexed_kernels k JOIN standings s ON s.kernel = k.seq "
                            "WHERE k.kernel_id = ?"));
  WS_TRY(auto standings, read_rows(rows.bind(kernel_id),
                                   [](const Statement& row) { return read_standing(row, 0); }));
  std::vector<ListedStanding> seen;
  for (ListedStanding& standing : standings) {
    WS_TRY(auto own, seen_standing(connection, kernel_id, std::move(standing)));
    if (own) {
      WS_CHECK(add_evidence_facts(connection, *own));
      seen.push_back(*std::move(own));
    }
  }
  return seen;
}

}  // namespace ws::store
