#define DOCTEST_CONFIG_IMPLEMENT
#include <cstring>

#include <doctest/doctest.h>

#include "tests/support/golden.h"

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    ws::update_goldens() = ws::update_goldens() || std::strcmp(argv[i], "--update-golden") == 0;
  }
  doctest::Context context(argc, argv);
  return context.run();
}
