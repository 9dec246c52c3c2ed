// The line of a kernel before which the elements of a tile change.
#pragma once

#include <string>

#include "runtime/lift/lower/edit_draft.h"
#include "runtime/lift/lower/element_edits.h"
#include "runtime/lift/lower/kernel_scope.h"
#include "runtime/lift/lower/value_change.h"

namespace ws::lift {

class ElementPlaces {
 public:
  /// All of them outlive it.
  ElementPlaces(const EditedKernel& kernel, const ReadProgram& lifted, const ReadProgram& target,
                const KernelScope& scope, const EditDraft& draft)
      : kernel_(kernel),
        lifted_(lifted),
        target_(target),
        scope_(scope),
        draft_(draft) {}

  /// The lines that the changed statement stands for. @errors kUnsupported: none.
  [[nodiscard]] Result<Window> lines_of(const ValueChange& change) const;

  /// The line before which the elements of an array change, as `first`; text there is set in as
  /// line `last` is. @errors kUnsupported: there is no such line, with the reason.
  [[nodiscard]] Result<Window> before(const ValueChange& change, VariableId array) const;

 private:
  [[nodiscard]] bool commutes(const ValueChange& change) const;
  [[nodiscard]] std::string hidden_number(const ir::Expr& chosen) const;
  [[nodiscard]] Status check_whole(const std::string& region, std::int32_t first,
                                   std::int32_t last) const;
  [[nodiscard]] bool is_beside(std::size_t line, const Range& function) const;

  const EditedKernel& kernel_;
  const ReadProgram& lifted_;
  const ReadProgram& target_;
  const KernelScope& scope_;
  const EditDraft& draft_;
};

}  // namespace ws::lift
