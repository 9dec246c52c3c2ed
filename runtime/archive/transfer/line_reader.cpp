#include "runtime/archive/transfer/line_reader.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/base/hash.h"
#include "runtime/exchange/shallow_json.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/form/json_reader.h"
#include "runtime/kernel/ids.h"

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;  // The version of our own lines.
constexpr std::size_t kMaxId = 160;
constexpr std::size_t kMaxLabel =
    4000;  // The archive has its own rule for labels; this only bounds memory.

Result<std::string> text_of(const Json& line, const char* key, std::size_t limit = kMaxId) {
  WS_TRY(const JsonReader field, JsonReader(line, "line").require(key));
  return field.text(limit);
}

Status same_id(const std::string& sent, const std::string& content) {
  if (sent != content && sent != older_id(content)) {
    return fail(ErrorCode::kInvalidArgument,
                "the id " + sent.substr(0, kMaxId) + " is not that of its content, " + content);
  }
  return {};
}

std::string to_text(const Json& line) {
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ArchiveItem item_of(ArchiveItem::Kind kind) {
  ArchiveItem item;
  item.kind = kind;
  return item;
}

Result<std::vector<ArchiveItem>> read_evidence_line(const Json& line) {
  ArchiveItem item = item_of(ArchiveItem::Kind::kClaim);
  WS_TRY(item.claim.id, text_of(line, "id"));
  WS_TRY(item.claim.kernel_id, text_of(line, "kernel_id"));
  for (const char* field : {"device", "kind", "verdict"}) {
    WS_TRY([[maybe_unused]] const std::string there, text_of(line, field));
  }
  item.claim.json = to_text(line);
  return std::vector<ArchiveItem>{std::move(item)};
}

Result<std::vector<ArchiveItem>> read_label_line(const Json& line) {
  ArchiveItem item = item_of(ArchiveItem::Kind::kLabel);
  WS_TRY(item.label.kernel_id, text_of(line, "kernel_id"));
  WS_TRY(item.label.kind, text_of(line, "kind"));
  WS_TRY(item.label.text, text_of(line, "text", kMaxLabel));
  if (item.label.kind != "note" && item.label.kind != "tag") {
    return JsonReader(line["kind"], "line.kind").expected("\"note\" or \"tag\"");
  }
  item.label.imported = true;
  return std::vector<ArchiveItem>{std::move(item)};
}

Result<std::vector<ArchiveItem>> read_ref_line(const Json& line) {
  ArchiveItem item = item_of(ArchiveItem::Kind::kRef);
  WS_TRY(item.label.text, text_of(line, "name"));
  WS_TRY(item.label.kernel_id, text_of(line, "kernel_id"));
  if (const auto checkpoint = JsonReader(line, "line").find("checkpoint")) {
    WS_TRY(const bool fixed, checkpoint->boolean());
    item.label.kind = fixed ? "checkpoint" : "";
  }
  item.label.imported = true;
  return std::vector<ArchiveItem>{std::move(item)};
}

/// Whom the row of a line belongs to: {principal: 1 where it shares, else 0}.
Result<std::map<std::string, bool>> owners_of(const Json& line) {
  std::map<std::string, bool> owners;
  const auto given = line.find("owners");
  if (given == line.end()) {
    return owners;
  }
  constexpr std::size_t kMostOwners = 1000;
  constexpr std::size_t kLongestName = 200;
  const auto bad = [&] {
    return JsonReader(*given, "line.owners")
        .expected("up to 1000 names of principals, each 0 or 1");
  };
  if (!given->is_object() || given->size() > kMostOwners) {
    return bad();
  }
  for (const auto& [name, shared] : given->items()) {
    const bool is_name =
        !name.empty() && name.size() <= kLongestName &&
        std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
    if ((!is_name && !name.empty()) || (shared != 0 && shared != 1)) {
      return bad();
    }
    owners[name] = shared == 1 || name.empty();
  }
  return owners;
}

Status check_version(const Json& line) {
  WS_TRY(const JsonReader field, JsonReader(line, "line").require("version"));
  constexpr std::int64_t kMost = 1'000'000;
  WS_TRY(const std::int64_t version, field.integer(1, kMost));
  if (version > kVersion) {
    return fail(ErrorCode::kIo, "a newer warpsmith wrote this: version " + std::to_string(version) +
                                    " of the lines, this one reads up to " +
                                    std::to_string(kVersion));
  }
  return {};
}

}  // namespace

LineReader::Rows LineReader::problem_line(const Json& line) {
  WS_TRY(const std::string id, text_of(line, "id"));
  WS_TRY(const JsonReader form, JsonReader(line, "line").require("form"));
  WS_TRY(last_, problem_from_json(form.json()));
  WS_CHECK(same_id(id, last_.id));
  last_.id = id;
  ArchiveItem item = item_of(ArchiveItem::Kind::kProblem);
  item.problem = {last_.id, last_.name, last_.json, {}};
  return std::vector<ArchiveItem>{std::move(item)};
}

LineReader::Rows LineReader::kernel_line(const Json& line) {
  WS_TRY(const std::string id, text_of(line, "id"));
  WS_TRY(const std::string problem_id, text_of(line, "problem_id"));
  WS_TRY(const JsonReader form, JsonReader(line, "line").require("form"));
  if (last_.id != problem_id) {
    WS_TRY(const ProblemRow row, archive_.problem(problem_id));
    WS_TRY(last_, parse_problem(row.json));
    last_.id = row.id;
  }
  WS_TRY(const Kernel kernel, kernel_from_json(form.json(), last_));
  WS_CHECK(same_id(id, kernel.id));
  ArchiveItem item = item_of(ArchiveItem::Kind::kKernel);
  item.kernel = {id, kernel.name, last_.id, {}, kernel.json, {}};
  if (line.contains("parent") && line["parent"] != "") {
    WS_TRY(item.kernel.parent, text_of(line, "parent"));
  }
  return std::vector<ArchiveItem>{std::move(item)};
}

LineReader::Rows LineReader::own_line(const Json& line) {
  WS_TRY(const auto owners, owners_of(line));
  WS_TRY(std::vector<ArchiveItem> rows, typed_line(line));
  for (ArchiveItem& row : rows) {
    row.owners = row.kind == ArchiveItem::Kind::kClaim ? decltype(row.owners)() : owners;
  }
  return rows;
}

LineReader::Rows LineReader::typed_line(const Json& line) {
  WS_TRY(const std::string type, text_of(line, "type"));
  if (type == "archive") {
    WS_CHECK(check_version(line));
    return std::vector<ArchiveItem>();
  }
  if (type == "problem") {
    return problem_line(line);
  }
  if (type == "kernel") {
    return kernel_line(line);
  }
  if (type == "evidence") {
    return read_evidence_line(line);
  }
  if (type == "label") {
    return read_label_line(line);
  }
  if (type == "ref") {
    return read_ref_line(line);
  }
  return JsonReader(line["type"], "line.type")
      .expected("archive, problem, kernel, evidence, label or ref");
}

LineReader::Rows LineReader::read(std::string_view text) {
  WS_TRY(const Json line, parse_shallow(text));
  if (!line.is_object()) {
    return fail(ErrorCode::kInvalidArgument, "not a JSON object");
  }
  try {
    return rows_of(line, text);
  } catch (const Json::exception& error) {
    return fail(ErrorCode::kInvalidArgument, "a field has the wrong type", {}, error.what());
  }
}

ArchiveItem claim_item(const std::string& kernel_id, const std::string& kind,
                       const std::string& device, const Json& record) {
  constexpr std::size_t kIdDigits = 32;
  ArchiveItem item = item_of(ArchiveItem::Kind::kClaim);
  Json line = {{"type", "evidence"},
               {"kernel_id", kernel_id},
               {"device", device.empty() ? "unknown" : device},
               {"kind", kind},
               {"verdict", "claimed"},
               {"record", record}};
  item.claim.kernel_id = kernel_id;
  item.claim.id = "evd_" + sha256_hex(to_text(line)).substr(0, kIdDigits);
  line["id"] = item.claim.id;
  item.claim.json = to_text(line);
  return item;
}

LineReader::Rows LineReader::rows_of(const Json& line, std::string_view text) {
  if (line.contains("type")) {
    return own_line(line);
  }
  if (line.contains("axes") && line.contains("reference")) {
    return definition(line, text);
  }
  if (line.contains("definition") && line.contains("sources")) {
    return fail(ErrorCode::kUnsupported, "a solution brings host code; a kernel needs `launches`",
                "`warpsmith import flashinfer` reads it beside its definition");
  }
  if (line.contains("definition") && line.contains("workload")) {
    return trace(line);
  }
  return fail(ErrorCode::kInvalidArgument,
              "neither a line of warpsmith (no `type`) nor one of FlashInfer-Bench");
}

}  // namespace ws
