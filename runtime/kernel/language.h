// The languages of kernels, and what each needs of a plan.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ws {

enum class Language : std::uint8_t { kCuda, kHip, kTriton, kCutile, kCutileJl, kHlsl, kGlsl };

struct LanguageInfo {
  Language language;
  std::string_view name;   ///< As a kernel's `language` says it.
  std::string_view title;  ///< For messages.
  bool tiles = false;      ///< A block is one worker on tiles: its threads are the compiler's.
  /// The source says a block's threads, and arguments go to what bears their name in it.
  bool shader = false;
};

inline constexpr std::array<LanguageInfo, 7> kLanguages = {
    {{Language::kCuda, "cuda", "CUDA C++", false},
     {Language::kHip, "hip", "HIP C++", false},
     {Language::kTriton, "triton", "Triton", true},
     {Language::kCutile, "cutile", "cuTile Python", true},
     {Language::kCutileJl, "cutile_jl", "cuTile.jl", true},
     {Language::kHlsl, "hlsl", "HLSL", false, true},
     {Language::kGlsl, "glsl", "GLSL", false, true}}};

/// Null: no such language.
constexpr const LanguageInfo* find_language(std::string_view name) {
  for (const LanguageInfo& info : kLanguages) {
    if (info.name == name) {
      return &info;
    }
  }
  return nullptr;
}

constexpr bool is_tile_language(std::string_view name) {
  const LanguageInfo* info = find_language(name);
  return info != nullptr && info->tiles;
}

constexpr bool is_shader_language(std::string_view name) {
  const LanguageInfo* info = find_language(name);
  return info != nullptr && info->shader;
}

}  // namespace ws
