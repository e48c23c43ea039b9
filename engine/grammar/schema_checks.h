#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace quire {

/// Schemas and their properties in the order in which they were written.
using SchemaJson = nlohmann::ordered_json;

/// A schema within a document, and its place there: "#/properties/a".
struct SchemaPart {
  const SchemaJson* json;
  std::string path;  ///< Only its beginning where it is longer than kMaxPathBytes.

  /// More than for_message() shows. Each part has a path, so a name of 100 kB must not be in all.
  static constexpr size_t kMaxPathBytes = 200;

  SchemaPart at(const std::string& keyword) const { return {&(*json)[keyword], path_to(keyword)}; }
  SchemaPart at(size_t index) const { return {&(*json)[index], path_to(std::to_string(index))}; }
  /// The path of the part with this name or index.
  std::string path_to(std::string_view name) const {
    if (path.size() >= kMaxPathBytes) return path;
    return path + "/" + std::string(name.substr(0, kMaxPathBytes));
  }
  bool has(const char* keyword) const { return json->is_object() && json->contains(keyword); }
};

/// The types of JSON values, as bits.
namespace schema_type {
inline constexpr unsigned kNull = 1;
inline constexpr unsigned kBoolean = 2;
inline constexpr unsigned kObject = 4;
inline constexpr unsigned kArray = 8;
inline constexpr unsigned kString = 16;
inline constexpr unsigned kInteger = 32;
inline constexpr unsigned kFraction = 64;  ///< Numbers that are no integers.
inline constexpr unsigned kNumber = kInteger | kFraction;
inline constexpr unsigned kAll = 127;
}  // namespace schema_type

/// " at #/properties/a of the schema", for messages.
std::string place_of(const SchemaPart& schema);

/// The types that "type" names: all without it, none if it is ill-formed.
std::optional<unsigned> declared_types(const SchemaPart& schema);
/// What "type" is where it is missing: the type that the other keywords are of; without any, all.
unsigned types_implied_by(const SchemaPart& schema);
unsigned type_of_value(const SchemaJson& value);

/// What is wrong with a schema's keywords as such, as a sentence; nothing if all are supported.
std::optional<std::string> check_keywords(const SchemaPart& schema);

/// Answers questions about the schemas of one document.
class SchemaDocument {
 public:
  explicit SchemaDocument(const SchemaJson& root) : m_root(root) {}

  SchemaPart root() const { return {&m_root, "#"}; }
  /// What a schema stands for: the target of its "$ref", the only part of its "allOf". `wrong` gets
  /// a sentence if there is none.
  SchemaPart resolve(SchemaPart schema, std::optional<std::string>& wrong) const;
  /// The types that its values may have; more if it cannot be told.
  unsigned types(const SchemaPart& schema);
  /// Whether certainly no value fits both. Takes a bounded time.
  bool are_disjoint(const SchemaPart& a, const SchemaPart& b);
  /// Whether so many schemas were compared that no more are.
  bool is_tired() const { return m_num_compared > kMaxCompared; }

 private:
  static constexpr int kMaxCompared = 10'000;

  using Members = std::map<std::string_view, const SchemaJson*>;
  using Names = std::set<std::string_view>;

  const SchemaJson* find(const std::string& reference) const;
  /// Null if the object has no such member. Searches a sorted index of the object.
  const SchemaJson* member(const SchemaJson& object, std::string_view name) const;
  bool requires_property(const SchemaPart& schema, std::string_view name);
  void count_keywords(const SchemaPart& schema);
  unsigned types_within(const SchemaPart& schema, int depth);
  unsigned types_of_leaf(const SchemaPart& part);
  bool are_disjoint_within(SchemaPart a, SchemaPart b, int depth);
  bool have_disjoint_property(const SchemaPart& a, const SchemaPart& b, int depth);

  const SchemaJson& m_root;
  /// What the schemas stand for that refer to others. Each reference is searched for once, although
  /// a comparison may resolve a schema again and again.
  mutable std::map<const SchemaJson*, SchemaPart> m_resolved;
  // What is asked for again and again in a comparison, each computed once for an object or list.
  mutable std::map<const SchemaJson*, Members> m_members;
  std::map<const SchemaJson*, Names> m_required;
  std::map<const SchemaJson*, unsigned> m_types;
  int m_num_compared = 0;
};

}  // namespace quire
