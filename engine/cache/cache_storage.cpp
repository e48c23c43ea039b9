#include "engine/cache/cache_storage.h"

#include <string>
#include <utility>

namespace quire {
namespace {

/// Elements of one block of a layer's keys, or values, of that many dimensions.
size_t block_elements(const PagesShape& pages, int dim) {
  return size_t{1} * pages.num_kv_heads * kBlockSize * dim;
}

/// Scales of one block of a layer's keys, or values.
size_t block_scales(const PagesShape& pages, DType dtype) {
  return dtype == DType::kI8 ? size_t{1} * pages.num_kv_heads * kBlockSize : 0;
}

/// Bytes of one block of a layer.
size_t page_bytes(const PagesShape& pages, DType dtype) {
  return block_elements(pages, pages.head_dim + pages.values()) * dtype_bytes(dtype) +
         2 * block_scales(pages, dtype) * sizeof(float);
}

}  // namespace

int CacheLayout::window() const {
  int window = 0;
  for (const LayerCache& layer : layers) {
    if (layer.pages) window = std::max(window, layer.pages->window);
  }
  return window;
}

size_t CacheLayout::bytes_per_block(int first, int count) const {
  size_t bytes = 0;
  for (int i = first; i < first + count; ++i) {
    const std::optional<PagesShape>& pages = layers.at(size_t(i)).pages;
    if (pages && pages->window == 0) bytes += page_bytes(*pages, dtype);
  }
  return bytes;
}

size_t CacheLayout::bytes_per_window(int first, int count) const {
  size_t bytes = 0;
  for (int i = first; i < first + count; ++i) {
    const std::optional<PagesShape>& pages = layers.at(size_t(i)).pages;
    if (pages && pages->window > 0) bytes += page_bytes(*pages, dtype);
  }
  return bytes;
}

size_t CacheLayout::bytes_per_state(int first, int count) const {
  size_t bytes = 0;
  for (int i = first; i < first + count; ++i) {
    const std::optional<StateShape>& state = layers.at(size_t(i)).state;
    if (state) bytes += state->conv_bytes() + state->matrix_bytes();
  }
  return bytes;
}

CacheStorage::CacheStorage(CacheLayout layout, const Sizes& sizes)
    : m_layout(std::move(layout)),
      m_blocks{.count = sizes.num_blocks, .item_bytes = m_layout.bytes_per_block()},
      m_windows{.count = sizes.num_windows, .item_bytes = m_layout.bytes_per_window()},
      m_slots{.count = sizes.num_slots, .item_bytes = m_layout.bytes_per_state()} {}

Result<CacheStorage> CacheStorage::allocate(Backend& backend, const CacheLayout& layout,
                                            const Sizes& sizes) {
  const std::vector<Backend*> backends(layout.layers.size(), &backend);
  return allocate(backends, layout, sizes);
}

Result<CacheStorage> CacheStorage::allocate(std::span<Backend* const> layer_backends,
                                            const CacheLayout& layout, const Sizes& sizes) {
  CHECK(sizes.num_blocks > 0 && layer_backends.size() == layout.layers.size());
  CHECK(sizes.num_slots > 0 || !layout.has_states());
  CHECK(sizes.num_windows > 0 || layout.window() == 0);
  CacheStorage storage(layout, sizes);
  for (size_t i = 0; i < layer_backends.size(); ++i) {
    const std::optional<int> reads = layout.layers[i].reads;
    CHECK(!reads || (size_t(*reads) < i && layer_backends[size_t(*reads)] == layer_backends[i]));
    auto added = storage.add_layer(*layer_backends[i], layout.layers[i]);
    if (!added) return added.error();
  }
  if (layout.window() > 0) {
    if (auto cleared = storage.clear_window(0); !cleared) return cleared.error();
  }
  return storage;
}

Result<void> CacheStorage::add_part(Arena& arena, Backend& backend, size_t item_bytes,
                                    int num_heads) {
  auto memory = num_heads > 0 ? backend.allocate_pages(item_bytes, arena.count, num_heads)
                              : backend.allocate(item_bytes * static_cast<size_t>(arena.count));
  if (!memory) return memory.error();
  const bool by_dimension = backend.info().keys_by_dimension;
  arena.parts.push_back({&backend, std::move(*memory), item_bytes, by_dimension});
  return {};
}

Result<void> CacheStorage::add_layer(Backend& backend, const LayerCache& layer) {
  const DType dtype = m_layout.dtype;
  m_blocks.first_part.push_back(m_blocks.parts.size());
  m_windows.first_part.push_back(m_windows.parts.size());
  m_slots.first_part.push_back(m_slots.parts.size());
  if (layer.pages) {
    if (!backend.supports_kv(dtype)) {
      return make_error(
          ErrorCode::kUnsupported,
          "Keys and values in %1 are not kept on the device %2. Choose %3.",
          {std::string(dtype_name(dtype)), backend.info().name, "f32, f16, bf16 or i8"});
    }
    Arena& arena = layer.pages->window > 0 ? m_windows : m_blocks;
    if (auto added = add_pages(arena, backend, *layer.pages); !added) return added;
  }
  if (layer.state) {
    for (const size_t bytes : {layer.state->conv_bytes(), layer.state->matrix_bytes()}) {
      if (auto added = add_part(m_slots, backend, bytes); !added) return added;
    }
  }
  return {};
}

Result<void> CacheStorage::add_pages(Arena& arena, Backend& backend, const PagesShape& pages) {
  const DType dtype = m_layout.dtype;
  const size_t scale_bytes = block_scales(pages, dtype) * sizeof(float);
  const size_t parts[] = {block_elements(pages, pages.head_dim) * dtype_bytes(dtype),
                          block_elements(pages, pages.values()) * dtype_bytes(dtype), scale_bytes,
                          scale_bytes};
  for (const size_t bytes : std::span(parts).first(dtype == DType::kI8 ? 4 : 2)) {
    if (auto added = add_part(arena, backend, bytes, pages.num_kv_heads); !added) return added;
  }
  return {};
}

Result<void> CacheStorage::clear_window(int slot) {
  return write_window(slot, std::vector<std::byte>(m_windows.item_bytes));
}

bool CacheStorage::has_window(int index) const {
  if (const auto other = m_layout.layers.at(size_t(index)).reads) return has_window(*other);
  const std::optional<PagesShape>& pages = m_layout.layers.at(size_t(index)).pages;
  return pages && pages->window > 0;
}

KvLayerView CacheStorage::layer(int index) const {
  if (const auto other = m_layout.layers.at(size_t(index)).reads) return layer(*other);
  const std::optional<PagesShape>& pages = m_layout.layers.at(size_t(index)).pages;
  CHECK(pages.has_value());
  const Arena& arena = pages->window > 0 ? m_windows : m_blocks;
  const Part* const parts = &arena.parts.at(arena.first_part[size_t(index)]);
  const auto view_of = [&](const Part& part, int64_t rows, int64_t columns) {
    return TensorView(part.memory->data(), m_layout.dtype,
                      {arena.count, pages->num_kv_heads, rows, columns});
  };
  const int64_t dim = pages->head_dim;
  KvLayerView view = {parts[0].keys_by_dimension ? view_of(parts[0], dim, kBlockSize)
                                                 : view_of(parts[0], kBlockSize, dim),
                      view_of(parts[1], kBlockSize, pages->values())};
  if (m_layout.dtype != DType::kI8) return view;
  const auto scales = [&](const Part& part) {
    return TensorView(part.memory->data(), DType::kF32,
                      {arena.count, pages->num_kv_heads, kBlockSize});
  };
  view.key_scales = scales(parts[2]);
  view.value_scales = scales(parts[3]);
  return view;
}

StateLayerView CacheStorage::state(int index) const {
  const std::optional<StateShape>& shape = m_layout.layers.at(size_t(index)).state;
  CHECK(shape.has_value());
  const Part* const parts = &m_slots.parts.at(m_slots.first_part[size_t(index)]);
  return {TensorView(parts[0].memory->data(), DType::kF32,
                     {m_slots.count, shape->conv_rows, shape->conv_width}),
          TensorView(parts[1].memory->data(), DType::kF32,
                     {m_slots.count, shape->num_heads, shape->rows, shape->columns})};
}

const void* CacheStorage::address(int first) const {
  for (const Arena* arena : arenas()) {
    const size_t part = arena->first_part.at(size_t(first));
    if (part < arena->parts.size()) return arena->parts[part].memory->data();
  }
  return nullptr;
}

void CacheStorage::copy(const Arena& arena, int from, int to) {
  for (const Part& part : arena.parts) {
    part.backend->copy(part.item(to), part.item(from), part.item_bytes);
  }
}

Result<void> CacheStorage::read_block(int block, std::span<std::byte> to) const {
  download(m_blocks, block, to);
  return synchronize();
}

Result<void> CacheStorage::write_block(int block, std::span<const std::byte> from) {
  upload(m_blocks, block, from);
  return synchronize();
}

Result<void> CacheStorage::read_window(int slot, std::span<std::byte> to) const {
  download(m_windows, slot, to);
  return synchronize();
}

Result<void> CacheStorage::write_window(int slot, std::span<const std::byte> from) {
  upload(m_windows, slot, from);
  return synchronize();
}

Result<void> CacheStorage::read_state(int slot, std::span<std::byte> to) const {
  download(m_slots, slot, to);
  return synchronize();
}

Result<void> CacheStorage::write_state(int slot, std::span<const std::byte> from) {
  upload(m_slots, slot, from);
  return synchronize();
}

void CacheStorage::download(const Arena& arena, int item, std::span<std::byte> to) {
  CHECK(item >= 0 && item < arena.count && to.size() == arena.item_bytes);
  std::byte* next = to.data();
  for (const Part& part : arena.parts) {
    part.backend->download(next, part.item(item), part.item_bytes);
    next += part.item_bytes;
  }
}

void CacheStorage::upload(Arena& arena, int item, std::span<const std::byte> from) {
  CHECK(item >= 0 && item < arena.count && from.size() == arena.item_bytes);
  const std::byte* next = from.data();
  for (const Part& part : arena.parts) {
    part.backend->upload(part.item(item), next, part.item_bytes);
    next += part.item_bytes;
  }
}

/// Once for every backend: layers of one are consecutive.
Result<void> CacheStorage::synchronize() const {
  const Backend* last = nullptr;
  for (const Arena* arena : arenas()) {
    for (const Part& part : arena->parts) {
      if (part.backend == last) continue;
      last = part.backend;
      if (auto done = part.backend->synchronize(); !done) return done.error();
    }
  }
  return {};
}

}  // namespace quire
