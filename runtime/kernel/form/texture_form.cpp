// An argument of a launch that is a texture.
#include <algorithm>
#include <array>
#include <span>

#include <nlohmann/json.hpp>

#include "runtime/base/nearest.h"
#include "runtime/kernel/form/kernel_form.h"
#include "runtime/kernel/language.h"

namespace ws {
namespace {

// In the order of the driver's numbers.
constexpr std::array kAddresses = {"wrap", "clamp", "mirror", "border"};
constexpr std::array kFilters = {"point", "linear"};
constexpr std::array kReads = {"element", "normalized_float"};

constexpr std::array<std::int64_t, 3> kChannels = {1, 2, 4};

struct ExtentRow {
  const char* field;
  std::string TextureSpec::* size;
};

constexpr std::array kExtents = {
    ExtentRow{"height", &TextureSpec::height},
    ExtentRow{"depth", &TextureSpec::depth},
    ExtentRow{"layers", &TextureSpec::layers},
};

/// Only kernels in CUDA C++ have texture objects that a plan can make.
Status check_language(const JsonReader& form, const LaunchScope& scope) {
  const LanguageInfo* const language = find_language(scope.language);
  if (language == nullptr || language->language == Language::kCuda) {
    return {};
  }
  return fail(ErrorCode::kUnsupported,
              form.path() + ": a texture is for kernels in CUDA C++, and this one is in " +
                  std::string(language->title),
              "pass the buffer by its name, and read it by its index");
}

Result<std::string> read_buffer_name(const JsonReader& form, const LaunchScope& scope) {
  WS_TRY(std::string name, form.text(kMaxNameBytes));
  if (std::ranges::find(scope.buffers, name) == scope.buffers.end()) {
    return form.error("unknown buffer `" + name + "`", suggest(name, scope.buffers));
  }
  if (std::ranges::find(scope.outputs, name) != scope.outputs.end()) {
    return form.error("`" + name + "` is an output, and a kernel can only read a texture",
                      "name an argument of role `in` or scratch, and pass an output as a pointer");
  }
  return name;
}

Status read_sizes(const JsonReader& form, const LaunchScope& scope, TextureSpec& texture) {
  WS_TRY(const JsonReader width, form.require("width"));
  WS_TRY(texture.width, width.expression(scope.integers));
  for (const ExtentRow& row : kExtents) {
    if (const auto size = form.find(row.field)) {
      WS_TRY(texture.*row.size, size->expression(scope.integers));
    }
  }
  if (const auto depth = form.find("depth"); depth && texture.height.empty()) {
    return depth->error("a texture with `depth` has a `height`");
  }
  if (const auto layers = form.find("layers"); layers && !texture.depth.empty()) {
    return layers->error("a texture has `depth` or `layers`, not both");
  }
  texture.modes.layered = !texture.layers.empty();
  return {};
}

Status read_channels(const JsonReader& form, TextureSpec& texture) {
  const auto channels = form.find("channels");
  if (!channels) {
    return {};
  }
  const nlohmann::json& sent = channels->json();
  const auto at = std::ranges::find_if(kChannels, [&](std::int64_t n) { return sent == n; });
  if (at == kChannels.end()) {
    return channels->expected("1, 2 or 4");
  }
  texture.channels = static_cast<std::uint32_t>(*at);
  return {};
}

/// tex1Dfetch() takes an index into linear memory: there is nothing to filter or to wrap.
Status check_fetch(const JsonReader& form, const TextureSpec& texture) {
  for (const char* const field : {"height", "depth", "layers", "address", "filter", "normalized"}) {
    if (const auto found = form.find(field); found && texture.modes.fetch) {
      return found->error("a texture with `fetch` has no `" + std::string(field) + "`",
                          "tex1Dfetch() reads the texel of an index, and 0 outside");
    }
  }
  return {};
}

Status read_modes(const JsonReader& form, TextureSpec& texture) {
  TextureModes& modes = texture.modes;
  for (const auto& [field, into] :
       {std::pair{"normalized", &modes.normalized}, std::pair{"fetch", &modes.fetch}}) {
    if (const auto flag = form.find(field)) {
      WS_TRY(*into, flag->boolean());
    }
  }
  WS_CHECK(check_fetch(form, texture));
  if (const auto address = form.find("address")) {
    WS_TRY(modes.address, read_word(*address, kAddresses));
    const std::string word = kAddresses.at(modes.address);
    if (!modes.normalized && (word == "wrap" || word == "mirror")) {
      return address->error("`" + word + "` needs `normalized` coordinates",
                            "CUDA clamps other coordinates instead");
    }
  }
  if (const auto filter = form.find("filter")) {
    WS_TRY(modes.filter, read_word(*filter, kFilters));
  }
  if (const auto read = form.find("read")) {
    WS_TRY(const std::uint32_t word, read_word(*read, kReads));
    modes.normalized_float = word == 1;
  }
  return {};
}

}  // namespace

Result<LaunchArgSpec> read_texture(const JsonReader& form, const LaunchScope& scope) {
  WS_CHECK(check_language(form, scope));
  WS_CHECK(form.check_fields({"texture", "width", "height", "depth", "layers", "channels",
                              "address", "filter", "normalized", "read", "fetch"}));
  LaunchArgSpec arg;
  arg.kind = LaunchArgSpec::Kind::kTexture;
  WS_TRY(const JsonReader buffer, form.require("texture"));
  WS_TRY(arg.name, read_buffer_name(buffer, scope));
  WS_CHECK(read_sizes(form, scope, arg.texture));
  WS_CHECK(read_channels(form, arg.texture));
  WS_CHECK(read_modes(form, arg.texture));
  return arg;
}

}  // namespace ws
