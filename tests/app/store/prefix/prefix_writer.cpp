// Saves blocks for ever, for tst_prefix_damage to kill it: chains "chain 0", "chain 1"... of 10
// blocks, forgetting some, with budgets that make others go.
#include <string>

#include "app/store/prefix/prefix_database.h"
#include "tests/app/store/prefix/sample_blocks.h"

using namespace quire;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  PrefixDatabase database({.path = argv[1], .budgets = {400'000, 400'000}});
  for (int round = std::stoi(argv[2]);; ++round) {
    const int number = round % 20;
    const PrefixOwner owner{
        number % 2 == 0 ? PrefixOwner::Kind::kPersona : PrefixOwner::Kind::kChat, number + 1};
    const auto blocks = samples::chain("chain " + std::to_string(number), 10, 8000);
    for (const StoredBlock& block : blocks) database.save(block, owner);
    database.touch(samples::keysOf(blocks), owner);
    if (round % 7 == 0) database.keepOnly({owner});
    if (round % 3 == 0) database.flush(std::chrono::seconds(10));
  }
}
