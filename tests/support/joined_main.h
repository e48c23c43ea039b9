#pragma once

#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace quire::test {

/// One test of a program that holds several (tests/joined_tests.cmake).
struct JoinedTest {
  const char* name;
  int (*run)(int argc, char** argv);
};

/// Runs the test that the first argument names, as if it were a program of that name; the exit code
/// is its own, or 2 without such a test.
inline int run_joined(int argc, char** argv, std::initializer_list<JoinedTest> tests) {
  for (const JoinedTest& test : tests) {
    if (argc > 1 && std::strcmp(argv[1], test.name) == 0) {
      return test.run(argc - 1, argv + 1);
    }
  }
  std::fprintf(stderr, "The first argument names the test:\n");
  for (const JoinedTest& test : tests) {
    std::fprintf(stderr, "  %s\n", test.name);
  }
  return 2;
}

}  // namespace quire::test
