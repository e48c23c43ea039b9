#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace quire {

/// A response as it stood on the wire, its chunks joined.
struct RawResponse {
  int status = 0;  ///< 0: none arrived, or not the whole of it.
  std::string head = {};
  std::string body = {};
  bool is_chunked = false;

  /// "name: value" stands in the head, in any case of the name.
  bool has_field(const std::string& line) const;
};

/// A client that sends any bytes it is told to.
class RawClient {
 public:
  using Milliseconds = std::chrono::milliseconds;
  static constexpr Milliseconds kLong{5000};

  explicit RawClient(uint16_t port, int receive_buffer_bytes = 0,
                     const char* address = "127.0.0.1");
  ~RawClient() { close(); }
  RawClient(RawClient&& other) noexcept
      : m_socket(std::exchange(other.m_socket, -1)), m_input(std::move(other.m_input)) {}
  RawClient(const RawClient&) = delete;

  bool is_connected() const { return m_socket >= 0; }
  /// Whether all of it could be sent.
  bool send(std::string_view bytes) const;
  /// The next response, without the interim ones unless `interim`.
  RawResponse read_response(Milliseconds time = kLong, bool is_head = false, bool interim = false);
  /// What arrives until the connection ends, or the time.
  std::string read_rest(Milliseconds time = kLong);
  /// Waits until something can be read, and adds it to the input. False: nothing came, or the end.
  bool receive(Milliseconds time);
  /// The server has closed the connection.
  bool is_closed_within(Milliseconds time);
  const std::string& input() const { return m_input; }

  void end_sending() const;
  void close();
  /// Closes with a reset instead of an end.
  void reset();

 private:
  bool read_chunks(RawResponse& response, std::chrono::steady_clock::time_point until);
  bool wait_for(size_t bytes, std::chrono::steady_clock::time_point until);
  std::optional<std::string> read_line(std::chrono::steady_clock::time_point until);

  int m_socket = -1;
  std::string m_input;
};

}  // namespace quire
