// Forms of a kernel's text by which two texts count as one kernel.
#pragma once

#include <string>
#include <string_view>

namespace ws {

/// Hashes; equal ones: equal forms.
struct TextForms {
  /// Equal only for the same program: comments and white space do not count where they surely
  /// have no meaning, nor does the kernel's name.
  std::string same;
  /// The names of variables do not count either. Equal forms are the same program for whoever does
  /// not hide names from their declarations on purpose: enough to be paid alike, not to vouch.
  std::string renamed;
};

/// @param kernel_json  A kernel's form: KernelRow::json.
TextForms text_forms(std::string_view kernel_json);

}  // namespace ws
