// Calls of KernelBench solutions: which arguments of the module's problem they give.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/exchange/imported.h"

namespace ws::test {
namespace {

using Json = nlohmann::json;

/// A problem as an import of a module writes it whose forward takes (x, alpha, y) with alpha 2.0,
/// and which has an input `fc_weight` beside the weight `fc.weight`.
Json module_problem(const std::string& reference) {
  Json form = Json::parse(R"json({"name": "module", "dims": {"n": [64]}, "args": [
    {"name": "x", "type": "f32", "role": "in", "shape": ["n"]},
    {"name": "y", "type": "f32", "role": "in", "shape": ["n"]},
    {"name": "fc_weight", "type": "f32", "role": "in", "shape": ["n"]},
    {"name": "fc_weight_", "type": "f32", "role": "in", "shape": ["n"]},
    {"name": "output", "type": "f32", "role": "out", "shape": ["n"]}]})json");
  form["reference"] = {{"kind", "python"}, {"source", reference}};
  return form;
}

constexpr const char* kModuleReference = R"(class Model:
    def forward(self, x, alpha, y, fc_weight):
        result = model(tensors['y'])
        for name, argument in [('fc.weight', 'x')]:
            pass
        return x

def load_module(model, tensors):
    with torch.no_grad():
        state = {}
        for name, argument in [('fc.weight', 'fc_weight_')]:
            state[name].copy_(tensors[argument])


def call_module(model, tensors):
    with torch.no_grad():
        result = model(tensors['x'], 2.0, tensors['y'], tensors['fc_weight'])
    return dict(zip(['output'], [result]))


def reference(inputs, dims):
    return {}
)";

/// The kernel's arguments of a solution whose function gets three tensors, or the refusal.
std::string arguments_of_call(const Json& arguments,
                              const std::string& reference = kModuleReference) {
  const Json parts = {
      {"cpp_sources", ""},
      {"function", "run"},
      {"arguments", arguments},
      {"cuda_sources",
       "__global__ void k(const float* a, const float* b, const float* c, float* out) {\n"
       "  out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x] * c[threadIdx.x];\n}\n"
       "torch::Tensor run(torch::Tensor a, torch::Tensor b, torch::Tensor c) {\n"
       "  auto out = torch::empty_like(a);\n"
       "  k<<<1, 64>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), "
       "out.data_ptr<float>());\n  return out;\n}\n"}};
  const auto forms = import_kernelbench(module_problem(reference).dump(), parts.dump());
  return forms ? Json::parse(forms->kernel)["launches"][0]["args"].dump() : to_text(forms.error());
}

Json input(std::size_t place) {
  return {{"input", place}};
}

}  // namespace

TEST_SUITE("exchange.kernelbench") {
  TEST_CASE("parameters and weights of the module are the arguments that its import made of them") {
    const Json weight = {{"weight", "fc.weight"}};
    CHECK(arguments_of_call({input(0), input(2), weight}) == R"(["x","y","fc_weight_","output"])");
    CHECK(arguments_of_call({input(3), input(2), weight}) ==
          R"(["fc_weight","y","fc_weight_","output"])");
  }

  TEST_CASE("a call that gives no tensor of the problem is refused") {
    CHECK(arguments_of_call({input(0), input(1), input(2)}) ==
          "unsupported: the call gives input 1, which is no tensor of the problem");
    CHECK(arguments_of_call({input(0), input(4), input(2)}) ==
          "unsupported: the call gives input 4, which is no tensor of the problem");
    CHECK(arguments_of_call({input(0), input(2), Json{{"weight", "fc_weight"}}}) ==
          "unsupported: the call gives `self.fc_weight`, which is no weight of the module");
    const std::string other = "def reference(inputs, dims):\n    return {}\n";
    CHECK(arguments_of_call({input(0)}, other) ==
          "unsupported: the problem does not say which of its arguments are inputs and weights of "
          "the module");
  }

  TEST_CASE("a reference whose lines are not those of an import says nothing") {
    for (const char* call : {"tensors['z']", "tensors[\"x\"]", "tensors['x"}) {
      CAPTURE(std::string(call));
      std::string changed = kModuleReference;
      const std::string known = "tensors['x']";
      changed.replace(changed.rfind(known), known.size(), call);
      CHECK(arguments_of_call({input(0)}, changed) ==
            "unsupported: the problem does not say which of its arguments are inputs and weights "
            "of the module");
    }
  }
}

}  // namespace ws::test
