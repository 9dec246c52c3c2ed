#include <algorithm>
#include <filesystem>
#include <system_error>

#include <nlohmann/json.hpp>

#include "runtime/base/files.h"
#include "runtime/curate/curate.h"
#include "runtime/kernel/form/forms.h"

namespace ws {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 10'000;
constexpr std::size_t kMaxBytes = std::size_t{4} << 20U;
constexpr std::size_t kMaxReason = 300;

/// In order; folders that may not be read are passed over.
Result<std::vector<fs::path>> json_files(const std::string& folder) {
  std::error_code code;
  std::vector<fs::path> files;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, code);
  for (; !code && at != fs::recursive_directory_iterator(); at.increment(code)) {
    if (at->path().extension() == ".json" && !at->is_symlink() && at->is_regular_file(code)) {
      files.push_back(at->path());
    }
    if (files.size() > kMaxFiles) {
      return fail(ErrorCode::kInvalidArgument,
                  "`" + folder + "` has over " + std::to_string(kMaxFiles) + " files",
                  "curate a part of it");
    }
  }
  if (code) {
    return fail(ErrorCode::kIo, "`" + folder + "` cannot be read", {}, code.message());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Result<ProblemFolder> read_problem_folder(const std::string& folder) {
  WS_TRY(const std::vector<fs::path> files, json_files(folder));
  ProblemFolder read;
  for (const fs::path& file : files) {
    const std::string path = file.lexically_relative(folder).string();
    const Result<std::string> text = read_file(file, kMaxBytes);
    if (!text) {
      read.refused.push_back({path, to_text(text.error()).substr(0, kMaxReason)});
      continue;
    }
    Result<Problem> problem = parse_problem(*text);
    if (problem) {
      read.problems.push_back({path, *std::move(problem)});
      continue;
    }
    const Json form = Json::parse(*text, nullptr, false);
    if (form.is_object() && form.contains("args")) {
      read.refused.push_back({path, to_text(problem.error()).substr(0, kMaxReason)});
    }
  }
  return read;
}

}  // namespace ws
