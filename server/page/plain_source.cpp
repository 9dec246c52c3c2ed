#include "server/page/plain_source.h"

#include <map>

#include "runtime/base/numbers.h"
#include "runtime/base/text.h"
#include "runtime/lineage/svg.h"
#include "runtime/search/kernel_source.h"
#include "server/page/page_counters.h"
#include "server/page/plain_document.h"

namespace ws::server {
namespace {

constexpr std::size_t kMostPlainLines = 3000;
constexpr std::size_t kMostLineBytes = 500;

std::string shown_text(const std::string& text) {
  return svg::escaped(text, kMostLineBytes);
}

/// The columns but the first, which is the number of the line.
std::string counter_heads(const Json& counters) {
  std::string heads;
  for (std::size_t at = 1; at < counters["columns"].size(); ++at) {
    const std::string name = counters["columns"][at];
    const std::string_view words = words_of_column(name);
    heads += "<th>" + (words.empty() ? shown_text(name) : std::string(words));
  }
  return heads;
}

std::string counter_cells(const Json& row) {
  std::string cells;
  for (std::size_t at = 1; at < row.size(); ++at) {
    cells += "<td>" + (row[at].is_null() ? "" : three_digits(row[at].get<double>()));
  }
  return cells;
}

/// The rows of the counters by their lines.
std::map<std::int64_t, std::string> cells_by_line(const Json& counters) {
  std::map<std::int64_t, std::string> cells;
  for (const Json& row : counters["rows"]) {
    cells[row[0].get<std::int64_t>()] = counter_cells(row);
  }
  return cells;
}

std::string source_table(const std::string& source, const Json& counters) {
  const bool counted = counters.is_object() && !counters["rows"].empty();
  const auto cells = counted ? cells_by_line(counters) : std::map<std::int64_t, std::string>();
  std::string empty;
  for (std::size_t at = 1; counted && at < counters["columns"].size(); ++at) {
    empty += "<td>";
  }
  std::string table = "<table><tr><th>line" + (counted ? counter_heads(counters) : std::string()) +
                      "<th>source</tr>\n";
  std::string_view rest = source;
  std::int64_t number = 1;
  for (; !rest.empty() && number <= static_cast<std::int64_t>(kMostPlainLines); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const auto found = cells.find(number);
    table += "<tr><td>" + std::to_string(number) + (found == cells.end() ? empty : found->second) +
             "<td><code>" + shown_text(std::string(rest.substr(0, end))) + "</code></tr>\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return table + "</table>\n" + (rest.empty() ? "" : "<p>There are more lines.</p>\n");
}

std::string counted_words(const Json& counters) {
  if (counters.is_null()) {
    return "<p>It was not profiled.</p>\n";
  }
  const std::string place = "<p>Profile <code>" + shown_text(counters["evidence_id"]) +
                            "</code> on " + shown_text(counters["device"]);
  return place + (counters["rows"].empty() ? " counted nothing by line.</p>\n" : ".</p>\n");
}

}  // namespace

Result<std::string> plain_source(ArchiveListing& listing, const std::string& kernel_id,
                                 const std::string& evidence_id) {
  WS_TRY(const KernelRow kernel, listing.kernel(kernel_id));
  WS_TRY(const Json counters, counters_of(listing, kernel.id, evidence_id));
  return plain_document(
      "Source of " + (kernel.name.empty() ? kernel.id : kernel.name),
      counted_words(counters) + source_table(kernel_source(kernel.json), counters));
}

std::string plain_cache(const Json& look) {
  std::string rows;
  const auto add = [&](const std::string& name, const std::string& value) {
    rows += "<tr><th>" + name + "<td>" + value + "</tr>\n";
  };
  add("entries on disk", look["entries"].dump());
  add("bytes on disk", look["bytes"].dump());
  add("damaged entries, put aside", look["damaged"].dump());
  if (look["running"] == true) {
    add("answered from memory", look["hits"]["memory"].dump());
    add("answered from disk", look["hits"]["disk"].dump());
    add("joined a compile that ran", look["hits"]["joined"].dump());
    add("compiled", look["misses"].dump());
  }
  return plain_document("Compile cache", "<table>" + rows + "</table>\n");
}

}  // namespace ws::server
