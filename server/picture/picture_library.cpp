#include "server/picture/picture_library.h"

#include <dlfcn.h>

namespace ws::server {

Result<PictureFunction> PictureLibrary::load() {
  const std::lock_guard lock(mutex_);
  if (draw_ == nullptr) {
    void* const library = ::dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const symbol = library == nullptr ? nullptr : ::dlsym(library, kPictureSymbol);
    if (symbol == nullptr) {
      // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc keeps a message for each thread.
      const char* const why = ::dlerror();
      return fail(ErrorCode::kUnsupported, "the library that draws pictures cannot be loaded",
                  "install libgd3, and keep " + file_.filename().string() + " beside the program",
                  why == nullptr ? "" : why);
    }
    draw_ = reinterpret_cast<PictureFunction>(symbol);
  }
  return draw_;
}

Result<std::string> PictureLibrary::png(const Drawing& drawing) {
  WS_TRY(const PictureFunction draw, load());
  std::string bytes;
  if (!draw(drawing, bytes)) {
    return fail(ErrorCode::kIo, "there is no memory for a picture of " +
                                    std::to_string(drawing.width()) + " x " +
                                    std::to_string(drawing.height()) + " pixels");
  }
  if (bytes.size() > kMostPictureBytes) {
    return fail(ErrorCode::kInternal, "the picture has " + std::to_string(bytes.size()) +
                                          " bytes, and " + std::to_string(kMostPictureBytes) +
                                          " are the most");
  }
  return bytes;
}

}  // namespace ws::server
