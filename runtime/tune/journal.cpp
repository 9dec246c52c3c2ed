#include "runtime/tune/journal.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/hash.h"
#include "runtime/base/private_files.h"
#include "runtime/base/viewer.h"

namespace ws::tune {
namespace {

using Json = nlohmann::json;

constexpr int kFormat = 1;
constexpr std::size_t kMaxFile = std::size_t{256} << 20U;
constexpr std::size_t kMaxText = 300;

struct FateRow {
  Fate fate;
  const char* word;
};

constexpr FateRow kFates[] = {
    {Fate::kGood, "good"}, {Fate::kPruned, "pruned"}, {Fate::kFailed, "failed"}};

/// The owner of the journals that a viewer writes, and reads beside those that all share; empty:
/// they are everybody's.
std::string private_owner() {
  const Viewer& viewer = current_viewer();
  return viewer.shares ? std::string() : viewer.owner;
}

Json header_of(const JournalKey& key) {
  Json axes = Json::array();
  for (const Axis& axis : key.axes) {
    axes.push_back({{"name", axis.name}, {"values", axis.values}});
  }
  Json header = {{"warpsmith_tune", kFormat}, {"kernel_id", key.kernel_id}, {"device", key.device},
                 {"compiler", key.compiler},  {"workloads", key.workloads}, {"axes", axes}};
  if (const std::string owner = private_owner(); !owner.empty()) {
    header["owner"] = owner;
  }
  return header;
}

Json line_of(const Evaluation& evaluation, const std::vector<Axis>& axes) {
  Json values = Json::array();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    values.push_back(axes[i].values[evaluation.point[i]]);
  }
  const auto* const fate =
      std::find_if(std::begin(kFates), std::end(kFates),
                   [&](const FateRow& row) { return row.fate == evaluation.fate; });
  Json line = {{"point", values},
               {"fate", fate->word},
               {"t_s", evaluation.t_s},
               {"build_s", evaluation.build_s},
               {"trial_s", evaluation.trial_s},
               {"at", timestamp_now()}};
  if (evaluation.fate == Fate::kGood) {
    line["us"] = evaluation.us;
    line["samples_us"] = evaluation.samples;
    line["verified"] = evaluation.verified;
  } else {
    line["verdict"] = name_of(evaluation.verdict);
    line["message"] = evaluation.message.substr(0, kMaxText);
  }
  if (!evaluation.features.empty()) {
    line["features"] = evaluation.features;
  }
  return line;
}

std::optional<Point> point_of(const Json& values, const std::vector<Axis>& axes) {
  if (!values.is_array() || values.size() != axes.size()) {
    return std::nullopt;
  }
  Point point;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto& listed = axes[i].values;
    const auto at = values[i].is_number_integer()
                        ? std::find(listed.begin(), listed.end(), values[i].get<std::int64_t>())
                        : listed.end();
    if (at == listed.end()) {
      return std::nullopt;
    }
    point.push_back(static_cast<std::uint32_t>(at - listed.begin()));
  }
  return point;
}

/// Throws what nlohmann throws for a field of another type.
std::optional<Evaluation> read_line(const std::string& text, const std::vector<Axis>& axes) {
  const Json line = Json::parse(text, nullptr, false);
  if (!line.is_object()) {
    return std::nullopt;
  }
  Evaluation evaluation;
  const auto point = point_of(line.value("point", Json()), axes);
  const std::string word = line.value("fate", "");
  const auto* const fate = std::find_if(std::begin(kFates), std::end(kFates),
                                        [&](const FateRow& row) { return row.word == word; });
  if (!point || fate == std::end(kFates)) {
    return std::nullopt;
  }
  evaluation.point = *point;
  evaluation.fate = fate->fate;
  evaluation.t_s = line.value("t_s", 0.0);
  evaluation.build_s = line.value("build_s", 0.0);
  evaluation.trial_s = line.value("trial_s", 0.0);
  evaluation.at = line.value("at", "");
  evaluation.features = line.value("features", Features());
  if (evaluation.fate != Fate::kGood) {
    const auto verdict = verdict_of(line.value("verdict", ""));
    if (!verdict) {
      return std::nullopt;
    }
    evaluation.verdict = *verdict;
    evaluation.message = line.value("message", "");
  } else {
    evaluation.us = line.value("us", 0.0);
    evaluation.samples = line.value("samples_us", std::vector<double>());
    evaluation.verified = line.value("verified", false);
  }
  const bool sound =
      evaluation.fate != Fate::kGood || (evaluation.us > 0 && !evaluation.samples.empty());
  return sound ? std::optional<Evaluation>(std::move(evaluation)) : std::nullopt;
}

/// The lines after the header; one that was cut off by a kill has no end and does not count.
std::vector<Evaluation> read_evaluations(const std::string& text, const std::vector<Axis>& axes) {
  std::vector<Evaluation> evaluations;
  std::size_t from = text.find('\n');
  while (from != std::string::npos) {
    const std::size_t end = text.find('\n', from + 1);
    if (end == std::string::npos) {
      break;
    }
    try {
      if (auto evaluation = read_line(text.substr(from + 1, end - from - 1), axes)) {
        evaluations.push_back(*std::move(evaluation));
      }
    } catch (const Json::exception&) {
      // A damaged line costs one evaluation.
    }
    from = end;
  }
  return evaluations;
}

struct Header {
  JournalKey key;
  std::string owner;  ///< Empty: it is everybody's.
};

bool is_seen(const Header& header) {
  const Viewer& viewer = current_viewer();
  return viewer.sees_all || header.owner.empty() || header.owner == viewer.owner;
}

/// Reads a file's first line. @errors kUnsupported; kInvalidArgument: it is no header.
Result<Header> read_header(const std::string& text) {
  const Json header = Json::parse(text.substr(0, text.find('\n')), nullptr, false);
  if (!header.is_object() || !header.contains("warpsmith_tune")) {
    return fail(ErrorCode::kInvalidArgument, "not a journal of a tuning");
  }
  if (header["warpsmith_tune"] != kFormat) {
    return fail(ErrorCode::kUnsupported, "a newer program wrote the journal of this tuning",
                "use `fresh`, or that program");
  }
  try {
    JournalKey key{header.at("kernel_id"),
                   header.at("device"),
                   header.at("compiler"),
                   header.at("workloads"),
                   {}};
    for (const Json& axis : header.at("axes")) {
      key.axes.push_back({axis.at("name"), axis.at("values")});
    }
    return Header{std::move(key), header.value("owner", std::string())};
  } catch (const Json::exception&) {
    return fail(ErrorCode::kInvalidArgument, "the journal's header is damaged");
  }
}

std::string file_prefix(const std::string& kernel_id) {
  return short_hash(kernel_id) + "-";
}

Status write_line(const Fd& fd, const Json& line) {
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const ssize_t written = ::write(fd.get(), text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size())) {
    return fail_errno("write", "the journal of the tuning cannot be written",
                      "free some space in the data folder, and call again");
  }
  return {};
}

}  // namespace

Result<Journal> Journal::open(const std::filesystem::path& folder, const JournalKey& key,
                              bool fresh) {
  Journal journal;
  std::error_code code = make_private_folder(folder);
  keep_private(folder);
  const Json header = header_of(key);
  journal.path_ = folder / (file_prefix(key.kernel_id) + short_hash(header.dump()) + ".jsonl");
  journal.axes_ = key.axes;
  if (fresh) {
    std::filesystem::remove(journal.path_, code);
  }
  std::string text;
  if (std::filesystem::exists(journal.path_, code)) {
    WS_TRY(text, read_file(journal.path_, kMaxFile));
    const Result<Header> known = read_header(text);
    if (!known && known.error().code == ErrorCode::kUnsupported) {
      return fail(known.error());
    }
    if (known) {
      journal.known_ = read_evaluations(text, journal.axes_);
    } else {
      text.clear();  // Its first line was never finished: begin again.
      std::filesystem::remove(journal.path_, code);
    }
  }
  journal.fd_ = Fd(::open(journal.path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!journal.fd_.valid()) {
    return fail_errno("open", "the journal of the tuning cannot be opened");
  }
  if (text.empty()) {
    WS_CHECK(write_line(journal.fd_, header));
  } else if (text.back() != '\n') {
    // A line that was cut off stays a line of its own.
    WS_CHECK(write_line(journal.fd_, Json()));
  }
  return journal;
}

Status Journal::add(const Evaluation& evaluation) {
  return write_line(fd_, line_of(evaluation, axes_));
}

Result<std::vector<JournalFile>> read_journals(const std::filesystem::path& folder,
                                               const std::string& kernel_id) {
  std::vector<JournalFile> files;
  std::error_code code;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    if (entry.path().filename().string().starts_with(file_prefix(kernel_id))) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  for (const std::filesystem::path& path : paths) {
    WS_TRY(const std::string text, read_file(path, kMaxFile));
    const Result<Header> header = read_header(text);
    if (header && header->key.kernel_id == kernel_id && is_seen(*header)) {
      files.push_back({header->key, read_evaluations(text, header->key.axes)});
    }
  }
  return files;
}

}  // namespace ws::tune
