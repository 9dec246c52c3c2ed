// Calls of a symbolic run: the kernel's own functions are entered, others are in the table.
#pragma once

#include <string>
#include <vector>

#include "runtime/lift/symbolic/carried_variables.h"
#include "runtime/lift/symbolic/fragments.h"

namespace ws::lift {

struct Meaning;

/// Runs calls. For one thread.
class Calls {
 public:
  /// All of them outlive this.
  Calls(const Basis& basis, Runner& runner, Reports& reports, Steps& steps, const Guards& guards,
        Control& control, ObjectTable& objects, Memory& memory, CarriedVariables& carried)
      : tree_(basis.tree),
        mode_(basis.mode),
        terms_(basis.terms),
        numbers_(basis.numbers),
        scalars_(basis.scalars),
        runner_(runner),
        reports_(reports),
        steps_(steps),
        guards_(guards),
        control_(control),
        objects_(objects),
        memory_(memory),
        carried_(carried),
        fragments_(basis, runner, objects, memory, guards) {}

  /// @param node  kCall
  /// @errors kUnsupported: the function is not known in this form, or a statement in it is not.
  Result<Value> run(const Node& node);

 private:
  Status barrier(const Node& node);
  Result<Value> load_call(const Node& node);
  Result<Value> value_call(const Node& node, const Meaning& meaning);
  Result<TermId> value_of(const Node& node, const Meaning& meaning, std::vector<TermId> args,
                          DType type);
  static Result<Value> not_called(const Node& node, const Meaning& meaning);
  Result<Value> inlined(const Node& node);
  Result<Value> shuffle(const Node& node);
  TermId moved(TermId value, std::vector<Ref> sources);
  Result<Value> store_call(const Node& node, const std::string& atomic);
  Result<Value> packed(const Node& node);

  const Tree& tree_;
  const RunMode& mode_;
  Terms& terms_;
  Arithmetic& numbers_;
  Scalars& scalars_;
  Runner& runner_;
  Reports& reports_;
  Steps& steps_;
  const Guards& guards_;
  Control& control_;
  ObjectTable& objects_;
  Memory& memory_;
  CarriedVariables& carried_;
  Fragments fragments_;
};

}  // namespace ws::lift
