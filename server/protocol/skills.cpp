#include "server/protocol/skills.h"

#include <algorithm>
#include <set>

#include "runtime/base/hash.h"

namespace ws::server {
namespace {

constexpr std::string_view kScheme = "skill://";
constexpr std::string_view kFolderType = "inode/directory";
constexpr std::string_view kFence = "---\n";
/// A value that begins with one of these is more than plain text in YAML.
constexpr std::string_view kIndicators = " \"'[]{}&*!|>%@`,?-#";

std::string address_of(const Skill& skill, const std::string& path) {
  return std::string(kScheme) + skill.name + "/" + path;
}

OrderedJson entry_of(const Skill& skill) {
  OrderedJson resources = OrderedJson::array();
  for (const SkillFile& file : skill.files) {
    resources.push_back({{"uri", address_of(skill, file.path)},
                         {"digest", "sha256:" + sha256_hex(file.text)},
                         {"size", file.text.size()}});
  }
  return {{"uri", address_of(skill, skill.files.front().path)},
          {"frontmatter", {{"name", skill.name}, {"description", skill.description}}},
          {"resources", std::move(resources)}};
}

/// The value of a line `key: value` of the front matter; empty: there is none that is plain text.
std::string field_of(std::string_view front, std::string_view key) {
  const std::string head = std::string(key) + ": ";
  for (std::size_t at = 0; at < front.size();) {
    const std::size_t end = std::min(front.find('\n', at), front.size());
    const std::string_view line = front.substr(at, end - at);
    if (line.starts_with(head)) {
      const std::string value(line.substr(head.size()));
      const bool plain = !value.empty() && value.find(": ") == std::string::npos &&
                         value.find(" #") == std::string::npos &&
                         kIndicators.find(value.front()) == std::string_view::npos;
      return plain ? value : std::string();
    }
    at = end + 1;
  }
  return {};
}

}  // namespace

std::optional<Skill> skill_of(std::string_view skill_md) {
  const std::size_t end = skill_md.find("\n" + std::string(kFence));
  if (!skill_md.starts_with(kFence) || end == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view front = skill_md.substr(kFence.size(), end - kFence.size());
  Skill skill{.name = field_of(front, "name"),
              .description = field_of(front, "description"),
              .alias = {},
              .files = {{"SKILL.md", "text/markdown", std::string(skill_md)}}};
  return skill.name.empty() || skill.description.empty() ? std::nullopt : std::optional(skill);
}

OrderedJson SkillShelf::rows() const {
  OrderedJson rows = OrderedJson::array();
  for (const Skill& skill : skills_) {
    const SkillFile& file = skill.files.front();
    rows.push_back({{"uri", address_of(skill, file.path)},
                    {"name", skill.name},
                    {"description", skill.description},
                    {"mimeType", file.mime_type}});
  }
  return rows;
}

OrderedJson SkillShelf::entries() const {
  OrderedJson entries = OrderedJson::array();
  for (const Skill& skill : skills_) {
    entries.push_back(entry_of(skill));
  }
  return entries;
}

OrderedJson SkillShelf::entry(std::string_view uri) const {
  const auto found = std::find_if(skills_.begin(), skills_.end(), [&](const Skill& skill) {
    return uri == address_of(skill, skill.files.front().path);
  });
  return found == skills_.end() ? OrderedJson() : entry_of(*found);
}

std::optional<ResourceText> SkillShelf::file(std::string_view uri) const {
  for (const Skill& skill : skills_) {
    for (const SkillFile& file : skill.files) {
      const bool first = &file == &skill.files.front();
      const std::string_view name = uri.substr(std::min(kScheme.size(), uri.size()));
      const bool short_address = first && uri.starts_with(kScheme) && !name.empty() &&
                                 (name == skill.name || name == skill.alias);
      if (short_address || uri == address_of(skill, file.path)) {
        return ResourceText{std::string(uri), file.mime_type, file.text, false};
      }
    }
  }
  return std::nullopt;
}

OrderedJson SkillShelf::directory(std::string_view uri) const {
  OrderedJson rows;
  if (!uri.starts_with(kScheme)) {
    return rows;
  }
  const std::string folder = std::string(uri) + "/";
  std::set<std::string> folders;
  for (const Skill& skill : skills_) {
    for (const SkillFile& file : skill.files) {
      const std::string address = address_of(skill, file.path);
      if (!address.starts_with(folder)) {
        continue;
      }
      const std::size_t slash = address.find('/', folder.size());
      const std::string child = address.substr(0, slash);
      const std::string name = child.substr(folder.size());
      if (slash == std::string::npos) {
        rows.push_back({{"uri", child}, {"name", name}, {"mimeType", file.mime_type}});
      } else if (folders.insert(child).second) {
        rows.push_back({{"uri", child}, {"name", name}, {"mimeType", kFolderType}});
      }
    }
  }
  return rows;
}

}  // namespace ws::server
