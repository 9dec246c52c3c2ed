#include "runtime/exchange/run_code.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/exchange/tensor_types.h"
#include "runtime/kernel/module_reference.h"

namespace ws {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// The line between a definition's own code and what was added to it.
constexpr const char* kAdded = "\n\n# How the problem's arguments reach `run`: by position.\n";

/// Names of Python as a tuple: ("a", "b", ). They are identifiers.
std::string name_tuple(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += "\"" + name + "\", ";
  }
  return "(" + text + ")";
}

std::vector<std::string> keys_of(const OrderedJson& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) {
    keys.push_back(key);
  }
  return keys;
}

/// {"a": "float16", }: the types of tensors, by name.
std::string kinds_text(const OrderedJson& inputs) {
  std::string text;
  for (const auto& [name, tensor] : inputs.items()) {
    if (tensor.value("shape", OrderedJson()).is_array()) {
      text += "\"" + name + "\": \"" + tensor.value("dtype", "") + "\", ";
    }
  }
  return "{" + text + "}";
}

constexpr const char* kPlainReference = R"(def reference(inputs, dims):
    out = run(*(inputs[name] for name in $INPUTS))
    if isinstance(out, dict):
        return out
    return dict(zip($OUTPUTS, out if isinstance(out, (tuple, list)) else (out,)))
)";

constexpr const char* kTorchReference = R"(def reference(inputs, dims):
    import torch
    torch.backends.mkldnn.enabled = False  # Its code is made at run time, which is not allowed here.
    kinds = $KINDS

    def call(wide):
        given = []
        for name in $INPUTS:
            value = inputs[name]
            if name in kinds:
                kind = getattr(torch, kinds[name], torch.float32)
                wider = torch.float64 if wide and kind.is_floating_point else kind
                value = torch.tensor(value).to(wider)
            elif hasattr(value, "item"):
                value = value.item()
            given.append(value)
        with torch.no_grad():
            out = run(*given)
        if isinstance(out, dict):
            out = [out[name] for name in $OUTPUTS]
        return out if isinstance(out, (tuple, list)) else (out,)

    try:
        out = call(True)
    except Exception:  # It mixes its tensors with those of another type.
        out = call(False)
    tensors = [torch.as_tensor(each).detach() for each in out]
    narrow = (torch.float16, torch.float32, torch.float64)
    return {name: (each.float() if each.is_floating_point() and each.dtype not in narrow else each).numpy()
            for name, each in zip($OUTPUTS, tensors)}
)";

constexpr const char* kArrayRun = R"(def run($PARAMETERS, _reference=reference):
    import torch
    tensors = {$TENSORS}

    def array(tensor):
        short = tensor.is_floating_point() and tensor.dtype not in (torch.float16, torch.float32, torch.float64)
        return (tensor.float() if short else tensor).detach().cpu().numpy()

    inputs = {name: array(each) if torch.is_tensor(each) else each for name, each in tensors.items()}
    out = _reference(inputs, {$DIMS})
    if not isinstance(out, dict):
        out = dict(zip($OUTPUTS, out if isinstance(out, (tuple, list)) else (out,)))
    device = next(each.device for each in tensors.values() if torch.is_tensor(each))
    kinds = {$KINDS}
    results = [torch.as_tensor(out[name]).to(device, kinds[name]) for name in $OUTPUTS]
    return results[0] if len(results) == 1 else tuple(results)
)";

constexpr const char* kModuleRun = R"(def run($PARAMETERS, _made={}):
    tensors = {$TENSORS}
    device = next(iter(tensors.values())).device
    if device not in _made:
        model = make_module()
        _made[device] = model.to(device) if hasattr(model, "to") else model
    load_module(_made[device], tensors)
    out = call_module(_made[device], tensors)
    results = [out[name] for name in $OUTPUTS]
    return results[0] if len(results) == 1 else tuple(results)
)";

std::string filled(std::string text, const std::string& mark, const std::string& with) {
  for (std::size_t at = text.find(mark); at != std::string::npos;
       at = text.find(mark, at + with.size())) {
    text.replace(at, mark.size(), with);
  }
  return text;
}

/// Where the size of each dim is read: "x.shape[0]", or a number of one that has only one size.
std::string dims_text(const Problem& problem) {
  std::string text;
  for (const DimSpec& dim : problem.dims) {
    std::string size = std::to_string(dim.values.front());
    for (const ArgSpec& arg : problem.args) {
      const auto extent = std::ranges::find(arg.shape, dim.name);
      if (arg.role == Role::kIn && extent != arg.shape.end()) {
        size = arg.name + ".shape[" + std::to_string(extent - arg.shape.begin()) + "]";
        break;
      }
    }
    text += (text.empty() ? "\"" : ", \"") + dim.name + "\": " + size;
  }
  return text;
}

Result<std::string> run_of(const Problem& problem, const std::string& pattern) {
  std::string parameters;
  std::string tensors;
  std::string kinds;
  std::vector<std::string> outputs;
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kOut) {
      outputs.push_back(arg.name);
      WS_TRY(const std::string word, tensor_word(arg.type, "`" + arg.name + "`"));
      kinds += "\"" + arg.name + "\": torch." + word + ", ";
      continue;
    }
    parameters += (parameters.empty() ? "" : ", ") + arg.name;
    tensors += (tensors.empty() ? "\"" : ", \"") + arg.name + "\": " + arg.name;
  }
  std::string text = filled(pattern, "$PARAMETERS", parameters);
  text = filled(text, "$TENSORS", tensors);
  text = filled(text, "$KINDS", kinds);
  text = filled(text, "$DIMS", dims_text(problem));
  return filled(text, "$OUTPUTS", name_tuple(outputs));
}

}  // namespace

std::string with_reference(const std::string& source, const OrderedJson& definition) {
  const bool torch = source.find("torch") != std::string::npos;
  std::string text = filled(torch ? kTorchReference : kPlainReference, "$INPUTS",
                            name_tuple(keys_of(definition["inputs"])));
  text = filled(text, "$OUTPUTS", name_tuple(keys_of(definition["outputs"])));
  return source + kAdded + filled(text, "$KINDS", kinds_text(definition["inputs"]));
}

Result<std::string> with_run(const Problem& problem) {
  if (problem.reference_kind != "python") {
    return fail(ErrorCode::kUnsupported,
                "the reference of a definition is Python code, and that of " + problem.id +
                    " is of kind `" + problem.reference_kind + "`",
                "describe the problem with a reference of kind `python`");
  }
  const std::string& source = problem.reference_source;
  if (const std::size_t added = source.find(kAdded); added != std::string::npos) {
    return source.substr(0, added);
  }
  WS_TRY(const std::string run, run_of(problem, has_module(problem) ? kModuleRun : kArrayRun));
  return source + "\n\n" + run;
}

}  // namespace ws
