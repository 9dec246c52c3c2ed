#include "runtime/compile/clang/sites.h"

#include <llvm/IR/DebugInfoMetadata.h>

#include "runtime/compile/clang/source_files.h"

namespace ws::clang_engine {
namespace {

std::string file_of(const llvm::DILocation& location) {
  const llvm::StringRef name = location.getFilename();
  if (name.starts_with("/")) {
    return name.str();
  }
  return (location.getDirectory() + "/" + name).str();
}

}  // namespace

Site client_place(const llvm::DebugLoc& location) {
  for (const llvm::DILocation* at = location.get(); at != nullptr; at = at->getInlinedAt()) {
    std::string region = region_of(file_of(*at));
    if (!region.empty() && region != "entry") {
      return Site{std::move(region), static_cast<int>(at->getLine()),
                  static_cast<int>(at->getColumn())};
    }
  }
  return Site{};
}

unsigned number_of(std::vector<std::string>& names, llvm::StringRef name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) {
    return static_cast<unsigned>(at - names.begin());
  }
  names.push_back(name.str());
  return static_cast<unsigned>(names.size() - 1);
}

unsigned SiteTable::id_of(const llvm::Instruction& instruction) {
  Site site = client_place(instruction.getDebugLoc());
  const auto key = std::make_tuple(site.region, site.line, site.column);
  const auto [at, fresh] = ids_.try_emplace(key, static_cast<unsigned>(sites_.size()));
  if (fresh) {
    sites_.push_back(std::move(site));
  }
  return at->second;
}

}  // namespace ws::clang_engine
