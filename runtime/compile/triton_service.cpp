#include "runtime/compile/triton_service.h"

#include <algorithm>
#include <filesystem>

#include "runtime/base/hash.h"
#include "runtime/base/parallel.h"
#include "runtime/compile/file_stamp.h"
#include "runtime/compile/python_packages.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

/// Above what a worker gives one compile of processor time: it answers by itself.
constexpr std::chrono::seconds kDeadline{90};

fs::path library_of(const fs::path& folder) {
  return folder / "_C" / "libtriton.so";
}

/// The package's own code, which somebody may have changed.
Result<std::string> code_stamp(const fs::path& folder, Stamp stamp) {
  std::vector<std::string> stamps;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unreadable;
    if (entry->path().extension() == ".py" && entry->is_regular_file(unreadable)) {
      WS_TRY(const std::string code, file_stamp(entry->path(), stamp));
      stamps.push_back(entry->path().lexically_relative(folder).string() + " " + code);
    }
  }
  if (error) {
    return fail(ErrorCode::kIo, "cannot list Triton's folder", {}, error.message());
  }
  std::sort(stamps.begin(), stamps.end());
  std::string text;
  for (const std::string& code : stamps) {
    text += code;
  }
  return text;
}

Result<std::string> triton_identity(const std::string& executable, const TritonKit& kit,
                                    Stamp stamp) {
  WS_TRY(const std::string worker, library_stamp(executable, stamp));
  WS_TRY(const std::string python, library_stamp(kit.interpreter, stamp));
  WS_TRY(const std::string library, library_stamp(library_of(kit.folder), stamp));
  WS_TRY(const std::string package, code_stamp(kit.folder, stamp));
  return sha256_hex(worker + python + library + package);
}

Result<std::string> ptx_identity(const std::string& executable, const std::string& linker,
                                 Stamp stamp) {
  WS_TRY(const std::string worker, library_stamp(executable, stamp));
  WS_TRY(const std::string library, library_stamp(linker, stamp));
  return sha256_hex(worker + library);
}

}  // namespace

std::optional<TritonKit> find_triton(const std::vector<std::string>& interpreters) {
  std::error_code ignored;
  for (const std::string& interpreter : interpreters) {
    for (const fs::path& folder : package_folders(interpreter)) {
      if (fs::exists(interpreter, ignored) && fs::exists(library_of(folder / "triton"), ignored)) {
        return TritonKit{interpreter, (folder / "triton").string()};
      }
    }
  }
  return std::nullopt;
}

std::string triton_version(const TritonKit& kit) {
  constexpr std::string_view kBegin = "triton-";
  constexpr std::string_view kEnd = ".dist-info";
  std::error_code ignored;
  for (fs::directory_iterator at(fs::path(kit.folder).parent_path(), ignored), end; at != end;
       at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(kBegin) && name.ends_with(kEnd)) {
      return name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
    }
  }
  return {};
}

CompileService::Options triton_service(const std::string& executable, const TritonKit& kit,
                                       std::shared_ptr<CompileStore> store) {
  CompileService::Options options;
  options.executable = executable;
  options.role = "triton";
  options.compiler = "Triton";
  options.setup = kit.interpreter;
  options.workers = core_count();
  options.deadline = kDeadline;
  options.store = std::move(store);
  options.identity = [executable, kit](Stamp stamp) {
    return triton_identity(executable, kit, stamp);
  };
  return options;
}

CompileService::Options ptx_service(const std::string& executable, const Toolkit& toolkit,
                                    std::shared_ptr<CompileStore> store) {
  const std::string linker = find_linker(toolkit);
  CompileService::Options options;
  options.executable = executable;
  options.role = "ptx";
  options.by_owner = true;
  options.compiler = "nvJitLink";
  options.setup = linker;
  options.workers = core_count();
  options.deadline = kDeadline;
  options.store = std::move(store);
  options.identity = [executable, linker](Stamp stamp) {
    return ptx_identity(executable, linker, stamp);
  };
  return options;
}

}  // namespace ws
