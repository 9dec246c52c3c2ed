#include "runtime/session/skills.h"

namespace ws {

SkillLibrary current_skills(const ServicesOptions& options) {
  std::vector<std::filesystem::path> folders = options.skills;
  for (const std::filesystem::path& folder : shipped_skills(options.executable)) {
    folders.push_back(folder);
  }
  return load_skills(folders);
}

}  // namespace ws
