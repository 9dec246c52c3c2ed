#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/archive/store/archive.h"
#include "server/cli/commands.h"
#include "server/protocol/protocol.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

/// The outcomes of all tries at one pass.
struct PassRow {
  std::int64_t tries = 0;
  std::int64_t passed = 0;
  std::vector<PassStatistic> failures;
};

/// By transformation and pass.
using Table = std::map<std::pair<std::string, std::int64_t>, PassRow>;

Table table_of(const std::vector<PassStatistic>& statistics) {
  Table table;
  for (const PassStatistic& row : statistics) {
    PassRow& pass = table[{row.transformation, row.pass}];
    pass.tries += row.tries;
    if (row.verdict == Verdict::kPassed) {
      pass.passed += row.tries;
    } else {
      pass.failures.push_back(row);
    }
  }
  return table;
}

std::string stats_json(const Table& table) {
  OrderedJson rows = OrderedJson::array();
  for (const auto& [pass, row] : table) {
    OrderedJson failures = OrderedJson::array();
    for (const PassStatistic& failure : row.failures) {
      failures.push_back({{"verdict", name_of(failure.verdict)},
                          {"tries", failure.tries},
                          {"last_reason", failure.reason}});
    }
    rows.push_back({{"transformation", pass.first},
                    {"pass", pass.second},
                    {"tries", row.tries},
                    {"passed", row.passed},
                    {"failures", failures}});
  }
  return to_line(OrderedJson{{"passes", rows}}) + "\n";
}

std::string stats_text(const Table& table) {
  constexpr std::size_t kNameWidth = 24;
  constexpr std::size_t kNumberWidth = 8;
  if (table.empty()) {
    return "no pass of a transformation was tried yet\n";
  }
  std::string text = padded("transformation", kNameWidth) + padded("pass", kNumberWidth) +
                     padded("tries", kNumberWidth) + padded("passed", kNumberWidth) + "failures\n";
  for (const auto& [pass, row] : table) {
    std::string failures;
    for (const PassStatistic& failure : row.failures) {
      failures += (failures.empty() ? "" : ", ") + std::to_string(failure.tries) + " " +
                  std::string(name_of(failure.verdict));
    }
    text += padded(pass.first, kNameWidth) + padded(std::to_string(pass.second), kNumberWidth) +
            padded(std::to_string(row.tries), kNumberWidth) +
            (failures.empty() ? std::to_string(row.passed)
                              : padded(std::to_string(row.passed), kNumberWidth) + failures) +
            "\n";
  }
  return text;
}

Result<Table> read_table(const ArchivePlace& place) {
  WS_TRY(const auto archive, Archive::open(place));
  WS_TRY(const std::vector<PassStatistic> statistics, archive->pass_statistics(""));
  return table_of(statistics);
}

}  // namespace

int stats_command(const StatsOptions& options) {
  const Result<Table> table = read_table(options.place);
  if (!table) {
    const std::string line = to_text(table.error()) + "\n";
    std::fputs(line.c_str(), stderr);
    return kExitFailed;
  }
  const std::string text = options.json ? stats_json(*table) : stats_text(*table);
  std::fputs(text.c_str(), stdout);
  return kExitOk;
}

}  // namespace ws::server
