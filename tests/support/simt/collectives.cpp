#include <bit>

#include "tests/support/simt/block.h"

// What the lanes of a warp do together (PTX ISA, "shfl.sync", "vote.sync", "match.sync",
// "redux.sync"). The last lane that arrives computes for all, into what the others left.
namespace simt {
namespace {

struct ShuffleSlot {
  uint64_t bits;
  uint64_t result;
  int operand;
  unsigned width;
};

template <typename Visit>
void for_each_lane(unsigned lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<unsigned>(std::countr_zero(lanes)));
}

template <Shuffle kKind>
unsigned source_lane(unsigned lane, int operand, unsigned width) {
  const auto distance = static_cast<unsigned>(operand);
  const unsigned in_segment = lane & (width - 1);
  switch (kKind) {
    case Shuffle::kIndex:
      return (lane & ~(width - 1)) | (distance & (width - 1));
    case Shuffle::kUp:
      return distance > in_segment ? lane : lane - distance;
    case Shuffle::kDown:
      return distance >= width - in_segment ? lane : lane + distance;
    case Shuffle::kXor: {
      const unsigned source = lane ^ (distance & (kLanes - 1));
      return source > (lane | (width - 1)) ? lane : source;
    }
  }
  return lane;
}

template <Shuffle kKind>
void complete_shuffle(void* const (&slots)[kLanes], unsigned present) {
  for_each_lane(present, [&](unsigned lane) {
    auto* const mine = static_cast<ShuffleSlot*>(slots[lane]);
    const unsigned source = source_lane<kKind>(lane, mine->operand, mine->width);
    mine->result = ~uint64_t{0};
    if ((present >> source & 1u) != 0)
      mine->result = static_cast<ShuffleSlot*>(slots[source])->bits;
  });
}

constexpr WarpOperation kShuffles[] = {
    {"__shfl_sync", &complete_shuffle<Shuffle::kIndex>},
    {"__shfl_up_sync", &complete_shuffle<Shuffle::kUp>},
    {"__shfl_down_sync", &complete_shuffle<Shuffle::kDown>},
    {"__shfl_xor_sync", &complete_shuffle<Shuffle::kXor>},
};

struct VoteSlot {
  bool predicate;
  unsigned result;
};

template <Vote kKind>
void complete_vote(void* const (&slots)[kLanes], unsigned present) {
  unsigned ballot = 0;
  for_each_lane(present, [&](unsigned lane) {
    if (static_cast<VoteSlot*>(slots[lane])->predicate) ballot |= 1u << lane;
  });
  unsigned result = ballot;
  if (kKind == Vote::kAny) result = ballot != 0 ? 1 : 0;
  if (kKind == Vote::kAll) result = ballot == present ? 1 : 0;
  for_each_lane(present,
                [&](unsigned lane) { static_cast<VoteSlot*>(slots[lane])->result = result; });
}

constexpr WarpOperation kVotes[] = {
    {"__ballot_sync", &complete_vote<Vote::kBallot>},
    {"__any_sync", &complete_vote<Vote::kAny>},
    {"__all_sync", &complete_vote<Vote::kAll>},
};

struct MatchSlot {
  uint64_t bits;
  unsigned equal;
  unsigned present;
};

void complete_match(void* const (&slots)[kLanes], unsigned present) {
  for_each_lane(present, [&](unsigned lane) {
    auto* const mine = static_cast<MatchSlot*>(slots[lane]);
    mine->present = present;
    mine->equal = 0;
    for_each_lane(present, [&](unsigned other) {
      if (static_cast<MatchSlot*>(slots[other])->bits == mine->bits) mine->equal |= 1u << other;
    });
  });
}

constexpr WarpOperation kMatches[] = {
    {"__match_any_sync", &complete_match},
    {"__match_all_sync", &complete_match},
};

struct ReduceSlot {
  int64_t value;
  int64_t result;
};

template <Reduce kKind>
int64_t combine(int64_t a, int64_t b) {
  switch (kKind) {
    case Reduce::kAdd:
      return a + b;
    case Reduce::kMin:
      return a < b ? a : b;
    case Reduce::kMax:
      return a < b ? b : a;
    case Reduce::kAnd:
      return a & b;
    case Reduce::kOr:
      return a | b;
    case Reduce::kXor:
      return a ^ b;
  }
  return a;
}

template <Reduce kKind>
void complete_reduce(void* const (&slots)[kLanes], unsigned present) {
  const auto first = static_cast<unsigned>(std::countr_zero(present));
  int64_t total = static_cast<ReduceSlot*>(slots[first])->value;
  for_each_lane(present & (present - 1), [&](unsigned lane) {
    total = combine<kKind>(total, static_cast<ReduceSlot*>(slots[lane])->value);
  });
  for_each_lane(present,
                [&](unsigned lane) { static_cast<ReduceSlot*>(slots[lane])->result = total; });
}

constexpr WarpOperation kReductions[] = {
    {"__reduce_add_sync", &complete_reduce<Reduce::kAdd>},
    {"__reduce_min_sync", &complete_reduce<Reduce::kMin>},
    {"__reduce_max_sync", &complete_reduce<Reduce::kMax>},
    {"__reduce_and_sync", &complete_reduce<Reduce::kAnd>},
    {"__reduce_or_sync", &complete_reduce<Reduce::kOr>},
    {"__reduce_xor_sync", &complete_reduce<Reduce::kXor>},
};

constexpr WarpOperation kSyncWarp = {
    .name = "__syncwarp",
    .complete = [](void* const (&)[kLanes], unsigned) {},
    .orders_memory = true,
};

}  // namespace

void meet_warp(unsigned mask, const Site& site) {
  Block::current().meet_warp(kSyncWarp, mask, nullptr, site);
}

int meet_block(Barrier kind, int predicate, const Site& site) {
  return Block::current().meet_block(kind, predicate, site);
}

uint64_t shuffle(Shuffle kind, unsigned mask, uint64_t bits, int operand, int width,
                 const Site& site) {
  Block& block = Block::current();
  const bool is_width = width >= 1 && width <= 32 && std::has_single_bit(unsigned(width));
  if (!is_width) block.fail("shuffles with a width of " + std::to_string(width));
  ShuffleSlot slot{bits, 0, operand, static_cast<unsigned>(width)};
  block.meet_warp(kShuffles[static_cast<int>(kind)], mask, &slot, site);
  return slot.result;
}

unsigned vote(Vote kind, unsigned mask, int predicate, const Site& site) {
  VoteSlot slot{predicate != 0, 0};
  Block::current().meet_warp(kVotes[static_cast<int>(kind)], mask, &slot, site);
  return slot.result;
}

unsigned match(Match kind, unsigned mask, uint64_t bits, int* is_same, const Site& site) {
  MatchSlot slot{bits, 0, 0};
  Block::current().meet_warp(kMatches[static_cast<int>(kind)], mask, &slot, site);
  if (kind == Match::kAny) return slot.equal;
  const bool all = slot.equal == slot.present;
  if (is_same != nullptr) *is_same = all ? 1 : 0;
  return all ? slot.present : 0;
}

int64_t reduce(Reduce kind, unsigned mask, int64_t value, const Site& site) {
  ReduceSlot slot{value, 0};
  Block::current().meet_warp(kReductions[static_cast<int>(kind)], mask, &slot, site);
  return slot.result;
}

unsigned live_lanes() {
  return Block::current().live_lanes();
}

void yield() {
  Block::current().yield();
}

void trap() {
  Block::current().trap();
}

}  // namespace simt
