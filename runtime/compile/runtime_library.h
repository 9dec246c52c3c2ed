// The common part of the C interfaces of NVRTC and hiprtc: HIP's was made after CUDA's.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <dlfcn.h>

namespace ws::rtc {

inline std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> result;
  result.reserve(texts.size());
  for (const std::string& text : texts) {
    result.push_back(text.c_str());
  }
  return result;
}

/// Sets `function` to what the library calls `name`, else to null, and notes the first one missing.
template <typename Function>
void find(void* library, const char* name, Function& function, std::string& missing) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr && missing.empty()) {
    missing = name;
  }
}

/// The outputs of a program: PTX, machine code, a log; empty where it has none. The sizes of texts
/// count the zero byte at their end.
template <typename Handle>
std::string fetch(Handle program, int (*size_of)(Handle, std::size_t*), int (*get)(Handle, char*)) {
  std::size_t size = 0;
  if (size_of(program, &size) != 0 || size == 0) {
    return {};
  }
  std::string bytes(size, '\0');
  return get(program, bytes.data()) == 0 ? bytes : std::string();
}

}  // namespace ws::rtc
