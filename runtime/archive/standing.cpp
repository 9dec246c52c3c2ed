#include "runtime/archive/standing.h"

#include <optional>

#include <nlohmann/json.hpp>

namespace ws::store {
namespace {

using Json = nlohmann::json;

std::string text_field(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

struct Standing {
  State state = State::kFailed;
  std::string verdict;
  std::string evidence_id;
  std::int64_t at_ms = 0;
  std::string arch;
  std::optional<double> ratio;
  std::string against;
};

/// Of a question that was asked again only the newest answer counts; a failure before a success.
/// What says nothing of the kernel does not count.
constexpr const char* kValidation =
    "SELECT verdict, id, created_ms, json FROM evidence e WHERE kernel_id = ?1 AND device = ?2 "
    "AND kind = 'validate' AND verdict NOT IN ('unsupported', 'invalid_reference') "
    "AND seq = (SELECT max(seq) FROM evidence WHERE kernel_id = ?1 AND device = ?2 "
    "AND kind = 'validate' AND key = e.key) ORDER BY verdict = 'passed', seq DESC LIMIT 1";
constexpr const char* kCompile =
    "SELECT verdict, id, created_ms, json FROM evidence WHERE kernel_id = ?1 AND device = ?2 "
    "AND kind = 'compile' ORDER BY seq DESC LIMIT 1";

Result<std::optional<Standing>> validated(Connection& connection, const std::string& kernel_id,
                                          const std::string& device) {
  for (const char* sql : {kValidation, kCompile}) {
    WS_TRY(Statement row, connection.prepare(sql));
    WS_TRY(const bool found, row.bind(kernel_id).bind(device).step());
    if (found && row.text(0) != "compiled") {
      const Json record = Json::parse(row.text(3), nullptr, false);
      Standing standing;
      standing.verdict = row.text(0);
      standing.state = standing.verdict == "passed" ? State::kPassed : State::kFailed;
      standing.evidence_id = row.text(1);
      standing.at_ms = row.integer(2);
      standing.arch = record.is_object() && record.contains("device")
                          ? text_field(record["device"], "arch")
                          : std::string();
      return std::optional<Standing>(std::move(standing));
    }
  }
  return std::optional<Standing>();
}

/// The newest benchmark; of the newest few one against the reference, whose ratios compare. Only
/// another benchmark says that a suspect one was a mistake, and what was measured before it was
/// measured of a kernel that may have cheated.
Status add_speed(Connection& connection, const std::string& kernel_id, const std::string& device,
                 Standing& standing) {
  WS_TRY(Statement row,
         connection.prepare("SELECT verdict, id, created_ms, json FROM evidence WHERE "
                            "kernel_id = ? AND device = ? AND kind = 'benchmark' "
                            "ORDER BY seq DESC LIMIT 8"));
  row.bind(kernel_id).bind(device);
  for (bool newest = true;; newest = false) {
    WS_TRY(const bool more, row.step());
    if (!more) {
      return {};
    }
    if (row.text(0) == "suspect") {
      if (newest) {
        standing.state = State::kFailed;
        standing.verdict = row.text(0);
        standing.evidence_id = row.text(1);
        standing.at_ms = row.integer(2);
      }
      return {};
    }
    const Json record = Json::parse(row.text(3), nullptr, false);
    const Json output =
        record.is_object() ? record.value("output", Json::object()) : Json::object();
    if (!output.contains("ratio") || !output["ratio"].is_number()) {
      continue;
    }
    const std::string against = text_field(output, "baseline");
    if (!standing.ratio || against == "reference") {
      standing.ratio = output["ratio"].get<double>();
      standing.against = against;
      standing.evidence_id = row.text(1);
    }
    if (against == "reference") {
      return {};
    }
  }
}

}  // namespace

Status refresh_standing(Connection& connection, const std::string& kernel_id,
                        const std::string& device) {
  WS_TRY(std::optional<Standing> standing, validated(connection, kernel_id, device));
  if (!standing) {
    return {};
  }
  if (standing->state == State::kPassed) {
    WS_CHECK(add_speed(connection, kernel_id, device, *standing));
  }
  WS_TRY(
      Statement insert,
      connection.prepare(
          "INSERT OR REPLACE INTO standings(kernel, device, problem, state, verdict, "
          "evidence_id, ratio, against, arch, at_ms) SELECT seq, ?, problem, ?, ?, ?, ?, ?, ?, ? "
          "FROM indexed_kernels WHERE kernel_id = ?"));
  insert.bind(device)
      .bind(static_cast<std::int64_t>(standing->state))
      .bind(standing->verdict)
      .bind(standing->evidence_id);
  if (standing->ratio) {
    insert.bind_real(*standing->ratio);
  } else {
    insert.bind_null();
  }
  return insert.bind(standing->against)
      .bind(standing->arch)
      .bind(standing->at_ms)
      .bind(kernel_id)
      .run();
}

}  // namespace ws::store
