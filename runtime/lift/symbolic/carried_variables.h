// Variables that rounds of a loop hand on to the next ones.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/lift/symbolic/memory.h"

namespace ws::lift {

/// The loops over a symbol that are being run, and the variables of the program that each round
/// gives new values. For one thread.
class CarriedVariables {
 public:
  /// All of them outlive this.
  CarriedVariables(const Basis& basis, ObjectTable& objects, Memory& memory, Reports& reports,
                   const Steps& steps)
      : mode_(basis.mode),
        terms_(basis.terms),
        objects_(objects),
        memory_(memory),
        reports_(reports),
        steps_(steps) {}

  /// How many loops are around what is being run.
  [[nodiscard]] std::size_t depth() const { return rounds_.size(); }

  /// A loop's variable that none of the loops around has. @param name  The one that it is like.
  [[nodiscard]] std::string free_name(std::string name) const;

  /// Enters the round of a loop.
  /// @param variable  Of the loop. @param carried  Each holds what carry() gave it.
  /// @param before    The objects before the loop.
  /// @return  The first values. @errors kUnsupported: one has the bits of another type.
  Result<std::vector<Update>> enter(const std::string& variable,
                                    const std::vector<ObjectId>& carried,
                                    const std::vector<Object>& before);
  void leave();

  /// From here on the slots of a variable, in the form that it has now, are what the program's
  /// variable holds. @errors kUnsupported: one has the bits of another type.
  Status carry(ObjectId id);

  /// Reports the variables that have changed since they were reported last.
  /// @errors kUnsupported: one has the bits of another type. What Sink::update() fails with.
  Status update();

 private:
  struct Round {
    std::string variable;
    std::map<ObjectId, std::vector<TermId>> carried;  ///< The last values of its slots.
  };

  Result<std::vector<TermId>> slots_of(ObjectId id, const std::vector<Leaf>& leaves);
  void carry(ObjectId id, const std::vector<TermId>& like);
  void share_places(ObjectId id, std::vector<TermId>& slots);
  void hold(Object& variable, const std::vector<TermId>& slots);

  const RunMode& mode_;
  Terms& terms_;
  ObjectTable& objects_;
  Memory& memory_;
  Reports& reports_;
  const Steps& steps_;
  std::vector<Round> rounds_;
  int versions_ = 0;
};

}  // namespace ws::lift
