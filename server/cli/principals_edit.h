// Changes of a principals file's text, which leave every other byte as it is.
#pragma once

#include <string>

#include "runtime/base/result.h"
#include "server/access/principals_file.h"

namespace ws::server {

/// The text with another table [[principal]] at its end.
/// @param file  For the messages, as all of these.
/// @errors kInvalidArgument: the text is not as parse_principals() wants it, then or now; there is
/// such a principal.
Result<std::string> with_principal(const std::string& text, const Principal& who,
                                   const TokenEntry& token, const std::string& file);

/// The text with another token of that principal, as a table [[principal.token]] behind its own.
/// @errors As without_principal(); kInvalidArgument: it has kMostTokens already.
Result<std::string> with_token(const std::string& text, const std::string& name,
                               const TokenEntry& token, const std::string& file);

/// The text without all tokens of that principal but the last.
/// @errors As without_principal().
Result<std::string> without_old_tokens(const std::string& text, const std::string& name,
                                       const std::string& file);

/// The text without that principal's table.
/// @errors kInvalidArgument: as with_principal(), or the principal stands there in another form;
/// kNotFound: there is no such principal.
Result<std::string> without_principal(const std::string& text, const std::string& name,
                                      const std::string& file);

}  // namespace ws::server
