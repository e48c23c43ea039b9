#pragma once

#include <climits>
#include <vector>

#include "engine/cache/block_table.h"
#include "engine/cache/named_pool.h"

namespace quire {

/// The states that rows of one sequence read and write in a step.
struct StateRows {
  /// The state after the tokens before `end` is written to slot `out`.
  struct Segment {
    int end = 0;
    StateSlot out = -1;
  };
  StateSlot in = -1;              ///< The state before the first row; -1: zeros.
  std::vector<Segment> segments;  ///< Ascending; the last one ends with the rows.
};

struct StateCacheSizes {
  /// One sequence reads a slot and writes another, beside one snapshot.
  static constexpr int kLeastSlots = 3;
  int num_slots = 0;  ///< At least kLeastSlots; 0: the model has no states.
  int stride = 0;     ///< Tokens, a multiple of kBlockSize: a snapshot at each multiple; 0: none.
};

/// Slots for the recurrent states of running sequences, and snapshots from which other sequences
/// resume. Host data only; it never touches the states themselves.
///
/// Nothing is copied: a step reads one slot and may write another, and the slot that was read stays
/// as a snapshot. Snapshots are kept at ends of blocks: of the persona, of the prompt (the last one
/// before its last token, whose logits are needed), where another sequence branched off, at
/// multiples of the stride, and the last one that an answer passed, which replaces the one before.
/// A snapshot has the name of the block that ends there, and is never written.
///
/// Thread: the engine's.
/// Invariants: a running sequence holds at most two slots beside snapshots of the running step, so
/// that max_sequences() of them always find one; a slot that a step writes has no name and no other
/// reference.
class StateCache {
 public:
  StateCache(const StateCacheSizes& sizes, bool share_prefixes);

  bool exists() const { return m_sizes.num_slots > 0; }
  /// Sequences that may run at the same time.
  int max_sequences() const { return exists() ? (m_sizes.num_slots - 1) / 2 : INT_MAX; }
  const StateCacheSizes& sizes() const { return m_sizes; }
  const NamedPool& pool() const { return m_slots; }

  /// The most of the table's first `num_blocks` blocks after which a sequence can resume; all of
  /// them without states.
  int last_resume(const BlockTable& table, int num_blocks) const;
  /// The table continues after these blocks, which are its own; it wants a snapshot after
  /// `num_matched`, where it could not resume.
  void resume(BlockTable& table, int num_blocks, int num_matched);
  /// Wants a snapshot at that position, a multiple of kBlockSize.
  void want_snapshot(BlockTable& table, int position) const;

  /// Plans the states of the rows [begin, begin + count), the next ones of the table. Rows that
  /// were planned before may still be computed.
  StateRows plan(BlockTable& table, int begin, int count);
  /// Plans states after each of `count` rows behind those planned last: adds their segments to
  /// `rows`. Returns how many, as running sequences must not run out of slots.
  int plan_drafts(BlockTable& table, int count, StateRows& rows);
  /// Frees the states of drafts that mark_computed() did not pass.
  void drop_drafts(BlockTable& table);
  /// The slot of the snapshot after the table's full block `index`.
  std::optional<StateSlot> find(const BlockTable& table, int index) const {
    return m_slots.find(table, index);
  }
  /// The table's tokens up to its num_computed() were computed: names the snapshots among them. If
  /// these are more than were planned, the next draft was accepted.
  void mark_computed(BlockTable& table);
  /// Frees all slots of the table; a state at the end of its computed tokens becomes a snapshot.
  void release(BlockTable& table);

  /// A full block with this name was evicted: a snapshot after it cannot be used.
  void drop(const PrefixIndex::Name& name);
  /// Allocates a slot for a stored snapshot of the table's block `index` and names it; nothing if
  /// the pool has it, or no free slot that running sequences do not need.
  std::optional<StateSlot> adopt(const BlockTable& table, int index);
  /// An adopted slot could not be written.
  void disown(StateSlot slot) { m_slots.forget(slot); }

  void set_chat_open(int64_t chat, bool open) { m_slots.set_chat_open(chat, open); }
  void set_pinned(const BlockTable& table, int num_blocks, bool pinned);
  void forget_all() { m_slots.forget_all(); }
  /// Starts again with empty slots; chats stay open. No table holds any.
  void reset(const StateCacheSizes& sizes);

 private:
  /// Whether a state is kept as a snapshot: until the answer passes the next block, or until it is
  /// evicted; minor ones are evicted first.
  enum class Keep { kNo, kRolling, kMinor, kYes };
  Keep keep_at(const BlockTable& table, int position) const;
  bool is_snapshot(StateSlot slot) const { return m_slots.index().contains(slot); }
  bool has_spare() const { return m_slots.pool().num_free() > max_sequences(); }
  StateSlot allocate();
  void name(BlockTable& table, int position, StateSlot slot);
  void release(BlockTable& table, int position, StateSlot slot);
  void replace_rolling(BlockTable& table, int position);
  void accept_draft(BlockTable& table);

  StateCacheSizes m_sizes;
  bool m_share_prefixes;
  NamedPool m_slots;
};

}  // namespace quire
