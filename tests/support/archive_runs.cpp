#include "tests/support/archive_runs.h"

#include <doctest/doctest.h>

#include "runtime/base/files.h"

namespace ws::test {

Ended run_archive(const TestFolder& data, const std::vector<std::string>& words) {
  std::vector<std::string> line = {"archive"};
  line.insert(line.end(), words.begin(), words.end());
  line.emplace_back("--data");
  line.push_back(data.path().string());
  return run_program(line);
}

std::string fill_with_kernel(const TestFolder& data) {
  ServicesOptions options;
  options.data_dir = data.path();
  options.executable = std::string(WS_BINARY_DIR) + "/warpsmith";
  options.gpus = false;
  auto services = open_services(options);
  REQUIRE(services.has_value());
  ToolRegistry registry;
  add_all_tools(registry, **services);
  CallContext context;
  const auto result =
      registry.find("compile_kernel")
          ->tool->call({{"problem", twice_problem()}, {"kernel", good_kernel()}}, context);
  REQUIRE(result.has_value());
  const std::string id = (*result)["kernel_id"];
  REQUIRE(registry.find("validate")->tool->call({{"kernel_id", id}}, context).value()["verdict"] ==
          "passed");
  REQUIRE((*services)->archive->set_ref("best@main", id).has_value());
  return id;
}

std::string file_in(const TestFolder& folder, const std::string& name, const std::string& text) {
  const std::filesystem::path path = folder.path() / name;
  REQUIRE(write_file(path, text).has_value());
  return path.string();
}

}  // namespace ws::test
