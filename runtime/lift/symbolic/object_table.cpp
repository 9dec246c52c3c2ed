#include "runtime/lift/symbolic/object_table.h"

#include <utility>

#include "runtime/lift/symbolic/tiles.h"

namespace ws::lift {

void ObjectTable::declare_globals() {
  for (std::size_t i = 0; i < input_.tensors.size(); ++i) {
    Object made;
    made.kind = ObjectKind::kTensor;
    made.name = input_.tensors[i].name;
    made.element = input_.tensors[i].type;
    made.tensor = i;
    add(std::move(made));
  }
  for (std::size_t i = 0; i < tree_.variables.size(); ++i) {
    const Variable& variable = tree_.variables[i];
    if (variable.space != Space::kShared) {
      continue;
    }
    TypeId element = variable.type;
    while (element != kNone && tree_.type(element).kind == TypeKind::kArray) {
      element = tree_.type(element).element;
    }
    Object made;
    made.kind = ObjectKind::kShared;
    made.name = variable.name;
    made.type = variable.type;
    made.element = scalars_.dtype_of(element);
    made.range = variable.range;
    shared_[static_cast<VariableId>(i)] = add(std::move(made));
  }
  if (mode_.is_part()) {
    name_arrays();
  }
}

/// Arrays that the program has are called as there.
void ObjectTable::name_arrays() {
  for (Object& made : objects_) {
    const auto known = mode_.arrays->find("self." + array_name(input_, made.name));
    if (made.kind == ObjectKind::kShared && known != mode_.arrays->end()) {
      made.name = array_name(input_, made.name);
      made.dims = known->second.dims;
      made.logical = known->second.order;
    }
  }
}

ObjectId ObjectTable::add(Object made) {
  objects_.push_back(std::move(made));
  return static_cast<ObjectId>(objects_.size()) - 1;
}

ObjectId ObjectTable::declare(VariableId variable, Value value) {
  Object made;
  made.name = tree_.variable(variable).name;
  made.type = tree_.variable(variable).type;
  made.leaves = std::move(value.leaves);
  made.masks = guards_.conditions().size();
  made.active = guards_.active();
  const ObjectId at = add(std::move(made));
  control_.bind(variable, at);
  return at;
}

ObjectId ObjectTable::find(VariableId variable) const {
  const auto shared = shared_.find(variable);
  return shared != shared_.end() ? shared->second : control_.find(variable);
}

Result<ValuePlace> ObjectTable::field_array(const ValuePlace& whole, const Type& type,
                                            const Field& field) {
  const std::string name = array_name(input_, field.name);
  const auto known = mode_.arrays->find("self." + name);
  if (known == mode_.arrays->end() || whole.offset.number() != 0) {
    return fail(ErrorCode::kUnsupported,
                "`" + type.name + "::" + field.name + "` is no array of the program");
  }
  const auto [entry, fresh] =
      fields_.try_emplace(field.name, static_cast<ObjectId>(objects_.size()));
  if (fresh) {
    Object made;
    made.kind = ObjectKind::kShared;
    made.name = name;
    made.type = field.type;
    made.element = known->second.type;
    made.dims = known->second.dims;
    made.logical = known->second.order;
    add(std::move(made));
  }
  return ValuePlace{entry->second, {}, field.type};
}

std::vector<Object> ObjectTable::exchange(std::vector<Object> objects) {
  std::vector<Object> before = std::exchange(objects_, std::move(objects));
  control_.forget_from(objects_.size());
  return before;
}

void ObjectTable::truncate(std::size_t size) {
  objects_.resize(size);
  control_.forget_from(size);
}

}  // namespace ws::lift
