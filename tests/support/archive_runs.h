// Runs of `warpsmith archive` on folders of tests.
#pragma once

#include <string>
#include <vector>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/test_folder.h"
#include "tests/support/run_program.h"
#include "tests/support/tool_bench.h"

namespace ws::test {

/// `warpsmith archive WORDS --data FOLDER`, run to its end.
Ended run_archive(const TestFolder& data, const std::vector<std::string>& words);

/// Stores a judged kernel with the ref best@main in the folder. @return  Its id.
std::string fill_with_kernel(const TestFolder& data);

/// Writes a file into the folder. @return  Its path.
std::string file_in(const TestFolder& folder, const std::string& name, const std::string& text);

}  // namespace ws::test
