// Which references can run here: those in Python need NumPy, and tests of them are left out where
// there is none.
#pragma once

#include <filesystem>
#include <vector>

namespace ws::test {

/// True where a Python interpreter imports NumPy. CHECKs what a call answers where none does.
bool has_numpy();

/// The folders of examples/kernels whose references can run here.
std::vector<std::filesystem::path> example_folders();

}  // namespace ws::test
