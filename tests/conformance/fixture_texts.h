// The prompts and resources that the conformance suite asks for by name.
#pragma once

#include "server/protocol/offer.h"
#include "server/protocol/skills.h"
#include "tools/tool.h"

namespace ws::conformance {

class FixturePrompts : public server::PromptSource {
 public:
  [[nodiscard]] server::OrderedJson list(server::Revision revision) const override;
  [[nodiscard]] server::RpcResult<server::PromptAnswer> get(
      const std::string& name, const Json& arguments, const server::Inputs& inputs) const override;
};

class FixtureCompletions : public server::CompletionSource {
 public:
  [[nodiscard]] std::vector<std::string> complete(const Json& ref, const std::string& argument,
                                                  const std::string& value,
                                                  const Json& chosen) const override;
};

class FixtureResources : public ResourceReader, public server::ResourceList {
 public:
  Result<ResourceText> read(const std::string& uri) override;
  [[nodiscard]] Json templates() const override;
  [[nodiscard]] Json rows() const override;
  [[nodiscard]] bool is_binary(const std::string& uri) const override;
};

/// A skill with a folder in its folder.
const server::SkillShelf& fixture_skills();

}  // namespace ws::conformance
