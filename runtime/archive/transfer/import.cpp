#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/archive/transfer/line_reader.h"
#include "runtime/archive/transfer/transfer.h"
#include "runtime/exchange/shallow_json.h"
#include "runtime/kernel/form/forms.h"

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kGroup = 500;  // Rows of one transaction: a tenth of a second.
constexpr std::size_t kGroupBytes = std::size_t{8} << 20U;  // The most text of a group.
constexpr std::size_t kMaxRefusals = 20;
constexpr std::size_t kMaxDevice = 64;
constexpr std::size_t kMaxReason = 300;

/// The next line without its end; false at the end of the stream. Of a line that is too long only
/// the beginning is kept, and `too_long` says so.
bool next_line(std::istream& in, std::string& line, bool& too_long) {
  line.clear();
  too_long = false;
  std::streambuf* const buffer = in.rdbuf();
  int c = buffer->sbumpc();
  if (c == std::char_traits<char>::eof()) {
    return false;
  }
  for (; c != std::char_traits<char>::eof() && c != '\n'; c = buffer->sbumpc()) {
    too_long = too_long || line.size() >= kMaxLine;
    if (!too_long) {
      line.push_back(static_cast<char>(c));
    }
  }
  return true;
}

/// @param line  0: of what was only known at the end.
void refuse(ImportReport& report, std::uint64_t line, const Error& error) {
  ++report.refused;
  if (report.refusals.size() < kMaxRefusals) {
    report.refusals.push_back((line > 0 ? "line " + std::to_string(line) : "end") + ": " +
                              to_text(error).substr(0, kMaxReason));
  }
}

/// Rows that wait to be written together.
class Group {
 public:
  Group(Archive& archive, ImportReport& report)
      : archive_(archive),
        report_(report) {}

  Status add(std::vector<ArchiveItem> items, std::uint64_t line) {
    bool problem = false;  // The kernels that follow are read by it.
    for (ArchiveItem& item : items) {
      problem = problem || item.kind == ArchiveItem::Kind::kProblem;
      item.line = line;
      bytes_ += item.problem.json.size() + item.kernel.json.size() + item.claim.json.size();
      items_.push_back(std::move(item));
    }
    const bool full = items_.size() >= kGroup || bytes_ >= kGroupBytes;
    return problem || full ? write() : Status();
  }

  Status write() {
    WS_TRY(const std::vector<PutOutcome> outcomes, archive_.put_all(items_));
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (outcomes[i].error) {
        refuse(report_, items_[i].line, *outcomes[i].error);
      } else {
        ++(outcomes[i].added ? report_.added : report_.known);
      }
    }
    items_.clear();
    bytes_ = 0;
    return {};
  }

 private:
  Archive& archive_;
  ImportReport& report_;
  std::vector<ArchiveItem> items_;
  std::size_t bytes_ = 0;  ///< The size of their forms and records.
};

/// In T4 form results[].configuration; in a cache every field that is a tuning parameter.
Json params_of(const Json& row, const Json& names) {
  if (row.contains("configuration")) {
    return row["configuration"];
  }
  Json params = Json::object();
  for (const Json& name : names) {
    if (name.is_string() && row.contains(name.get<std::string>())) {
      params[name.get<std::string>()] = row[name.get<std::string>()];
    }
  }
  return params;
}

Status fits(const Kernel& kernel, const Json& params) {
  if (!params.is_object() || params.empty()) {
    return fail(ErrorCode::kInvalidArgument, "it names no tuning parameter");
  }
  for (const auto& [name, value] : params.items()) {
    if (!kernel.params.contains(name)) {
      return fail(ErrorCode::kInvalidArgument,
                  kernel.id + " has no parameter `" + name.substr(0, 64) + "`");
    }
  }
  return {};
}

}  // namespace

Result<ImportReport> import_lines(Archive& archive, std::istream& in,
                                  const ImportProgress& progress) {
  ImportReport report;
  LineReader reader(archive);
  Group group(archive, report);
  std::string line;
  bool too_long = false;
  while (next_line(in, line, too_long)) {
    ++report.lines;
    if (too_long) {
      refuse(report, report.lines,
             {ErrorCode::kInvalidArgument, "longer than 4 MiB, the limit of a source", {}, {}});
      continue;
    }
    if (line.find_first_not_of(" \t\r") == std::string::npos) {
      continue;
    }
    Result<std::vector<ArchiveItem>> items = reader.read(line);
    if (!items && items.error().code == ErrorCode::kIo) {
      return fail(std::move(items).error());
    }
    if (!items) {
      refuse(report, report.lines, items.error());
    } else {
      WS_CHECK(group.add(*std::move(items), report.lines));
    }
    if (progress && report.lines % kGroup == 0) {
      progress(report);
    }
  }
  WS_CHECK(group.write());
  for (const std::string& name : reader.waiting()) {
    refuse(report, 0,
           {ErrorCode::kInvalidArgument,
            "definition `" + name + "`: no workload gave it sizes",
            {},
            {}});
  }
  return report;
}

Result<ImportReport> import_tuning(Archive& archive, std::string_view text,
                                   const std::string& kernel_id) {
  WS_TRY(const Json file, parse_shallow(text));
  const bool is_cache = file.is_object() && file.contains("cache") && file["cache"].is_object();
  const bool is_t4 = file.is_object() && file.contains("results") && file["results"].is_array();
  if (!is_cache && !is_t4) {
    return fail(ErrorCode::kInvalidArgument,
                "neither a tuning cache of Kernel Tuner (`cache`) nor T4 results (`results`)");
  }
  WS_TRY(const KernelRow row, archive.kernel(kernel_id));
  WS_TRY(const ProblemRow problem_row, archive.problem(row.problem_id));
  WS_TRY(Problem problem, parse_problem(problem_row.json));
  problem.id = problem_row.id;
  WS_TRY(const Kernel kernel, parse_kernel(row.json, problem));
  const Json named = file.value("device_name", Json(""));
  const std::string device =
      named.is_string() ? named.get<std::string>().substr(0, kMaxDevice) : std::string();
  ImportReport report;
  Group group(archive, report);
  for (const Json& entry : is_cache ? file["cache"] : file["results"]) {
    ++report.lines;
    const Json params = entry.is_object()
                            ? params_of(entry, file.value("tune_params_keys", Json::array()))
                            : Json();
    if (const Status status = fits(kernel, params); !status) {
      refuse(report, report.lines, status.error());
      continue;
    }
    const Json record = {{"params", params}, {"result", entry}};
    WS_CHECK(group.add({claim_item(row.id, "tune", device, record)}, report.lines));
  }
  WS_CHECK(group.write());
  return report;
}

}  // namespace ws
