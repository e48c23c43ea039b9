#include "app/store/transfer/json_record_reader.h"

#include <optional>

namespace quire {
namespace {

/// Of a string or container beside its value.
constexpr int64_t kAllocation = 48;

/// In UTF-16 units, of text in UTF-8: characters of four bytes take two.
int64_t lengthOf(const std::string& text) {
  int64_t length = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool isContinuation = (byte & 0xc0) == 0x80;
    length += isContinuation ? 0 : (byte >= 0xf0 ? 2 : 1);
  }
  return length;
}

class Handler : public nlohmann::json_sax<Json> {
 public:
  explicit Handler(const JsonRecordReader& reader) : m_reader(reader) {}

  bool null() override { return value(Json()); }
  bool boolean(bool flag) override { return value(Json(flag)); }
  bool number_integer(number_integer_t number) override { return value(Json(number)); }
  bool number_unsigned(number_unsigned_t number) override { return value(Json(number)); }
  bool number_float(number_float_t number, const string_t&) override { return value(Json(number)); }
  bool string(string_t& text) override {
    const bool mayBeTooLong = std::ssize(text) > m_reader.maxTextLength && m_key != "data";
    if (mayBeTooLong && lengthOf(text) > m_reader.maxTextLength) {
      return refuse("one of its texts has more than " + std::to_string(m_reader.maxTextLength) +
                    " characters");
    }
    return value(Json(std::move(text)));
  }
  bool binary(binary_t&) override { return refuse("it holds binary data"); }
  bool key(string_t& text) override {
    if (depth() == 1) {
      m_section = std::move(text);
      m_isWanted = m_reader.wants(m_section);
    } else {
      m_key = std::move(text);
    }
    return true;
  }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override {
    if (depth() == 1) {  // A section: its elements are the records.
      m_inArray = true;
      return enter(/*isObject=*/false);
    }
    return open(Json::array());
  }
  bool end_array() override {
    if (depth() == 2 && m_inArray) {
      m_inArray = false;
      m_isObject.pop_back();
      return true;
    }
    return close();
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    return refuse("it cannot be read at byte " + std::to_string(position));
  }

  Result<void> result() const { return m_error ? Result<void>(*m_error) : Result<void>(); }

 private:
  bool refuse(const std::string& why) {
    if (!m_error) m_error = Error{ErrorCode::kCorruptFile, why};
    return false;
  }

  size_t depth() const { return m_isObject.size(); }

  bool enter(bool isObject) {
    m_reader.onValue();
    if (depth() >= JsonRecordReader::kMaxDepth) return refuse("it is nested too deeply");
    m_isObject.push_back(isObject);
    return true;
  }

  bool isRecordsLevel() const { return depth() == (m_inArray ? 2 : 1); }

  bool open(Json container) {
    const bool isObject = container.is_object();
    if (depth() == 0) return isObject ? enter(isObject) : refuse("it is not an object");
    if (!count(container)) return false;
    if (m_isWanted && !add(std::move(container))) return false;
    return enter(isObject);
  }

  bool close() {
    m_isObject.pop_back();
    if (depth() == 0 || !m_isWanted || m_stack.empty()) return true;
    m_stack.pop_back();
    return !m_stack.empty() || handOver();
  }

  bool value(Json scalar) {
    m_reader.onValue();
    if (depth() == 0) return refuse("it is not an object");
    return count(scalar) && (!m_isWanted || add(std::move(scalar)));
  }

  /// Counts a value and its record, of any section: a file with too many, or with one that is too
  /// large, is refused before the first chat is read.
  bool count(const Json& value) {
    if (isRecordsLevel()) {
      m_recordBytes = 0;
      m_textBytes = 0;
      if (++m_numRecords > JsonRecordReader::kMaxRecords) {
        return refuse("it holds more than " + std::to_string(JsonRecordReader::kMaxRecords) +
                      " chats and other records");
      }
    }
    m_recordBytes += costOf(value);
    if (value.is_string()) {
      m_textBytes += static_cast<int64_t>(value.get_ref<const std::string&>().size());
    }
    const bool isTooLarge =
        m_recordBytes > m_reader.maxRecordBytes || m_textBytes > m_reader.maxTextBytes;
    return isTooLarge ? refuse("one of its records is too large") : true;
  }

  /// In the memory of a document a member of an object is a node of a tree with its key; the
  /// elements of a growing array take up to twice their size.
  int64_t costOf(const Json& value) const {
    constexpr int64_t kElement = 2 * sizeof(Json);
    constexpr int64_t kMember = 128;
    const bool isMember = !isRecordsLevel() && m_isObject.back();
    return (isMember ? kMember + static_cast<int64_t>(m_key.size()) : kElement) +
           (value.is_structured() || value.is_string() ? kAllocation : 0);
  }

  bool add(Json child) {
    const bool isContainer = child.is_structured();
    if (isRecordsLevel()) {
      m_record = std::move(child);
      if (!isContainer) return handOver();
      m_stack = {&m_record};
      return true;
    }
    Json& parent = *m_stack.back();
    Json* added = nullptr;
    if (parent.is_array()) {
      parent.push_back(std::move(child));
      added = &parent.back();
    } else {
      added = &(parent[m_key] = std::move(child));
    }
    if (isContainer) m_stack.push_back(added);
    return true;
  }

  bool handOver() {
    auto taken = m_reader.take(m_section, std::move(m_record));
    if (taken) return true;
    m_error = taken.error();
    return false;
  }

  const JsonRecordReader& m_reader;
  std::string m_section;
  std::string m_key;
  bool m_isWanted = false;
  bool m_inArray = false;
  std::vector<bool> m_isObject;  ///< Of each container that is open.
  int m_numRecords = 0;
  int64_t m_recordBytes = 0;  ///< Of the record that is being read, without its texts.
  int64_t m_textBytes = 0;
  Json m_record;
  std::vector<Json*> m_stack;  ///< Of m_record, the containers that are open.
  std::optional<Error> m_error;
};

}  // namespace

Result<void> JsonRecordReader::read(std::istream& input) const {
  Handler handler(*this);
  const bool whole = Json::sax_parse(input, &handler);
  auto result = handler.result();
  if (result && !whole) return Error{ErrorCode::kCorruptFile, "it ends too early"};
  return result;
}

}  // namespace quire
