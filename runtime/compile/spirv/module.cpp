#include "runtime/compile/spirv/module.h"

#include <cstring>

namespace ws::spirv {
namespace {

constexpr std::string_view kMark = "SPIR-V shaders\n";
constexpr std::uint32_t kOpcodeMask = 0xffff;
constexpr std::size_t kMostShaders = 256;

template <typename T>
void put(std::string& into, const std::vector<T>& rows) {
  const std::uint64_t count = rows.size();
  into.append(reinterpret_cast<const char*>(&count), sizeof count);
  into.append(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(T));
}

template <typename T>
bool take(std::string_view& from, std::vector<T>& rows) {
  std::uint64_t count = 0;
  if (from.size() < sizeof count) {
    return false;
  }
  std::memcpy(&count, from.data(), sizeof count);
  from.remove_prefix(sizeof count);
  if (count > from.size() / sizeof(T)) {
    return false;
  }
  rows.resize(count);
  std::memcpy(static_cast<void*>(rows.data()), from.data(), count * sizeof(T));
  from.remove_prefix(count * sizeof(T));
  return true;
}

}  // namespace

std::string Instruction::text(std::size_t index) const {
  if (index + 1 >= words.size()) {
    return {};
  }
  const std::span<const std::uint32_t> rest = words.subspan(index + 1);
  const std::string_view bytes(reinterpret_cast<const char*>(rest.data()), rest.size_bytes());
  return std::string(bytes.substr(0, bytes.find('\0')));
}

std::size_t Instruction::text_words(std::size_t index) const {
  return text(index).size() / sizeof(std::uint32_t) + 1;
}

Result<std::vector<Instruction>> instructions_of(std::span<const std::uint32_t> words) {
  if (words.size() < kHeaderWords || words.front() != kMagic) {
    return fail(ErrorCode::kInvalidArgument, "no SPIR-V module");
  }
  std::vector<Instruction> found;
  for (std::size_t at = kHeaderWords; at < words.size();) {
    const std::size_t length = words[at] >> kLengthShift;
    if (length == 0 || length > words.size() - at) {
      return fail(
          ErrorCode::kInvalidArgument,
          "word " + std::to_string(at) + " of a SPIR-V module: an instruction that is cut off");
    }
    found.push_back({static_cast<Op>(words[at] & kOpcodeMask), words.subspan(at, length)});
    at += length;
  }
  return found;
}

std::string encode_shaders(const std::vector<ShaderCode>& shaders) {
  std::string blob(kMark);
  for (const ShaderCode& shader : shaders) {
    put(blob, shader.words);
    put(blob, shader.accesses);
  }
  return blob;
}

Result<std::vector<ShaderCode>> decode_shaders(std::string_view blob) {
  if (!holds_shaders(blob)) {
    return fail(ErrorCode::kInternal, "an image that holds no shaders");
  }
  blob.remove_prefix(kMark.size());
  std::vector<ShaderCode> shaders;
  while (!blob.empty()) {
    ShaderCode& shader = shaders.emplace_back();
    if (shaders.size() > kMostShaders || !take(blob, shader.words) ||
        !take(blob, shader.accesses)) {
      return fail(ErrorCode::kInternal, "an image with malformed shaders");
    }
  }
  return shaders;
}

bool holds_shaders(std::string_view blob) {
  return blob.starts_with(kMark);
}

}  // namespace ws::spirv
