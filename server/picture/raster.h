// The boundary of libwarpsmith_picture.so, which makes pixels of drawings. It is loaded when the
// first picture is asked for: libgd and what it needs would lengthen every start.
#pragma once

#include <string>

#include "server/picture/drawing.h"

namespace ws::server {

inline constexpr const char* kPictureLibraryFile = "libwarpsmith_picture.so";
inline constexpr const char* kPictureSymbol = "warpsmith_picture";

/// The exported function. Program and library are built from one tree, by one compiler.
/// @param png     The bytes of the file. @return  False: there is no memory for it. Any thread.
using PictureFunction = bool (*)(const Drawing& drawing, std::string& png);

}  // namespace ws::server
