// One kernel as a page for people: what it is, how it came to be, what is known of it, and how to
// check that again.
#pragma once

#include <string>
#include <vector>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/line_store.h"
#include "runtime/base/result.h"

namespace ws {

/// The page as HTML in one piece: no scripts, nothing is loaded from elsewhere, and every text of
/// the archive is escaped.
/// @param device  The device of the speeds, as evidence is kept under; empty: that of the kernel's
/// newest benchmark, else of its newest validation.
/// @errors kNotFound.
Result<std::string> kernel_page(Archive& archive, LineStore& lines, const std::string& id_or_ref,
                                std::string device);

}  // namespace ws
