// The product as its clients see it, beside its tools.
#pragma once

#include <string_view>

#include "server/protocol/offer.h"

namespace ws::server {

/// The workflow, in under 2 KB: every client keeps it in its model's context.
std::string_view instructions();

/// The product's name, and its instructions.
Identity product_identity();

}  // namespace ws::server
