// Places, numbers and limits, which all parts of a principals file have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): the name that the library looks for
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "runtime/base/result.h"
#include "server/access/principal.h"

namespace ws::server {

/// An error that begins with "FILE:LINE:COLUMN: ".
tl::unexpected<Error> bad_place(const std::string& file, const toml::source_region& at,
                                const std::string& why, std::string hint = {});

/// @errors kInvalidArgument: it is no integer of 1 or more.
Result<int> positive_integer(const std::string& file, std::string_view key, const toml::node& node);

/// Takes one of the limits of a principal. @return  False: the key is that of no limit.
/// @errors As positive_integer().
Result<bool> take_limit(const std::string& file, PrincipalLimits& limits, const toml::key& key,
                        const toml::node& node);

std::vector<std::string> limit_keys();

}  // namespace ws::server
