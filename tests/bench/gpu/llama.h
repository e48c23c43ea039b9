#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/bench/gpu/chat_batch.h"
#include "tests/bench/gpu/device_memory.h"

namespace quire::bench {

struct LlamaShape {
  std::string name;  ///< "8b".
  int num_layers, hidden, num_heads, num_kv_heads, intermediate, vocab;
  bool has_tied_head;  ///< The embedding is the head too.
  int head_dim() const { return hidden / num_heads; }
  int num_q() const { return num_heads * head_dim(); }
  int num_kv() const { return num_kv_heads * head_dim(); }
};

LlamaShape llama_1b();
LlamaShape llama_8b();
LlamaShape llama_tiny();

/// The operations of a step, in order, as engine/models/transformer_stage.cpp calls them.
enum class Op {
  kEmbed,
  kRotation,
  kFirstNorm,
  kQkv,
  kRopeAndStore,
  kAttention,
  kGatherRows,  ///< Past the last attention, only rows whose logits are wanted matter.
  kOutput,
  kMlpNorm,
  kGateUp,  ///< With the GLU.
  kDown,
  kNextNorm,  ///< What the next layer begins with, or the head.
  kHead,
};
const char* op_name(Op op);

struct Operation {
  Op op;
  int layer = 0;
  bool is_narrow = false;  ///< Of the rows whose logits are wanted alone.
};

/// What an operation cannot do without: weights and keys read, GEMMs computed. Activations are
/// left out: they may stay on the chip.
struct Cost {
  double bytes = 0.0;
  double flops = 0.0;
};

/// A Llama of random weights: the loop that the engine's TransformerStage is, so that this program
/// measures whole steps where only kernels/ is built.
/// Thread: one.
class Llama {
 public:
  struct Limits {
    int max_tokens = 1;
    int max_chats = 1;
  };
  /// Errors: kOutOfMemory.
  static Result<std::unique_ptr<Llama>> create(Backend& backend, const LlamaShape& shape,
                                               DType dtype, const Limits& limits);

  /// Keys and values of every layer, whose memory is the caller's.
  using Pages = std::vector<KvLayerView>;

  void run(const Operation& operation, const DeviceBatch& batch, const Pages& pages);
  void forward(const DeviceBatch& batch, const Pages& pages) {
    for (const Operation& operation : m_operations) run(operation, batch, pages);
  }
  const std::vector<Operation>& operations() const { return m_operations; }
  Cost cost(const Operation& operation, const ChatBatch& batch, DType kv_dtype) const;
  Cost cost(const ChatBatch& batch, DType kv_dtype) const;

  /// (R, V) of the last step.
  TensorView logits(int rows) const { return m_logits.rows(0, rows); }
  const LlamaShape& shape() const { return m_shape; }

 private:
  struct Layer {
    const LinearWeight* qkv = nullptr;
    const LinearWeight* output = nullptr;
    const LinearWeight* gate_up = nullptr;
    const LinearWeight* down = nullptr;
    TensorView mlp_norm, next_norm;  ///< (C); the last layer's next one is the head's.
  };
  /// (T, .) f32, or where a matrix product reads it, in the dtype that it reads.
  struct Activations {
    TensorView residual, hidden, qkv, normed, attended, gate_up, activated;
    Activations rows(int64_t count) const;
  };

  Llama(Backend& backend, LlamaShape shape)
      : m_backend(backend), m_shape(std::move(shape)), m_memory(backend) {}
  void make_weights(DType dtype);
  void make_work_space(const Limits& limits);
  void list_operations();
  const LinearWeight* weight_of(const Operation& operation) const;
  void apply(const Operation& operation, const Activations& at);
  void join_residual(const Activations& at, ConstTensorView norm);
  void rope_and_store(const Activations& at, const DeviceBatch& batch, const KvLayerView& pages);
  void attend(const Activations& at, const DeviceBatch& batch, const KvLayerView& pages);
  void gather(const DeviceBatch& batch);

  Backend& m_backend;
  LlamaShape m_shape;
  DeviceMemory m_memory;
  std::vector<Layer> m_layers;
  TensorView m_first_norm;
  const LinearWeight* m_embedding = nullptr;
  const LinearWeight* m_head = nullptr;
  const GluParams m_glu;
  TensorView m_inv_freq, m_cos_sin, m_logits;
  TensorView m_last_residual, m_last_attended;  ///< Of the rows whose logits are wanted.
  Activations m_work;
  std::vector<Operation> m_operations;
};

}  // namespace quire::bench
