#include "runtime/skills/skill_library.h"

#include <algorithm>
#include <system_error>

#include "runtime/base/files.h"
#include "runtime/base/nearest.h"

namespace ws {
namespace {

constexpr std::size_t kMaxFile = std::size_t{256} << 10U;
constexpr const char* kLibrary = "lib";

/// The folder's files with this extension, by name.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                            const char* extension) {
  std::vector<std::filesystem::path> files;
  std::error_code ignored;  // A folder that cannot be read has no files.
  for (std::filesystem::directory_iterator at(folder, ignored), end; at != end;
       at.increment(ignored)) {
    if (at->path().extension() == extension && at->is_regular_file(ignored)) {
      files.push_back(at->path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> names_of(const std::map<std::string, std::string>& texts) {
  std::vector<std::string> names;
  for (const auto& [name, text] : texts) {
    names.push_back(name);
  }
  return names;
}

void load_helpers(const std::filesystem::path& folder, SkillLibrary& skills) {
  for (const std::filesystem::path& file : files_in(folder / kLibrary, ".cuh")) {
    if (Result<std::string> text = read_file(file, kMaxFile)) {
      skills.helpers.emplace(file.filename().string(), *std::move(text));
    } else {
      skills.problems.push_back({file.string(), to_text(text.error())});
    }
  }
}

Result<Transformation> load_one(const std::filesystem::path& file, const SkillLibrary& skills) {
  WS_TRY(const std::string text, read_file(file, kMaxFile));
  WS_TRY(Transformation transformation, parse_transformation(text, names_of(skills.helpers)));
  if (transformation.name != file.stem()) {
    return fail(ErrorCode::kInvalidArgument,
                "line 1: the name is `" + transformation.name + "`, but the file's name is not",
                "call the file " + transformation.name + ".md");
  }
  return transformation;
}

std::string reason_of(const Error& error) {
  return error.message + (error.hint.empty() ? "" : "; " + error.hint);
}

/// Every name in a requirement must exist once all files are read.
void check_names(SkillLibrary& skills, const std::map<std::string, std::string>& files) {
  std::vector<std::string> known;
  for (const auto& [name, transformation] : skills.transformations) {
    known.push_back(name);
  }
  for (const std::string& name : known) {
    for (const Requirement& requirement : skills.transformations.at(name).requirements) {
      for (const std::string& after : requirement.after) {
        if (std::find(known.begin(), known.end(), after) == known.end()) {
          skills.problems.push_back(
              {files.at(name), "requires `" + after + "`, which is no transformation here"});
        }
      }
    }
  }
}

}  // namespace

Result<const Transformation*> SkillLibrary::find(const std::string& name) const {
  const auto found = transformations.find(name);
  if (found != transformations.end()) {
    return &found->second;
  }
  std::vector<std::string> known;
  for (const auto& [own, transformation] : transformations) {
    known.push_back(own);
  }
  return fail(ErrorCode::kNotFound, "no transformation `" + name + "`", suggest(name, known));
}

std::map<std::string, std::string> SkillLibrary::with_includes(
    const std::vector<std::string>& names) const {
  std::map<std::string, std::string> found;
  std::vector<std::string> open = names;
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    const std::string& text = helpers.at(name);
    if (!found.emplace(name, text).second) {
      continue;
    }
    for (const auto& [other, source] : helpers) {
      if (text.find("#include \"" + other + "\"") != std::string::npos) {
        open.push_back(other);
      }
    }
  }
  return found;
}

Result<std::string> SkillLibrary::text(const std::string& name) const {
  if (name == "index") {
    std::string list;
    for (const auto& [own, transformation] : transformations) {
      list += "- " + own + ": " + transformation.summary + "\n";
    }
    for (const auto& [helper, source] : helpers) {
      list += "- lib/" + helper + ": helpers that a pass may import\n";
    }
    return list;
  }
  const std::string prefix = std::string(kLibrary) + "/";
  if (name.starts_with(prefix)) {
    const auto helper = helpers.find(name.substr(prefix.size()));
    return helper != helpers.end() ? Result<std::string>(helper->second)
                                   : fail(ErrorCode::kNotFound, "no helper file `" + name + "`",
                                          suggest(name.substr(prefix.size()), names_of(helpers)));
  }
  WS_TRY(const Transformation* const transformation, find(name));
  return transformation->text;
}

SkillLibrary load_skills(const std::vector<std::filesystem::path>& folders) {
  SkillLibrary skills;
  for (const std::filesystem::path& folder : folders) {
    load_helpers(folder, skills);
  }
  std::map<std::string, std::string> files;
  for (const std::filesystem::path& folder : folders) {
    for (const std::filesystem::path& file : files_in(folder, ".md")) {
      if (skills.transformations.contains(file.stem().string())) {
        continue;  // An earlier folder's goes before it.
      }
      if (Result<Transformation> read = load_one(file, skills)) {
        const std::string name = read->name;
        files[name] = file.string();
        skills.transformations.emplace(name, *std::move(read));
      } else {
        skills.problems.push_back({file.string(), reason_of(read.error())});
      }
    }
  }
  check_names(skills, files);
  return skills;
}

std::vector<std::filesystem::path> shipped_skills(const std::filesystem::path& executable) {
  const std::filesystem::path folder = executable.parent_path();
  return {folder / "skills/transformations",
          folder.parent_path() / "share/warpsmith/skills/transformations"};
}

}  // namespace ws
