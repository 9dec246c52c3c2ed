#include "server/picture/picture_maker.h"

#include "server/picture/parts.h"
#include "tools/typed_tool.h"

namespace ws::server {

/// Null: the answer names no evidence, or it cannot be read. The answer alone is drawn then.
Json PictureMaker::record_of(const Json& output) {
  const std::string id = text_in(output, "evidence_id");
  if (id.empty()) {
    return nullptr;
  }
  const Result<ResourceText> record = resources_.read("evidence://" + id);
  const Json form = record ? Json::parse(record->text, nullptr, false) : Json(nullptr);
  return form.is_object() ? form : Json(nullptr);
}

Result<std::string> PictureMaker::png(const std::string& tool, const Json& output) {
  return guarded([&]() -> Result<std::string> {
    const std::optional<Drawing> drawing = drawing_of(tool, output, record_of(output));
    return drawing ? library_.png(*drawing) : std::string();
  });
}

}  // namespace ws::server
