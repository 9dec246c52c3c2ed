#include "runtime/lineage/kernel_page.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/base/numbers.h"
#include "runtime/base/verdict.h"
#include "runtime/evaluate/subject.h"
#include "runtime/lineage/call_again.h"
#include "runtime/lineage/speedup_chart.h"
#include "runtime/lineage/svg.h"
#include "runtime/lineage/workflow_line.h"
#include "runtime/search/kernel_source.h"
#include "runtime/search/text_diff.h"

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostText = 2000;
constexpr std::size_t kMostCode = std::size_t{200} << 10U;
constexpr std::array kKinds = {"compile", "validate", "benchmark", "profile", "tune"};

constexpr const char* kHead = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<style>
body { font: 15px/1.5 sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .2em .8em .2em 0; border-bottom: 1px solid #ddd; }
pre { background: #f5f5f5; padding: .8em; overflow-x: auto; font-size: 13px; } summary { cursor: pointer; }
.good { color: #17692b; } .bad { color: #a01c1c; }
</style>
)html";

std::string plain(const std::string& text) {
  return svg::escaped(text, kMostText);
}

/// Text with its lines.
std::string code(const std::string& text) {
  std::string all = "<pre>";
  std::string_view rest = std::string_view(text).substr(0, kMostCode);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    all += svg::escaped(std::string(rest.substr(0, end)), kMostText) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return all + (text.size() > kMostCode ? "...\n" : "") + "</pre>\n";
}

std::string folded(const std::string& title, const std::string& body) {
  return "<details><summary>" + plain(title) + "</summary>\n" + body + "</details>\n";
}

std::string indented(const std::string& json) {
  const Json form = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  return form.is_discarded() ? json : form.dump(2, ' ', false, Json::error_handler_t::replace);
}

/// The newest evidence of each kind, on the device where one is named.
Result<std::vector<EvidenceRow>> newest(Archive& archive, const std::string& kernel_id,
                                        const std::string& device) {
  std::vector<EvidenceRow> rows;
  for (const char* kind : kKinds) {
    WS_TRY(const auto row, archive.latest_evidence(kernel_id, device, kind));
    if (row) {
      rows.push_back(*row);
    }
  }
  return rows;
}

Result<std::string> device_of(Archive& archive, const std::string& kernel_id) {
  for (const char* kind : {"benchmark", "validate", "compile"}) {
    WS_TRY(const auto row, archive.latest_evidence(kernel_id, {}, kind));
    if (row) {
      return row->device;
    }
  }
  return std::string();
}

std::string evidence_text(const std::vector<EvidenceRow>& rows) {
  if (rows.empty()) {
    return "<p>Nothing is known of it: it was not even compiled here.</p>\n";
  }
  std::string table = "<table><tr><th>kind<th>verdict<th>device<th>when<th>evidence</tr>\n";
  std::string records;
  for (const EvidenceRow& row : rows) {
    const char* const mark = facts_of(row.verdict).proves_wrong ? "bad" : "good";
    table += "<tr><td>" + plain(row.kind) + "<td class=\"" + mark + "\">" +
             plain(std::string(name_of(row.verdict))) + "<td>" + plain(row.device) + "<td>" +
             plain(row.created_at) + "<td><code>" + plain(row.id) + "</code></tr>\n";
    records += folded("The record of " + row.kind, code(indented(row.json)));
  }
  return table + "</table>\n" + records;
}

std::string ratio_words(const std::optional<double>& ratio) {
  return ratio ? fixed_digits(*ratio, 2) + "x" : "";
}

std::string line_text(const std::vector<LineKernel>& line, const std::string& title) {
  std::string table =
      "<table><tr><th>step<th>made by<th>kernel<th>time, us<th>cumulative<th>step-wise</tr>\n";
  std::string diffs;
  std::vector<SpeedupPoint> points;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const LineSpeed& speed = line[i].speed;
    table += "<tr><td>" + std::to_string(i) + "<td>" + plain(line[i].made_by()) + "<td><code>" +
             plain(line[i].row.id) + "</code><td>" + (speed.us ? fixed_digits(*speed.us, 1) : "") +
             "<td>" + ratio_words(speed.total) + "<td>" + ratio_words(speed.step) + "</tr>\n";
    if (speed.total) {
      points.push_back({line[i].made_by(), speed.total, speed.step});
    }
    if (i > 0) {
      const TextDiff diff =
          unified_diff(kernel_source(line[i - 1].row.json), kernel_source(line[i].row.json));
      diffs += folded("Step " + std::to_string(i) + ": what was changed in the source",
                      diff.text.empty() ? "<p>Only the plan was changed.</p>\n" : code(diff.text));
    }
  }
  return table + "</table>\n" + (points.size() > 1 ? speedup_chart(title, points) : "") + diffs;
}

/// Calls that measure again what the page says.
std::string again_text(const std::string& id, const std::vector<EvidenceRow>& rows) {
  std::string calls;
  for (const EvidenceRow& row : rows) {
    if (row.kind == "validate") {
      calls += "# The same inputs, by the seed of the evidence.\n";
    }
    const std::string call = call_again(row);
    calls += call.empty() ? "" : call + "\n";
  }
  return code(calls + "warpsmith export " + id + " --as pytorch -o FOLDER\n");
}

}  // namespace

Result<std::string> kernel_page(Archive& archive, LineStore& lines, const std::string& id_or_ref,
                                std::string device) {
  WS_TRY(const Subject subject, load_subject(archive, id_or_ref));
  const std::string& id = subject.kernel.id;
  if (device.empty()) {
    WS_TRY(device, device_of(archive, id));
  }
  WS_TRY(const std::vector<EvidenceRow> evidence, newest(archive, id, device));
  WS_TRY(const std::vector<LineKernel> line, line_of({archive, lines}, id, device));
  const std::string title = subject.kernel.name.empty() ? id : subject.kernel.name;
  std::string page = std::string(kHead) + "<title>" + plain(title) + "</title></head><body>\n<h1>" +
                     plain(title) + "</h1>\n<p><code>" + plain(id) + "</code> solves <code>" +
                     plain(subject.problem.id) + "</code>" +
                     (device.empty() ? "" : "; what follows is about " + plain(device)) + ".</p>\n";
  page += "<h2>What is known</h2>\n" + evidence_text(evidence);
  page += "<h2>How it came to be</h2>\n" + line_text(line, id + " on " + device);
  page += "<h2>The kernel</h2>\n" + code(subject.kernel.source) +
          folded("Its launches, parameters and constraints", code(indented(subject.kernel.json)));
  page += "<h2>The problem</h2>\n" + code(indented(subject.problem.json));
  page += "<h2>How to check it again</h2>\n" + again_text(id, evidence);
  return page + "</body></html>\n";
}

}  // namespace ws
