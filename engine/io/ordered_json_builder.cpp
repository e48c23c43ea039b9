#include "engine/io/ordered_json_builder.h"

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/base/hash_bytes.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

/// Invariants: the containers that are open lie within each other, so that none of them moves while
/// a value is added to the last.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  Json take() { return std::move(m_root); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    m_key = std::move(name);
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  using Members = std::vector<std::pair<const std::string, Json>>;  ///< What an object_t is.
  struct Open {
    Json* container;
    /// Of an object's keys.
    std::unordered_map<std::string, size_t, BytesHash, std::equal_to<>> places = {};
  };

  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json container) {
    m_open.push_back({place(std::move(container))});
    return true;
  }
  bool close() {
    m_open.pop_back();
    return true;
  }

  /// Puts a value where it belongs; returns where it lies.
  Json* place(Json value) {
    if (m_open.empty()) return &(m_root = std::move(value));
    Open& open = m_open.back();
    if (open.container->is_array()) {
      auto& values = open.container->get_ref<Json::array_t&>();
      values.push_back(std::move(value));
      return &values.back();
    }
    Members& members = open.container->get_ref<Json::object_t&>();
    const auto [found, is_new] = open.places.try_emplace(m_key, members.size());
    if (!is_new) return &(members[found->second].second = std::move(value));
    members.emplace_back(std::move(m_key), std::move(value));
    return &members.back().second;
  }

  Json m_root;
  std::vector<Open> m_open;
  std::string m_key;
};

}  // namespace

Json build_ordered_json(std::string_view text) {
  Builder builder;
  if (!Json::sax_parse(text, &builder)) return Json(Json::value_t::discarded);
  return builder.take();
}

}  // namespace quire
