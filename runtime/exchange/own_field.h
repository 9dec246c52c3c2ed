// The field of exported files by which an import gives problem and kernel back as they were here.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "runtime/base/result.h"
#include "runtime/exchange/imported.h"

namespace ws {

/// The part of a T1 file that is the text of its kernel's file.
inline constexpr const char* kSourcePart = "kernel.cu";
/// The part of a KernelBench file that is all of it but the field.
inline constexpr const char* kFilePart = "file";

/// The content of kOwnField: the forms, and the digests of them and of all else that was exported.
/// @param forms  {kernel} and, where no other file has it, {problem}.
/// @param parts  An object: the file's other fields, and texts beside them, by name.
nlohmann::ordered_json own_field(const nlohmann::ordered_json& forms,
                                 const nlohmann::ordered_json& parts);

/// The forms that own_field() was made of. @param file  "the solution", for the message.
/// @errors kConflict: a form or a part was changed, added or taken away since, and which.
Result<ImportedForms> forms_of_own(const nlohmann::json& own, const nlohmann::json& parts,
                                   const std::string& file);

}  // namespace ws
