#pragma once

#include <cstdint>
#include <random>
#include <string>

#include <nlohmann/json.hpp>

namespace quire::test {

/// Random schemas of everything that Grammar supports, with definitions that refer to one another
/// and to themselves. Some describe nothing.
class RandomSchemas {
 public:
  explicit RandomSchemas(uint32_t seed) : m_random(seed) {}

  nlohmann::ordered_json next();

 private:
  using Json = nlohmann::ordered_json;

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(m_random() % n); }
  bool one_in(uint32_t n) { return below(n) == 0; }
  std::string name();
  Json schema(int depth);
  Json leaf();
  Json string();
  Json number();
  Json value(int depth);
  Json object(int depth);
  Json array(int depth);
  Json alternatives(int depth);

  std::mt19937 m_random;
};

}  // namespace quire::test
