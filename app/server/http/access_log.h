#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "app/server/http/http_message.h"

namespace quire {

/// "2026-11-26T09:31:45Z 127.0.0.1:51234 POST /v1/chat/completions 200 1234 56.7": time, peer,
/// method, path, status, bytes of the response's body, milliseconds; " cut" follows if the
/// connection ended first, with the reason if the server has ended it. What could not be read is
/// "-". No query, fields or contents, and nothing that controls a terminal.
std::string access_log_line(const HttpRecord& record, std::chrono::system_clock::time_point time);

}  // namespace quire
