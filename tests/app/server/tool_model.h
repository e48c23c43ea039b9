#pragma once

#include <QString>

#include <memory>

#include "engine/chat/chat_format.h"

namespace quire {

/// The chat format of a model that writes calls as Hermes does; it has no tokenizer.
inline std::shared_ptr<const ChatFormat> toolModel() {
  ChatFormat format;
  format.template_source = "{{ tools }}<tool_call>";
  return std::make_shared<const ChatFormat>(std::move(format));
}

inline const QString kWeatherCall = QStringLiteral(
    "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Ulm\"}}\n"
    "</tool_call>");

}  // namespace quire
