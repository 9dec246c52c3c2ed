// The extension `io.modelcontextprotocol/skills` (SEP-2640): instructions for models as folders of
// files, each with a SKILL.md, listed with the digest of every file so that a client can check what
// it reads. Every file is a resource, too.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/protocol/protocol.h"
#include "tools/tool.h"

namespace ws::server {

inline constexpr const char* kSkillsExtension = "io.modelcontextprotocol/skills";

struct SkillFile {
  std::string path;  ///< In the skill's folder: "SKILL.md", "references/forms.txt".
  std::string mime_type;
  std::string text;
};

struct Skill {
  /// As the front matter of SKILL.md says: letters, digits and hyphens.
  std::string name;
  std::string description;  ///< The same.
  /// skill://ALIAS is another address of SKILL.md; empty: there is none but skill://NAME.
  std::string alias;
  std::vector<SkillFile> files;  ///< SKILL.md first.
};

/// A skill from its SKILL.md, with a name and a description of one line each between two lines of
/// three hyphens. Nothing where there is none, or where YAML would not take them as plain text.
std::optional<Skill> skill_of(std::string_view skill_md);

/// The skills of a server. Does not change: any thread.
class SkillShelf {
 public:
  explicit SkillShelf(std::vector<Skill> skills)
      : skills_(std::move(skills)) {}

  /// Rows of resources/list: each skill's SKILL.md.
  [[nodiscard]] OrderedJson rows() const;

  /// The `skills` of skills/list: {uri, frontmatter, resources: [{uri, digest, size}]}.
  [[nodiscard]] OrderedJson entries() const;

  /// The one with SKILL.md at this address; null: there is none.
  [[nodiscard]] OrderedJson entry(std::string_view uri) const;

  /// The file at this address, or SKILL.md of a skill at skill://NAME.
  [[nodiscard]] std::optional<ResourceText> file(std::string_view uri) const;

  /// Rows of the files and folders directly in the folder at this address; null: there is no such
  /// folder.
  [[nodiscard]] OrderedJson directory(std::string_view uri) const;

 private:
  std::vector<Skill> skills_;
};

}  // namespace ws::server
