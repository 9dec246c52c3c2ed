#include "runtime/base/viewer.h"

namespace ws {
namespace {

ViewerPtr& viewer_of_thread() noexcept {
  thread_local ViewerPtr own;
  return own;
}

}  // namespace

const Viewer& current_viewer() noexcept {
  static const Viewer kUnnamed;
  const ViewerPtr& own = viewer_of_thread();
  return own ? *own : kUnnamed;
}

ViewerPtr kept_viewer() noexcept {
  return viewer_of_thread();
}

ViewerScope::ViewerScope(ViewerPtr viewer) noexcept
    : before_(std::exchange(viewer_of_thread(), std::move(viewer))) {}

ViewerScope::~ViewerScope() {
  viewer_of_thread() = std::move(before_);
}

}  // namespace ws
